import fc from "fast-check";
import { expect, test } from "vitest";
import {
  backoffDelayMs,
  RetryDelays,
  reconnectBackoff,
  resyncBackoff,
} from "../../src/units/backoff.ts";

test("tries again at once after the first failure and never waits longer than the cap", () => {
  expect(backoffDelayMs(reconnectBackoff, 0, () => 0.99)).toBe(0);
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 10_000 }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (n, r) => {
        const delay = backoffDelayMs(reconnectBackoff, n, () => r);
        expect(delay).toBeGreaterThanOrEqual(250);
        expect(delay).toBeLessThanOrEqual(30_000);
      },
    ),
  );
});

test("doubles its step and spreads each delay over the upper half of it", () => {
  const steps = [1, 2, 3, 4, 5, 6, 7, 8].map((n) => [
    backoffDelayMs(reconnectBackoff, n, () => 0),
    backoffDelayMs(reconnectBackoff, n, () => 1),
  ]);
  expect(steps).toEqual([
    [250, 500],
    [500, 1000],
    [1000, 2000],
    [2000, 4000],
    [4000, 8000],
    [8000, 16_000],
    [15_000, 30_000],
    [15_000, 30_000],
  ]);
});

test("starts over once what an attempt brought has lasted for ten seconds", () => {
  const delays = new RetryDelays(resyncBackoff);
  const next = (lastedMs: number) => delays.next(lastedMs, () => 1);
  expect([30_000, 30_000, 10_000].map(next)).toEqual([0, 0, 0]);
  expect([9999, 0, 0, 0, 0, 0].map(next)).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000]);
  expect([0, 9999, 10_000, 9999].map(next)).toEqual([30_000, 30_000, 0, 1000]);
});
