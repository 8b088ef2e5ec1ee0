// When frames are drawn: paced, prompt after input, and no timer while nothing is dirty.
import { beforeEach, describe, expect, test } from "vitest";
import { FrameClock } from "../../../src/terminal/screen/frame-clock.ts";
import { createVirtualClock, type VirtualClock } from "../../support/virtual-clock.ts";

const PERIOD_MS = 20;
let timer: VirtualClock;
let clock: FrameClock;
let drawnAt: number[];

beforeEach(() => {
  timer = createVirtualClock();
  drawnAt = [];
  clock = new FrameClock(timer, 1000 / PERIOD_MS, () => drawnAt.push(timer.now()));
});

describe("a frame clock", () => {
  test("draws the first frame at once and later ones a period apart, however many are asked for", () => {
    for (let ms = 0; ms < 99; ms++) {
      clock.request();
      clock.request();
      timer.advance(1);
    }
    expect(drawnAt).toEqual([0, 20, 40, 60, 80]);
  });

  test("keeps its pace with timers of whole milliseconds", () => {
    const whole = {
      ...timer,
      after: (ms: number, run: () => void) => timer.after(Math.floor(ms), run),
    };
    clock = new FrameClock(whole, 60, () => drawnAt.push(timer.now()));
    for (let step = 0; step < 20_000; step++) {
      clock.request();
      timer.advance(0.5);
    }
    expect(drawnAt.length).toBeGreaterThanOrEqual(598);
    expect(drawnAt.length).toBeLessThanOrEqual(601);
  });

  test("draws once more when it is asked while it draws", () => {
    let isFirst = true;
    clock = new FrameClock(timer, 50, () => {
      drawnAt.push(timer.now());
      if (isFirst) clock.request();
      isFirst = false;
    });
    clock.request();
    timer.advance(1000);
    expect(drawnAt).toEqual([0, 20]);
  });

  test("does not make what input changes wait, in its turn and in the first change of the tree after it", () => {
    clock.request();
    timer.advance(5);
    clock.noteInput();
    clock.request();
    timer.advance(0);
    expect(drawnAt).toEqual([0, 5]);
    timer.advance(1);
    clock.requestForTree();
    timer.advance(0);
    expect(drawnAt).toEqual([0, 5, 6]);
  });

  test("paces what follows the answer to input, and what only happens to come after it", () => {
    clock.noteInput();
    timer.advance(0);
    clock.requestForTree();
    timer.advance(0);
    clock.requestForTree();
    clock.request();
    timer.advance(19);
    expect(drawnAt).toEqual([0]);
    timer.advance(1);
    expect(drawnAt).toEqual([0, 20]);
    clock.noteInput();
    timer.advance(10);
    clock.request();
    timer.advance(9);
    expect(drawnAt).toEqual([0, 20]);
  });

  test("forgets input that nothing has answered", () => {
    clock.noteInput();
    timer.advance(101);
    clock.request();
    timer.advance(0);
    clock.requestForTree();
    timer.advance(0);
    expect(drawnAt).toEqual([101]);
  });

  test("draws what input changes before anything else of the event loop, once, and other frames when they are due", () => {
    const drawn: string[] = [];
    const next: (() => void)[] = [];
    const queued = (callback: () => void) => {
      next.push(callback);
      return () => next.splice(next.indexOf(callback), 1);
    };
    const runNext = () => {
      for (let run = next.shift(); run !== undefined; run = next.shift()) run();
    };
    clock = new FrameClock({ ...timer, next: queued }, 1000 / PERIOD_MS, (isAnswer) =>
      drawn.push(`${isAnswer ? "answer" : "frame"} at ${timer.now()}`),
    );
    clock.request();
    timer.advance(0);
    expect(drawn.splice(0)).toEqual(["frame at 0"]);
    clock.request();
    clock.noteInput();
    clock.request();
    clock.requestForTree();
    expect(drawn).toEqual([]);
    runNext();
    expect(drawn.splice(0)).toEqual(["answer at 0"]);
    clock.request();
    runNext();
    timer.advance(PERIOD_MS - 1);
    expect(drawn).toEqual([]);
    timer.advance(1);
    expect(drawn).toEqual(["frame at 20"]);
    expect(timer.pending).toBe(0);
  });

  test("has nothing pending after its end, neither a frame nor an answer", () => {
    clock.request();
    timer.advance(1);
    clock.request();
    clock.noteInput();
    clock.request();
    expect(timer.pending).toBe(3);
    clock.stop();
    expect(timer.pending).toBe(0);
  });
});
