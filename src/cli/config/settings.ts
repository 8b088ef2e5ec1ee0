// Merges options, environment, profile and config file, in this order of precedence. Addresses and headers are checked before
// any request.

import type { Pinned } from "../../dialect/dialect.ts";
import type { OwnNames } from "../../dialect/names.ts";
import { proxyFor } from "../../system/proxy.ts";
import { parseDecimal } from "../../units/decimal.ts";
import { UsageError } from "../../units/monitor-error.ts";
import type { Scale } from "../../units/scale.ts";
import type { FillsOwner } from "../../wire/rest/own-fill.ts";
import { readEnvironment } from "../arguments.ts";
import type { Context } from "../context.ts";
import type { Config } from "./config-keys.ts";

export interface Settings extends ReturnType<typeof resolveSettings> {
  /** Whose fills are listed. */
  readonly owner?: FillsOwner | undefined;
  /** It is the simulated exchange, of which nothing is kept. */
  readonly isSimulated?: boolean;
}

/** @throws {UsageError} when an address, a proxy, a header, a variable or the profile's name is invalid */
export function resolveSettings({ options, env }: Pick<Context, "options" | "env">, file: Config) {
  const environment = readEnvironment(env);
  const given = { ...environment, ...options };
  const profile = getProfile(given.profile, file);
  const config = { ...file, ...profile };
  const wsUrl = readAddress("ws", given.insecure, {
    "--ws-url": options.wsUrl,
    MONITOR_WS_URL: environment.wsUrl,
    "ws_url of the config file": config.ws_url,
  });
  const baseUrl = readAddress("http", given.insecure, {
    "--base-url": options.baseUrl,
    MONITOR_BASE_URL: environment.baseUrl,
    "base_url of the config file": config.base_url,
  });
  for (const url of [wsUrl, baseUrl]) url && proxyFor(url, env);
  // The path of the interface.
  if (wsUrl?.pathname === "/") wsUrl.pathname = "/v1/ws";
  return {
    /** With the profile's keys in place of the file's. */
    config,
    wsUrl: wsUrl?.href,
    /** Without a slash at its end. */
    baseUrl: baseUrl?.href.replace(/\/+$/, ""),
    headers: parseHeaders([
      ["headers", linesOf(file.headers)],
      ["headers", linesOf(profile.headers)],
      ["MONITOR_HEADERS", environment.header],
      ["--header", options.header],
    ]),
    /** By market: `perp/1`. */
    scales: readScales(config.markets),
    ...readDialect(config.dialect),
    /** Period of the candles at the start. */
    interval: given.interval ?? config.interval ?? "1m",
  };
}

function linesOf(headers: Config["headers"] = {}): readonly string[] {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
}

/** The first that is given, by where. @throws {UsageError} on an invalid address, or an unencrypted remote one */
function readAddress(
  scheme: "ws" | "http",
  isInsecure: boolean | undefined,
  places: Readonly<Record<string, string | undefined>>,
): URL | undefined {
  const [name, text] = Object.entries(places).find(([, each]) => each !== undefined) ?? [];
  if (text === undefined) return undefined;
  const expected = `expected: ${scheme}s://host[:port][/path], or ${scheme}:// on this machine`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.username || url?.password)
    throw new UsageError(`${name} holds a name or a password`, "use --header instead");
  const isForm = url?.hash === "" && (scheme === "ws" || url.search === "");
  if (url === undefined || !isForm || ![`${scheme}:`, `${scheme}s:`].includes(url.protocol))
    throw new UsageError(`${name} is not such an address: ${text}`, expected);
  if (url.protocol === `${scheme}:` && !isInsecure && !isLoopback(url.hostname))
    throw new UsageError(
      `${name}: ${url.protocol} to ${url.hostname} is not encrypted`,
      `use ${scheme}s:, or --insecure if you mean it`,
    );
  return url;
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127(?:\.[0-9]{1,3}){3}$/.test(host);
}

/**
 * Of several `Name: value` lines with the same name, regardless of case, the last one counts. Each comes with where it was given.
 * @throws {UsageError} on a malformed line; the message never contains the value, which may be secret
 */
function parseHeaders(
  places: readonly (readonly [place: string, lines: readonly string[] | undefined])[],
): Readonly<Record<string, string>> {
  const byName = new Map<string, readonly [string, string]>();
  for (const [place, lines = []] of places) {
    for (const line of lines) {
      const [, name, value = ""] = /^([!#$%&'*+.^_`|~\w-]+):([\t\x20-\x7e]*)$/.exec(line) ?? [];
      if (name === undefined)
        throw new UsageError(`${place} is not of its form`, "expected: Name: value");
      byName.set(name.toLowerCase(), [name, value.trim()]);
    }
  }
  return Object.fromEntries(byName.values());
}

/** Points by their names in JSON, `lists.orders`. */
function readDialect({ lists = {}, cursor = {}, names = {}, ...points }: Config["dialect"] = {}): {
  readonly pinned: Pinned;
  readonly names: OwnNames;
} {
  const groups = Object.entries({ lists, cursor }).flatMap(([group, values]) =>
    Object.entries(values).map(([name, value]) => [`${group}.${name}`, value]),
  );
  return { pinned: { ...points, ...Object.fromEntries(groups) }, names };
}

/** Omits what is no number. */
function readScales(markets: Config["markets"] = {}): Readonly<Record<string, Scale>> {
  const entries = Object.entries(markets).flatMap(([name, { tick_size, lot_size }]) => {
    const [tickSize, lotSize] = [parseDecimal(tick_size), parseDecimal(lot_size)];
    return tickSize === undefined || lotSize === undefined ? [] : [[name, { tickSize, lotSize }]];
  });
  return Object.fromEntries(entries);
}

function getProfile(name: string | undefined, { profiles = {} }: Config) {
  if (name === undefined) return {};
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (profile !== undefined) return profile;
  const known = Object.keys(profiles).join(", ") || "none";
  throw new UsageError(`no such profile: ${name}`, `profiles in the config file: ${known}`);
}
