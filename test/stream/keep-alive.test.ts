import { expect, test } from "vitest";
import { createKeepAlive } from "../../src/stream/connection.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

function start() {
  const clock = createVirtualClock();
  const log: string[] = [];
  const pings: number[] = [];
  const keepAlive = createKeepAlive(clock, {
    ping: () => pings.push(clock.now()),
    onRoundTrip: (ms) => log.push(`round trip ${ms}`),
    onDead: (code) => {
      log.push(`${code} at ${clock.now()}`);
      keepAlive.stop();
    },
  });
  keepAlive.start();
  return { clock, log, pings, keepAlive };
}

test("pings at once and every ten seconds, and reports the round trip of each pong", () => {
  const { clock, log, pings, keepAlive } = start();
  clock.advance(40);
  keepAlive.onPong();
  clock.advance(9960);
  keepAlive.onPong();
  expect(pings).toEqual([0, 10_000]);
  expect(log).toEqual(["round trip 40", "round trip 0"]);
});

test("calls a link dead within twenty seconds of its last sign of life", () => {
  const { clock, log, keepAlive } = start();
  keepAlive.onPong();
  clock.advance(60_000);
  expect(log).toEqual(["round trip 0", "silent at 20000"]);
});

test("calls a link that never answered dead after ten seconds", () => {
  const { clock, log } = start();
  clock.advance(60_000);
  expect(log).toEqual(["silent at 10000"]);
});

test("calls a link dead within a second of waking from sleep", () => {
  const { clock, log, keepAlive } = start();
  keepAlive.onPong();
  clock.advance(2500);
  clock.jumpWall(7_200_000);
  clock.advance(1000);
  expect(log).toEqual(["round trip 0", "slept at 3000"]);
});

test("keeps calm when the wall clock is set back or a little forward", () => {
  const { clock, log, keepAlive } = start();
  keepAlive.onPong();
  clock.jumpWall(-3_600_000);
  clock.advance(2000);
  clock.jumpWall(4000);
  clock.advance(2000);
  expect(log).toEqual(["round trip 0"]);
});

test("pings at a quarter of the service's own limit where that is sooner", () => {
  const { clock, pings, keepAlive } = start();
  keepAlive.limitPeriod(12_000);
  for (let second = 0; second < 9; second++) {
    keepAlive.onPong();
    clock.advance(1000);
  }
  expect(pings).toEqual([0, 3000, 6000, 9000]);
});

test("leaves no timer behind when it is stopped", () => {
  const { clock, keepAlive } = start();
  keepAlive.stop();
  expect(clock.pending).toBe(0);
});
