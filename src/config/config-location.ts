// Location, text and permissions of the config file.
import { stat } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import type { Context } from "../args/context.ts";
import { OPTIONS } from "../args/options.ts";
import { type ReadLimits, readInputText } from "../system/input-file.ts";
import { UsageError } from "../units/monitor-error.ts";
import type { Config } from "./config-file.ts";

const CONFIG_NAME = "config.toml";
/** A file with every key set has 20 KiB. */
const MAX_CONFIG_BYTES = 1024 * 1024;
const OTHERS = 0o077;

export interface ConfigLocation {
  readonly path: string;
  /** Named by the user, so it must exist. */
  readonly isNamed: boolean;
}

/** The file given by `--config` or the environment, else the one in the platform's config folder. */
export async function locateConfig({
  options,
  env,
}: Pick<Context, "options" | "env">): Promise<ConfigLocation> {
  const named = options.config ?? (env[OPTIONS.config.env] || undefined);
  if (named !== undefined) return { path: named, isNamed: true };
  const { default: envPaths } = await import("env-paths");
  return { path: join(envPaths("monitor", { suffix: "" }).config, CONFIG_NAME), isNamed: false };
}

/** Reads it once, as it may be a pipe. Undefined if it is absent and was not named. @throws {UsageError} if it cannot be read */
export async function readConfigText(
  { path, isNamed }: ConfigLocation,
  patience: ReadLimits,
): Promise<string | undefined> {
  try {
    return (await readInputText(path, MAX_CONFIG_BYTES, patience)).text;
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

/** True if the file contains headers, for all or for a profile: then only its owner should be able to read it. */
export function holdsHeaders({ headers = {}, profiles = {} }: Config): boolean {
  const all = [headers, ...Object.values(profiles).map((profile) => profile.headers ?? {})];
  return all.some((each) => Object.keys(each).length > 0);
}

/** The mode of a file in octal digits, and whether others can read or change it. @throws file system errors */
export async function readMode(path: string): Promise<{ digits: string; isOpen: boolean }> {
  const { mode } = await stat(path);
  const digits = (mode & 0o777).toString(8).padStart(3, "0");
  return { digits, isOpen: (mode & OTHERS) !== 0 };
}

// Where persisted data is: the platform's data folder.

/** `…/monitor`, according to the environment of the process. */
export async function dataFolder(): Promise<string> {
  const { default: envPaths } = await import("env-paths");
  return envPaths("monitor", { suffix: "" }).data;
}

/** Where what was learned is: `~/.local/state/monitor`; undefined on a machine that names no such place. */
export function stateFolder({ XDG_STATE_HOME, HOME, LOCALAPPDATA }: Context["env"]) {
  const places = [XDG_STATE_HOME, HOME && join(HOME, ".local", "state"), LOCALAPPDATA];
  const place = places.find((each) => each !== undefined && isAbsolute(each));
  return place && join(place, "monitor");
}
