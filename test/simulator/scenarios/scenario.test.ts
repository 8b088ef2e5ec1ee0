import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { FAULT_KINDS } from "../../../src/simulator/faults/fault-kinds.ts";
import { interpretations } from "../../../src/simulator/scenarios/interpretations.ts";
import {
  decodeScenario,
  loadScenario,
  SCENARIO_NAMES,
} from "../../../src/simulator/scenarios/scenario.ts";

const base = { name: "mine", description: "" };
const market = {
  type: "perp",
  id: 1,
  symbol: "BTC-PERP",
  base_asset: "BTC",
  tick_size: "0.01",
  lot_size: "0.0001",
  start_price: "97000",
};

test.each(SCENARIO_NAMES)("the built-in scenario %s is valid and knows its name", (name) => {
  expect(loadScenario(name)).toMatchObject({ name, markets: expect.any(Array) });
});

test("a scenario that names no markets has those of steady", () => {
  expect(decodeScenario(base, "mine").markets).toEqual(loadScenario("steady").markets);
});

test("a scenario may extend a built-in one: rows are completed and added, other fields replaced", () => {
  const drop = { kind: "drop-frame", probability: 0.5 };
  const busy = loadScenario("busy");
  const fast = { type: "perp", id: 1, activity: 900 };
  const extended = decodeScenario(
    {
      ...base,
      extends: "busy",
      turn_ms: 9,
      readings: { hello: "late" },
      markets: [{ ...market, id: 7 }, fast],
      faults: [drop],
    },
    "f.json",
  );
  expect(extended).toMatchObject({ name: "mine", description: "", turn_ms: 9 });
  expect(extended.mark_interval_ms).toBe(busy.mark_interval_ms);
  expect(extended.markets.map(({ id, activity }) => [id, activity])).toEqual([
    [1, 900],
    [2, 1],
    [1, 1],
    [7, 1],
  ]);
  expect(extended.markets[0]).toEqual({ ...busy.markets[0], activity: 900 });
  expect(extended.interpretations).toEqual({ ...busy.interpretations, hello: "late" });
  const gaps = decodeScenario({ ...base, extends: "gaps", faults: [drop] }, "f.json");
  expect(gaps.faults).toHaveLength(loadScenario("gaps").faults.length + 1);
  expect(decodeScenario({ ...base, extends: "steady" }, "f.json").markets).toEqual(
    loadScenario("steady").markets,
  );
});

test("times of a scenario are those of all its faults that have none of their own", () => {
  const when = { after_ms: 1000, for_ms: 50 };
  const own = { after_ms: 7 };
  const faults = [
    { kind: "no-pong" },
    { kind: "no-pong", when: own },
    { kind: "unavailable", for_ms: 3 },
  ];
  expect(decodeScenario({ ...base, when, faults }, "f.json").faults).toEqual([
    { kind: "no-pong", when },
    { kind: "no-pong", when: own },
    { kind: "unavailable", channels: "*", after_ms: 0, for_ms: 3 },
  ]);
});

const marketWith = (fields: object) => ({ markets: [{ ...market, ...fields }] });
const faultWith = (fields: object) => ({ faults: [fields] });

test.each([
  [[], "Invalid input: expected object"],
  [{ name: undefined }, "name: "],
  [{ speed: 3 }, 'Unrecognized key: "speed"'],
  [{ extends: "calm" }, "extends: one of steady, busy"],
  [{ when: { for_ms: 0 } }, "when.for_ms: "],
  [faultWith({ kind: "earthquake" }), "faults[0].kind: "],
  [faultWith({ kind: "drop-frame", probability: 2 }), "faults[0].probability: "],
  // A code that no close frame may carry.
  [faultWith({ kind: "close", every_ms: 1000, code: 1006 }), "faults[0].code: "],
  [
    faultWith({ kind: "unavailable", every_ms: 5, for_ms: 9 }),
    "faults[0].every_ms: every_ms needs a for_ms that is shorter",
  ],
  [{ readings: { book: "maybe" } }, "readings.book: "],
  [{ readings: { rest_prefix: "v1/" } }, "readings.rest_prefix: a path such as /v1"],
  [{ markets: [] }, "markets: "],
  [{ markets: [market, market] }, "markets: two markets of one type and id"],
  [{ extends: "steady", markets: [market, market] }, "markets: two markets of one type and id"],
  [
    marketWith({ lot_size: "0.00001" }),
    "markets[0].lot_size: tick_size × lot_size is no whole number of 0.000001",
  ],
  [
    marketWith({ start_price: "97000.005" }),
    "markets[0].start_price: less than 1000 ticks, or no whole number of ticks",
  ],
  [
    marketWith({ maker_fee_ppm: -400 }),
    "markets[0].maker_fee_ppm: a rebate that is more than the taker pays",
  ],
  [marketWith({ tick_size: "0.00" }), "markets[0].tick_size: more than zero"],
])("a scenario with %j is refused in one line: %s", (fields, words) => {
  const decode = () =>
    decodeScenario(Array.isArray(fields) ? fields : { ...base, ...fields }, "f.json");
  expect(decode).toThrow(expect.objectContaining({ code: "bad-scenario" }));
  expect(decode).toThrow(`scenario f.json: ${words}`);
  expect(decode).not.toThrow("\n");
});

test("a scenario file is named by its path and has the form of a scenario", () => {
  const text = JSON.stringify({ ...base, description: "text" });
  expect(loadScenario("./mine.json", text).description).toBe("text");
  expect(() => loadScenario("./mine.json", "{")).toThrow("scenario ./mine.json: not JSON");
});

test("a name that nobody knows is answered with the names that there are", () => {
  expect(() => loadScenario("stormy")).toThrow(
    `no scenario "stormy": one of ${SCENARIO_NAMES.join(", ")}, or the path of a JSON file`,
  );
});

test("docs/scenarios.md has every scenario, fault kind and reading, and each with its defaults", () => {
  const text = readFileSync(new URL("../../../docs/scenarios.md", import.meta.url), "utf8");
  const expected = [
    ...SCENARIO_NAMES,
    ...Object.keys(FAULT_KINDS),
    ...Object.keys(interpretations.shape),
  ].map((name) => `| \`${name}\` |`);
  expect(expected.filter((row) => !text.includes(row))).toEqual([]);
  const rows = text.split("\n").filter((line) => line.startsWith("| `"));
  const known = new Set(expected);
  const firstCells = rows.map((row) => `${row.split(" | ")[0]} |`);
  expect(firstCells.filter((cell) => !known.has(cell))).toEqual([]);
  for (const [name, value] of Object.entries(interpretations.parse({}))) {
    const row = rows.find((line) => line.startsWith(`| \`${name}\` |`)) ?? "";
    expect(row, name).toContain(`| \`${JSON.stringify(value)}\` |`);
  }
});
