// `ws` as it is bundled: its receiver says of any bytes what the package as it comes says, and a socket that rests reads
// nothing.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { Socket } from "node:net";
import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
// @ts-expect-error: scripts are plain JavaScript
import * as scripts from "../../scripts/patches.mjs";
import { closeServers, listen } from "../support/received-frames.ts";
import { runs } from "../support/soak.ts";

const { patchText } = scripts as { patchText(name: string, text: string): string };

interface Receiver {
  on(event: string, listener: (...values: unknown[]) => void): Receiver;
  write(bytes: Buffer): boolean;
}
type ReceiverClass = new (options: object) => Receiver;

const load = createRequire(import.meta.url);
const folder = load.resolve("ws").replace(/(?:index\.js|wrapper\.mjs)$/, "lib/");

function bundled(name: string): unknown {
  const module = { exports: {} };
  const text = patchText(`ws/lib/${name}.js`, readFileSync(`${folder}${name}.js`, "utf8"));
  new Function("module", "require", text)(module, createRequire(folder));
  return module.exports;
}

const Original = load(`${folder}receiver.js`) as ReceiverClass;
const Bundled = {
  Receiver: bundled("receiver") as ReceiverClass,
  WebSocket: bundled("websocket") as typeof WebSocket,
};

afterEach(closeServers);

const limits = { maxFragments: 4, maxBufferedChunks: 64, allowSynchronousEvents: true };
const maxPayload = fc.constantFrom(0, 4001, 70_000);

interface ReceiverOptions {
  readonly isServer: boolean;
  readonly maxPayload: number;
}

async function receive(
  Class: ReceiverClass,
  options: ReceiverOptions,
  chunks: readonly Buffer[],
): Promise<readonly unknown[]> {
  const events: unknown[] = [];
  const receiver = new Class({ ...limits, ...options, extensions: {} });
  for (const name of ["message", "ping", "pong", "conclude"]) {
    receiver.on(name, (data, more) => {
      const isBytes = Buffer.isBuffer(data);
      // The bundled one gives most texts as such.
      const bytes = !isBytes && name === "message" ? Buffer.from(data as string) : data;
      events.push([name, Buffer.isBuffer(bytes) ? bytes.toString("latin1") : data, `${more}`]);
    });
  }
  receiver.on("error", (error) => events.push(["error", (error as Error).message]));
  for (const chunk of chunks) receiver.write(Buffer.from(chunk));
  // What is wrong is said in the next turn.
  await new Promise((resolve) => setImmediate(resolve));
  return events;
}

/** One frame; `length` is written in the shortest of the three forms unless `isLong`. */
function encode(first: number, payload: Buffer, isMasked: boolean, isLong: boolean): Buffer {
  const mask = isMasked ? 0x80 : 0;
  const { length } = payload;
  const size =
    length > 0xffff
      ? [mask | 127, 0, 0, 0, 0, 0, length >>> 16, (length >>> 8) & 255, length & 255]
      : length > 125 || isLong
        ? [mask | 126, length >>> 8, length & 255]
        : [mask | length];
  return Buffer.concat([Buffer.from([first, ...size]), Buffer.alloc(isMasked ? 4 : 0), payload]);
}

const lengths = fc.oneof(
  fc.nat(20),
  fc.constantFrom(0, 125, 126, 127, 4001, 4002, 65_535, 65_536, 70_001),
);
const payload = fc.oneof(
  { weight: 6, arbitrary: lengths.map((length) => Buffer.alloc(length, "ab")) },
  { weight: 2, arbitrary: fc.string({ unit: "grapheme" }).map((text) => Buffer.from(text)) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)) },
);
const first = fc.oneof(
  { weight: 8, arbitrary: fc.constant(0x81) },
  { weight: 3, arbitrary: fc.constantFrom(0x01, 0x80, 0x00, 0x82, 0x89, 0x8a) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 255 }) },
);
const flag = fc.constantFrom(...Array.from({ length: 12 }, (_, i) => i === 11));
const frames = fc.array(fc.tuple(first, payload, flag, flag), { maxLength: 8 });

test("a message is taken from its bytes as the package does, wherever they are cut, and so is what is wrong with them", async () => {
  const cuts = fc.array(fc.nat(70_000), { maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(
      frames,
      cuts,
      fc.record({ isServer: flag, maxPayload }),
      async (all, places, options) => {
        const bytes = Buffer.concat(all.map((each) => encode(...each)));
        const edges = [0, ...places.map((at) => at % (bytes.length + 1)), bytes.length];
        edges.sort((a, b) => a - b);
        const chunks = edges.slice(1).map((end, i) => bytes.subarray(edges[i], end));
        const given = chunks.filter(({ length }) => length > 0);
        const expected = await receive(Original, options, given);
        expect(await receive(Bundled.Receiver, options, given)).toEqual(expected);
      },
    ),
    { numRuns: runs(150, 100_000) },
  );
});

async function connect() {
  const server = createServer();
  const service = new WebSocketServer({ server });
  const url = await listen(server);
  const ws = new Bundled.WebSocket(url);
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
