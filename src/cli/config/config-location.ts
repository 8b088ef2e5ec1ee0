// Location and text of the config file, and the folders of what is kept.
import { stat } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { readInputText } from "../../system/input-file.ts";
import { UsageError } from "../../units/monitor-error.ts";
import type { Context } from "../context.ts";
import type { Config } from "./config-keys.ts";

/** A file with every key set has 20 KiB. */
const MAX_CONFIG_BYTES = 1024 * 1024;
const OTHERS = 0o077;

/** The file given by `--config` or the environment, else the one in the platform's config folder, if there is one. */
export function configPath({ options, env }: Pick<Context, "options" | "env">): string | undefined {
  const folder = folderOf("config", env);
  return options.config ?? (env.MONITOR_CONFIG || (folder && join(folder, "config.toml")));
}

/** Read once, as it may be a pipe. Undefined if it is absent and was not named. @throws {UsageError} if it cannot be read */
export async function readConfigText(
  path: string,
  { interrupt, options, env }: Pick<Context, "interrupt" | "options" | "env">,
): Promise<string | undefined> {
  const isNamed = options.config !== undefined || Boolean(env.MONITOR_CONFIG);
  try {
    const limits = { interrupt, timeoutMs: options.timeout };
    return await readInputText(path, MAX_CONFIG_BYTES, limits);
  } catch (error) {
    interrupt.throwIfAborted();
    const { code, message } = error as NodeJS.ErrnoException;
    if (!isNamed && (code === "ENOENT" || code === "ENOTDIR")) return undefined;
    const words = `the config file cannot be read: ${path} (${code ?? message})`;
    throw new UsageError(words, "name another one: --config");
  }
}

/** Says so where others could read the headers of the file, which may be secrets. */
export async function openHeaders(
  path: string,
  { headers, profiles = {} }: Config,
): Promise<string | undefined> {
  const all = [headers, ...Object.values(profiles).map((profile) => profile.headers)];
  if (all.every((each) => each === undefined)) return undefined;
  const isOpen = ((await stat(path)).mode & OTHERS) !== 0;
  return isOpen ? `${path} holds headers and can be read by others: chmod 600 it` : undefined;
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
    FOLDERS[platform === "win32" || platform === "darwin" ? platform : "other"][kind];
  const home = homeOf(env);
  const all = [env[variable], home && join(home, below)];
  const folder = all.find((each) => each && isAbsolute(each));
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
