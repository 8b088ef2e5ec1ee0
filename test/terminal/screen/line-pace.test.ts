// A slow line to the terminal: data waits, so that a key is answered at once.
import { describe, expect, test } from "vitest";
import { LinePace } from "../../../src/terminal/screen/line-pace.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

const BUFFER = 8192;

/**
 * Frames of data whenever they may go, for so long, on a line of so many bytes a millisecond behind a buffer.
 * @returns how long a key's frame would have taken at each tenth of a second: all that lies before it, and itself
 */
function play(bytesPerMs: number, ms: number, frameBytes = 2000) {
  const clock = createVirtualClock();
  const pace = new LinePace();
  const keyMs: number[] = [];
  let queued = 0;
  let frames = 0;
  let sending: { left: number; startMs: number; isRefused: boolean } | undefined;
  for (let now = 0; now < ms; now++, clock.advance(1)) {
    queued = Math.max(0, queued - bytesPerMs);
    if (sending === undefined && now % 17 === 0 && pace.waitMs(now) === 0) {
      sending = { left: frameBytes, startMs: now, isRefused: false };
      frames++;
    }
    if (sending !== undefined) {
      const taken = Math.min(sending.left, Math.floor(BUFFER - queued));
      queued += taken;
      sending.left -= taken;
      if (sending.left > 0) sending.isRefused = true;
      else {
        pace.noteTaken(frameBytes, sending.startMs, now, sending.isRefused);
        sending = undefined;
      }
    }
    if (now % 100 === 0) keyMs.push((queued + (sending?.left ?? 0) + frameBytes) / bytesPerMs);
  }
  return { pace, keyMs, framesPerSecond: (frames * 1000) / ms };
}

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1];

describe("a line of 5 KB a second", () => {
  test("is found to be slow within some seconds, and stays so while it is", () => {
    expect(play(5, 5000).pace.isSlow).toBe(true);
    expect(play(5, 120_000).pace.isSlow).toBe(true);
  });

  test("is mostly free for a key, and still shows data about every second", () => {
    const { keyMs, framesPerSecond } = play(5, 60_000);
    expect(median(keyMs.slice(100))).toBeLessThan(800);
    expect(framesPerSecond).toBeGreaterThan(0.5);
  });
});

test("a line that is fast enough for all frames never waits", () => {
  const { pace, framesPerSecond } = play(200, 20_000);
  expect(pace.isSlow).toBe(false);
  expect(framesPerSecond).toBeGreaterThan(58);
});

test("one frame that had to wait makes no slow line", () => {
  const pace = new LinePace();
  pace.noteTaken(12_000, 0, 40, true);
  for (let at = 50; at < 5000; at += 17) pace.noteTaken(2000, at, at, false);
  expect(pace.waitMs(5000)).toBe(0);
});

test("a line that has become faster is tried with more, until it counts as slow no longer", () => {
  const { pace } = play(40, 5000);
  expect(pace.isSlow).toBe(true);
  let now = 5000;
  for (; now < 120_000 && pace.isSlow; now += 500) {
    if (pace.waitMs(now) === 0) pace.noteTaken(2000, now, now, false);
  }
  expect(pace.isSlow).toBe(false);
});
