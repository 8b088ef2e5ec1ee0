// Where the config file is, its text, and who may read it.
import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Context } from "../args/context.ts";
import { OPTIONS } from "../args/options.ts";
import { type Patience, readGivenText } from "../system/given-file.ts";
import { UsageError } from "../units/monitor-error.ts";
import type { Config } from "./config-file.ts";

const CONFIG_NAME = "config.toml";
/** A file with every key set has 20 KiB. */
const MAX_CONFIG_BYTES = 1024 * 1024;
const OTHERS = 0o077;

export interface ConfigLocation {
  readonly path: string;
  /** The user named it: then it must be there. */
  readonly isNamed: boolean;
}

/** The file that `--config` or the environment names, else the one in the platform's config folder. */
export async function locateConfig({
  options,
  env,
}: Pick<Context, "options" | "env">): Promise<ConfigLocation> {
  const named = options.config ?? (env[OPTIONS.config.env] || undefined);
  if (named !== undefined) return { path: named, isNamed: true };
  const { default: envPaths } = await import("env-paths");
  return { path: join(envPaths("monitor", { suffix: "" }).config, CONFIG_NAME), isNamed: false };
}

/** A pipe can be read once. Undefined when the file is not there and was not named. @throws {UsageError} when it cannot be read */
export async function readConfigText(
  { path, isNamed }: ConfigLocation,
  patience: Patience,
): Promise<string | undefined> {
  try {
    return (await readGivenText(path, MAX_CONFIG_BYTES, patience)).text;
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

/** Whether headers are in it, for all or for a profile: such a file is for its owner only. */
export function holdsHeaders({ headers = {}, profiles = {} }: Config): boolean {
  const all = [headers, ...Object.values(profiles).map((profile) => profile.headers ?? {})];
  return all.some((each) => Object.keys(each).length > 0);
}

/** The mode of a file in octal digits, and whether others can read or change it. @throws what the file system throws */
export async function readMode(path: string): Promise<{ digits: string; isOpen: boolean }> {
  const { mode } = await stat(path);
  const digits = (mode & 0o777).toString(8).padStart(3, "0");
  return { digits, isOpen: (mode & OTHERS) !== 0 };
}

// Where what persists between runs is: the platform's data folder.

/** `…/monitor`, as the environment of the process has it. */
export async function dataFolder(): Promise<string> {
  const { default: envPaths } = await import("env-paths");
  return envPaths("monitor", { suffix: "" }).data;
}
