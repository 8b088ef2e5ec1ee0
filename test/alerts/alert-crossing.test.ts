import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type AlertObservation,
  type AlertState,
  NEW_ALERT,
  reduceAlert,
} from "../../src/alerts/alert-crossing.ts";
import { alertRule } from "../support/alert-rule.ts";

const LEVEL = 10;

const value = (...values: number[]): AlertObservation => ({
  kind: "values",
  values: new Map([["", values.map((each) => ({ mantissa: BigInt(each), places: 0 }))]]),
});

/** Firings of a rule over observations a second apart: the index of each, and what it told. */
function run(text: string, observations: readonly AlertObservation[]) {
  const rule = alertRule(text);
  let state: AlertState = NEW_ALERT;
  return observations.flatMap((observation, at) => {
    const step = reduceAlert(rule, state, observation, at * 1000);
    state = step.state;
    return step.events.map(({ value: crossed, crossedDuringGap }) => {
      return { at, value: crossed?.mantissa.toString(), crossedDuringGap };
    });
  });
}

type Seen = readonly (number | undefined)[];

/** Beyond the level, after having been back by the hysteresis since a value was beyond it last. */
function crosses(seen: Seen, at: number, sign: number, hysteresis: number): boolean {
  const above = seen.map((each) => (each === undefined ? Number.NaN : sign * (each - LEVEL)));
  const since = above.slice(above.slice(0, at).findLastIndex((each) => each > 0) + 1, at);
  return (above[at] ?? Number.NaN) > 0 && since.some((each) => each <= -hysteresis);
}

const SIGNS = { ">": [1], "<": [-1], crosses: [1, -1] } as const;
const rules = fc.record({
  direction: fc.constantFrom(">" as const, "<" as const, "crosses" as const),
  hysteresis: fc.integer({ min: 0, max: 8 }),
  /** Seconds; it fires once without them. */
  every: fc.option(fc.integer({ min: 0, max: 9 }), { nil: Number.POSITIVE_INFINITY }),
});

test("an alert fires where the level is crossed, never at the first value, nor before its time is over", () => {
  const some = fc.option(fc.integer({ min: 0, max: 20 }), { nil: undefined, freq: 4 });
  fc.assert(
    fc.property(fc.array(some, { maxLength: 40 }), rules, (seen, rule) => {
      const { direction, hysteresis, every } = rule;
      let before = Number.NEGATIVE_INFINITY;
      const expected = seen.flatMap((each, at) => {
        const isCrossed = SIGNS[direction].some((sign) => crosses(seen, at, sign, hysteresis));
        if (!isCrossed || at - before < every) return [];
        before = at;
        return [{ at, value: `${each}`, crossedDuringGap: seen[at - 1] === undefined }];
      });
      const often = Number.isFinite(every) ? `every ${every}s` : "";
      const fired = run(
        `perp/1 last ${direction} ${LEVEL} hysteresis ${hysteresis} ${often}`,
        seen.map((each) => (each === undefined ? "offline" : value(each))),
      );
      expect(fired).toEqual(expected);
    }),
    { numRuns: 300 },
  );
});

test("an alert sees a crossing inside one frame, with the value that crossed", () => {
  const fired = run("perp/1 last > 100", [value(90), value(95, 103, 91)]);
  expect(fired).toEqual([{ at: 1, value: "103", crossedDuringGap: false }]);
});

const count = (n: number): AlertObservation => ({ kind: "count", count: n });
const flag = (isOn: boolean): AlertObservation => ({ kind: "flag", isOn });
const set = (...keys: string[]): AlertObservation => ({ kind: "set", keys: new Set(keys) });

test.each<[what: string, text: string, observations: AlertObservation[], fired: number[]]>([
  ["counts that grow", "gap", [count(3), count(3), count(4), count(6)], [2, 3]],
  ["no feed that is stopped already", "stale", [flag(true), flag(true)], []],
  [
    "feeds that stop",
    "stale",
    [flag(false), flag(true), flag(true), flag(false), flag(true)],
    [1, 4],
  ],
  ["orders that go", "gap", [set("a", "b"), set("a", "b", "c"), set("a", "c"), set()], [2, 3]],
])("an alert fires at %s", (_, text, observations, expected) => {
  const fired = run(`perp/1 ${text} every 0s`, observations);
  expect(fired.map(({ at }) => at)).toEqual(expected);
});
