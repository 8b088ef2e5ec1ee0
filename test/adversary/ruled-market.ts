// A market whose trades follow a rule, so that any page of its listing, and any part of its stream, can be made when it
// is asked for, however busy the market is.

import { RequestBudget } from "../../src/listing/request-budget.ts";
import type { Source } from "../../src/listing/source.ts";
import type { Clock } from "../../src/units/clock.ts";
import type { Trade } from "../../src/wire/channels/trades.ts";
import type { TradeRecord } from "../../src/wire/rest/trades.ts";
import { sourceOf } from "../support/source-of.ts";
import { type RawTrade, restTrade, streamTrade } from "../support/two-tapes.ts";

export const MINUTE_MS = 60_000;
/** Where `MarketFeed` counts its minutes from, the minute that is forming, and the moment within it. */
export const BASE_MS = 1_800_000_000_000;
export const NOW_MINUTE = 1000;
export const NOW_MS = BASE_MS + NOW_MINUTE * MINUTE_MS + 20_000;
const SIZES = { tick: 1n, tickPlaces: 2, lot: 1n, lotPlaces: 4 };

export interface RuledMarketOptions {
  /** Milliseconds from one trade to the next. */
  readonly everyMs: number;
  /** Trades until `NOW_MS`; they go on after it. */
  readonly count: number;
  /** What `before` is compared with, of the trade with this number; 0 is the oldest one. */
  readonly indexOf: (number: number) => bigint;
  /** Rows of a page at the most, whatever is asked for. */
  readonly cap?: number;
}

/** An index in no field of a row. */
export const inNoField = (number: number) => BigInt(number) * 1_000_003n + 10n ** 17n;

interface PageRequest {
  readonly before: bigint | undefined;
  readonly limit: number;
}

/** A listing that is asked in the background: `page` is called when the budget of requests allows it. */
export function budgetedListing(
  clock: Clock,
  page: (request: PageRequest) => readonly TradeRecord[],
): Source<TradeRecord> {
  const budget = new RequestBudget(clock, 2);
  const source = sourceOf((before, limit) => page({ before, limit }));
  return {
    ...source,
    async page(before, limit, signal) {
      await budget.take(signal);
      return source.page(before, limit, signal);
    },
  };
}

export function createRuledMarket({ everyMs, count, indexOf, cap = 1000 }: RuledMarketOptions) {
  const timeMsOf = (number: number) => NOW_MS - Math.floor((count - 1 - number) * everyMs);
  const rawOf = (number: number): RawTrade => ({
    timeNs: BigInt(timeMsOf(number)) * 1_000_000n,
    ticks: BigInt(1000 + ((number * 7919) % 997)),
    lots: 1n,
    takerIsBid: true,
  });
  const record = (number: number): TradeRecord => ({
    ...restTrade(rawOf(number), SIZES),
    // In no order that has to do with time.
    trade_id: `${(number * 48271) % 2147483647}`,
  });
  return {
    timeMsOf,
    /** Trades of the stream from one number until before another, oldest first. */
    trades: (from: number, until: number): readonly Trade[] =>
      Array.from({ length: until - from }, (_, i) => streamTrade(rawOf(from + i))),
    /** @param listed trades that are listed */
    page({ before, limit }: PageRequest, listed = count): readonly TradeRecord[] {
      let end = listed;
      if (before !== undefined) {
        let low = 0;
        while (low < end) {
          const middle = (low + end) >> 1;
          if (indexOf(middle) < before) low = middle + 1;
          else end = middle;
        }
      }
      return Array.from({ length: Math.min(limit, cap, end) }, (_, i) => record(end - 1 - i));
    },
    /** Counted trade by trade. */
    candleAt(openMs: number) {
      const first = count - 1 - Math.ceil((NOW_MS - openMs) / everyMs) - 10;
      const length = Math.ceil(MINUTE_MS / everyMs) + 20;
      const ticks = Array.from({ length }, (_, i) => first + i)
        .filter((number) => number >= 0 && number < count)
        .filter((number) => timeMsOf(number) >= openMs && timeMsOf(number) < openMs + MINUTE_MS)
        .map((number) => rawOf(number).ticks);
      return { trades: ticks.length, open: ticks[0], close: ticks.at(-1) };
    },
  };
}
