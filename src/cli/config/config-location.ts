// Location, text and permissions of the config file.
import { stat } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { type ReadLimits, readInputText } from "../../system/input-file.ts";
import { UsageError } from "../../units/monitor-error.ts";
import type { Context } from "../context.ts";
import { OPTIONS } from "../options.ts";
import type { Config } from "./config-keys.ts";

const CONFIG_NAME = "config.toml";
/** A file with every key set has 20 KiB. */
const MAX_CONFIG_BYTES = 1024 * 1024;
const OTHERS = 0o077;

export interface ConfigLocation {
  readonly path: string;
  /** Named by the user, so it must exist. */
  readonly isNamed: boolean;
}

/** The file given by `--config` or the environment, else the one in the platform's config folder, if there is one. */
export function locateConfig({
  options,
  env,
}: Pick<Context, "options" | "env">): ConfigLocation | undefined {
  const named = options.config ?? (env[OPTIONS.config.env] || undefined);
  if (named !== undefined) return { path: named, isNamed: true };
  const folder = folderOf("config", env);
  return folder === undefined ? undefined : { path: join(folder, CONFIG_NAME), isNamed: false };
}

/** @throws {UsageError} for a user without a home folder */
export function requireLocation(context: Pick<Context, "options" | "env">): ConfigLocation {
  const location = locateConfig(context);
  if (location !== undefined) return location;
  throw new UsageError(
    "there is no home folder",
    `name the file: --config, or ${OPTIONS.config.env}`,
  );
}

/** Reads it once, as it may be a pipe. Undefined if it is absent and was not named. @throws {UsageError} if it cannot be read */
export async function readConfigText(
  { path, isNamed }: ConfigLocation,
  limits: ReadLimits,
): Promise<string | undefined> {
  try {
    return await readInputText(path, MAX_CONFIG_BYTES, limits);
  } catch (error) {
    limits.interrupt?.throwIfAborted();
    const { code, message } = error as NodeJS.ErrnoException;
    if (!isNamed && (code === "ENOENT" || code === "ENOTDIR")) return undefined;
    throw new UsageError(
      `the config file cannot be read: ${path} (${code ?? message})`,
      "name another one: --config",
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

/** Of each kind of file: the variable that names its folder, else where it is in the home folder, and what stands behind the name. */
const FOLDERS = {
  win32: {
    config: ["APPDATA", "AppData/Roaming", "Config"],
    data: ["LOCALAPPDATA", "AppData/Local", "Data"],
    state: ["LOCALAPPDATA", "AppData/Local", ""],
  },
  darwin: {
    config: ["", "Library/Preferences", ""],
    data: ["", "Library/Application Support", ""],
    state: ["XDG_STATE_HOME", ".local/state", ""],
  },
  other: {
    config: ["XDG_CONFIG_HOME", ".config", ""],
    data: ["XDG_DATA_HOME", ".local/share", ""],
    state: ["XDG_STATE_HOME", ".local/state", ""],
  },
} as const;

/**
 * Where the config file is (`config`), what the user has set and fetched (`data`), and what was learned (`state`). A relative
 * folder in a variable is ignored, as its specification says. Undefined for a user without a home folder.
 */
export function folderOf(
  kind: keyof typeof FOLDERS.other,
  env: Context["env"],
): string | undefined {
  const { platform } = process;
  const [variable, below, last] =
    FOLDERS[platform in FOLDERS ? (platform as "win32") : "other"][kind];
  const home = homeOf(env);
  const folder = [env[variable], home && join(home, below)].find(
    (each) => each && isAbsolute(each),
  );
  return folder && join(folder, "monitor", last);
}

function homeOf({ HOME }: Context["env"]): string | undefined {
  if (HOME && process.platform !== "win32") return HOME;
  try {
    return homedir();
  } catch {
    // A user whom the system does not know by name.
    return undefined;
  }
}
