// Merges options, environment, profile and config file, in this order of precedence. Addresses and headers are checked before
// any request.

import type { Pinned } from "../../dialect/dialect.ts";
import type { OwnNames } from "../../dialect/names.ts";
import { parseDecimal } from "../../units/decimal.ts";
import { UsageError } from "../../units/monitor-error.ts";
import type { Scale } from "../../units/scale.ts";
import type { Interval } from "../../wire/channels.ts";
import { readEnvironment } from "../arguments.ts";
import type { Context, Options } from "../context.ts";
import { OPTIONS, type Option, type OptionKey } from "../options.ts";
import type { Config } from "./config-file.ts";

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

export interface Listings {
  /** Root of the listings, with the prefix of the service if it has one. */
  readonly baseUrl: string;
  readonly headers: Headers;
}

/** @throws {UsageError} when an address, a header, a variable or the profile's name is invalid */
export function settle(
  { options, env }: Pick<Context, "options" | "env">,
  config: Config,
): Settings {
  const environment = readEnvironment(env);
  const profile = getProfile(options.profile ?? environment.profile, config);
  const all = effectiveOptions({ options, env }, { ...config, ...profile });
  const { wsUrl, baseUrl, insecure = false } = all;
  return {
    wsUrl: wsUrl === undefined ? undefined : parseWsUrl(wsUrl, insecure),
    baseUrl: baseUrl === undefined ? undefined : parseBaseUrl(baseUrl, insecure),
    headers: parseHeaders([
      ...formatHeaderLines(config.headers),
      ...formatHeaderLines(profile.headers),
      ...(environment.header ?? []),
      ...(options.header ?? []),
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
export function parseScales(
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

/** Header values by name. Names are unique regardless of case. */
export type Headers = Readonly<Record<string, string>>;

interface UrlRule {
  readonly option: string;
  readonly secure: string;
  readonly plain: string;
}

const WS: UrlRule = { option: "--ws-url", secure: "wss:", plain: "ws:" };
const REST: UrlRule = { option: "--base-url", secure: "https:", plain: "http:" };
const DEFAULT_WS_PATH = "/v1/ws";

/** An empty path becomes that of the interface. @throws {UsageError} on an invalid address, or an unencrypted remote one */
export function parseWsUrl(text: string, isInsecureAllowed: boolean): string {
  const url = parseUrl(text, WS, isInsecureAllowed);
  if (url.pathname === "/") url.pathname = DEFAULT_WS_PATH;
  return url.href;
}

/**
 * @returns the root without a trailing slash
 * @throws {UsageError} on an invalid address, or an unencrypted remote one
 */
export function parseBaseUrl(text: string, isInsecureAllowed: boolean): string {
  const url = parseUrl(text, REST, isInsecureAllowed);
  if (url.search !== "") throw new UsageError(`${REST.option} has a query`, expected(REST));
  return url.href.replace(/\/+$/, "");
}

function parseUrl(text: string, rule: UrlRule, isInsecureAllowed: boolean): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== rule.secure && url.protocol !== rule.plain)) {
    throw new UsageError(`${rule.option} is not such an address: ${text}`, expected(rule));
  }
  if (url.username !== "" || url.password !== "") {
    throw new UsageError(`${rule.option} holds a name or a password`, "use --header instead");
  }
  if (url.hash !== "") throw new UsageError(`${rule.option} has a fragment`, expected(rule));
  if (url.protocol === rule.plain && !isInsecureAllowed && !isLoopback(url.hostname)) {
    throw new UsageError(
      `${rule.option}: ${rule.plain} to ${url.hostname} is not encrypted`,
      `use ${rule.secure}, or --insecure if you mean it`,
    );
  }
  return url;
}

function expected({ secure, plain }: UrlRule): string {
  return `expected: ${secure}//host[:port][/path], or ${plain}// on this machine`;
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127(?:\.[0-9]{1,3}){3}$/.test(host);
}

/**
 * Of several `Name: value` lines with the same name, regardless of case, the last one counts.
 * @throws {UsageError} on a malformed line; the message never contains the value, which may be secret
 */
export function parseHeaders(lines: readonly string[]): Headers {
  const headers = lines.map(parseHeader);
  const byName = new Map(headers.map((header) => [header[0].toLowerCase(), header]));
  return Object.fromEntries(byName.values());
}

function parseHeader(line: string): [string, string] {
  const match = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e]*)$/.exec(line);
  if (match === null) {
    throw new UsageError("--header is not of its form", "expected: --header 'Name: value'");
  }
  return [match[1] ?? "", match[2]?.trimEnd() ?? ""];
}
