// The fuzz of bytes: WebSocket messages that are UTF-8 and that are not. What is received is what was sent,
// letter by letter, or nothing. `npm run soak` sends a hundred thousand of each; MONITOR_SEED chooses others.
import { afterAll, expect, test } from "vitest";
import { createRandom, type Random } from "../../src/units/random.ts";
import { OPCODE, rawFrame, startRawService } from "../support/raw-service.ts";
import { closeServers, open } from "../support/received-frames.ts";
import { report, runs, SEED } from "../support/soak.ts";
import { below, oneOf } from "../wire/wire-messages.ts";

const MESSAGES = runs(250, 100_000);
/** Messages of one connection, as far as all of them are text. */
const A_CONNECTION = 40;
const MAX_PARTS = 8;
/** RFC 6455, 5.2. */
const BINARY = 2;

/** What text is made of, and what makes it none: lone bytes, surrogates, overlong forms, beyond the last character. */
const PARTS: readonly Buffer[] = [
  ...['{"type":"update"}', "1", "\u0000", "\u001b", "é", "✓", "\u{1f600}", "\ufeff", "\uffff"].map(
    (text) => Buffer.from(text),
  ),
  Buffer.from("\\ud800"),
];
const NO_TEXT: readonly Buffer[] = [
  Buffer.from([0xff]),
  Buffer.from([0x80]),
  Buffer.from([0xed, 0xa0, 0x80]),
  Buffer.from([0xed, 0xb0, 0x80]),
  Buffer.from([0xc0, 0xaf]),
  Buffer.from([0xf0, 0x80, 0x80, 0xaf]),
  Buffer.from([0xf4, 0x90, 0x80, 0x80]),
  Buffer.from("✓").subarray(0, 2),
];

/** @param badShare how many of a hundred are no text */
function anyBytes(random: Random, badShare: number): Buffer {
  const isBad = below(random, 100) < badShare;
  const parts = Array.from({ length: below(random, MAX_PARTS) }, () => oneOf(random, PARTS));
  const wrong = isBad ? [oneOf(random, NO_TEXT)] : [];
  parts.splice(below(random, parts.length + 1), 0, ...wrong);
  return Buffer.concat(parts);
}

/** The text that bytes are; undefined when they are none: replaced characters would not give the same bytes. */
function textOf(bytes: Buffer): string | undefined {
  const text = bytes.toString();
  return Buffer.from(text).equals(bytes) ? text : undefined;
}

/** A message in one frame, or in some that end anywhere, within characters too. */
function framesOf(random: Random, opcode: number, payload: Buffer): Buffer[] {
  const cuts = Array.from({ length: below(random, 4) }, () => below(random, payload.length + 1));
  const places = [0, ...cuts.sort((a, b) => a - b), payload.length];
  const count = places.length - 1;
  return places.slice(0, count).map((from, i) => {
    const part = payload.subarray(from, places[i + 1]);
    return rawFrame(i === 0 ? opcode : OPCODE.continuation, part, { isLast: i === count - 1 });
  });
}

interface Played {
  readonly bytes: readonly Buffer[];
  /** What must be received of them. */
  readonly received: readonly string[];
  readonly isText: boolean;
}

/** Messages up to the first one that is no text, or a farewell. */
function play(random: Random): Played {
  const bytes: Buffer[] = [];
  const received: string[] = [];
  for (let i = 0; i < A_CONNECTION; i++) {
    const payload = anyBytes(random, 4);
    const isBinary = below(random, 10) === 0;
    bytes.push(...framesOf(random, isBinary ? BINARY : OPCODE.text, payload));
    const text = textOf(payload);
    if (text !== undefined) received.push(text);
    else if (isBinary) received.push(`binary ${payload.length}`);
    else return { bytes, received, isText: false };
  }
  bytes.push(rawFrame(OPCODE.close, Buffer.from([0x03, 0xe8])));
  return { bytes, received, isText: true };
}

afterAll(closeServers);

test(`${MESSAGES} messages from seed ${SEED} are received as they are, or end the connection`, async () => {
  const random = createRandom(SEED);
  let played: Played = play(random);
  const url = await startRawService((socket) => {
    for (const bytes of played.bytes) socket.write(bytes);
  });
  let [messages, broken] = [0, 0];
  for (; messages < MESSAGES; played = play(random)) {
    const { received, fault } = await open(url);
    expect(received).toEqual(["open", ...played.received]);
    expect(fault.detail).toMatch(played.isText ? /code 1000/ : /invalid UTF-8/);
    messages += played.received.length;
    if (!played.isText) broken++;
  }
  expect(broken).toBeGreaterThan(MESSAGES / 100);
  report(`${messages} messages, ${broken} others that are no text`);
});
