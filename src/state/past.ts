// What the listing tells of trades that the stream did not send: the time before its first frame, and holes. Prices of the listing
// are decimals and its times milliseconds, so a trade of both is known by millisecond, price, size and side, equal ones counted.
import {
  addDecimal,
  compareDecimal,
  type Decimal,
  formatDecimal,
  parseDecimal,
} from "../units/decimal.ts";
import { type Scale, toUnits } from "../units/scale.ts";
import { MINUTE_MS, msOfNs } from "../units/time.ts";
import { stripZeros } from "../units/uint.ts";
import type { Candle, Trade } from "../wire/frames.ts";
import type { TradeRecord } from "../wire/rest/trades.ts";
import type { Candles } from "./candles.ts";
import { addTrade, isBefore } from "./flow.ts";
import type { Hole, Tape } from "./tape.ts";

/** A listed trade in ticks and lots; undefined where the scale does not fit. */
function tradeOf(record: TradeRecord, { tickSize, lotSize }: Scale): Trade | undefined {
  const [price, quantity] = [parseDecimal(record.price), parseDecimal(record.quantity)];
  const ticks = price && toUnits(price, tickSize);
  const lots = quantity && toUnits(quantity, lotSize);
  if (ticks === undefined || lots === undefined) return undefined;
  return {
    timestamp_ns: `${record.timestamp_ms}000000`,
    price_ticks: `${ticks}`,
    size_base_lots: `${lots}`,
    taker_is_bid: record.taker_is_bid,
  };
}

/** A record without price or size stands for no trade. */
const hasTraded = ({ price, quantity }: TradeRecord) => Number(price) > 0 && Number(quantity) > 0;

/** @returns undefined where the scale does not fit one of them */
export function tradesOf(
  records: readonly TradeRecord[],
  scale: Scale,
): readonly Trade[] | undefined {
  const trades = records.filter(hasTraded).map((record) => tradeOf(record, scale));
  return trades.every((trade) => trade !== undefined) ? trades : undefined;
}

/** Those of a list that are not held, and those of the held ones that it has not. */
export function pairHeld(
  listed: readonly Trade[],
  held: readonly Trade[],
): { readonly rest: readonly Trade[]; readonly left: readonly Trade[] } {
  const left = new Map<string, Trade[]>();
  for (const trade of held) left.set(keyOf(trade), [...(left.get(keyOf(trade)) ?? []), trade]);
  const rest = listed.filter((trade) => left.get(keyOf(trade))?.pop() === undefined);
  return { rest, left: [...left.values()].flat() };
}

function keyOf({ timestamp_ns, price_ticks, size_base_lots, taker_is_bid }: Trade): string {
  return `${msOfNs(timestamp_ns)} ${stripZeros(price_ticks)} ${stripZeros(size_base_lots)} ${taker_is_bid}`;
}

/** Takes trades from before the stream's oldest one into the order flow. */
export function addEarlier(tape: Tape, trades: readonly Trade[]): void {
  for (const trade of trades) addTrade(tape.earlier, trade);
}

/**
 * The trades of a hole.
 * @param listed all of the milliseconds from the hole's beginning to its end, both inclusive; newest first
 * @returns oldest first; undefined where the list lacks a trade that is held on one of its sides
 */
export function holeTrades(
  { trades, holes }: Tape,
  hole: Hole,
  listed: readonly Trade[],
): readonly Trade[] | undefined {
  const [fromMs, untilMs] = [msOfNs(hole.after_ns), msOfNs(hole.until_ns)];
  const isInside = ({ timestamp_ns }: Trade) => {
    const ms = msOfNs(timestamp_ns);
    return ms >= fromMs && ms <= untilMs;
  };
  // Beyond another hole nothing is known, even of the same millisecond.
  const isShared = holes.some(
    (other) =>
      other !== hole &&
      !other.healed &&
      (msOfNs(other.until_ns) === fromMs || msOfNs(other.after_ns) === untilMs),
  );
  if (isShared) return undefined;
  const { rest, left } = pairHeld(listed.filter(isInside), trades.filter(isInside));
  if (left.length > 0) return undefined;
  // The listing rounds times down: in the hole's first millisecond they are those of its beginning at least.
  return rest
    .toReversed()
    .map((trade) =>
      isBefore(trade.timestamp_ns, hole.after_ns)
        ? { ...trade, timestamp_ns: hole.after_ns }
        : trade,
    );
}

