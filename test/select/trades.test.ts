import fc from "fast-check";
import { expect, test } from "vitest";
import {
  MINIMUM_VALUES,
  selectTape as selectLines,
  type TapeOptions,
  type TapeRow,
  unitsOfValue,
} from "../../src/select/trades.ts";
import type { Trade } from "../../src/wire/channels/trades.ts";

/** Of a tape without holes. */
const selectTape = (trades: readonly Trade[], options: TapeOptions) =>
  selectLines(trades, options) as readonly TapeRow[];

const trade = (ns: string, price: number, size: number): Trade => ({
  timestamp_ns: ns,
  price_ticks: String(price),
  size_base_lots: String(size),
  taker_is_bid: true,
});

const all = { rows: 10, minimumLots: 0n, scale: undefined, holes: [] };

interface Drawn {
  /** Of the same moment as the one before it. */
  readonly isSame: boolean;
  readonly takerIsBid: boolean;
  readonly price: bigint;
  readonly size: bigint;
}

test("the tape has a line for each sweep that is as large and worth as much as is asked for: where it ended, its whole size, its count", () => {
  const amount = (min: bigint) =>
    fc.oneof(fc.bigInt({ min, max: 9n }), fc.bigInt({ min, max: 2n ** 64n }));
  const drawn: fc.Arbitrary<Drawn> = fc.record({
    isSame: fc.boolean(),
    takerIsBid: fc.boolean(),
    price: amount(1n),
    size: amount(0n),
  });
  const asked = fc.record({
    rows: fc.nat(12),
    skip: fc.nat(2),
    minimumLots: fc.constantFrom(0n, 4n, 2n ** 62n),
    value: fc.constantFrom(...MINIMUM_VALUES),
    tickPlaces: fc.nat(9),
    lotPlaces: fc.nat(9),
  });
  fc.assert(
    fc.property(fc.array(drawn, { maxLength: 20 }), asked, (newestFirst, options) => {
      const { rows, skip, minimumLots, value, tickPlaces, lotPlaces } = options;
      const sweeps: (Drawn & { worth: bigint; count: number })[] = [];
      let ns = 1_000;
      const trades = newestFirst.map((each) => {
        const last = sweeps.at(-1);
        const worth = each.price * 5n * each.size;
        if (each.isSame && last?.takerIsBid === each.takerIsBid) {
          const { size, count } = last;
          const more = { size: size + each.size, worth: last.worth + worth, count: count + 1 };
          sweeps.splice(-1, 1, { ...last, ...more });
        } else sweeps.push({ ...each, worth, count: 1 });
        if (!each.isSame) ns--;
        return {
          timestamp_ns: `${ns}`,
          price_ticks: `${each.price}`,
          size_base_lots: `${each.size}`,
          taker_is_bid: each.takerIsBid,
        };
      });
      const scale = {
        tickSize: { mantissa: 5n, places: tickPlaces },
        lotSize: { mantissa: 1n, places: lotPlaces },
      };
      const minimumValue = unitsOfValue(value, scale);
      const asked = { ...all, rows, skip, minimumLots, minimumValue };
      const least = value * 10n ** BigInt(tickPlaces + lotPlaces);
      expect(selectTape(trades, asked)).toMatchObject(
        sweeps
          .filter(({ size, worth }) => size >= minimumLots && worth >= least)
          .slice(skip, skip + rows)
          .map(({ takerIsBid, price, size, count }) => {
            return { takerIsBid, price: `${price}`, size: `${size}`, sizeLots: size, count };
          }),
      );
    }),
    { numRuns: 200 },
  );
});

test("what is far larger than its neighbours is marked; a trade of nothing is not, even alone", () => {
  const largeOf = (...sizes: number[]) =>
    selectTape(
      sizes.map((size, i) => trade(`${i}000000`, 10, size)),
      all,
    ).map(({ isLarge }) => isLarge);
  expect(largeOf(1, 1, 1, 1, 1, 1, 90)).toEqual([...Array(6).fill(false), true]);
  expect(largeOf(0)).toEqual([false]);
});

test("the tape shows what was not seen between the trades before and behind it, and parts a sweep by it", () => {
  const ns = "1795248718987000001";
  const [newer, older] = [trade(ns, 12, 1), trade(ns, 11, 1)];
  const hole = {
    afterNs: "1795248718000000000",
    untilNs: "1795248727400000000",
    next: newer,
    cause: "connection",
  } as const;
  const lines = (options: Partial<TapeOptions>) =>
    selectLines([newer, older], { ...all, ...options }).map((line) =>
      line.kind === "hole" ? line.words : line.price,
    );
  const words = "9.4 s not seen (connection)";
  expect(lines({ holes: [hole] })).toEqual(["12", words, "11"]);
  expect(lines({ holes: [{ ...hole, next: undefined }] })).toEqual([words, "12"]);
  expect(lines({ holes: [hole], minimumLots: 2n })).toEqual([words]);
  expect(lines({ holes: [hole], rows: 1 })).toEqual(["12"]);
});
