// Metrics over HTTP: GET and HEAD of /metrics. The Host header is checked first, against DNS rebinding by web pages.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, isIP } from "node:net";
import type { Clock } from "../units/clock.ts";
import { MonitorError } from "../units/monitor-error.ts";
import { CONTENT_TYPES, chooseFormat, type MetricFormat } from "./exposition.ts";

const PATH = "/metrics";
/** More frequent requests get the same text again: metrics are computed at most ten times a second. */
const HOLD_MS = 100;
const MAX_CONNECTIONS = 32;
const MAX_HEADER_BYTES = 8192;
/** Until a request is complete, and for a response that the client does not read. */
const TIMEOUT_MS = 5000;
/** Until the headers are complete: slow senders do not keep others out for longer. */
const HEADERS_TIMEOUT_MS = 1000;
const CHECK_PERIOD_MS = 500;
const LOOPBACK_NAMES = ["localhost", "127.0.0.1", "::1"];

/** Where to listen; port 0 for any free one. */
export interface MetricsAddress {
  readonly host: string;
  readonly port: number;
}

export interface MetricsServerOptions {
  readonly address: MetricsAddress;
  /** Names of this machine under which others reach it. */
  readonly hostNames: readonly string[];
  readonly clock: Pick<Clock, "now">;
  readonly render: (format: MetricFormat) => string;
}

export interface MetricsServer {
  readonly url: string;
  /** False if other machines may reach it. */
  readonly isLoopback: boolean;
  close(): Promise<void>;
}

/** @throws {MonitorError} `port-in-use`, or `listen-failed` for any other reason */
export async function openMetricsServer(options: MetricsServerOptions): Promise<MetricsServer> {
  const render = createHeldRender(options);
  let isAllowed = (_host: string) => false;
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: TIMEOUT_MS,
      keepAliveTimeout: TIMEOUT_MS,
      connectionsCheckingInterval: CHECK_PERIOD_MS,
    },
    (request, response) => answer(request, response, { isAllowed, render }),
  );
  server.timeout = TIMEOUT_MS * 2;
  server.maxConnections = MAX_CONNECTIONS;
  await listen(server, options.address);
  const { address, port } = server.address() as AddressInfo;
  const isLoopback = isLoopbackAddress(address);
  const names = isLoopback ? [] : options.hostNames;
  isAllowed = createHostCheck(isLoopback, [options.address.host, ...names]);
  return {
    url: `http://${address.includes(":") ? `[${address}]` : address}:${port}${PATH}`,
    isLoopback,
    async close() {
      const isClosed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await isClosed;
    },
  };
}

interface Answering {
  readonly isAllowed: (host: string) => boolean;
  readonly render: (format: MetricFormat) => string;
}

function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { isAllowed, render }: Answering,
): void {
  const { method = "", url = "", headers } = request;
  response.setHeader("X-Content-Type-Options", "nosniff");
  response.setHeader("Cache-Control", "no-store");
  // A request body is useless here and not waited for.
  if (headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined) {
    response.setHeader("Connection", "close");
  }
  const refuse = (status: number, words: string) => {
    response.writeHead(status, { "Content-Type": "text/plain; charset=utf-8" });
    response.end(method === "HEAD" ? undefined : `${words}\n`);
  };
  if (!isAllowed(hostOf(request))) {
    refuse(421, "this Host is not served: start with --metrics HOST:PORT to name it");
    return;
  }
  if (url.split("?", 1)[0] !== PATH) {
    refuse(404, `metrics are at ${PATH}`);
    return;
  }
  if (method !== "GET" && method !== "HEAD") {
    response.setHeader("Allow", "GET, HEAD");
    refuse(405, "only GET and HEAD are answered");
    return;
  }
  const format = chooseFormat(headers.accept);
  const body = Buffer.from(render(format));
  response.writeHead(200, {
    "Content-Type": CONTENT_TYPES[format],
    "Content-Length": body.length,
    Vary: "Accept",
  });
  response.end(method === "HEAD" ? undefined : body);
}

/** The name in the Host header without its port, in lower case; empty if there is none, or more than one. */
function hostOf({ rawHeaders, headers: { host = "" } }: IncomingMessage): string {
  const count = rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === "host").length;
  const [, inBrackets, name] =
    /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]+))(?::[0-9]{1,5})?$/.exec(host) ?? [];
  return count === 1 ? (inBrackets ?? name ?? "").toLowerCase() : "";
}

/**
 * On loopback, only its own names. Elsewhere also the names of this machine, and any IP address: a web page that has made its own
 * host name resolve to this machine arrives under that name.
 */
function createHostCheck(isLoopback: boolean, names: readonly string[]): (host: string) => boolean {
  const known = new Set([...LOOPBACK_NAMES, ...names.map((name) => name.toLowerCase())]);
  return (host) =>
    known.has(host) || (isIP(host) !== 0 && (!isLoopback || isLoopbackAddress(host)));
}

function isLoopbackAddress(address: string): boolean {
  return address === "::1" || /^(?:::ffff:)?127\./.test(address);
}

function createHeldRender({ clock, render }: MetricsServerOptions): typeof render {
  const held = new Map<MetricFormat, { readonly atMs: number; readonly text: string }>();
  return (format) => {
    const nowMs = clock.now();
    const last = held.get(format);
    if (last !== undefined && nowMs - last.atMs < HOLD_MS) return last.text;
    const text = render(format);
    held.set(format, { atMs: nowMs, text });
    return text;
  };
}

async function listen(server: Server, { host, port }: MetricsAddress): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    // Later errors concern single connections.
    server.on("error", (cause: NodeJS.ErrnoException) => {
      const advice = "choose another --metrics [HOST:]PORT; port 0 takes a free one";
      const text = `cannot serve metrics on ${host}:${port}: ${cause.message}`;
      reject(
        cause.code === "EADDRINUSE"
          ? new MonitorError("port-in-use", "failed", `port ${port} is in use`, { advice, cause })
          : new MonitorError("listen-failed", "failed", text, { advice, cause }),
      );
    });
    server.listen({ host, port, exclusive: true }, resolve);
  });
}
