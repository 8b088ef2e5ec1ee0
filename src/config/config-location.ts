// Where the config file is, and its text.
import { join } from "node:path";
import type { Context } from "../args/context.ts";
import { OPTIONS } from "../args/options.ts";
import { type Patience, readGivenText } from "../system/given-file.ts";
import { UsageError } from "../units/monitor-error.ts";

const CONFIG_NAME = "config.toml";
/** A file with every key set has 20 KiB. */
const MAX_CONFIG_BYTES = 1024 * 1024;

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

/** What pipes have said, by the options of their run: they say it once, and a run asks several times. */
const said = new WeakMap<Context["options"], string>();

/**
 * The text of a run's config file.
 * @returns undefined when the file is not there and nobody asked for it by name
 * @throws {UsageError} when it cannot be read
 */
export async function readConfigText(
  location: ConfigLocation,
  { clock, options, interrupt }: Pick<Context, "clock" | "options" | "interrupt">,
): Promise<string | undefined> {
  const before = said.get(options);
  if (before !== undefined) return before;
  const { timeout: timeoutMs } = options;
  const read = await readConfigNow(location, { clock, timeoutMs, interrupt });
  if (read?.isRegular === false) said.set(options, read.text);
  return read?.text;
}

/** The same without remembering anything. @throws {UsageError} when it cannot be read */
export async function readConfigNow({ path, isNamed }: ConfigLocation, patience: Patience) {
  try {
    return await readGivenText(path, MAX_CONFIG_BYTES, patience);
  } catch (error) {
    patience.interrupt?.throwIfAborted();
    const { code, message } = error as NodeJS.ErrnoException;
    if (!isNamed && (code === "ENOENT" || code === "ENOTDIR")) return undefined;
    throw new UsageError(
      `the config file cannot be read: ${path} (${code ?? message})`,
      "see --config",
    );
  }
}
