// Frames that only a hostile service sends: each kind ends the connection with a name, and nothing of it stays. The long
// form plays each kind a thousand times in one process.
import { afterEach, describe, expect, test } from "vitest";
import { collect } from "../support/collect.ts";
import {
  OPCODE,
  type Play,
  rawFrame,
  sends,
  startRawService,
  trickles,
} from "../support/raw-service.ts";
import { closeServers, open } from "../support/received-frames.ts";
import { isSoak, report } from "../support/soak.ts";

afterEach(closeServers);

const { continuation, text, close, ping } = OPCODE;
const MIB = 1024 * 1024;
const x = Buffer.from("x");
const none = Buffer.alloc(0);

/** A message in so many fragments of one byte each. */
function inFragments(count: number): Buffer[] {
  const one = rawFrame(continuation, x, { isLast: false });
  const first = rawFrame(text, x, { isLast: false });
  return [first, ...Array<Buffer>(count - 2).fill(one), rawFrame(continuation, x)];
}

const badText = (bytes: readonly number[] | Buffer) => sends(rawFrame(text, Buffer.from(bytes)));
const closing = (code: number, reason: Buffer = none) =>
  sends(rawFrame(close, Buffer.concat([Buffer.from([code >> 8, code & 0xff]), reason])));
const GOODBYE = rawFrame(close, Buffer.from([0x03, 0xe8]));
const largeFragment = Buffer.alloc(MIB, "x");
const claims = BigInt(MIB);

const TOO_LARGE = "Max payload size exceeded";
const NO_UTF8 = "Invalid WebSocket frame: invalid UTF-8 sequence";
const invalid = (what: string) => `Invalid WebSocket frame: ${what}`;

/** Each kind: its name, what is sent, and what the connection's end says. */
const KINDS: readonly (readonly [string, Play, string])[] = [
  ["a lone byte that is no UTF-8", badText([0xff]), NO_UTF8],
  ["half of a character", badText(Buffer.from("✓").subarray(0, 2)), NO_UTF8],
  ["a surrogate in UTF-8", badText([0xed, 0xa0, 0x80]), NO_UTF8],
  ["an overlong form", badText([0xc0, 0xaf]), NO_UTF8],
  ["1,025 fragments", sends(inFragments(1025)), "Too many message fragments"],
  ["131,000 fragments of a byte", sends(inFragments(131_000)), "Too many message fragments"],
  [
    "a frame in tiny pieces",
    trickles(rawFrame(text, none, { claims: 60_000n })),
    "Too many buffered chunks",
  ],
  ["a frame that claims 3 GB", sends(rawFrame(text, x, { claims: 3_000_000_000n })), TOO_LARGE],
  [
    "a frame that claims more than a number holds",
    sends(rawFrame(text, x, { claims: 1n << 62n })),
    "Unsupported WebSocket frame: payload length > 2^53 - 1",
  ],
  [
    "a frame a byte above 8 MiB",
    sends(rawFrame(text, x, { claims: BigInt(8 * MIB + 1) })),
    TOO_LARGE,
  ],
  [
    "fragments above 8 MiB together",
    sends(
      rawFrame(text, largeFragment, { claims, isLast: false }),
      Array<Buffer>(8).fill(rawFrame(continuation, largeFragment, { claims, isLast: false })),
    ),
    TOO_LARGE,
  ],
  ["a compressed frame", sends(rawFrame(text, x, { reserved: 4 })), invalid("RSV1 must be clear")],
  [
    "a reserved bit",
    sends(rawFrame(text, x, { reserved: 1 })),
    invalid("RSV2 and RSV3 must be clear"),
  ],
  ["a masked frame", sends(rawFrame(text, x, { isMasked: true })), invalid("MASK must be clear")],
  ["an unknown kind of data", sends(rawFrame(3, x)), invalid("invalid opcode 3")],
  ["an unknown control frame", sends(rawFrame(11, x)), invalid("invalid opcode 11")],
  ["a rest without a beginning", sends(rawFrame(continuation, x)), invalid("invalid opcode 0")],
  [
    "a message inside of another",
    sends(rawFrame(text, x, { isLast: false }), rawFrame(text, x)),
    invalid("invalid opcode 1"),
  ],
  [
    "a ping of 126 bytes",
    sends(Buffer.from([0x89, 126, 0, 126]), Buffer.alloc(126)),
    invalid("invalid payload length 126"),
  ],
  ["a ping in parts", sends(rawFrame(ping, x, { isLast: false })), invalid("FIN must be set")],
  ["a goodbye with code 999", closing(999), invalid("invalid status code 999")],
  ["a goodbye of one byte", sends(rawFrame(close, x)), invalid("invalid payload length 1")],
  ["a goodbye that is no UTF-8", closing(1000, Buffer.from([0xff])), NO_UTF8],
];

/** Whoever accepts it all the same is received goodbye, and does not wait for more. */
const withGoodbye =
  (play: Play): Play =>
  (socket) => {
    play(socket);
    socket.write(GOODBYE);
  };

describe("a frame that only a hostile service sends ends the connection and is not received", () => {
  test.each(KINDS)("%s", async (_, play, detail) => {
    const { received, fault } = await open(await startRawService(withGoodbye(play)));
    expect(received).toEqual(["open"]);
    expect(fault).toEqual({ code: "failed", detail });
  });

  test("what is just within the limits is received", async () => {
    const whole = Buffer.alloc(8 * MIB, "x");
    const url = await startRawService(
      sends(inFragments(1024), rawFrame(text, whole, { claims: BigInt(whole.length) }), GOODBYE),
    );
    const { received } = await open(url);
    expect(received.map((message) => message.length)).toEqual(["open".length, 1024, whole.length]);
  });
});

/** The first round only fills what is kept for good; the others are compared. */
const ROUNDS = 10;
const TIMES_A_ROUND = 100;
const TIMES = ROUNDS * TIMES_A_ROUND;
/** Connections at once. */
const LANES = 8;
const MAX_GROWTH_MIB = 20;

/** Opens that many connections, some at once; answers how many ended otherwise than they should. */
async function repeat(play: Play, detail: string, times: number): Promise<number> {
  const url = await startRawService(play);
  let begun = 0;
  let wrong = 0;
  const lane = async () => {
    while (begun++ < times) {
      const { received, fault } = await open(url);
      if (received.length !== 1 || fault.detail !== detail) wrong++;
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  closeServers();
  return wrong;
}

/** Resident memory after a collection, MiB. */
function residentMemory(): number {
  collect();
  return process.memoryUsage.rss() / MIB;
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

describe.runIf(isSoak)("in the long form", () => {
  test(`each kind ${TIMES} times leaves no memory behind`, async () => {
    const memory: number[] = [];
    let wrong = 0;
    for (let round = 0; round <= ROUNDS; round++) {
      for (const [, play, detail] of KINDS) wrong += await repeat(play, detail, TIMES_A_ROUND);
      if (round > 0) memory.push(residentMemory());
    }
    // One look alone would tell of what the allocator keeps at that moment.
    const growth = median(memory.slice(-3)) - median(memory.slice(0, 3));
    report(
      `${KINDS.length * TIMES} hostile connections of ${KINDS.length} kinds: ${wrong} ended otherwise, memory grew by ${growth.toFixed(1)} MiB (${memory.map(Math.round).join(" ")})`,
    );
    expect(wrong).toBe(0);
    expect(growth).toBeLessThan(MAX_GROWTH_MIB);
  });
});
