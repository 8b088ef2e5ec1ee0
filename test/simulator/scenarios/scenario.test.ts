import { expect, test } from "vitest";
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

const marketWith = (fields: object) => ({ markets: [{ ...market, ...fields }] });

test.each([
  [[], "Invalid input: expected object"],
  [{ name: undefined }, "name: "],
  [{ speed: 3 }, 'Unrecognized key: "speed"'],
  [{ faults: [{ kind: "earthquake" }] }, "faults[0].kind: "],
  [{ faults: [{ kind: "gap", probability: 2 }] }, "faults[0].probability: "],
  [{ readings: { book: "maybe" } }, "readings.book: "],
  [{ readings: { rest_prefix: "v1/" } }, "readings.rest_prefix: a path such as /v1"],
  [{ markets: [] }, "markets: "],
  [{ markets: [market, market] }, "markets: two markets of one type and id"],
  [
    marketWith({ lot_size: "0.00001" }),
    "markets[0].lot_size: tick_size × lot_size is no whole number of 0.000001",
  ],
  [
    marketWith({ start_price: "97000.005" }),
    "markets[0].start_price: no whole number of ticks from 1000 to ",
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
