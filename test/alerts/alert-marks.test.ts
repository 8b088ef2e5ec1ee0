import { expect, test } from "vitest";
import { type AlertMark, placeAlertMarks } from "../../src/alerts/alert-rows.ts";

const markAt = (ticks: bigint): AlertMark => {
  const price = { mantissa: ticks, places: 0 };
  return { words: "", short: "", condition: "armed", price, step: price };
};
const rows = [
  ...[130n, 120n, 110n].map((priceTicks) => ({ side: "ask" as const, priceTicks })),
  ...[100n, 90n].map((priceTicks) => ({ side: "bid" as const, priceTicks })),
];
const rowOf = (ticks: bigint) => [...placeAlertMarks([markAt(ticks)], rows, 10n, undefined).keys()];

test.each([
  [131n, []],
  [130n, [130n]],
  [121n, [130n]],
  [120n, [120n]],
  [101n, [110n]],
  [100n, [100n]],
  [99n, [90n]],
  [90n, [90n]],
  [89n, []],
])("an alert at %s stands in the row whose group holds its price: %s", (ticks, expected) => {
  expect(rowOf(ticks)).toEqual(expected);
});

test("an alert between groups stands in the next lower row", () => {
  const [highest, , lowest, ...bids] = rows;
  const gap = [highest, lowest, ...bids].filter((row) => row !== undefined);
  expect([...placeAlertMarks([markAt(115n)], gap, 10n, undefined).keys()]).toEqual([110n]);
});
