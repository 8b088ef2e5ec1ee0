// A terminal that takes nothing any more, as after Ctrl+S, in tmux's copy mode or behind a line that is stuck: the program
// goes on hearing, keeps no frames, and shows what is then the case when the terminal goes on.
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { MonitorScreen } from "../support/monitor-screen.ts";

const BBO = "bbo/perp/1";
const TRADES = "trades/perp/1";
const BOOK = "orderbook/perp/1";
const LEVELS = 50;
const MESSAGES_A_ROUND = 50;
const ROUNDS = 100;
/** What a pseudo terminal holds, and the frame that the program had in hand; all frames would be twice as much. */
const MAX_BYTES = 64 * 1024;

let server: WebSocketServer;
let peer: WebSocket;
let price = 100_000;
let sequence = 0;
const CHANNELS = [BBO, TRADES, BOOK];
const wanted = new Set(CHANNELS);
let onWanted = () => {};
/** All are subscribed. */
const isWanted = new Promise<void>((resolve) => {
  onWanted = resolve;
});

beforeAll(async () => {
  server = new WebSocketServer({ host: "127.0.0.1", port: 0, path: "/v1/ws" });
  await once(server, "listening");
  server.on("connection", (socket) => {
    peer = socket;
    socket.send('{"type":"hello","protocol_version":1,"keepalive_timeout_ms":120000}');
    socket.on("message", (data) => {
      const { type, channel } = JSON.parse(String(data));
      if (type === "unsubscribe")
        socket.send(JSON.stringify({ type: "unsubscribed", channel, timestamp_ns: "1" }));
      if (type !== "subscribe") return;
      wanted.delete(channel);
      if (wanted.size === 0) onWanted();
      // On a slow machine the program may look again in between.
      if (CHANNELS.includes(channel)) return;
      const error = { type: "error", channel, code: 404, message: "none", timestamp_ns: "1" };
      socket.send(JSON.stringify(error));
    });
  });
});
afterAll(() => {
  for (const client of server.clients) client.terminate();
  server.close();
});

const level = (ticks: number, lots: number) => ({
  price_ticks: `${ticks}`,
  size_base_lots: `${lots}`,
});

function say(channel: string, fields: object): void {
  const timestamp_ns = `1800000000${`${price}`.padStart(9, "0")}`;
  peer.send(JSON.stringify({ type: "update", channel, timestamp_ns, ...fields }));
}

/** Some more of the market, until the program has read all of it: it answers a ping behind it. */
async function round(): Promise<void> {
  for (let i = 0; i < MESSAGES_A_ROUND; i += 2) {
    price += 1 + (i % 7);
    say(BBO, { bbo: { bid: level(price - 1, i + 1), ask: level(price + 1, i + 1) } });
    const trade = {
      ...level(price, i + 1),
      timestamp_ns: `1800000000${`${price}`.padStart(9, "0")}`,
      taker_is_bid: i % 4 === 0,
    };
    say(TRADES, { previous_sequence: null, sequence: `${price}`, trades: [trade] });
  }
  const side = (direction: number) =>
    Array.from({ length: LEVELS }, (_, i) => level(price + direction * (i + 1), (price + i) % 991));
  const before = sequence++;
  const chain = { previous_sequence: before === 0 ? null : `${before}`, sequence: `${sequence}` };
  say(BOOK, { ...chain, orderbook: { bids: side(-1), asks: side(1) } });
  peer.ping();
  await once(peer, "pong");
}

const shown = (each: number) => each.toLocaleString("en-US");

test("a terminal that is not read holds nothing up, and shows the latest when it is read again", async () => {
  const { port } = server.address() as AddressInfo;
  const args = ["perp/1", "--ws-url", `ws://127.0.0.1:${port}`];
  const screen = new MonitorScreen(args, { columns: 200, rows: 60 });
  await isWanted;
  await round();
  await screen.until((text) => text.includes(shown(price - 1)));
  screen.stopReading();
  const before = screen.output.length;
  for (let i = 0; i < ROUNDS; i++) await round();
  expect(screen.output.length).toBe(before);
  screen.readOn();
  await screen.until((text) => text.includes(shown(price - 1)) && text.includes(shown(price + 1)));
  expect(screen.output.length - before).toBeLessThan(MAX_BYTES);
  screen.type("q");
  expect(await screen.ended()).toEqual({ code: 0, faults: [] });
});