/** A candle of listed trades, in exact decimals. */
interface PastCandle {
  openMs: number;
  open: Decimal;
  high: Decimal;
  low: Decimal;
  close: Decimal;
  base: Decimal;
  quote: Decimal;
  trades: number;
}

/** By open time. */
export type PastMinutes = Map<number, PastCandle>;

/** @param record older than those that were added before */
export function addToMinutes(minutes: PastMinutes, record: TradeRecord): void {
  if (!hasTraded(record)) return;
  const openMs = Math.floor(record.timestamp_ms / MINUTE_MS) * MINUTE_MS;
  const price = parseDecimal(record.price);
  const base = parseDecimal(record.quantity);
  const quote = parseDecimal(record.quote_notional);
  if (price === undefined || base === undefined || quote === undefined) return;
  const older = { openMs, open: price, high: price, low: price, close: price };
  const candle = { ...older, base, quote, trades: 1 };
  const held = minutes.get(openMs);
  minutes.set(openMs, held === undefined ? candle : joinCandles(candle, held));
}

function joinCandles(older: PastCandle, newer: PastCandle): PastCandle {
  return {
    ...older,
    high: compareDecimal(older.high, newer.high) >= 0 ? older.high : newer.high,
    low: compareDecimal(older.low, newer.low) <= 0 ? older.low : newer.low,
    close: newer.close,
    base: addDecimal(older.base, newer.base),
    quote: addDecimal(older.quote, newer.quote),
    trades: older.trades + newer.trades,
  };
}

/** Candles of whole periods from a time on, before another one, oldest first. Periods without trades have none. */
export function pastCandles(
  minutes: PastMinutes,
  intervalMs: number,
  fromMs: number,
  untilMs: number,
): readonly Candle[] {
  const periods: PastMinutes = new Map();
  const firstMs = Math.ceil(fromMs / intervalMs) * intervalMs;
  for (const minute of [...minutes.values()].sort((a, b) => a.openMs - b.openMs)) {
    const openMs = Math.floor(minute.openMs / intervalMs) * intervalMs;
    if (openMs < firstMs || openMs + intervalMs > untilMs) continue;
    const held = periods.get(openMs);
    periods.set(openMs, held === undefined ? { ...minute, openMs } : joinCandles(held, minute));
  }
  return [...periods.values()].map(({ openMs, open, high, low, close, base, quote, trades }) => ({
    ...{ open_time_ms: openMs, open: formatDecimal(open), high: formatDecimal(high) },
    ...{ low: formatDecimal(low), close: formatDecimal(close) },
    ...{ volume_base: formatDecimal(base), volume_quote: formatDecimal(quote), trades },
  }));
}

/** Puts candles before those of the stream. @param firstMs open time of the stream's first one */
export function putPast(state: Candles, past: readonly Candle[], firstMs: number): void {
  state.items = [...past, ...state.items.filter((candle) => candle.open_time_ms >= firstMs)];
}

/** Puts candles in the place of those from a time on, before another one: Unix milliseconds. */
export function fillCandles(
  state: Candles,
  candles: readonly Candle[],
  fromMs: number,
  untilMs: number,
): void {
  const older = state.items.filter((candle) => candle.open_time_ms < fromMs);
  const newer = state.items.filter((candle) => candle.open_time_ms >= untilMs);
  state.items = [...older, ...candles, ...newer];
  state.unfinished = state.unfinished.filter((time) => time < fromMs || time >= untilMs);
}
