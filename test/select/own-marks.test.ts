import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { placeFills, placeLines } from "../../src/screen/views/market/chart.ts";
import {
  groupOwnOrders,
  isOwnTrade,
  OwnMarksReader,
} from "../../src/screen/views/market/own-marks.ts";
import type { Market } from "../../src/select/market.ts";
import { AccountState } from "../../src/state/account.ts";
import { Aliases } from "../../src/state/aliases.ts";
import { parseDecimal } from "../../src/units/decimal.ts";
import type { OpenRecord } from "../../src/wire/update.ts";
import { BASE_MS, candle, MINUTE_MS, selectChart } from "./chart-rig.ts";

const aliases = new Aliases();
const decimal = (text: string) => parseDecimal(text) ?? { mantissa: 0n, places: 0 };
const scale = { tickSize: decimal("0.01"), lotSize: decimal("0.001") };
const market: Market = { type: "perp", id: "1" };
const nsAfter = (ms: number) => `${BASE_MS + ms}000000`;
const TIME = nsAfter(32_255);

interface Lists {
  readonly orders?: readonly OpenRecord[];
  readonly fills?: readonly OpenRecord[];
  readonly positions?: readonly OpenRecord[];
}

function receive(account: AccountState, sequence: number, lists: Lists): void {
  const frame = { type: "update", channel: "account", timestamp_ns: "1", previous_sequence: null };
  account.update({ ...frame, sequence: `${sequence}`, ...lists } as never, true, 0);
}

function marksOf(lists: Lists, isScaled = true) {
  const account = new AccountState(aliases);
  receive(account, 1, lists);
  return new OwnMarksReader(aliases).select(account, market, isScaled ? scale : undefined);
}

describe("own marks", () => {
  test("are the orders of this market, in ticks and lots or in prices and sizes", () => {
    const { orders } = marksOf({
      orders: [
        { order_id: 1, market_id: 1, side: "bid", price_ticks: "9000", remaining_base_lots: "5" },
        { oid: "2", mkt: "1", side: "sell", px: "90.50", remaining: "0.007", qty: "1" },
        { order_id: 3, market_id: 2, side: "bid", price_ticks: "9000", size_base_lots: "5" },
        { order_id: 4, market_type: "spot", market_id: 1, side: "bid", price_ticks: "9000" },
      ],
    });
    expect(orders).toEqual([
      { isBid: true, priceTicks: 9000n, sizeLots: 5n, sign: "◆" },
      { isBid: false, priceTicks: 9050n, sizeLots: 7n, sign: "◆" },
    ]);
  });

  test("without a scale are those that name ticks, and no others", () => {
    const { orders } = marksOf(
      {
        orders: [
          { order_id: 1, market_id: 1, is_bid: true, price_ticks: "9000", size: "0.5" },
          { order_id: 2, market_id: 1, side: "sell", price: "90.50" },
        ],
      },
      false,
    );
    expect(orders).toEqual([{ isBid: true, priceTicks: 9000n, sizeLots: undefined, sign: "◆" }]);
  });

  test("leave out what has no side, no price, or a price between two ticks", () => {
    const { orders, fills, lines } = marksOf({
      orders: [
        { order_id: 1, market_id: 1, price_ticks: "9000" },
        { order_id: 2, market_id: 1, side: "bid", price_ticks: null },
        { order_id: 3, market_id: 1, side: "bid", price: "90.505" },
        { order_id: 4, market_id: 1, side: "both", price_ticks: "1" },
      ],
      fills: [{ trade_id: 1, market_id: 1, side: "buy" }],
      positions: [{ market_id: 1, entry_price: null, liquidation_price: "0", size: "1" }],
    });
    expect([orders, fills, lines]).toEqual([[], [[], []], []]);
  });

  test("stand in the step of the ladder that their level stands in", () => {
    const orders = [9003n, 9007n, 9010n].flatMap((priceTicks) => [
      { isBid: true, priceTicks, sizeLots: 2n, sign: "?" as const },
      { isBid: false, priceTicks, sizeLots: 3n, sign: "◆" as const },
    ]);
    expect([...groupOwnOrders(orders, 10n)]).toEqual([
      ["bid 9000", { count: 2, sizeLots: 4n, sign: "?" }],
      ["ask 9010", { count: 3, sizeLots: 9n, sign: "◆" }],
      ["bid 9010", { count: 1, sizeLots: 2n, sign: "?" }],
    ]);
    const unknown = { isBid: true, priceTicks: 9000n, sizeLots: undefined, sign: "◆" as const };
    expect(groupOwnOrders([...orders, unknown], 10n).get("bid 9000")).toEqual({
      count: 3,
      sizeLots: undefined,
      sign: "◆",
    });
  });

  test("find own fills on the tape by their moment and side", () => {
    const fill = (role: string | undefined) =>
      marksOf({
        fills: [
          { trade_id: 1, market_id: 1, side: "buy", role, price_ticks: "1", timestamp_ns: TIME },
        ],
      });
    const trade = (takerIsBid: boolean, timestampNs = TIME) => ({ timestampNs, takerIsBid });
    expect(isOwnTrade(fill("taker"), trade(true))).toBe(true);
    expect(isOwnTrade(fill("taker"), trade(false))).toBe(false);
    expect(isOwnTrade(fill("maker"), trade(false))).toBe(true);
    expect(isOwnTrade(fill(undefined), trade(false))).toBe(true);
    expect(isOwnTrade(fill("taker"), trade(true, `${BigInt(TIME) + 1n}`))).toBe(false);
  });
});

