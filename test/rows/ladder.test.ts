// Rows of a book are exact sums, whatever the size of its numbers.
import { expect, test } from "vitest";
import { selectLadder } from "../../src/rows/ladder.ts";
import { createRandom } from "../../src/units/random.ts";

const digits = (count: number, random: () => number) =>
  BigInt(Array.from({ length: count }, () => 1 + Math.floor(random() * 9)).join(""));

/** Row by row: price, size, and sums from the best price on. */
function naive(levels: readonly { price: bigint; size: bigint }[], step: bigint, isAsk: boolean) {
  const rows = new Map<bigint, bigint[]>();
  let [total, value] = [0n, 0n];
  for (const { price, size } of levels) {
    const row = (isAsk ? (price + step - 1n) / step : price / step) * step;
    total += size;
    value += price * size;
    rows.set(row, [(rows.get(row)?.[0] ?? 0n) + size, total, value]);
  }
  return Array.from(rows, ([price, sums]) => [price, ...sums]);
}

test.each([
  ["usual numbers", 7, 4, 100n],
  ["sums beyond what a number holds", 9, 8, 7n],
  ["prices beyond it", 30, 30, 10n ** 26n],
  ["a row for each price", 6, 3, 1n],
])("%s", (_, priceDigits, sizeDigits, step) => {
  const random = createRandom(3);
  const best = digits(priceDigits, random);
  const side = (sign: bigint) => {
    let price = best;
    return Array.from({ length: 90 }, () => {
      price += sign * (1n + digits(2, random) * (step / 50n + 1n));
      return { price, size: digits(1 + Math.floor(random() * sizeDigits), random) };
    }).filter((level) => level.price > 0n);
  };
  const [bids, asks] = [side(-1n), side(1n)];
  const wire = (levels: typeof bids) =>
    levels.map(({ price, size }) => ({ price_ticks: `${price}`, size_base_lots: `${size}` }));
  const ladder = selectLadder({ bids: wire(bids), asks: wire(asks) }, step, 500);
  const rows = (of: (typeof ladder)["bids"]) =>
    of.map(({ priceTicks, lots, totalLots, totalValue }) => [
      priceTicks,
      lots,
      totalLots,
      totalValue,
    ]);
  expect(rows(ladder.bids)).toEqual(naive(bids, step, false));
  expect(rows(ladder.asks)).toEqual(naive(asks, step, true));
});
