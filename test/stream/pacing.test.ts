// When a socket is read, and when it rests.
import { describe, expect, it } from "vitest";
import { createPacing } from "../../src/stream/pacing.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

/** A socket whose messages each take a time to handle. */
function start(workMs = 0) {
  const clock = createVirtualClock();
  /** When it was paused and resumed, with the messages read until then. */
  const told: string[] = [];
  let [waiting, read, isPaused] = [0, 0, false];
  const tell = (what: string) => told.push(`${clock.now()} ${what} ${read}`);
  const pacing = createPacing(clock, {
    pause() {
      isPaused = true;
      tell("pause");
    },
    resume() {
      isPaused = false;
      tell("resume");
      clock.soon(readOn);
    },
  });

  function readOn(): void {
    while (waiting > 0 && !isPaused) {
      waiting--;
      read++;
      clock.sleep(workMs);
      pacing.note();
    }
  }

  /** Messages that arrive at once, and the time until others do. */
  function arrive(count: number, thenMs: number): void {
    waiting += count;
    readOn();
    clock.advance(thenMs);
  }
  return { clock, pacing, told, arrive };
}

describe("a socket", () => {
  it("is read at once where messages are few", () => {
    const { told, arrive } = start();
    for (let i = 0; i < 5; i++) arrive(1, 12);
    for (let i = 0; i < 5; i++) arrive(3, 12);
    expect(told).toEqual([]);
  });

  it("rests under constant traffic, and no more when that is over", () => {
    const { clock, told, arrive } = start();
    for (let i = 0; i < 5; i++) arrive(1, 11);
    expect(told).toEqual(["11 pause 2", "25 resume 2", "33 pause 4", "47 resume 4"]);
    told.length = 0;
    // More than one message has waited.
    for (let i = 0; i < 10; i++) arrive(1, 5);
    clock.advance(100);
    expect(told).toEqual([
      ...["55 pause 6", "69 resume 6", "69 pause 8", "83 resume 8"],
      ...["83 pause 11", "97 resume 11", "97 pause 14", "111 resume 14"],
    ]);
    told.length = 0;
    for (let i = 0; i < 5; i++) arrive(1, 50);
    expect(told).toEqual([]);
  });

  it("does not rest behind a turn that took long", () => {
    for (const [workMs, rests] of [
      [1, 1],
      [2, 0],
    ] as const) {
      const { told, arrive } = start(workMs);
      arrive(3, 1);
      arrive(4, 30);
      expect(told.length / 2).toBe(rests);
    }
  });

  it("is read for some milliseconds in one turn", () => {
    const { told, arrive } = start(2);
    arrive(10, 100);
    expect(told).toEqual(["10 pause 5", "10 resume 5", "20 pause 10", "20 resume 10"]);
  });

  it("has no rests while a pong is awaited", () => {
    const { told, arrive, pacing } = start();
    arrive(1, 5);
    arrive(1, 5);
    pacing.awaitPong(true);
    expect(told).toEqual(["5 pause 2", "10 resume 2"]);
    for (let i = 0; i < 5; i++) arrive(1, 5);
    expect(told).toHaveLength(2);
    pacing.awaitPong(false);
    arrive(1, 5);
    expect(told).toHaveLength(3);
  });

  it("is not read while it is held, whatever happens then", () => {
    const { clock, told, arrive, pacing } = start();
    arrive(1, 5);
    pacing.hold(true);
    pacing.hold(true);
    pacing.awaitPong(true);
    pacing.awaitPong(false);
    // What was read before comes late.
    pacing.note();
    clock.advance(1000);
    expect(told).toEqual(["5 pause 1"]);
    pacing.hold(false);
    expect(told).toEqual(["5 pause 1", "1005 resume 1"]);
  });

  it.each(["awaitPong", "hold"] as const)("ends its turn although there is %s in it", (what) => {
    const { clock, told, arrive, pacing } = start();
    pacing.note();
    pacing[what](true);
    pacing[what](false);
    clock.advance(5);
    told.length = 0;
    arrive(1, 5);
    expect(told).toEqual(["5 pause 1"]);
  });

  it("waits for nothing when it has ended", () => {
    const { clock, told, arrive, pacing } = start();
    arrive(1, 5);
    arrive(1, 5);
    pacing.end();
    expect(clock.pending).toBe(0);
    expect(told).toEqual(["5 pause 2"]);
  });
});
