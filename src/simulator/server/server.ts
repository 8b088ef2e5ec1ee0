// The service on one loopback port: the stream at /v1/ws and the REST listings.
import { createServer, type IncomingMessage, type Server, STATUS_CODES } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { MonitorError } from "../../units/monitor-error.ts";
import { WS_PATH } from "../../wire/limits.ts";
import type { Refusal } from "../faults/fault.ts";
import type { HandleRequest } from "../rest/router.ts";

const LOOPBACK = "127.0.0.1";
/** A command is well under a hundred bytes; larger messages than this close the connection with 1009. */
const MAX_COMMAND_BYTES = 64 * 1024;

/**
 * Listens on 127.0.0.1.
 * @param refuse a status for an upgrade, if a fault strikes it
 * @param onConnection receives each open WebSocket and the socket beneath it
 * @throws {MonitorError} `port-in-use`, or `listen-failed` for any other reason
 */
export async function openServer(
  port: number,
  onRequest: HandleRequest,
  refuse: () => Refusal | undefined,
  onConnection: (webSocket: WebSocket, socket: Socket) => void,
) {
  const webSockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: MAX_COMMAND_BYTES,
  });
  /** The HTTP server waits for all of these when it closes, and closes none of them itself. */
  const upgraded = new Set<Duplex>();
  const http = createServer(onRequest);
  http.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    upgraded.add(socket);
    socket.once("close", () => upgraded.delete(socket));
    // A client that disconnects before the end of the handshake does not matter.
    socket.on("error", () => {});
    if (request.url?.split("?", 1)[0] !== WS_PATH) {
      socket.end("HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
      return;
    }
    const refusal = refuse();
    if (refusal !== undefined) {
      socket.end(refusalText(refusal));
      return;
    }
    webSockets.handleUpgrade(request, socket, head, (webSocket) =>
      onConnection(webSocket, socket as Socket),
    );
  });
  await listen(http, port);
  return {
    port: (http.address() as AddressInfo).port,
    close: async () => {
      for (const socket of upgraded) socket.destroy();
      webSockets.close();
      http.closeAllConnections();
      await new Promise<void>((resolve) => http.close(() => resolve()));
    },
  };
}

function refusalText({ status, retryAfterS }: Refusal): string {
  const retry = retryAfterS === undefined ? "" : `Retry-After: ${retryAfterS}\r\n`;
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n${retry}Content-Length: 0\r\n\r\n`;
}

async function listen(http: Server, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    http.on("error", (cause: NodeJS.ErrnoException) => {
      const message = `cannot listen on ${LOOPBACK}:${port}: ${cause.message}`;
      const advice = "choose another --port, or 0 for any free one";
      reject(
        cause.code === "EADDRINUSE"
          ? new MonitorError("port-in-use", "failed", `port ${port} is in use`, { advice, cause })
          : new MonitorError("listen-failed", "failed", message, { cause }),
      );
    });
    http.listen(port, LOOPBACK, resolve);
  });
}
