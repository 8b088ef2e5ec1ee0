// A service that writes down all that reaches it, by the run that sent it: each has a root of its own.
import { createServer, type IncomingMessage } from "node:http";
import { WebSocketServer } from "ws";
import { listen } from "./listen.ts";

/** What a run sent: heads of requests, and messages on its WebSocket. */
export interface Received {
  readonly method: string;
  /** Below the root of the run. */
  readonly url: string;
  readonly headers: readonly string[];
  /** Undefined for a request without a WebSocket. */
  readonly messages: readonly string[] | undefined;
}

export type ListeningService = Awaited<ReturnType<typeof startListeningService>>;

const HELLO = JSON.stringify({ type: "hello", protocol_version: 1, keepalive_timeout_ms: 120_000 });

/** @param onReceived called with the number of the run for each request and each message */
export async function startListeningService(onReceived: (run: number) => void) {
  const received = new Map<number, Received[]>();
  /** What was no request at all. */
  const broken: string[] = [];
  const note = ({ method = "", url = "", rawHeaders }: IncomingMessage, messages?: string[]) => {
    const [, number = "", path = ""] = /^\/r(\d+)(\/.*)$/s.exec(url) ?? [];
    const run = Number(number);
    if (number === "") broken.push(`${method} ${url}`);
    received.set(run, [
      ...(received.get(run) ?? []),
      { method, url: path, headers: rawHeaders.filter((_, i) => i % 2 === 0), messages },
    ]);
    onReceived(run);
    return run;
  };
  const server = createServer((request, response) => {
    note(request);
    request.on("data", (data: Buffer) => broken.push(`a body: ${data}`));
    response.setHeader("content-type", "application/json").end("[]");
  });
  server.on("clientError", (error, socket) => {
    if ("code" in error && error.code !== "ECONNRESET") broken.push(error.message);
    socket.destroy();
  });
  const sockets = new WebSocketServer({ noServer: true });
  server.on("upgrade", (request, socket, head) => {
    const messages: string[] = [];
    const run = note(request, messages);
    sockets.handleUpgrade(request, socket, head, (peer) => {
      peer.on("message", (data, isBinary) => {
        messages.push(isBinary ? "binary" : data.toString());
        onReceived(run);
      });
      peer.on("error", (error) => broken.push(error.message));
      peer.send(HELLO);
    });
  });
  const port = await listen(server);
  return {
    /** Options that lead a run here. */
    addresses: (run: number) => [
      "--ws-url",
      `ws://127.0.0.1:${port}/r${run}/v1/ws`,
      "--base-url",
      `http://127.0.0.1:${port}/r${run}`,
    ],
    /** What a run has sent so far. */
    received: (run: number): readonly Received[] => received.get(run) ?? [],
    broken,
    close() {
      sockets.close();
      server.closeAllConnections();
      server.close();
    },
  };
}
