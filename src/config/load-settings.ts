// Finds and reads the config file, and settles it with options and environment.

import type { Context } from "../args/context.ts";
import { OPTIONS } from "../args/options.ts";
import { visible } from "../terminal/visible.ts";
import { UsageError } from "../units/monitor-error.ts";
import { secretsOf } from "../wire/secrets.ts";
import type { Config } from "./config-file.ts";
import { locateConfig, readConfigText } from "./config-location.ts";
import { holdsHeaders, modeOf } from "./config-mode.ts";
import { type Settings, settle } from "./settings.ts";

/** @throws {UsageError} when the config file, an address, a header or the profile is wrong */
export async function loadSettings(context: Context): Promise<Settings> {
  const { options, env } = context;
  const config = await loadConfig(context);
  await warnOfMode(context, config);
  const settings = settle(
    {
      wsUrl: options.wsUrl ?? given(env[OPTIONS.wsUrl.env]),
      baseUrl: options.baseUrl ?? given(env[OPTIONS.baseUrl.env]),
      headers: options.header ?? given(env[OPTIONS.header.env])?.split("\n").filter(Boolean),
      profile: options.profile ?? given(env[OPTIONS.profile.env]),
      restRate: options.restRate ?? given(env[OPTIONS.restRate.env]),
      isInsecureAllowed: options.insecure ?? false,
    },
    config,
  );
  secretsOf(settings.headers, openWords(context, settings));
  return settings;
}

/** What is said openly, be it in a header, too: an account, a channel, the host of the service. */
function openWords({ args, options }: Context, { wsUrl, baseUrl, aliases }: Settings): string[] {
  // A key may stand in the query of an address.
  const { header, wsUrl: ws, baseUrl: rest, ...open } = options;
  const places = [wsUrl, baseUrl].filter((url) => url !== undefined).map((url) => new URL(url));
  return [
    ...args,
    ...Object.values(open).flatMap((value) => (typeof value === "string" ? [value] : [])),
    ...places.map(({ origin, pathname }) => `${origin}${pathname}`),
    ...Object.values(aliases),
  ];
}

/** Others of this machine may read what was given in confidence: said once, on stderr. */
async function warnOfMode(context: Context, config: Config): Promise<void> {
  if (!holdsHeaders(config)) return;
  const { path } = await locateConfig(context);
  if (!(await modeOf(path)).isOpen) return;
  const words = `${path} holds headers and can be read by others: chmod 600 it`;
  context.stderr.write(`monitor: ${visible(words)}\n`);
}

/**
 * The WebSocket address, which live commands cannot do without.
 * @throws {UsageError} when there is none
 */
export function requireWsUrl({ wsUrl }: Settings): string {
  if (wsUrl !== undefined) return wsUrl;
  throw new UsageError(
    "no address of the service is known",
    "give --ws-url (or MONITOR_WS_URL, or ws_url in the config file), or try: monitor demo",
  );
}

/**
 * The root of the REST listings, which history and exports cannot do without.
 * @throws {UsageError} when there is none
 */
export function requireBaseUrl({ baseUrl }: Settings): string {
  if (baseUrl !== undefined) return baseUrl;
  throw new UsageError(
    "no address of the listings is known",
    "give --base-url (or MONITOR_BASE_URL, or base_url in the config file), or try: monitor demo",
  );
}

/** An empty variable counts as none. */
function given(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}

/** @throws {UsageError} when the config file is wrong */
export async function loadConfig(context: Context): Promise<Config> {
  const location = await locateConfig(context);
  const text = await readConfigText(location, context);
  if (text === undefined) return {};
  const [{ parseConfig }, { CONFIG_RULES }] = await Promise.all([
    import("./config-file.ts"),
    import("./config-rules.ts"),
  ]);
  return parseConfig(text, location.path, CONFIG_RULES);
}
