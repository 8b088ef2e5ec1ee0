// Merges options, environment, profile and config file, in this order of precedence. Addresses and headers are checked before
// any request.

import type { Pinned } from "../../dialect/dialect.ts";
import type { OwnNames } from "../../dialect/names.ts";
import { proxyFor } from "../../system/proxy.ts";
import { parseDecimal } from "../../units/decimal.ts";
import { UsageError } from "../../units/monitor-error.ts";
import type { Scale } from "../../units/scale.ts";
import type { Interval } from "../../wire/channels.ts";
import { readEnvironment } from "../arguments.ts";
import type { Context, Options } from "../context.ts";
import { OPTIONS, type Option, type OptionKey } from "../options.ts";
import { type Headers, parseBaseUrl, parseHeaders, parseWsUrl } from "./address.ts";
import type { Config } from "./config-keys.ts";

export interface Settings {
  readonly wsUrl: string | undefined;
  readonly baseUrl: string | undefined;
  readonly headers: Headers;
  /** Background requests per second to the REST listings; undefined for the default. */
  readonly restRate: number | undefined;
  readonly aliases: Readonly<Record<string, string>>;
  /** Addresses and subaccounts by the user's names: `ADDRESS`, `ADDRESS/ID`. */
  readonly accounts: Readonly<Record<string, string>>;
  /** Scales given in the config, by market: `perp/1`. */
  readonly knownScales: Readonly<Record<string, Scale>>;
  /** Points of the dialect that the config gives, and further names of fields. */
  readonly pinned: Pinned;
  readonly names: OwnNames;
  /** Initial candle interval. */
  readonly interval: Interval;
}

/** @throws {UsageError} when an address, a proxy, a header, a variable or the profile's name is invalid */
export function resolveSettings(
  { options, env }: Pick<Context, "options" | "env">,
  config: Config,
): Settings {
  const environment = readEnvironment(env);
  const profile = getProfile(options.profile ?? environment.profile, config);
  const all = effectiveOptions({ options, env }, { ...config, ...profile });
  const { insecure = false } = all;
  const placeOf = (key: "wsUrl" | "baseUrl") => {
    const { name, env: variable, config: file } = OPTIONS[key];
    const other = environment[key] === undefined ? `${file.key} of the config file` : variable;
    return options[key] === undefined ? other : `--${name}`;
  };
  const address = (key: "wsUrl" | "baseUrl", parse: typeof parseWsUrl) => {
    const text = all[key];
    const url = text && parse(text, insecure, placeOf(key));
    if (url) proxyFor(new URL(url), env);
    return url;
  };
  const from = (place: string, lines: readonly string[] = []) =>
    lines.map((line) => [line, place] as const);
  return {
    wsUrl: address("wsUrl", parseWsUrl),
    baseUrl: address("baseUrl", parseBaseUrl),
    headers: parseHeaders([
      ...from("headers", formatHeaderLines(config.headers)),
      ...from("headers", formatHeaderLines(profile.headers)),
      ...from(OPTIONS.header.env, environment.header),
      ...from("--header", options.header),
    ]),
    restRate: profile.rest_rate ?? config.rest_rate,
    aliases: config.aliases ?? {},
    accounts: config.accounts ?? {},
    knownScales: parseScales(config.markets),
    ...readDialect(config.dialect),
    interval: all.interval ?? "1m",
  };
}

/** Points by their names in JSON, `lists.orders`. */
function readDialect({ lists = {}, cursor = {}, names = {}, ...points }: Config["dialect"] = {}) {
  const pinned = {
    ...points,
    ...Object.fromEntries(Object.entries(lists).map(([name, value]) => [`lists.${name}`, value])),
    ...Object.fromEntries(Object.entries(cursor).map(([name, value]) => [`cursor.${name}`, value])),
  };
  return { pinned, names };
}

/** Options by precedence: given, else the environment's, else the file's. @throws {UsageError} on an invalid variable */
export function effectiveOptions(
  { options, env }: Pick<Context, "options" | "env">,
  config: Config,
): Options {
  return { ...fileOptions(config), ...readEnvironment(env), ...options };
}

/** Options from the config file; repeatable ones are merged elsewhere. */
function fileOptions(table: Readonly<Record<string, unknown>>): Options {
  const entries = (Object.keys(OPTIONS) as OptionKey[]).flatMap((key) => {
    const { config, isRepeatable }: Option = OPTIONS[key];
    const value = config === undefined ? undefined : table[config.key];
    if (value === undefined || isRepeatable) return [];
    return [[key, value]];
  });
  return Object.fromEntries(entries);
}

/** Parses decimal sizes by market; omits malformed ones. */
function parseScales(
  markets: Readonly<Record<string, { readonly tick_size: string; readonly lot_size: string }>> = {},
): Readonly<Record<string, Scale>> {
  const entries = Object.entries(markets).flatMap(([name, { tick_size, lot_size }]) => {
    const tickSize = parseDecimal(tick_size);
    const lotSize = parseDecimal(lot_size);
    return tickSize === undefined || lotSize === undefined ? [] : [[name, { tickSize, lotSize }]];
  });
  return Object.fromEntries(entries);
}

function getProfile(name: string | undefined, { profiles = {} }: Config) {
  if (name === undefined) return {};
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (profile !== undefined) return profile;
  const known = Object.keys(profiles).join(", ");
  throw new UsageError(
    `no such profile: ${name}`,
    `profiles in the config file: ${known || "none"}`,
  );
}

function formatHeaderLines(headers: Headers = {}): readonly string[] {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
}
