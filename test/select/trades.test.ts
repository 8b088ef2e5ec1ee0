import fc from "fast-check";
import { describe, expect, test } from "vitest";
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

const trade = (ns: string, price: number, size: number, isBid = true): Trade => ({
  timestamp_ns: ns,
  price_ticks: String(price),
  size_base_lots: String(size),
  taker_is_bid: isBid,
});

const all = { rows: 10, minimumLots: 0n, scale: undefined, holes: [] };
const t1 = "1795248718987000001";
const t2 = "1795248718987000002";

describe("tape", () => {
  test("makes one line of each sweep: its last price, its whole size, its count of trades", () => {
    // Newest first: the sweep ended at 12.
    const rows = selectTape([trade(t1, 12, 3), trade(t1, 11, 2), trade(t1, 10, 1)], all);
    expect(rows).toMatchObject([{ price: "12", size: "6", count: 3, takerIsBid: true }]);
  });

  test("keeps trades of another moment or another side apart", () => {
    const rows = selectTape([trade(t2, 12, 1), trade(t1, 12, 1), trade(t1, 11, 1, false)], all);
    expect(rows.map(({ count }) => count)).toEqual([1, 1, 1]);
  });

  test("filters by the size of the whole sweep and not of its parts", () => {
    const trades = [trade(t2, 12, 3), trade(t1, 11, 2), trade(t1, 10, 2)];
    expect(selectTape(trades, { ...all, minimumLots: 4n }).map(({ size }) => size)).toEqual(["4"]);
  });

  test("marks what is far larger than its neighbours", () => {
    const trades = [1, 1, 1, 1, 1, 1, 90].map((size, i) => trade(`${i}000000`, 10, size));
    expect(selectTape(trades, all).map(({ isLarge }) => isLarge)).toEqual([
      false,
      false,
      false,
      false,
      false,
      false,
      true,
    ]);
  });

  test("has as many lines as there is room for, and none where there is none", () => {
    const trades = [trade(t2, 12, 1), trade(t1, 11, 0)];
    for (const rows of [0, 1, 2, 3]) {
      expect(selectTape(trades, { ...all, rows })).toHaveLength(Math.min(rows, 2));
    }
  });

  test("a trade of nothing is not large, even alone", () => {
    expect(selectTape([trade(t1, 11, 0)], all)[0]?.isLarge).toBe(false);
  });

  test("is exact for sizes beyond Numbers", () => {
    const large = { ...trade(t1, 1, 1), size_base_lots: `${2n ** 60n}` };
    expect(selectTape([large, trade(t1, 1, 1)], all)[0]?.size).toBe(`${2n ** 60n + 1n}`);
  });

  test("shows no more lines than there is room for", () => {
    const trades = Array.from({ length: 50 }, (_, i) => trade(`${i}`, 1, 1));
    expect(selectTape(trades, { ...all, rows: 7 }).length).toBe(7);
    expect(selectTape([], all)).toEqual([]);
  });

  test("shows what was not seen between the trades before and behind it, and parts a sweep by it", () => {
    const [newer, older] = [trade(t1, 12, 1), trade(t1, 11, 1)];
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
    expect(lines({ holes: [hole] })).toEqual(["12", "9.4 s not seen (connection)", "11"]);
    expect(lines({ holes: [{ ...hole, next: undefined }] })).toEqual([
      "9.4 s not seen (connection)",
      "12",
    ]);
    expect(lines({ holes: [hole], minimumLots: 2n })).toEqual(["9.4 s not seen (connection)"]);
    expect(lines({ holes: [hole], rows: 1 })).toEqual(["12"]);
  });
});

describe("the smallest worth", () => {
  test("leaves out exactly the lines that are worth less, as an independent reckoning has it", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(fc.bigInt({ min: 1n, max: 2n ** 64n }), fc.bigInt({ min: 1n, max: 2n ** 64n })),
          { maxLength: 20 },
        ),
        fc.constantFrom(...MINIMUM_VALUES),
        fc.nat(9),
        fc.nat(9),
        (pairs, value, tickPlaces, lotPlaces) => {
          const scale = {
            tickSize: { mantissa: 5n, places: tickPlaces },
            lotSize: { mantissa: 1n, places: lotPlaces },
          };
          const trades = pairs.map(([price, size], i) => ({
            price_ticks: `${price}`,
            size_base_lots: `${size}`,
            taker_is_bid: true,
            timestamp_ns: `${1_000 - i}`,
          }));
          const rows = selectTape(trades, {
            ...all,
            rows: 100,
            scale,
            minimumValue: unitsOfValue(value, scale),
          });
          const worth = ([price, size]: readonly [bigint, bigint]) => price * 5n * size;
          const least = value * 10n ** BigInt(tickPlaces + lotPlaces);
          expect(rows.map(({ sizeLots }) => sizeLots)).toEqual(
            pairs.filter((pair) => worth(pair) >= least).map(([, size]) => size),
          );
        },
      ),
    );
  });
});
