// One market's trades as the stream and as the REST listing tell them, for any size of tick and lot. Written apart
// from the program's own arithmetic: REST text comes from whole numbers by moving the point.
import fc from "fast-check";
import type { Trade } from "../../src/wire/frames.ts";
import type { TradeRecord } from "../../src/wire/rest/trades.ts";
import { listedTrade } from "./listed-trade.ts";

export interface Sizes {
  /** Tick and lot as whole numbers of 10^-places. */
  readonly tick: bigint;
  readonly tickPlaces: number;
  readonly lot: bigint;
  readonly lotPlaces: number;
}

export interface RawTrade {
  readonly timeNs: bigint;
  readonly ticks: bigint;
  readonly lots: bigint;
  readonly takerIsBid: boolean;
}

/** Trades of any size and price, from startNs on; many may share a time. */
export function rawTrades(options: {
  readonly startNs: bigint;
  /** The largest step from one trade to the next. */
  readonly stepNs: bigint;
  /** Steps are multiples of this. */
  readonly grainNs?: bigint;
  readonly minLength: number;
  readonly maxLength: number;
}): fc.Arbitrary<RawTrade[]> {
  const { startNs, stepNs, grainNs = 1n, ...length } = options;
  const step = fc.bigInt({ min: 1n, max: stepNs / grainNs }).map((steps) => steps * grainNs);
  const trade = fc.record({
    stepNs: fc.oneof(fc.constant(0n), step),
    ticks: fc.bigInt({ min: 1n, max: 2n ** 62n }),
    lots: fc.bigInt({ min: 1n, max: 2n ** 40n }),
    takerIsBid: fc.boolean(),
  });
  return fc.array(trade, length).map((steps) => {
    let timeNs = startNs;
    return steps.map(({ stepNs: afterNs, ...rest }) => {
      timeNs += afterNs;
      return { ...rest, timeNs };
    });
  });
}

/** Decimal text of a whole number of 10^-places. */
export function pointed(value: bigint, places: number): string {
  const digits = value.toString().padStart(places + 1, "0");
  const whole = digits.slice(0, digits.length - places);
  return places === 0 ? whole : `${whole}.${digits.slice(-places)}`;
}

export function streamTrade({ timeNs, ticks, lots, takerIsBid }: RawTrade): Trade {
  return {
    timestamp_ns: `${timeNs}`,
    price_ticks: `${ticks}`,
    size_base_lots: `${lots}`,
    taker_is_bid: takerIsBid,
  };
}

export type ToMs = (timeNs: bigint) => bigint;
const cutMs: ToMs = (timeNs) => timeNs / 1_000_000n;
export const roundMs: ToMs = (timeNs) => (timeNs + 500_000n) / 1_000_000n;

export function restTrade(
  { timeNs, ticks, lots, takerIsBid }: RawTrade,
  { tick, tickPlaces, lot, lotPlaces }: Sizes,
  toMs: ToMs = cutMs,
): TradeRecord {
  return listedTrade({
    trade_id: `${timeNs}`,
    price: pointed(ticks * tick, tickPlaces),
    quantity: pointed(lots * lot, lotPlaces),
    taker_is_bid: takerIsBid,
    timestamp_ms: Number(toMs(timeNs)),
  });
}
