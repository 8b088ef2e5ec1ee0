// Where what persists between runs is: the platform's data folder.

/** `…/monitor`, as the environment of the process has it. */
export async function dataFolder(): Promise<string> {
  const { default: envPaths } = await import("env-paths");
  return envPaths("monitor", { suffix: "" }).data;
}
