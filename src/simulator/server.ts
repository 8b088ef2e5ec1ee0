// The simulator's end of the network: HTTP for the listings, upgrades to WebSockets, both on 127.0.0.1 only.
import { createServer, type RequestListener, type Server, STATUS_CODES } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { MonitorError } from "../units/monitor-error.ts";
import { WS_PATH } from "../wire/limits.ts";
import { RequestError, readListing } from "./listings.ts";
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
  /** Receives each open WebSocket and the socket beneath it. */
  readonly onConnection: (webSocket: WebSocket, socket: Socket) => void;
}

/** @throws {MonitorError} `port-in-use`, or `listen-failed` for any other reason */
export async function openServer({ port, world, refuse, onConnection }: ServerSetup) {
  const maxPayload = MAX_COMMAND_BYTES;
  const webSockets = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload });
  /** The HTTP server waits for all of these when it closes, and closes none of them itself. */
  const upgraded = new Set<Duplex>();
  const http = createServer(answerListings(world, refuse));
  http.on("upgrade", (request, socket, head) => {
    upgraded.add(socket);
    socket.once("close", () => upgraded.delete(socket));
    // A client that disconnects before the end of the handshake does not matter.
    socket.on("error", () => {});
    const path = request.url?.split("?", 1)[0] ?? "";
    const status = path === WS_PATH ? refuse("upgrade", path) : 404;
    if (status === undefined) {
      webSockets.handleUpgrade(request, socket, head, (webSocket) =>
        onConnection(webSocket, socket as Socket),
      );
      return;
    }
    const headers = ["Connection: close", `Retry-After: ${RETRY_AFTER_S}`, "Content-Length: 0"];
    socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...headers, "", ""].join("\r\n"));
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

async function listen(http: Server, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    http.on("error", (cause: NodeJS.ErrnoException) => {
      const isInUse = cause.code === "EADDRINUSE";
      const code = isInUse ? "port-in-use" : "listen-failed";
      const failure = `cannot listen on ${LOOPBACK}:${port}: ${cause.message}`;
      const advice = "choose another --port, or 0 for any free one";
      const message = isInUse ? `port ${port} is in use` : failure;
      reject(new MonitorError(code, "failed", message, { cause, ...(isInUse && { advice }) }));
    });
    http.listen(port, LOOPBACK, resolve);
  });
}

/** Sends the page of a listing, or an error, as JSON. */
function answerListings(world: World, refuse: ServerSetup["refuse"]): RequestListener {
  /** @throws {RequestError} */
  const pageOf = (method: string, url: string) => {
    const base = "http://127.0.0.1";
    // An invalid URL is treated as an unknown path.
    const { pathname, searchParams } = new URL(URL.canParse(url, base) ? url : "/unreadable", base);
    if (method !== "GET") throw new RequestError(405, "only GET", { allow: "GET" });
    const status = refuse("listing", pathname);
    if (status === undefined) return readListing(world, pathname, searchParams);
    const headers = status === 429 && { "retry-after": `${RETRY_AFTER_S}` };
    throw new RequestError(status, "the simulator's fault", { ...headers });
  };
  return ({ url = "", method = "" }, response) => {
    const send = (status: number, value: object, headers: object) => {
      const body = Buffer.from(JSON.stringify(value));
      const type = { "content-type": "application/json", "content-length": body.length };
      response.writeHead(status, { ...type, ...headers }).end(body);
    };
    try {
      send(200, pageOf(method, url), {});
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      const { status, message, headers } = error;
      send(status, { error: { status, message } }, headers);
    }
  };
}
