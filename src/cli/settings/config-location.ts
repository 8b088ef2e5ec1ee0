// Where the config file is, and its text.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { UsageError } from "../../units/monitor-error.ts";
import type { Context } from "../context.ts";
import { OPTIONS } from "../options.ts";

const CONFIG_NAME = "config.toml";

/** Where the config file is, or would be. */
export interface ConfigLocation {
  readonly path: string;
  /** True when the user named it: then it must be there. */
  readonly isNamed: boolean;
}

/** The file that `--config` or the environment names, else the one in the platform's config folder. Never rejects. */
export async function locateConfig({
  options,
  env,
}: Pick<Context, "options" | "env">): Promise<ConfigLocation> {
  const named = options.config ?? (env[OPTIONS.config.env] || undefined);
  if (named !== undefined) return { path: named, isNamed: true };
  const { default: envPaths } = await import("env-paths");
  return { path: join(envPaths("monitor", { suffix: "" }).config, CONFIG_NAME), isNamed: false };
}

/**
 * @returns undefined when the file is not there and nobody asked for it by name
 * @throws {UsageError} when it cannot be read
 */
export async function readConfigText({
  path,
  isNamed,
}: ConfigLocation): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (!isNamed && (code === "ENOENT" || code === "ENOTDIR")) return undefined;
    throw new UsageError(`the config file cannot be read: ${path} (${code})`, "see --config");
  }
}
