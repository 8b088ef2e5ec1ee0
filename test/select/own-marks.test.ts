import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { placeFills, placeLines, selectCandleChart } from "../../src/screen/views/market/chart.ts";
import {
  groupOwnOrders,
  isOwnTrade,
  OwnMarksReader,
} from "../../src/screen/views/market/own-marks.ts";
import { EXACT } from "../../src/select/display.ts";
import type { Market } from "../../src/select/market.ts";
import { AccountState } from "../../src/state/account.ts";
import { Aliases } from "../../src/state/aliases.ts";
import { parseDecimal } from "../../src/units/decimal.ts";
import type { OpenRecord } from "../../src/wire/update.ts";

const aliases = new Aliases();
const decimal = (text: string) => parseDecimal(text) ?? { mantissa: 0n, places: 0 };
const scale = { tickSize: decimal("0.01"), lotSize: decimal("0.001") };
const market: Market = { type: "perp", id: "1" };
const TIME = "1767225692255689000";

interface Lists {
  readonly orders?: readonly OpenRecord[];
  readonly fills?: readonly OpenRecord[];
  readonly positions?: readonly OpenRecord[];
}

function marksOf(lists: Lists, isScaled = true) {
  const account = new AccountState(aliases);
  const frame = { type: "update", channel: "account", timestamp_ns: "1", previous_sequence: null };
  account.update({ ...frame, sequence: "1", ...lists } as never, true, 0);
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
      { isBid: true, priceTicks: 9000n, sizeLots: 5n },
      { isBid: false, priceTicks: 9050n, sizeLots: 7n },
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
    expect(orders).toEqual([{ isBid: true, priceTicks: 9000n, sizeLots: undefined }]);
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
    expect([orders, fills, lines]).toEqual([[], [], []]);
  });

  test("stand in the step of the ladder that their level stands in", () => {
    const orders = [9003n, 9007n, 9010n].flatMap((priceTicks) => [
      { isBid: true, priceTicks, sizeLots: 2n },
      { isBid: false, priceTicks, sizeLots: 3n },
    ]);
    expect([...groupOwnOrders(orders, 10n)]).toEqual([
      ["bid 9000", { count: 2, sizeLots: 4n }],
      ["ask 9010", { count: 3, sizeLots: 9n }],
      ["bid 9010", { count: 1, sizeLots: 2n }],
    ]);
    const unknown = [...orders, { isBid: true, priceTicks: 9000n, sizeLots: undefined }];
    expect(groupOwnOrders(unknown, 10n).get("bid 9000")).toEqual({ count: 3, sizeLots: undefined });
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
    expect(isOwnTrade(fill("taker"), trade(true, "1767225692255689001"))).toBe(false);
  });
});

describe("marks on the chart", () => {
  const candle = (minute: number, low: string, high: string) => ({
    open_time_ms: 1_767_225_660_000 + minute * 60_000,
    open: low,
    high,
    low,
    close: high,
    samples: 1,
  });
  const options = {
    columns: 20,
    rows: 10,
    volumeRows: 0,
    step: 2,
    intervalMs: 60_000,
    display: EXACT,
    unfinished: new Set<number>(),
    rebuilt: new Set<number>(),
  };
  const chart = selectCandleChart([candle(0, "90", "95"), candle(1, "95", "100")], options);

  test("fills stand on the candle of their time, at their price", () => {
    const { fills } = marksOf({
      fills: [
        { trade_id: 1, market_id: 1, side: "buy", price: "100", timestamp_ns: TIME },
        { trade_id: 2, market_id: 1, side: "sell", price_ticks: "9000", timestamp_ns: TIME },
        { trade_id: 3, market_id: 1, side: "sell", price: "89.99", timestamp_ns: TIME },
        {
          trade_id: 4,
          market_id: 1,
          side: "buy",
          price: "95",
          timestamp_ns: "1767220000000000000",
        },
      ],
    });
    const placed = placeFills(chart, fills, 60_000, 10);
    const column = chart.candles[0]?.column;
    expect(placed).toHaveLength(2);
    expect(placed).toContainEqual({ column, row: 0, isBuy: true });
    expect(placed).toContainEqual({ column, row: 9, isBuy: false });
  });

  test("lines have their exact price; what is outside stands at the edge, with an arrow", () => {
    const { lines } = marksOf({
      positions: [
        {
          market_id: 1,
          size: "1",
          side: "long",
          entry_price: "95.123456",
          liquidation_price: "12.5",
        },
      ],
    });
    expect(lines.map(({ isDanger }) => isDanger)).toEqual([false, true]);
    expect(placeLines(chart, lines, 10)).toEqual([
      { row: 4, label: "entry 95.123456", isInside: true, line: lines[0] },
      { row: 9, label: "liquidation 12.5 ↓", isInside: false, line: lines[1] },
    ]);
  });

  test("never leave the plot, whatever the price", () => {
    const price = fc.tuple(fc.bigInt({ min: 1n, max: 10n ** 24n }), fc.nat(20));
    fc.assert(
      fc.property(price, fc.integer({ min: 0, max: 60 }), ([mantissa, places], rows) => {
        const line = { label: "entry", price: { mantissa, places } };
        for (const { row } of placeLines(chart, [line], rows)) {
          expect(row).toBeGreaterThanOrEqual(0);
          expect(row).toBeLessThan(rows);
        }
      }),
    );
  });
});
