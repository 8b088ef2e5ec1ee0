// The proxy that the environment names for an address, and a connection through it.
import { request } from "node:http";
import { request as secureRequest } from "node:https";
import type { Duplex } from "node:stream";
import { connect as connectTls } from "node:tls";

type Environment = Readonly<Record<string, string | undefined>>;

/** As curl reads it: small letters first, `ws:` as `http:`, `wss:` as `https:`. */
export function proxyFor(address: URL, environment: Environment): URL | undefined {
  const isSecure = address.protocol === "wss:" || address.protocol === "https:";
  const names = isSecure ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy", "HTTP_PROXY"];
  const proxy = names.map((name) => environment[name]).find(Boolean);
  const direct = environment.no_proxy ?? environment.NO_PROXY ?? "";
  if (proxy === undefined || isDirect(address, direct)) return undefined;
  const text = proxy.includes("://") ? proxy : `http://${proxy}`;
  return URL.canParse(text) ? new URL(text) : undefined;
}

function isDirect({ hostname, port, protocol }: URL, direct: string): boolean {
  const ownPort = port || (protocol === "wss:" || protocol === "https:" ? "443" : "80");
  return direct.split(/[\s,]+/).some((entry) => {
    if (entry === "*") return true;
    const [, name = "", onlyPort] = /^\*?\.?(.*?)(?::([0-9]+))?$/.exec(entry.toLowerCase()) ?? [];
    if (name === "" || (onlyPort !== undefined && onlyPort !== ownPort)) return false;
    return hostname === name || hostname.endsWith(`.${name}`);
  });
}

type Connected = (error: Error | null, socket?: Duplex) => void;

/** For `createConnection` of a request: CONNECT to the proxy, and TLS within it where the address has it. */
export function connectThrough(proxy: URL, address: URL, timeoutMs: number) {
  const isSecure = address.protocol === "wss:";
  const host = `${address.hostname}:${address.port || (isSecure ? 443 : 80)}`;
  const secret = decodeURIComponent(`${proxy.username}:${proxy.password}`);
  const authorization = `Basic ${Buffer.from(secret).toString("base64")}`;
  return (_options: unknown, callback: Connected): undefined => {
    const start = proxy.protocol === "https:" ? secureRequest : request;
    const asked = start({
      method: "CONNECT",
      host: proxy.hostname,
      port: proxy.port || (proxy.protocol === "https:" ? 443 : 80),
      path: host,
      headers: { host, ...(proxy.username !== "" && { "proxy-authorization": authorization }) },
      timeout: timeoutMs,
    });
    asked.on("connect", ({ statusCode }, socket) => {
      if (statusCode === 200)
        callback(null, isSecure ? connectTls({ socket, servername: address.hostname }) : socket);
      else {
        socket.destroy();
        callback(new Error(`the proxy ${proxy.host} answered HTTP ${statusCode}`));
      }
    });
    asked.on("timeout", () => asked.destroy(new Error(`no answer of the proxy ${proxy.host}`)));
    asked.on("error", (error) => callback(error));
    asked.end();
    return undefined;
  };
}
