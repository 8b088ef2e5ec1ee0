// The receiver of `ws` as it is bundled says of any bytes what the package as it comes says.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import fc from "fast-check";
import { expect, test } from "vitest";
// @ts-expect-error: scripts are plain JavaScript
import * as scripts from "../../scripts/patches.mjs";
import { runs } from "../support/soak.ts";

const NAME = "ws/lib/receiver.js";
const { patchText } = scripts as { patchText(name: string, text: string): string };

interface Receiver {
  on(event: string, listener: (...values: unknown[]) => void): Receiver;
  write(bytes: Buffer): boolean;
}
type ReceiverClass = new (options: object) => Receiver;

const load = createRequire(import.meta.url);
const path = load.resolve("ws").replace(/index\.js$|wrapper\.mjs$/, "lib/receiver.js");
const Original = load(path) as ReceiverClass;
const Bundled = evaluate(patchText(NAME, readFileSync(path, "utf8")));

function evaluate(text: string): ReceiverClass {
  const module = { exports: {} };
  new Function("module", "require", text)(module, createRequire(path));
  return module.exports as ReceiverClass;
}

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
        expect(await receive(Bundled, options, given)).toEqual(expected);
      },
    ),
    { numRuns: runs(300, 100_000) },
  );
});
