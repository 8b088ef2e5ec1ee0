import fc from "fast-check";
import { expect, test } from "vitest";
import { backoffDelayMs } from "../../src/units/backoff.ts";

const reconnectBackoff = { firstMs: 500, capMs: 30_000 };

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
