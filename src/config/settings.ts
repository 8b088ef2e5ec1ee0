// Options, environment, profile and config file put together: the first that says something counts.
import { parseDecimal } from "../units/decimal.ts";
import { UsageError } from "../units/monitor-error.ts";
import type { Scale } from "../units/scale.ts";
import type { Config } from "./config-file.ts";
import { type Headers, parseBaseUrl, parseHeaders, parseWsUrl } from "./service-address.ts";

/** Requests a second that may be made in the background at the most. */
const MAX_REST_RATE = 100;

/** What was given on the command line or in the environment. */
export interface Given {
  readonly wsUrl?: string | undefined;
  readonly baseUrl?: string | undefined;
  /** `Name: value` lines. */
  readonly headers?: readonly string[] | undefined;
  readonly profile?: string | undefined;
  readonly restRate?: string | undefined;
  readonly isInsecureAllowed: boolean;
}

/** Checked settings of a run. */
export interface Settings {
  readonly wsUrl: string | undefined;
  readonly baseUrl: string | undefined;
  readonly headers: Headers;
  /** Snapshots on a second connection are compared with what is held. */
  readonly audit: boolean;
  /** Requests a second to the REST listings in the background; undefined where nobody has said. */
  readonly restRate: number | undefined;
  readonly aliases: Readonly<Record<string, string>>;
  /** Scales that are known beforehand, by market: `perp/1`. */
  readonly knownScales: Readonly<Record<string, Scale>>;
  /** Further names of what fields of open records mean. */
  readonly fields: Config["fields"];
  /** Further words of a status. */
  readonly words: Config["words"];
  /** Candle period at the start. */
  readonly interval: Config["interval"];
}

/**
 * Settles where the service is.
 * @throws {UsageError} when an address, a header or the profile's name is wrong
 */
export function settle(given: Given, config: Config): Settings {
  const profile = profileOf(given.profile, config);
  const wsUrl = given.wsUrl ?? profile.ws_url ?? config.ws_url;
  const baseUrl = given.baseUrl ?? profile.base_url ?? config.base_url;
  const { isInsecureAllowed } = given;
  return {
    wsUrl: wsUrl === undefined ? undefined : parseWsUrl(wsUrl, isInsecureAllowed),
    baseUrl: baseUrl === undefined ? undefined : parseBaseUrl(baseUrl, isInsecureAllowed),
    headers: parseHeaders([
      ...linesOf(config.headers),
      ...linesOf(profile.headers),
      ...(given.headers ?? []),
    ]),
    audit: profile.audit ?? config.audit ?? true,
    restRate: parseRestRate(given.restRate) ?? profile.rest_rate ?? config.rest_rate,
    aliases: config.aliases ?? {},
    knownScales: scalesOf(config.markets),
    fields: config.fields,
    words: config.words,
    interval: config.interval,
  };
}

/**
 * Requests a second, as `--rest-rate` says it: `2`, `0.5`.
 * @throws {UsageError} when it is no number from 0 to 100
 */
export function parseRestRate(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const rate = /^[0-9]{1,3}(?:\.[0-9]{1,3})?$/.test(text) ? Number(text) : Number.NaN;
  if (rate <= MAX_REST_RATE) return rate;
  throw new UsageError(
    `--rest-rate: ${text} is no such number`,
    `expected requests a second, 0 to ${MAX_REST_RATE}, such as 2 or 0.5`,
  );
}

/** The file has been checked: every size is decimal text above zero. */
function scalesOf(markets: Config["markets"] = {}): Readonly<Record<string, Scale>> {
  const entries = Object.entries(markets).flatMap(([name, { tick_size, lot_size }]) => {
    const tickSize = parseDecimal(tick_size);
    const lotSize = parseDecimal(lot_size);
    return tickSize === undefined || lotSize === undefined ? [] : [[name, { tickSize, lotSize }]];
  });
  return Object.fromEntries(entries);
}

function profileOf(name: string | undefined, { profiles = {} }: Config) {
  if (name === undefined) return {};
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (profile !== undefined) return profile;
  const known = Object.keys(profiles).join(", ");
  throw new UsageError(
    `no such profile: ${name}`,
    `profiles in the config file: ${known || "none"}`,
  );
}

function linesOf(headers: Headers = {}): readonly string[] {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
}
