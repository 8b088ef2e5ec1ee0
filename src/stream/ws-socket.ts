// The real socket: `ws` with every limit set, its events reduced to ours, its errors mapped to stable codes.
import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import WebSocket from "ws";
import type { Clock } from "../units/clock.ts";
import { createRedact } from "../wire/redact.ts";
import type { LinkFault } from "../wire/stream-event.ts";
import { Pacing } from "./pacing.ts";
import type { OpenSocket, Socket, SocketHandlers } from "./socket.ts";

/** From the start of the connection to the response to its handshake. */
const HANDSHAKE_TIMEOUT_MS = 10_000;
/** A full book of 50,000 levels is about 4 MiB. */
const MAX_MESSAGE_BYTES = 8 * 1024 * 1024;
/** Fragments per message, and chunks in which it may arrive: tiny ones would cost far more than their bytes. */
const MAX_FRAGMENTS = 1024;
const MAX_BUFFERED_CHUNKS = 16_384;
/** A service that sent a close frame but does not close the connection is cut off after this time. */
const CLOSE_TIMEOUT_MS = 2000;

/** How to open a WebSocket. */
export interface WsSocketOptions {
  readonly url: string;
  /** Sent with the handshake; their values are redacted in everything received. */
  readonly headers: Readonly<Record<string, string>>;
  readonly clock: Clock;
}

/** Creates the function that opens connections to one address. Faults are passed to `onEnd`, not thrown. */
export function createWsSocket({ url, headers, clock }: WsSocketOptions): OpenSocket {
  const redact = createRedact(headers);
  return (handlers) => {
    const ws = new WebSocket(url, { ...LIMITS, headers });
    if (redact === undefined) return attach(ws, handlers, clock);
    const redacted: SocketHandlers = {
      ...handlers,
      onMessage: (message) => handlers.onMessage(redact(message)),
      onEnd: (fault) => handlers.onEnd({ ...fault, detail: redact(fault.detail) }),
    };
    return attach(ws, redacted, clock);
  };
}

const LIMITS = {
  // Set explicitly, so that no environment variable can override it.
  rejectUnauthorized: true,
  perMessageDeflate: false,
  maxPayload: MAX_MESSAGE_BYTES,
  maxFragments: MAX_FRAGMENTS,
  maxBufferedChunks: MAX_BUFFERED_CHUNKS,
  closeTimeout: CLOSE_TIMEOUT_MS,
  followRedirects: false,
  skipUTF8Validation: false,
};

function attach(ws: WebSocket, handlers: SocketHandlers, clock: Clock): Socket {
  const pace = new Pacing(clock, ws);
  let fault: LinkFault | undefined;
  let hasOpened = false;
  let isEnded = false;
  const end = (reason: LinkFault) => {
    if (isEnded) return;
    isEnded = true;
    cancelTimeout();
    pace.end();
    handlers.onEnd(fault ?? reason);
  };

  const cancelTimeout = clock.after(HANDSHAKE_TIMEOUT_MS, () => {
    fault ??= { code: "timeout", detail: `no answer in ${HANDSHAKE_TIMEOUT_MS / 1000} s` };
    ws.terminate();
  });

  ws.on("open", () => {
    hasOpened = true;
    cancelTimeout();
    handlers.onOpen();
  });
  ws.on("pong", () => {
    pace.await(false);
    handlers.onPong();
  });
  ws.on("message", (data: Buffer, isBinary: boolean) => {
    // The interface does not say whether JSON is sent in text or binary frames.
    if (isBinary && !isUtf8(data)) handlers.onBinary(data.length);
    else handlers.onMessage(data.toString());
    pace.note();
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
    end({ code: "closed", detail: closingText(code, reason.toString()) });
  });

  return {
    send: (message) => ws.send(message),
    ping: () => {
      if (ws.readyState !== WebSocket.OPEN) return;
      pace.await(true);
      ws.ping();
    },
    terminate: () => ws.terminate(),
  };
}

function faultOfResponse(response: IncomingMessage): LinkFault {
  const status = response.statusCode ?? 0;
  const isUnauthorized = status === 401 || status === 403;
  return {
    code: isUnauthorized ? "unauthorized" : "not-websocket",
    detail: `the service answered HTTP ${status} instead of a WebSocket`,
    status,
    retryAfterMs: retryAfterMs(response),
  };
}

/** Retry-After in seconds, or as a date relative to the service's own clock. */
function retryAfterMs({ headers }: IncomingMessage): number | undefined {
  const text = headers["retry-after"];
  if (text === undefined) return undefined;
  if (/^[0-9]{1,9}$/.test(text)) return Number(text) * 1000;
  const wait = Date.parse(text) - Date.parse(headers.date ?? "");
  return Number.isFinite(wait) && wait > 0 ? wait : undefined;
}

const codes: Readonly<Record<string, LinkFault["code"]>> = {
  ECONNREFUSED: "refused",
  ETIMEDOUT: "timeout",
};

function faultOfError(error: NodeJS.ErrnoException, hasOpened: boolean): LinkFault {
  // Errors of the handshake itself have no code: the peer speaks HTTP, but not WebSocket.
  const isHandshake = !hasOpened && (error.code === undefined || error.code.startsWith("HPE_"));
  const code = codes[error.code ?? ""] ?? (isHandshake ? "not-websocket" : "failed");
  return { code, detail: error.message };
}

/** Names of codes that a close frame can carry (RFC 6455, section 7.4.1, and its registry). */
const NAMES: Readonly<Record<number, string>> = {
  1000: "normal closure",
  1001: "going away",
  1002: "protocol error",
  1003: "unsupported data",
  1007: "invalid frame payload data",
  1008: "policy violation",
  1009: "message too big",
  1010: "mandatory extension",
  1011: "internal server error",
  1012: "service restart",
  1013: "try again later",
  1014: "bad gateway",
};

/** Codes that are never sent in a frame: they report what was missing when the connection closed. */
const ABSENCES: Readonly<Record<number, string>> = {
  1005: "closed by the service without a code (1005)",
  1006: "the connection ended without a close frame (1006)",
};

/**
 * How a connection ended, on one line except for the service's own reason, which is data and unchanged. A code without a common
 * name, such as 3000 to 4999, is shown alone. The interface defines no close codes.
 */
export function closingText(code: number, reason: string): string {
  const name = NAMES[code];
  const how =
    ABSENCES[code] ??
    `closed by the service with code ${code}${name === undefined ? "" : ` (${name})`}`;
  return reason === "" ? how : `${how}: ${reason}`;
}
