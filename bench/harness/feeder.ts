// A service of one market in a process of its own, so that only the client is measured. The address selects what it sends:
// /?feed=bbo&count=1000 as fast as the client reads, or /?feed=busy&rate=10000 at a fixed number of frames a second.
import { type WebSocket, WebSocketServer } from "ws";
import { Feed, type FeedKind } from "./feed.ts";

/** Enough to keep the client's socket busy, and no more. */
const MAX_BUFFERED_BYTES = 1024 * 1024;
const TURN_MS = 2;
const BURST = 500;

const server = new WebSocketServer({ host: "127.0.0.1", port: 0, perMessageDeflate: false });

server.on("connection", (webSocket, { url = "/" }) => {
  const options = new URL(url, "ws://127.0.0.1").searchParams;
  const feed = new Feed((options.get("feed") ?? "bbo") as FeedKind);
  webSocket.send('{"type":"hello","protocol_version":1,"keepalive_timeout_ms":120000}');
  webSocket.on("error", () => {});
  webSocket.once("message", () => {
    const rate = Number(options.get("rate") ?? 0);
    if (rate > 0) pace(webSocket, feed, rate);
    else flood(webSocket, feed, Number(options.get("count") ?? Number.POSITIVE_INFINITY));
  });
});

function flood(webSocket: WebSocket, feed: Feed, count: number): void {
  let left = count;
  const send = () => {
    // A bounded burst per turn: that the socket has closed is noticed only between turns.
    for (let i = 0; i < BURST && left > 0 && canTake(webSocket); i++, left--) {
      webSocket.send(feed.next());
    }
    if (left > 0 && webSocket.readyState === webSocket.OPEN) setImmediate(send);
  };
  send();
}

function canTake(webSocket: WebSocket): boolean {
  return webSocket.readyState === webSocket.OPEN && webSocket.bufferedAmount < MAX_BUFFERED_BYTES;
}

function pace(webSocket: WebSocket, feed: Feed, rate: number): void {
  const startedAt = performance.now();
  let sent = 0;
  const timer = setInterval(() => {
    const due = ((performance.now() - startedAt) * rate) / 1000;
    for (; sent < due; sent++) webSocket.send(feed.next());
  }, TURN_MS);
  webSocket.on("close", () => clearInterval(timer));
}

server.on("listening", () => {
  const address = server.address();
  process.send?.(typeof address === "object" ? address?.port : undefined);
});
process.on("disconnect", () => process.exit(0));
