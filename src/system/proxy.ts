// The proxy that the environment names for an address, and a connection through it: one rule for the stream, the listings and
// the doctor.
import { once } from "node:events";
import { request } from "node:http";
import { request as secureRequest } from "node:https";
import { isIP } from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { errorText, UsageError } from "../units/monitor-error.ts";
import { VERSION } from "./version.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** `variable` is where it was named. */
export interface HttpProxy {
  readonly url: URL;
  readonly variable: string;
}

/** A service is given ten seconds; less here, so that whose fault it is is known. */
const TIMEOUT_MS = 8000;
/** Of errors for which the proxy, not the service, is to blame. */
export const PROXY_ERROR = "ERR_PROXY";
export const PROXY_ADVICE =
  "HTTPS_PROXY and HTTP_PROXY name the proxy; NO_PROXY lists what is reached without it";

const isSecure = ({ protocol }: URL) => protocol === "wss:" || protocol === "https:";
const bare = (hostname: string) => hostname.replace(/^\[|\]$/g, "");
const portOf = (address: URL) => address.port || (isSecure(address) ? "443" : "80");

/**
 * As curl reads it: small letters first, `ws:` as `http:`, `wss:` as `https:`. This machine has none.
 * @throws {UsageError} where what is named is no HTTP proxy
 */
export function proxyFor(address: URL, environment: Environment): HttpProxy | undefined {
  const names = isSecure(address) ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy", "HTTP_PROXY"];
  const variable = names.find((name) => environment[name]);
  const direct = environment.no_proxy ?? environment.NO_PROXY ?? "";
  if (variable === undefined || isDirect(address, direct)) return undefined;
  const text = environment[variable] ?? "";
  const whole = text.includes("://") ? text : `http://${text}`;
  const url = URL.canParse(whole) ? new URL(whole) : undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:") return { url, variable };
  // What it says may hold a password.
  throw new UsageError(
    `${variable} names no HTTP proxy`,
    "expected: http://[user:password@]host:port",
  );
}

function isDirect(address: URL, direct: string): boolean {
  const hostname = bare(address.hostname);
  if (/^(?:localhost|::1|127(?:\.[0-9]+){3})$/.test(hostname)) return true;
  return direct.split(/[\s,]+/).some((entry) => {
    if (entry === "*" || entry === hostname) return true;
    const [, name = "", onlyPort] = /^\*?\.?(.*?)(?::([0-9]+))?$/.exec(entry.toLowerCase()) ?? [];
    if (name === "" || (onlyPort !== undefined && onlyPort !== portOf(address))) return false;
    return hostname === name || hostname.endsWith(`.${name}`);
  });
}

type Connected = (error: Error | null, socket: Duplex | null) => void;

/** A tunnel to the address through the proxy, and TLS within it where the address has it. The signal ends it. */
export function connectThrough(
  proxy: HttpProxy,
  address: URL,
  signal: AbortSignal,
  done: Connected,
): void {
  const opened = isSecure(address)
    ? openTls(address, proxy, signal)
    : openTunnel(proxy, address, signal);
  opened.then(
    (socket) => done(null, socket),
    (error) => done(error, null),
  );
}

/** TLS with an address, directly or through a proxy. @throws {Error} of the network, of TLS, of the proxy */
export async function openTls(
  address: URL,
  proxy: HttpProxy | undefined,
  signal: AbortSignal,
): Promise<TLSSocket> {
  const base =
    proxy === undefined
      ? { port: Number(portOf(address)), signal }
      : { socket: await openTunnel(proxy, address, signal), signal };
  const host = bare(address.hostname);
  const servername = isIP(host) === 0 ? host : "";
  const socket = connectTls({ ...base, host, servername, rejectUnauthorized: true });
  socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error("no TLS handshake in time")));
  await once(socket, "secureConnect");
  return socket.setTimeout(0);
}

function openTunnel({ url: proxy }: HttpProxy, address: URL, signal: AbortSignal): Promise<Duplex> {
  const host = `${address.hostname}:${portOf(address)}`;
  const secret = decodeURIComponent(`${proxy.username}:${proxy.password}`);
  const authorization = `Basic ${Buffer.from(secret).toString("base64")}`;
  const asked = (proxy.protocol === "https:" ? secureRequest : request)({
    ...{ method: "CONNECT", path: host, signal, timeout: TIMEOUT_MS, rejectUnauthorized: true },
    ...{ host: bare(proxy.hostname), port: portOf(proxy) },
    headers: {
      ...{ host, "user-agent": `monitor/${VERSION}` },
      ...(proxy.username !== "" && { "proxy-authorization": authorization }),
    },
  });
  return new Promise((resolve, reject) => {
    const fail = (reason: string, status?: number) => {
      const error = new Error(`the proxy ${proxy.host} ${reason}`);
      reject(Object.assign(error, { code: PROXY_ERROR, status }));
    };
    asked.on("connect", ({ statusCode }, socket) => {
      if (statusCode === 200) return resolve(socket);
      socket.destroy();
      fail(`answered HTTP ${statusCode}`, statusCode);
    });
    asked.on("timeout", () => asked.destroy(new Error("does not answer")));
    asked.on("error", (error) => fail(`cannot be used: ${errorText(error)}`));
    asked.end();
  });
}
