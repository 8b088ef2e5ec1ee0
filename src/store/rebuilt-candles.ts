// Candles of the time before the subscription, rebuilt from the trades that the REST listing tells, and what became of
// comparing them with the stream's own. Exact: sums of decimals, no floats. Reading: docs/adr/0016.
import type { LastCandle } from "../protocol/channels/candles.ts";
import type { TradeRecord } from "../protocol/rest/trades.ts";
import {
  compareDecimal,
  type Decimal,
  formatDecimal,
  parseDecimal,
  widenDecimal,
} from "../units/decimal.ts";

/** Periods whose comparison is remembered, for each interval. */
const MAX_COMPARED = 1440;

/** What a candle needs of a listed trade. */
interface PastTrade {
  /** Unix milliseconds. */
  readonly timeMs: number;
  readonly price: Decimal;
  readonly quantity: Decimal;
  readonly notional: Decimal;
}

/** A run of the listing. */
export interface ListedTrades {
  /** Newest first, without a gap. */
  readonly records: readonly TradeRecord[];
  /** True when nothing older is listed. */
  readonly reachesBeginning: boolean;
}

/** Candles and stream of one market, compared. */
export interface Comparison {
  /** Periods of which both tell the whole. */
  readonly compared: number;
  /** Those of them that are not the same. */
  readonly differing: number;
}

/** Candles before the subscription, made from listed trades. */
export class PastCandles {
  #trades: readonly PastTrade[] = [];
  #reachesBeginning = false;
  #version = 0;
  #obstacle = "";
  readonly #built = new Map<number, readonly LastCandle[]>();
  /** By interval and open time: whether both tell the same. */
  readonly #compared = new Map<number, Map<number, boolean>>();

  /** Grows with every change. */
  get version(): number {
    return this.#version;
  }

  /** Why the past cannot be read; empty while it can. */
  get obstacle(): string {
    return this.#obstacle;
  }

  obstruct(obstacle: string): void {
    if (obstacle !== this.#obstacle) this.#version++;
    this.#obstacle = obstacle;
  }

  /** Takes a new run of the listing instead of the last. */
  replace({ records, reachesBeginning }: ListedTrades): void {
    this.#trades = records.flatMap((record) => readTrade(record) ?? []);
    this.#reachesBeginning = reachesBeginning;
    this.#built.clear();
    this.#version++;
  }

  /** Candles of whole periods, oldest first. The newest may still be forming. */
  candles(intervalMs: number): readonly LastCandle[] {
    const known = this.#built.get(intervalMs);
    if (known !== undefined) return known;
    const built = rebuild(this.#trades, intervalMs, this.#reachesBeginning);
    this.#built.set(intervalMs, built);
    return built;
  }

  /**
   * Compares the stream's candles with those of a run of the listing.
   * @param ended candles of the stream whose periods have ended
   */
  compare(
    { records, reachesBeginning }: ListedTrades,
    ended: readonly LastCandle[],
    intervalMs: number,
  ): void {
    const trades = records.flatMap((record) => readTrade(record) ?? []);
    const listedUntilMs = trades[0]?.timeMs ?? 0;
    const told = new Map(ended.map((candle) => [candle.open_time_ms, candle]));
    const compared = this.#compared.get(intervalMs) ?? new Map<number, boolean>();
    for (const candle of rebuild(trades, intervalMs, reachesBeginning)) {
      const other = told.get(candle.open_time_ms);
      const isWhole = candle.open_time_ms + intervalMs <= listedUntilMs;
      if (isWhole && other !== undefined) compared.set(candle.open_time_ms, isSame(candle, other));
    }
    const newest = [...compared].slice(-MAX_COMPARED);
    this.#compared.set(intervalMs, new Map(newest));
    this.#version++;
  }

  comparison(intervalMs: number): Comparison {
    const results = [...(this.#compared.get(intervalMs)?.values() ?? [])];
    return { compared: results.length, differing: results.filter((same) => !same).length };
  }
}

function readTrade(record: TradeRecord): PastTrade | undefined {
  const price = parseDecimal(record.price);
  const quantity = parseDecimal(record.quantity);
  const notional = parseDecimal(record.quote_notional);
  if (price === undefined || quantity === undefined || notional === undefined) return undefined;
  return { timeMs: record.timestamp_ms, price, quantity, notional };
}

interface Forming {
  readonly openTimeMs: number;
  open: bigint;
  high: bigint;
  low: bigint;
  readonly close: bigint;
  base: bigint;
  quote: bigint;
  count: number;
}

/** @param trades newest first */
function rebuild(
  trades: readonly PastTrade[],
  intervalMs: number,
  reachesBeginning: boolean,
): readonly LastCandle[] {
  const places = {
    price: placesOf(trades, ({ price }) => price),
    base: placesOf(trades, ({ quantity }) => quantity),
    quote: placesOf(trades, ({ notional }) => notional),
  };
  const candles: Forming[] = [];
  for (const { timeMs, price, quantity, notional } of trades) {
    const openTimeMs = timeMs - (timeMs % intervalMs);
    const at = widenDecimal(price, places.price).mantissa;
    const base = widenDecimal(quantity, places.base).mantissa;
    const quote = widenDecimal(notional, places.quote).mantissa;
    const candle = candles.at(-1);
    if (candle?.openTimeMs === openTimeMs) grow(candle, at, base, quote);
    else
      candles.push({ openTimeMs, open: at, high: at, low: at, close: at, base, quote, count: 1 });
  }
  // Of the oldest period the first trades are missing, unless there are none before it.
  if (!reachesBeginning) candles.pop();
  return candles.reverse().map((candle) => toCandle(candle, places));
}

function placesOf(trades: readonly PastTrade[], pick: (trade: PastTrade) => Decimal): number {
  return trades.reduce((most, trade) => Math.max(most, pick(trade).places), 0);
}

/** An older trade of the same period. */
function grow(candle: Forming, price: bigint, base: bigint, quote: bigint): void {
  candle.open = price;
  if (price > candle.high) candle.high = price;
  if (price < candle.low) candle.low = price;
  candle.base += base;
  candle.quote += quote;
  candle.count++;
}

function toCandle(
  { openTimeMs, open, high, low, close, base, quote, count }: Forming,
  places: { readonly price: number; readonly base: number; readonly quote: number },
): LastCandle {
  const price = (mantissa: bigint) => formatDecimal({ mantissa, places: places.price });
  return {
    open_time_ms: openTimeMs,
    open: price(open),
    high: price(high),
    low: price(low),
    close: price(close),
    volume_base: formatDecimal({ mantissa: base, places: places.base }),
    volume_quote: formatDecimal({ mantissa: quote, places: places.quote }),
    trades: count,
  };
}

const COMPARED_FIELDS = ["open", "high", "low", "close", "volume_base"] as const;

/** Prices and volume as numbers: `1.50` is `1.5`. */
function isSame(a: LastCandle, b: LastCandle): boolean {
  return COMPARED_FIELDS.every((field) => {
    const [one, other] = [parseDecimal(a[field]), parseDecimal(b[field])];
    return one !== undefined && other !== undefined && compareDecimal(one, other) === 0;
  });
}
