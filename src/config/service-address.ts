// Where the service is and what it is told of us: checked before anything is sent anywhere.
import { UsageError } from "../units/monitor-error.ts";

/** Values by name, as they go over the wire. No two names differ in nothing but the case of their letters. */
export type Headers = Readonly<Record<string, string>>;

interface UrlRule {
  readonly option: string;
  readonly secure: string;
  readonly plain: string;
}

const WS: UrlRule = { option: "--ws-url", secure: "wss:", plain: "ws:" };
const REST: UrlRule = { option: "--base-url", secure: "https:", plain: "http:" };
const DEFAULT_WS_PATH = "/v1/ws";

/**
 * Checks a WebSocket address; one without a path gets the interface's own.
 * @throws {UsageError} when it is no such address, or an insecure one of another machine
 */
export function parseWsUrl(text: string, isInsecureAllowed: boolean): string {
  const url = parseUrl(text, WS, isInsecureAllowed);
  if (url.pathname === "/") url.pathname = DEFAULT_WS_PATH;
  return url.href;
}

/**
 * Checks the root of the REST listings; its path is used as given.
 * @returns the root without a slash at its end
 * @throws {UsageError} when it is no such address, or an insecure one of another machine
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
 * Reads `Name: value` lines. Of several with the same name, in whatever case, the last counts.
 * @throws {UsageError} when one is not of that form; values are never repeated in the message
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
