// Finds and reads the config file, and settles it with options and environment.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "../config/config-file.ts";
import { type Settings, settle } from "../config/settings.ts";
import { UsageError } from "../units/monitor-error.ts";
import type { Context } from "./context.ts";
import { OPTIONS } from "./options.ts";

const CONFIG_NAME = "config.toml";

/** @throws {UsageError} when the config file, an address, a header or the profile is wrong */
export async function loadSettings(context: Context): Promise<Settings> {
  const { options, env } = context;
  return settle(
    {
      wsUrl: options.wsUrl ?? given(env[OPTIONS.wsUrl.env]),
      baseUrl: options.baseUrl ?? given(env[OPTIONS.baseUrl.env]),
      headers: options.header ?? given(env[OPTIONS.header.env])?.split("\n").filter(Boolean),
      profile: options.profile ?? given(env[OPTIONS.profile.env]),
      isInsecureAllowed: options.insecure ?? false,
    },
    await loadConfig(context),
  );
}

/** The WebSocket address, which live commands cannot do without. */
export function requireWsUrl({ wsUrl }: Settings): string {
  if (wsUrl !== undefined) return wsUrl;
  throw new UsageError(
    "no address of the service is known",
    "give --ws-url (or MONITOR_WS_URL, or ws_url in the config file), or try: monitor demo",
  );
}

/** An empty variable counts as none. */
function given(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}

async function loadConfig({ options, env }: Context): Promise<Config> {
  const named = options.config ?? given(env[OPTIONS.config.env]);
  const path = named ?? join(await configFolder(), CONFIG_NAME);
  const text = await readConfig(path, named !== undefined);
  if (text === undefined) return {};
  const { parseConfig } = await import("../config/config-file.ts");
  return parseConfig(text, path);
}

async function configFolder(): Promise<string> {
  const { default: envPaths } = await import("env-paths");
  return envPaths("monitor", { suffix: "" }).config;
}

/** @returns undefined when the file is not there and nobody asked for it by name */
async function readConfig(path: string, isNamed: boolean): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (!isNamed && (code === "ENOENT" || code === "ENOTDIR")) return undefined;
    throw new UsageError(`the config file cannot be read: ${path} (${code})`, "see --config");
  }
}
