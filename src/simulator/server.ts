// The simulator's end of the network: HTTP for the listings, upgrades to WebSockets, both on 127.0.0.1 only.
import { once } from "node:events";
import { createServer, type RequestListener, STATUS_CODES } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
import { MonitorError } from "../units/monitor-error.ts";
import { WS_PATH } from "../wire/limits.ts";
import { readListing, refused } from "./listings.ts";
import type { World } from "./world.ts";

const LOOPBACK = "127.0.0.1";
/** A command is well under a hundred bytes; larger messages than this close the connection with 1009. */
const MAX_COMMAND_BYTES = 64 * 1024;
/** Sent with every refusal of a fault. */
const RETRY_AFTER_S = 1;

export interface ServerSetup {
  readonly port: number;
  readonly world: World;
  /** A status in place of the listing of a path, or of a WebSocket, if a fault strikes. */
  readonly refuse: (what: "listing" | "upgrade", path: string) => number | undefined;
  readonly onConnection: (webSocket: WebSocket) => void;
}

/** @throws {MonitorError} `port-in-use`, or `listen-failed` for any other reason */
export async function openServer({ port, world, refuse, onConnection }: ServerSetup) {
  const maxPayload = MAX_COMMAND_BYTES;
  const webSockets = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload });
  /** The HTTP server waits for all of these when it closes, and closes none of them itself. */
  const sockets = new Set<Socket>();
  const http = createServer(answerListings(world, refuse));
  http.on("upgrade", (request, stream, head) => {
    const socket = stream as Socket;
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    // A client that disconnects before the end of the handshake does not matter.
    socket.on("error", () => {});
    const path = request.url?.split("?", 1)[0] ?? "";
    const status = path === WS_PATH ? refuse("upgrade", path) : 404;
    if (status === undefined) {
      webSockets.handleUpgrade(request, socket, head, onConnection);
      return;
    }
    const headers = ["Connection: close", `Retry-After: ${RETRY_AFTER_S}`, "Content-Length: 0"];
    socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...headers, "", ""].join("\r\n"));
  });
  await once(http.listen(port, LOOPBACK), "listening").catch((cause) => {
    const isInUse = cause.code === "EADDRINUSE";
    const code = isInUse ? "port-in-use" : "listen-failed";
    const failure = `cannot listen on ${LOOPBACK}:${port}: ${cause.message}`;
    const advice = "choose another --port, or 0 for any free one";
    const message = isInUse ? `port ${port} is in use` : failure;
    throw new MonitorError(code, "failed", message, { cause, ...(isInUse && { advice }) });
  });
  return {
    port: (http.address() as AddressInfo).port,
    /** Of the WebSockets. */
    sockets,
    async close() {
      for (const socket of sockets) socket.destroy();
      http.closeAllConnections();
      await new Promise<unknown>((resolve) => http.close(resolve));
    },
  };
}

/** Sends the page of a listing, or an error, as JSON. */
function answerListings(world: World, refuse: ServerSetup["refuse"]): RequestListener {
  const pageOf = (method: string, url: string) => {
    const base = `http://${LOOPBACK}`;
    // An invalid URL is treated as an unknown path.
    const { pathname, searchParams } = new URL(URL.canParse(url, base) ? url : "/unreadable", base);
    if (method !== "GET") throw refused(405, "only GET", { allow: "GET" });
    const status = refuse("listing", pathname);
    if (status === undefined) return readListing(world, pathname, searchParams);
    const headers = status === 429 && { "retry-after": `${RETRY_AFTER_S}` };
    throw refused(status, "the simulator's fault", { ...headers });
  };
  return ({ url = "", method = "" }, response) => {
    const send = (status: number, value: object, headers = {}) => {
      response.writeHead(status, { "content-type": "application/json", ...headers });
      response.end(JSON.stringify(value));
    };
    try {
      send(200, pageOf(method, url));
    } catch (error) {
      const { status, message, headers } = error as ReturnType<typeof refused>;
      if (status === undefined) throw error;
      send(status, { error: { status, message } }, headers);
    }
  };
}
