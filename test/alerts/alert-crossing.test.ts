import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type AlertObservation,
  type AlertState,
  NEW_ALERT,
  reduceAlert,
} from "../../src/alerts/alert-crossing.ts";
import { alertRule } from "../support/alert-rule.ts";

const value = (...values: number[]): AlertObservation => ({
  kind: "values",
  values: new Map([["", values.map((each) => ({ mantissa: BigInt(each), places: 0 }))]]),
});
const missing: AlertObservation = "offline";

/** Firings of a rule over observations a second apart: the index of each, and what it told. */
function run(text: string, observations: readonly AlertObservation[], stepMs = 1000) {
  const rule = alertRule(text);
  let state: AlertState = NEW_ALERT;
  const fired: { at: number; value: string | undefined; crossedDuringGap: boolean }[] = [];
  for (const [at, observation] of observations.entries()) {
    const step = reduceAlert(rule, state, observation, at * stepMs);
    state = step.state;
    for (const { value: crossed, crossedDuringGap } of step.events) {
      fired.push({ at, value: crossed?.mantissa.toString(), crossedDuringGap });
    }
  }
  return { fired, state };
}

const fires = (text: string, ...values: number[]) =>
  run(
    text,
    values.map((each) => value(each)),
  ).fired.map(({ at }) => at);

describe("an alert", () => {
  test("fires once at a crossing, and never at the first value", () => {
    expect(fires("perp/1 last > 100", 150, 160)).toEqual([]);
    expect(fires("perp/1 last > 100", 99, 100, 101, 99, 101)).toEqual([2]);
    expect(fires("perp/1 last < 100", 101, 99, 101, 99)).toEqual([1]);
    expect(fires("perp/1 last > 100", 150, 90, 101)).toEqual([2]);
  });

  test("fires again only after the cool-down, and after the value has been back", () => {
    expect(fires("perp/1 last > 100 every 3s", 90, 101, 90, 101, 90, 101, 102, 103)).toEqual([
      1, 5,
    ]);
  });

  test("fires again only when the value has been back by the hysteresis", () => {
    expect(fires("perp/1 last > 100 hysteresis 5 every 0s", 90, 101, 99, 101, 95, 101)).toEqual([
      1, 5,
    ]);
    expect(fires("perp/1 last > 100 hysteresis 5 every 0s", 99, 101)).toEqual([]);
    expect(fires("perp/1 last crosses 100 hysteresis 5 every 0s", 90, 106, 99, 101, 94)).toEqual([
      1, 2,
    ]);
  });

  test("sees a crossing inside one frame, with the value that crossed", () => {
    const { fired } = run("perp/1 last > 100", [value(90), value(95, 103, 91)]);
    expect(fired).toEqual([{ at: 1, value: "103", crossedDuringGap: false }]);
  });

  test("is not evaluated while data are missing, and says why; a crossing in the dark is told as such", () => {
    const { fired } = run("perp/1 last > 100", [value(90), missing, missing, value(110)]);
    expect(fired).toEqual([{ at: 3, value: "110", crossedDuringGap: true }]);
    const dark = run("perp/1 last > 100", [value(90), missing]);
    expect(dark.state.notEvaluated).toBe("offline");
    expect(run("perp/1 last > 100", [missing, value(110)]).fired).toEqual([]);
  });

  test("fires at what happens: counts that grow, feeds that stop, orders that go", () => {
    const count = (n: number): AlertObservation => ({ kind: "count", count: n });
    const flag = (isOn: boolean): AlertObservation => ({ kind: "flag", isOn });
    const set = (...keys: string[]): AlertObservation => ({ kind: "set", keys: new Set(keys) });
    const at = (text: string, observations: AlertObservation[]) =>
      run(text, observations).fired.map((f) => f.at);
    expect(at("perp/1 gap every 0s", [count(3), count(3), count(4), count(6)])).toEqual([2, 3]);
    expect(at("perp/1 stale every 0s", [flag(true), flag(true)])).toEqual([]);
    expect(
      at("perp/1 stale every 0s", [flag(false), flag(true), flag(true), flag(false), flag(true)]),
    ).toEqual([1, 4]);
    expect(
      at("perp/1 gap every 0s", [set("a", "b"), set("a", "b", "c"), set("a", "c"), set()]),
    ).toEqual([2, 3]);
  });
});

describe("whatever the values", () => {
  const levels = fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 40 });

  test("an upward alert fires exactly where a value above follows one not above, first ones apart", () => {
    fc.assert(
      fc.property(levels, (values) => {
        const expected = values.flatMap((each, i) =>
          i > 0 && each > 10 && (values[i - 1] ?? 99) <= 10 ? [i] : [],
        );
        expect(fires("perp/1 last > 10 every 0s", ...values)).toEqual(expected);
        expect(fires("perp/1 last > 10", ...values)).toEqual(expected.slice(0, 1));
      }),
    );
  });

  test("with hysteresis, between two firings the value has always been back that far", () => {
    fc.assert(
      fc.property(levels, fc.integer({ min: 0, max: 8 }), (values, hysteresis) => {
        const fired = fires(`perp/1 last > 10 hysteresis ${hysteresis} every 0s`, ...values);
        for (const [i, at] of fired.entries()) {
          const since = values.slice(i === 0 ? 0 : (fired[i - 1] ?? 0), at);
          expect(Math.min(...since)).toBeLessThanOrEqual(10 - hysteresis);
          expect(values[at]).toBeGreaterThan(10);
        }
      }),
    );
  });

  test("firings are at least the cool-down apart", () => {
    fc.assert(
      fc.property(levels, fc.integer({ min: 0, max: 9 }), (values, seconds) => {
        const fired = fires(`perp/1 last crosses 10 every ${seconds}s`, ...values);
        for (const [i, at] of fired.entries()) {
          if (i > 0) expect(at - (fired[i - 1] ?? 0)).toBeGreaterThanOrEqual(seconds);
        }
      }),
    );
  });

  test("missing data between the values change nothing but what is said of them", () => {
    fc.assert(
      fc.property(levels, (values) => {
        const holes = values.flatMap((each) => [value(each), missing]);
        const plain = fires("perp/1 last > 10 every 0s", ...values);
        expect(run("perp/1 last > 10 every 0s", holes).fired.map(({ at }) => at / 2)).toEqual(
          plain,
        );
      }),
    );
  });
});
