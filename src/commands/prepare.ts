// What every command starts with: the config file, read once, and the settings from options, environment and that file.

import { join } from "node:path";
import type { Context } from "../args/context.ts";
import type { Config } from "../config/config-file.ts";
import {
  holdsHeaders,
  locateConfig,
  readConfigText,
  readMode,
  stateFolder,
} from "../config/config-location.ts";
import { type Settings, settle } from "../config/settings.ts";
import { type LearnedCursors, openLearnedCursors } from "../listing/learned-cursor.ts";
import type { Service } from "../live/service.ts";
import { visible } from "../terminal/visible.ts";
import { UsageError } from "../units/monitor-error.ts";

/** A checked config file; `mode` is undefined if there is no file, which is no error. */
export interface FoundConfig {
  readonly config: Config;
  readonly path: string;
  readonly mode: { readonly digits: string; readonly isOpen: boolean } | undefined;
}

/** @throws {UsageError} when the config file, an address, a header or the profile is invalid */
export async function prepare(
  context: Context,
): Promise<{ readonly file: FoundConfig; readonly settings: Settings }> {
  const file = await findConfig(context);
  if (file.mode?.isOpen && holdsHeaders(file.config)) {
    // Other users of this machine could read the header secrets.
    const words = `${file.path} holds headers and can be read by others: chmod 600 it`;
    context.stderr.write(`monitor: ${visible(words)}\n`);
  }
  const settings = settle(context, file.config);
  return { file, settings };
}

/** @throws {UsageError} when the config file is invalid */
export async function findConfig(context: Context): Promise<FoundConfig> {
  const location = await locateConfig(context);
  const { path } = location;
  const { clock, interrupt } = context;
  const text = await readConfigText(location, {
    clock,
    interrupt,
    timeoutMs: context.options.timeout,
  });
  if (text === undefined) return { config: {}, path, mode: undefined };
  const [{ parseConfig }, { CONFIG_RULES }] = await Promise.all([
    import("../config/config-file.ts"),
    import("./config-rules.ts"),
  ]);
  return { config: parseConfig(text, path, CONFIG_RULES), path, mode: await readMode(path) };
}

/** The service of live views. @throws {UsageError} without an address */
export function liveService(settings: Settings): Service {
  if (settings.wsUrl !== undefined) return { ...settings, url: settings.wsUrl };
  throw new UsageError(
    "no address of the service is known",
    "give --ws-url (or MONITOR_WS_URL, or ws_url in the config file), or try: monitor demo",
  );
}

/** The root of the REST listings, for history and exports. @throws {UsageError} without an address */
export function requireBaseUrl({ baseUrl }: Settings): string {
  if (baseUrl !== undefined) return baseUrl;
  throw new UsageError(
    "no address of the listings is known",
    "give --base-url (or MONITOR_BASE_URL, or base_url in the config file), or try: monitor demo",
  );
}

/** What earlier runs have learned about the listings of this service. */
export function learnedCursors(
  { clock, env }: Context,
  { wsUrl, baseUrl = "" }: Settings,
): LearnedCursors {
  const folder = stateFolder(env);
  const path = folder && join(folder, "dialect.json");
  return openLearnedCursors(path, wsUrl ?? baseUrl, () => clock.wall());
}
