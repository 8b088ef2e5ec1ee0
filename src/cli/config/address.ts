// Addresses and headers of the service, checked before anything is sent.

import { UsageError } from "../../units/monitor-error.ts";

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
export function parseWsUrl(text: string, isInsecureAllowed: boolean, place = WS.option): string {
  const url = parseUrl(text, { ...WS, option: place }, isInsecureAllowed);
  if (url.pathname === "/") url.pathname = DEFAULT_WS_PATH;
  return url.href;
}

/**
 * @returns the root without a trailing slash
 * @throws {UsageError} on an invalid address, or an unencrypted remote one
 */
export function parseBaseUrl(
  text: string,
  isInsecureAllowed: boolean,
  place = REST.option,
): string {
  const url = parseUrl(text, { ...REST, option: place }, isInsecureAllowed);
  if (url.search !== "") throw new UsageError(`${place} has a query`, expected(REST));
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
 * Of several `Name: value` lines with the same name, regardless of case, the last one counts. Each comes with where it was given.
 * @throws {UsageError} on a malformed line; the message never contains the value, which may be secret
 */
export function parseHeaders(lines: readonly (readonly [line: string, place: string])[]): Headers {
  const headers = lines.map(parseHeader);
  const byName = new Map(headers.map((header) => [header[0].toLowerCase(), header]));
  return Object.fromEntries(byName.values());
}

function parseHeader([line, place]: readonly [string, string]): [string, string] {
  const match = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e]*)$/.exec(line);
  if (match === null) {
    throw new UsageError(`${place} is not of its form`, "expected: Name: value");
  }
  return [match[1] ?? "", match[2]?.trimEnd() ?? ""];
}
