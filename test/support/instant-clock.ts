// A clock on which every wait is over at once: for long runs in which nothing depends on time.
import type { Clock } from "../../src/units/clock.ts";

const run = (callback: () => void): (() => void) => {
  let isCancelled = false;
  queueMicrotask(() => {
    if (!isCancelled) callback();
  });
  return () => {
    isCancelled = true;
  };
};

export const instantClock: Clock = {
  now: () => 0,
  wall: () => 0,
  after: (_, callback) => run(callback),
  soon: run,
  next: run,
};
