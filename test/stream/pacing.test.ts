// A socket is read in turns that are neither too long nor too close together, and nothing waits longer than said.
import { beforeEach, describe, expect, test } from "vitest";
import { Pacing } from "../../src/stream/pacing.ts";
import { createVirtualClock, type VirtualClock } from "../support/virtual-clock.ts";

let clock: VirtualClock;
let pace: Pacing;
let isPaused: boolean;
let turns: number[];

beforeEach(() => {
  clock = createVirtualClock();
  isPaused = false;
  turns = [];
  pace = new Pacing(clock, {
    pause: () => {
      isPaused = true;
    },
    resume: () => {
      isPaused = false;
    },
  });
});

/** One turn of the event loop in which messages come, unless the socket is paused. */
function turn(messages: number): void {
  if (isPaused) return;
  turns.push(clock.now());
  for (let i = 0; i < messages; i++) pace.note();
  clock.advance(0);
}

function turnsEvery(ms: number, count: number, messages = 2): void {
  for (let i = 0; i < count; i++) {
    turn(messages);
    clock.advance(ms);
  }
}

describe("the pace of reading", () => {
  test("lets messages that come now and then through at once", () => {
    turnsEvery(12, 100);
    expect(turns).toHaveLength(100);
    expect(isPaused).toBe(false);
    expect(clock.pending).toBe(0);
  });

  test("reads messages that come all the time every 14 ms, and none of them waits longer", () => {
    turnsEvery(1, 1000);
    const gaps = turns.slice(2).map((at, i) => at - (turns[i + 1] ?? 0));
    expect(new Set(gaps)).toEqual(new Set([14]));
    expect(turns.length).toBeLessThan(75);
  });

  test("rests no longer where a rest has gathered no more than one message", () => {
    turnsEvery(5, 1000, 1);
    expect(turns.slice(0, 6).map((at, i) => at - (turns[i - 1] ?? 0))).toEqual([
      0, 5, 15, 5, 15, 5,
    ]);
  });

  test("gives way in a turn that has taken 6 ms, and goes on in the next one without a rest", () => {
    pace.note();
    clock.advance(0);
    turns = [];
    const slow = { ...clock, now: () => clock.now() };
    let late = 0;
    pace = new Pacing(
      { ...slow, now: () => clock.now() + late },
      { pause: () => turns.push(1), resume: () => turns.push(0) },
    );
    pace.note();
    late = 6;
    pace.note();
    expect(turns).toEqual([]);
    late = 7;
    pace.note();
    pace.note();
    expect(turns).toEqual([1]);
    clock.advance(0);
    expect(turns).toEqual([1, 0]);
    expect(clock.pending).toBe(0);
  });

  test("does not rest while a pong is awaited, and ends a rest for it", () => {
    turnsEvery(1, 2);
    expect(isPaused).toBe(true);
    pace.await(true);
    expect(isPaused).toBe(false);
    expect(clock.pending).toBe(0);
    turns = [];
    turnsEvery(1, 50);
    expect(turns).toHaveLength(50);
    pace.await(false);
    turnsEvery(1, 50);
    expect(turns.length).toBeLessThan(60);
  });

  test("has nothing pending after its end", () => {
    turnsEvery(1, 2);
    pace.note();
    pace.end();
    expect(clock.pending).toBe(0);
  });
});
