import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RecentFrames } from "../../src/stream/sequence-chain.ts";

/** Frames that are always remembered, where they are short. */
const REMEMBERED = 256;

function withFrames(texts: readonly string[]): RecentFrames {
  const frames = new RecentFrames();
  for (const text of texts) frames.note(text);
  return frames;
}

describe("frames that are remembered", () => {
  const texts = fc.array(
    fc.oneof(
      fc.string({ unit: "binary", maxLength: 40 }),
      fc.integer({ min: 0, max: 9 }).map((digit) => `${digit}`.repeat(7000)),
    ),
    { minLength: 1, maxLength: 700 },
  );

  test("no frame is taken for a repeat that did not come, and none of the newest is forgotten", () => {
    fc.assert(
      fc.property(texts, fc.string({ unit: "binary", maxLength: 3 }), (came, other) => {
        const frames = withFrames(came);
        let length = 0;
        for (const [i, text] of [...came].reverse().entries()) {
          length += Buffer.byteLength(text);
          if (i < REMEMBERED && length < 64 * 1024) expect(frames.has(text)).toBe(true);
        }
        expect(frames.has(other) && !came.includes(other)).toBe(false);
        expect(frames.hadBefore(came[0] ?? "")).toBe(false);
      }),
      { numRuns: 200 },
    );
  });

  test("frames of an earlier subscription are remembered apart, until the connection ends", () => {
    const frames = withFrames(["a", "€"]);
    frames.begin();
    frames.note("b");
    expect([frames.has("€"), frames.hadBefore("€")]).toEqual([false, true]);
    expect([frames.has("b"), frames.hadBefore("b")]).toEqual([true, false]);
    frames.clear();
    expect([frames.has("b"), frames.hadBefore("a")]).toEqual([false, false]);
  });

  test("a message that is larger than any that is remembered takes nothing away", () => {
    const [large, larger] = ["x".repeat(200 * 1024), "y".repeat(300 * 1024)];
    const frames = withFrames([large, "a", larger, larger]);
    expect([large, "a", larger].map((text) => frames.has(text))).toEqual([true, true, false]);
  });
});
