// The real socket: `ws` with every limit set, its events reduced to ours, its errors as stable codes.
import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import WebSocket from "ws";
import { connectThrough, PROXY_ERROR, proxyFor } from "../system/proxy.ts";
import { VERSION } from "../system/version.ts";
import type { Clock } from "../units/clock.ts";
import { errorText } from "../units/monitor-error.ts";
import type { LinkFault } from "./link.ts";
import { createPacing } from "./pacing.ts";
import type { OpenSocket, Socket, SocketHandlers } from "./socket.ts";

/** From the start of the connection to the answer to its handshake. */
const HANDSHAKE_TIMEOUT_MS = 10_000;
const LIMITS = {
  // Set here, so that no environment variable can override it.
  rejectUnauthorized: true,
  perMessageDeflate: false,
  followRedirects: false,
  /** A full book of 50,000 levels is about 4 MiB. */
  maxPayload: 8 * 1024 * 1024,
  /** Tiny fragments and chunks would cost far more than their bytes. */
  maxFragments: 1024,
  maxBufferedChunks: 16_384,
  /** A service that sent a close frame but keeps the connection is cut off. */
  closeTimeout: 2000,
};
const SUBPROTOCOL = "sec-websocket-protocol";

export interface WsSocketOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** @returns what opens connections to one address. Faults go to `onEnd` */
export function createWsSocket({ url, headers, clock, environment }: WsSocketOptions): OpenSocket {
  const address = new URL(url);
  const proxy = proxyFor(address, environment);
  const protocols = Object.entries(headers)
    .filter(([name]) => name.toLowerCase() === SUBPROTOCOL)
    .flatMap(([, value]) => value.split(/\s*,\s*/));
  const options: WebSocket.ClientOptions = {
    ...LIMITS,
    headers: { "user-agent": `monitor/${VERSION}`, ...headers },
  };
  return (handlers) => {
    const ending = new AbortController();
    const createConnection = (_: unknown, done: Parameters<typeof connectThrough>[3]) =>
      proxy && connectThrough(proxy, address, ending.signal, done);
    // Node takes a connection that comes later, which the types of `ws` leave out.
    const way = proxy && { createConnection: createConnection as never };
    const ws = new WebSocket(url, protocols, { ...options, ...way });
    return attach(ws, handlers, clock, () => ending.abort());
  };
}

function attach(ws: WebSocket, handlers: SocketHandlers, clock: Clock, end: () => void): Socket {
  const pacing = createPacing(clock, ws);
  let fault: LinkFault | undefined;
  let hasOpened = false;
  const cancelTimeout = clock.after(HANDSHAKE_TIMEOUT_MS, () => {
    fault ??= { detail: `no answer in ${HANDSHAKE_TIMEOUT_MS / 1000} s` };
    ws.terminate();
    end();
  });

  ws.on("open", () => {
    hasOpened = true;
    cancelTimeout();
    handlers.onOpen();
  });
  ws.on("pong", () => {
    pacing.awaitPong(false);
    handlers.onPong();
  });
  // The document does not say whether JSON comes in text or binary frames.
  ws.on("message", (data: Buffer, isBinary: boolean) => {
    if (isBinary && !isUtf8(data)) handlers.onBinary(data.length);
    else handlers.onMessage(data.toString());
    pacing.note();
  });
  ws.on("unexpected-response", (request, response: IncomingMessage) => {
    fault = faultOfResponse(response);
    request.destroy();
    ws.terminate();
  });
  ws.on("error", (error: NodeJS.ErrnoException) => {
    fault ??= faultOfError(error, hasOpened);
  });
  ws.on("close", (code: number, reason: Buffer) => {
    cancelTimeout();
    pacing.end();
    handlers.onEnd(fault ?? { closeCode: code, detail: closingText(code, reason.toString()) });
  });

  return {
    send: (message) => ws.send(message),
    ping: () => {
      if (ws.readyState !== WebSocket.OPEN) return;
      pacing.awaitPong(true);
      ws.ping();
    },
    hold: pacing.hold,
    terminate() {
      ws.terminate();
      end();
    },
  };
}

function faultOfResponse(response: IncomingMessage): LinkFault {
  const status = response.statusCode ?? 0;
  return {
    code: status === 401 || status === 403 ? "unauthorized" : "not-websocket",
    detail: `the service answered HTTP ${status} instead of a WebSocket`,
    status,
    retryAfterMs: Number(response.headers["retry-after"]) * 1000 || undefined,
  };
}

function faultOfError(error: NodeJS.ErrnoException, hasOpened: boolean): LinkFault {
  const detail = errorText(error);
  if (error.code === PROXY_ERROR) {
    const { status } = error as { readonly status?: number };
    return { code: "proxy", detail, status };
  }
  // Errors of the handshake itself have no code: the peer speaks HTTP, but not WebSocket.
  const isHandshake = !hasOpened && (error.code === undefined || error.code.startsWith("HPE_"));
  return isHandshake ? { code: "not-websocket", detail } : { detail };
}

/** Of RFC 6455, section 7.4.1, and its registry. */
const CLOSE_NAMES: Readonly<Record<number, string>> = {
  1000: "normal closure",
  1001: "going away",
  1006: "no close frame",
  1008: "policy violation",
  1009: "message too big",
  1011: "internal error",
  1012: "service restart",
  1013: "try again later",
};

function closingText(code: number, reason: string): string {
  const name = CLOSE_NAMES[code];
  const how = `closed by the service with code ${code}${name === undefined ? "" : ` (${name})`}`;
  return reason === "" ? how : `${how}: ${reason}`;
}