describe("own fills that are read again and again", () => {
  const fill = (id: number) => ({
    ...{ trade_id: id, market_id: 1, side: "buy", price: "92" },
    timestamp_ns: `${BigInt(TIME) + BigInt(id)}`,
  });
  const idsOf = (reader: OwnMarksReader, account: AccountState) =>
    reader
      .select(account, market, scale)
      .fills.flat()
      .map(({ timeNs }) => Number(timeNs - BigInt(TIME)))
      .sort((a, b) => a - b);
  const upTo = (count: number, from = 1) => Array.from({ length: count }, (_, i) => from + i);
  const fillsUpTo = (count: number, from?: number) => ({ fills: upTo(count, from).map(fill) });

  test.each([3, 300])(
    "count once, also when a new subscription lists them again: %i of them",
    (count) => {
      const reader = new OwnMarksReader(aliases);
      const account = new AccountState(aliases);
      receive(account, 1, fillsUpTo(count));
      expect(idsOf(reader, account)).toEqual(upTo(count));
      receive(account, 9, fillsUpTo(count + 1));
      expect(idsOf(reader, account)).toEqual(upTo(count + 1));
    },
  );

  test.each([3, 300])("are those of the account that is read, and of no other: %i", (count) => {
    const reader = new OwnMarksReader(aliases);
    const [one, other] = [new AccountState(aliases), new AccountState(aliases)];
    receive(one, 1, fillsUpTo(count));
    receive(other, 1, fillsUpTo(2, 1000));
    expect(idsOf(reader, one)).toEqual(upTo(count));
    expect(idsOf(reader, other)).toEqual([1000, 1001]);
    expect(idsOf(reader, one)).toEqual(upTo(count));
  });
});

