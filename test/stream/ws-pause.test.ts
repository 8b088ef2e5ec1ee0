// A socket that rests reads nothing: `ws` as it is bundled.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
// @ts-expect-error: scripts are plain JavaScript
import * as scripts from "../../scripts/patches.mjs";
import { closeServers, listen } from "../support/received-frames.ts";

const { patchText } = scripts as { patchText(name: string, text: string): string };

afterEach(closeServers);

const load = createRequire(import.meta.url);
const path = load.resolve("ws").replace(/index\.js$|wrapper\.mjs$/, "lib/websocket.js");

function loadBundled(): typeof WebSocket {
  const module = { exports: {} };
  const text = patchText("ws/lib/websocket.js", readFileSync(path, "utf8"));
  new Function("module", "require", text)(module, createRequire(path));
  return module.exports as typeof WebSocket;
}

async function connect() {
  const server = createServer();
  const service = new WebSocketServer({ server });
  const url = await listen(server);
  const ws = new (loadBundled())(url);
  const received: string[] = [];
  ws.on("message", (data: Buffer) => received.push(data.toString()));
  const [[peer]] = await Promise.all([
    once(service, "connection") as Promise<[WebSocket]>,
    once(ws, "open"),
  ]);
  const { _socket: socket } = ws as unknown as { _socket: Socket };
  return { ws, peer, received, socket };
}

/** Sends until the system has taken it, and lets far more turns pass than reading it would take. */
async function send(peer: WebSocket, text: string): Promise<void> {
  await new Promise<void>((resolve) => peer.send(text, () => resolve()));
  for (let i = 0; i < 100; i++) await new Promise((resolve) => setImmediate(resolve));
}

test("a paused socket reads nothing, and everything in order when it goes on", async () => {
  const { ws, peer, received, socket } = await connect();
  for (const round of ["a", "b", "c"]) {
    const count = received.length;
    await send(peer, `${round}1`);
    if (received.length === count) await once(ws, "message");
    ws.pause();
    const { bytesRead } = socket;
    await send(peer, `${round}2`);
    await send(peer, `${round}3`);
    expect(socket.bytesRead).toBe(bytesRead);
    ws.resume();
    while (received.length < count + 3) await once(ws, "message");
  }
  expect(received.join(" ")).toBe("a1 a2 a3 b1 b2 b3 c1 c2 c3");
  ws.terminate();
});

test("a socket that is paused while a message is handed over, and was closed meanwhile, ends when it goes on", async () => {
  const { ws, peer, received } = await connect();
  ws.once("message", () => ws.pause());
  peer.send("1");
  peer.send("2");
  peer.close(1000);
  while (received.length < 1) await once(ws, "message");
  ws.pause();
  await send(peer, "");
  const closed = once(ws, "close");
  ws.resume();
  expect((await closed)[0]).toBe(1000);
  expect(received).toEqual(["1", "2"]);
});
