// Metrics over HTTP: GET and HEAD of /metrics.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { MonitorError } from "../units/monitor-error.ts";
import type { MetricFormat } from "./metrics.ts";

const PATH = "/metrics";
const MAX_CONNECTIONS = 32;
const MAX_HEADER_BYTES = 8192;
/** Until a request is complete, and for an answer that is not read. */
const TIMEOUT_MS = 5000;
const CONTENT_TYPES: Readonly<Record<MetricFormat, string>> = {
  text: "text/plain; version=0.0.4; charset=utf-8",
  openmetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8",
};
const LOOPBACK_NAME = /^(?:localhost|127(?:\.[0-9]{1,3}){3}|\[::1\])(?::[0-9]{1,5})?$/i;

export interface MetricsServer {
  readonly url: string;
  /** No other machine can reach it. */
  readonly isLoopback: boolean;
  close(): Promise<void>;
}

/** @throws {MonitorError} `port-in-use`, or `listen-failed` for any other reason */
export async function openMetricsServer(
  { host, port }: { readonly host: string; readonly port: number },
  render: (format: MetricFormat) => string,
): Promise<MetricsServer> {
  let isLoopback = true;
  const server = createServer(
    { maxHeaderSize: MAX_HEADER_BYTES, headersTimeout: TIMEOUT_MS, requestTimeout: TIMEOUT_MS },
    (request, response) => answer(request, response, { isLoopback, render }),
  );
  server.timeout = TIMEOUT_MS;
  server.maxConnections = MAX_CONNECTIONS;
  await new Promise<void>((done, fail) => {
    // Later errors concern single connections.
    server.on("error", (cause: NodeJS.ErrnoException) => fail(cannotListen(host, port, cause)));
    server.listen({ host, port, exclusive: true }, done);
  });
  const { address, port: own } = server.address() as AddressInfo;
  isLoopback = /^(?:::1$|(?:::ffff:)?127\.)/.test(address);
  return {
    url: `http://${address.includes(":") ? `[${address}]` : address}:${own}${PATH}`,
    isLoopback,
    async close() {
      const isClosed = new Promise((done) => server.close(done));
      server.closeAllConnections();
      await isClosed;
    },
  };
}

function cannotListen(host: string, port: number, cause: NodeJS.ErrnoException): MonitorError {
  const advice = "choose another --metrics [HOST:]PORT; port 0 takes a free one";
  const isInUse = cause.code === "EADDRINUSE";
  const text = isInUse
    ? `port ${port} is in use`
    : `cannot serve metrics on ${host}:${port}: ${cause.message}`;
  return new MonitorError(isInUse ? "port-in-use" : "listen-failed", "failed", text, {
    ...{ advice, cause },
  });
}

function answer(
  { method = "", url = "", headers }: IncomingMessage,
  response: ServerResponse,
  served: { readonly isLoopback: boolean; readonly render: (format: MetricFormat) => string },
): void {
  const send = (status: number, type: string, text: string) => {
    const length = Buffer.byteLength(text);
    response.writeHead(status, { "Content-Type": type, "Content-Length": length, Vary: "Accept" });
    response.end(method === "HEAD" ? undefined : text);
  };
  const refuse = (status: number, words: string) => send(status, "text/plain", `${words}\n`);
  // A web page that has made its own host name resolve to this machine arrives under that name.
  if (served.isLoopback && !LOOPBACK_NAME.test(headers.host ?? ""))
    refuse(421, "this Host is not served: start with --metrics HOST:PORT to name it");
  else if (url.split("?", 1)[0] !== PATH) refuse(404, `metrics are at ${PATH}`);
  else if (method !== "GET" && method !== "HEAD") {
    response.setHeader("Allow", "GET, HEAD");
    refuse(405, "only GET and HEAD are answered");
  } else {
    const isOpen = headers.accept?.toLowerCase().includes("application/openmetrics-text");
    const format = isOpen ? "openmetrics" : "text";
    send(200, CONTENT_TYPES[format], served.render(format));
  }
}