describe("marks on the chart", () => {
  const prices = (low: string, high: string) => ({ open: low, high, low, close: high });
  const small = { columns: 20, rows: 10, volumeRows: 0 };
  const candles = [candle(0, prices("90", "95")), candle(1, prices("95", "100"))];
  const chart = selectChart(candles, small);

  test("fills are one mark for each candle and side, with their count, beside the end of its wick", () => {
    const fill = (id: number, side: string, timestamp_ns = TIME) => {
      return { trade_id: id, market_id: 1, side, price: "92", timestamp_ns };
    };
    const { fills } = marksOf({
      fills: [
        ...[1, 2, 3].map((id) => fill(id, "buy")),
        fill(4, "sell"),
        fill(5, "buy", nsAfter(65_000)),
        fill(6, "buy", nsAfter(-5_000_000)),
      ],
    });
    const [first, second] = chart.candles;
    expect(placeFills(chart, fills, MINUTE_MS, 10)).toEqual([
      { column: first?.column, row: 9, isBuy: true, count: 3 },
      { column: first?.column, row: 4, isBuy: false, count: 1 },
      { column: second?.column, row: 6, isBuy: true, count: 1 },
    ]);
  });

  test("fills stand at their candles, also where these do not begin at whole minutes", () => {
    const late = candles.map((each) => ({ ...each, open_time_ms: each.open_time_ms + 30_000 }));
    const shown = selectChart(late, small);
    const { fills } = marksOf({
      fills: [TIME, nsAfter(89_999)].map((timestamp_ns, i) => {
        return { trade_id: i, market_id: 1, side: "buy", price: "92", timestamp_ns };
      }),
    });
    const [first] = shown.candles;
    expect(placeFills(shown, fills, MINUTE_MS, 10)).toMatchObject([
      { column: first?.column, count: 2 },
    ]);
  });

  const room = { rows: 10, columns: 40 };

  const position = { market_id: 1, size: "1", side: "long" };

  test("an average price is labelled by the nearest tick, and stands where it is", () => {
    const { lines } = marksOf({ positions: [{ ...position, entry_price: "95.128456" }] });
    expect(lines).toMatchObject([{ text: "95.13", price: parseDecimal("95.128456") }]);
  });

  test("lines have their exact price; what is outside stands at the edge, with an arrow", () => {
    const { lines } = marksOf({
      positions: [{ ...position, entry_price: "95.123456", liquidation_price: "12.5" }],
    });
    expect(lines.map(({ isDanger }) => isDanger)).toEqual([false, true]);
    expect(placeLines(chart, lines, room)).toMatchObject([
      { row: 4, label: "entry 95.12", isInside: true, line: lines[0] },
      { row: 9, label: "liquidation 12.50 ↓", isInside: false, line: lines[1] },
    ]);
  });

  test("a price that is more than five times as far away as prices are high is far", () => {
    const line = (text: string) => ({ word: "liquidation", text, price: decimal(text) });
    expect(placeLines(chart, [line("600")], room)[0]?.label).toBe("liquidation 600 ↑");
    expect(placeLines(chart, [line("600.01")], room)[0]?.label).toBe("liquidation far ↑");
  });

  test("labels never stand over each other or beside the plot; each is whole or not there", () => {
    const prices = fc.array(fc.integer({ min: 80, max: 110 }), { maxLength: 30 });
    const size = fc.record({
      rows: fc.integer({ min: 1, max: 20 }),
      columns: fc.integer({ min: 1, max: 60 }),
    });
    fc.assert(
      fc.property(prices, size, (all, of) => {
        const lines = all.map((price) => {
          return { word: "alert", text: `last > ${price}`, price: decimal(`${price}`) };
        });
        const taken = new Set<string>();
        for (const { label, labelAt } of placeLines(chart, lines, of)) {
          if (labelAt === undefined) continue;
          expect(labelAt.row >= 0 && labelAt.row < of.rows).toBe(true);
          expect(labelAt.column + label.length).toBeLessThanOrEqual(of.columns);
          for (let i = 0; i < label.length; i++) {
            const cell = `${labelAt.row} ${labelAt.column + i}`;
            expect(taken.has(cell)).toBe(false);
            taken.add(cell);
          }
        }
      }),
    );
  });

  test("never leave the plot, whatever the price", () => {
    const price = fc.tuple(fc.bigInt({ min: 1n, max: 10n ** 24n }), fc.nat(20));
    fc.assert(
      fc.property(price, fc.integer({ min: 0, max: 60 }), ([mantissa, places], rows) => {
        const line = { word: "entry", text: "", price: { mantissa, places } };
        for (const { row } of placeLines(chart, [line], { rows, columns: 20 })) {
          expect(row).toBeGreaterThanOrEqual(0);
          expect(row).toBeLessThan(rows);
        }
      }),
    );
  });
});
