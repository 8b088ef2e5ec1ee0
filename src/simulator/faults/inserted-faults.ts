// Faults that put messages of their own between those of the service.
import * as z from "zod";
import type { Random } from "../../units/random.ts";
import { faultKind } from "./fault.ts";
import { atEachMoment, hasMoments, moments, noMoments, when } from "./fault-timing.ts";

const MIB = 1024 * 1024;

/** Bytes that are no frame. `text`: characters of any kind. `bytes`: a binary message. `no-utf8`: text that is none. */
const GARBAGE: Readonly<Record<"text" | "bytes" | "no-utf8", (random: Random) => string | Buffer>> =
  {
    text: (random) =>
      Array.from({ length: 1 + Math.floor(random() * 80) }, () =>
        String.fromCodePoint(Math.floor(random() * 0xd800)),
      ).join(""),
    bytes: (random) => Buffer.from(Array.from({ length: 64 }, () => Math.floor(random() * 256))),
    "no-utf8": () => Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0xff, 0x22, 0x7d]),
  };

/** A message that is no frame. */
export const garbageFrame = faultKind(
  z
    .strictObject({
      kind: z.literal("garbage-frame"),
      ...moments,
      form: z.enum(["text", "bytes", "no-utf8"]).default("text"),
      when,
    })
    .refine(hasMoments, noMoments),
  {
    stream: atEachMoment((target, { form }, { random }) =>
      target.insert(GARBAGE[form](random), form === "bytes" ? "binary" : "text"),
    ),
  },
);

/** One message of so many bytes. */
export const giantFrame = faultKind(
  z
    .strictObject({
      kind: z.literal("giant-frame"),
      ...moments,
      bytes: z
        .int()
        .min(1)
        .max(64 * MIB)
        .default(16 * MIB),
      when,
    })
    .refine(hasMoments, noMoments),
  {
    stream: atEachMoment((target, { bytes }) => target.insert(Buffer.alloc(bytes, "x"), "text")),
  },
);

/** So many well-formed updates at once, of channels that nobody asked for. */
export const flood = faultKind(
  z
    .strictObject({
      kind: z.literal("flood"),
      ...moments,
      frames: z.int().min(1).max(1_000_000).default(10_000),
      when,
    })
    .refine(hasMoments, noMoments),
  {
    stream: atEachMoment((target, { frames }) => {
      for (let i = 0; i < frames; i++) {
        const channel = `bbo/spot/${1_000_000 + i}`;
        const frame = { type: "update", channel, timestamp_ns: "1", bbo: noBbo };
        target.insert(JSON.stringify(frame), "text");
      }
    }),
  },
);
const noBbo = { bid: null, ask: null };

/** An error frame that names no channel and answers nothing. */
export const strayError = faultKind(
  z
    .strictObject({
      kind: z.literal("stray-error"),
      ...moments,
      code: z.int().min(0).max(9999).default(503),
      when,
    })
    .refine(hasMoments, noMoments),
  {
    stream: atEachMoment((target, { code }) => target.refuse(code, "the simulator's stray error")),
  },
);
