// Candles from before the subscription, rebuilt from the trades of the REST listing, and their comparison with the stream's
// own. Exact: decimal sums, no floats. Only whole periods for which every trade has been read become candles.

import {
  addDecimal,
  compareDecimal,
  type Decimal,
  formatDecimal,
  parseDecimal,
  widenDecimal,
} from "../units/decimal.ts";
import { addSpan, type Span, spansLacking } from "../units/spans.ts";
import { MINUTE_MS } from "../units/time.ts";
import type { LastCandle } from "../wire/channels/candles.ts";
import type { TradeRecord } from "../wire/rest/trades.ts";
import { MAX_CANDLES_KEPT } from "./candles.ts";

/** Minutes with trades kept: five weeks of a market that trades every minute. */
const MAX_MINUTES = 50_000;
/** Compared periods remembered per interval. */
const MAX_COMPARED = 1440;

/** The trades of a minute. */
interface Bar {
  readonly open: Decimal;
  readonly high: Decimal;
  readonly low: Decimal;
  readonly close: Decimal;
  readonly base: Decimal;
  readonly quote: Decimal;
  readonly trades: number;
}

export interface Comparison {
  /** Periods that are whole on both sides. */
  readonly compared: number;
  /** Those that differ. */
  readonly differing: number;
}

const NO_CANDLES: readonly LastCandle[] = [];

/** Candles from before the subscription, built from listed trades. */
export class PastCandles {
  /** By open time. */
  readonly #bars = new Map<number, Bar>();
  /** Whole minutes for which every trade has been read. */
  #covered: readonly Span[] = [];
  /** Grows with every change. */
  version = 0;
  /** Why the past cannot be read; empty if it can. */
  obstacle = "";
  /** Unix milliseconds of the market's first trade; undefined while older ones may be listed. */
  beginMs: number | undefined;
  #isFilling = false;
  readonly #built = new Map<string, readonly LastCandle[]>();
  /** By interval and open time: whether both candles match. */
  readonly #compared = new Map<number, Map<number, boolean>>();

  markUnavailable(obstacle: string): void {
    if (obstacle !== this.obstacle) this.version++;
    this.obstacle = obstacle;
  }

  /** True while older candles are being read. */
  get isFilling(): boolean {
    return this.#isFilling;
  }

  set isFilling(isFilling: boolean) {
    if (isFilling !== this.#isFilling) this.version++;
    this.#isFilling = isFilling;
  }

  /** True when reading further back would add nothing. */
  get isFull(): boolean {
    return this.#bars.size >= MAX_MINUTES;
  }

  /** Parts of a span that have not been fully read, oldest first. */
  lacking(span: Span): readonly Span[] {
    return spansLacking(this.#covered, span);
  }

  /** Start of the period before `untilMs` that has been read without a gap; `untilMs` itself if there is none. */
  coveredFrom(untilMs: number): number {
    const span = this.#covered.find((each) => each.fromMs < untilMs && each.untilMs >= untilMs);
    return span?.fromMs ?? untilMs;
  }

  /** Starts reading the listing from its newest row. @param wholeUntilMs see `PastRun` */
  begin(wholeUntilMs: number): PastRun {
    return new PastRun(wholeUntilMs, (...of) => this.#keep(...of));
  }

  /**
   * Candles of whole periods, oldest first; the newest `MAX_CANDLES_KEPT` at most.
   * @param startMs start of any period of the service, whose day need not begin at midnight UTC. Periods that start within a
   * minute give no candles.
   */
  candles(intervalMs: number, startMs = 0): readonly LastCandle[] {
    const offsetMs = ((startMs % intervalMs) + intervalMs) % intervalMs;
    if (offsetMs % MINUTE_MS !== 0) return NO_CANDLES;
    const key = `${intervalMs}+${offsetMs}`;
    const known = this.#built.get(key);
    if (known !== undefined) return known;
    const isWhole = (span: Span) => this.lacking(span).length === 0;
    const built = aggregate(this.#bars, { intervalMs, offsetMs }, isWhole);
    this.#built.set(key, built);
    return built;
  }

  /**
   * Compares the stream's candles with those built from one page of the listing.
   * @param records newest first
   * @param ended candles of the stream whose periods have ended
   */
  compare(records: readonly TradeRecord[], ended: readonly LastCandle[], intervalMs: number): void {
    const page = new PastCandles();
    page.begin(Number.NEGATIVE_INFINITY).take(records);
    const other = new Map(ended.map((candle) => [candle.open_time_ms, candle]));
    const compared = this.#compared.get(intervalMs) ?? new Map<number, boolean>();
    for (const candle of page.candles(intervalMs, ended.at(-1)?.open_time_ms)) {
      const streamed = other.get(candle.open_time_ms);
      if (streamed !== undefined) compared.set(candle.open_time_ms, isSame(candle, streamed));
    }
    this.#compared.set(intervalMs, new Map([...compared].slice(-MAX_COMPARED)));
    this.version++;
  }

  comparison(intervalMs: number): Comparison {
    const results = [...(this.#compared.get(intervalMs)?.values() ?? [])];
    return { compared: results.length, differing: results.filter((same) => !same).length };
  }

  #keep(minutes: ReadonlyMap<number, Bar>, covered: Span, oldestMs: number | undefined): void {
    if (covered.fromMs === Number.NEGATIVE_INFINITY) this.beginMs = oldestMs;
    for (const [openMs, bar] of minutes) this.#bars.set(openMs, bar);
    this.#covered = addSpan(this.#covered, covered);
    if (this.#bars.size > MAX_MINUTES * 2) this.#trim();
    this.#built.clear();
    this.version++;
  }

  #trim(): void {
    const [fromMs = 0] = [...this.#bars.keys()].sort((a, b) => a - b).slice(-MAX_MINUTES);
    for (const openMs of this.#bars.keys()) if (openMs < fromMs) this.#bars.delete(openMs);
    this.beginMs = undefined;
    this.#covered = this.#covered
      .filter(({ untilMs }) => untilMs > fromMs)
      .map((span) => ({ ...span, fromMs: Math.max(span.fromMs, fromMs) }));
  }
}

/** @param oldestMs Unix milliseconds of the oldest row so far */
type Keep = (
  minutes: ReadonlyMap<number, Bar>,
  covered: Span,
  oldestMs: number | undefined,
) => void;

/** Rows of the listing as they are read, newest first and without gaps, aggregated into minutes as soon as these are whole. */
export class PastRun {
  readonly #keep: Keep;
  readonly #wholeUntilMs: number;
  #minutes = new Map<number, Bar>();
  /** The minute that may still receive older trades. */
  #openMs: number | undefined;
  #bar: Bar | undefined;
  /** Unix milliseconds: everything since then has been read; undefined before the first row. */
  fromMs: number | undefined;
  #oldestMs: number | undefined;

  /** @param wholeUntilMs up to then the listing counts as complete even if it has nothing that recent */
  constructor(wholeUntilMs: number, keep: Keep) {
    this.#wholeUntilMs = wholeUntilMs;
    this.#keep = keep;
  }

  /**
   * Adds the rows that follow the previous ones.
   * @throws {RangeError} when one of them has no price or size
   */
  take(records: readonly TradeRecord[]): void {
    for (const record of records) this.#add(record);
    if (this.#openMs !== undefined) this.#handOver(this.#openMs + MINUTE_MS);
  }

  /** There are no older rows after `fromMs`. @param fromMs the start of a minute, or negative infinity */
  end(fromMs: number): void {
    this.fromMs ??= getMinute(this.#wholeUntilMs);
    if (this.#openMs !== undefined && this.#openMs >= fromMs) this.#close();
    this.#handOver(fromMs);
  }

  #add(record: TradeRecord): void {
    const openMs = getMinute(record.timestamp_ms);
    this.#oldestMs = record.timestamp_ms;
    // Trades after the newest row, or in its minute, may still be added to the listing.
    this.fromMs ??= Math.max(openMs, getMinute(this.#wholeUntilMs));
    if (openMs >= this.fromMs) return;
    if (this.#openMs !== openMs) this.#close();
    this.#openMs = openMs;
    this.#bar = grow(this.#bar, record);
  }

  #close(): void {
    if (this.#openMs !== undefined && this.#bar !== undefined) {
      this.#minutes.set(this.#openMs, this.#bar);
    }
    this.#openMs = undefined;
    this.#bar = undefined;
  }

  #handOver(fromMs: number): void {
    const untilMs = this.fromMs ?? fromMs;
    if (fromMs >= untilMs) return;
    this.#keep(this.#minutes, { fromMs, untilMs }, this.#oldestMs);
    this.#minutes = new Map();
    this.fromMs = fromMs;
  }
}

function getMinute(ms: number): number {
  return Number.isFinite(ms) ? Math.floor(ms / MINUTE_MS) * MINUTE_MS : ms;
}

function grow(bar: Bar | undefined, record: TradeRecord): Bar {
  const price = parseDecimal(record.price);
  const base = parseDecimal(record.quantity);
  const quote = parseDecimal(record.quote_notional);
  if (price === undefined || base === undefined || quote === undefined) {
    throw new RangeError(`trade ${record.trade_id} has no price or size`);
  }
  const single = { open: price, high: price, low: price, close: price, base, quote, trades: 1 };
  return bar === undefined ? single : merge(single, bar);
}

/** @param older directly before the newer one */
function merge(older: Bar, newer: Bar): Bar {
  return {
    open: older.open,
    high: compareDecimal(older.high, newer.high) > 0 ? older.high : newer.high,
    low: compareDecimal(older.low, newer.low) < 0 ? older.low : newer.low,
    close: newer.close,
    base: addDecimal(older.base, newer.base),
    quote: addDecimal(older.quote, newer.quote),
    trades: older.trades + newer.trades,
  };
}

function aggregate(
  bars: ReadonlyMap<number, Bar>,
  { intervalMs, offsetMs }: { readonly intervalMs: number; readonly offsetMs: number },
  isWhole: (span: Span) => boolean,
): readonly LastCandle[] {
  const periods = new Map<number, Bar>();
  for (const [openMs, bar] of [...bars].sort(([a], [b]) => a - b)) {
    const fromMs = openMs - ((openMs - offsetMs + intervalMs) % intervalMs);
    const older = periods.get(fromMs);
    periods.set(fromMs, older === undefined ? bar : merge(older, bar));
  }
  const whole = [...periods]
    .slice(-MAX_CANDLES_KEPT)
    .filter(([fromMs]) => isWhole({ fromMs, untilMs: fromMs + intervalMs }));
  const places = {
    price: countPlaces(whole, ({ open, high, low, close }) => [open, high, low, close]),
    base: countPlaces(whole, ({ base }) => [base]),
    quote: countPlaces(whole, ({ quote }) => [quote]),
  };
  return whole.map(([openMs, bar]) => toCandle(openMs, bar, places));
}

function countPlaces(
  periods: readonly (readonly [number, Bar])[],
  pick: (bar: Bar) => readonly Decimal[],
): number {
  return periods.reduce(
    (most, [, bar]) => Math.max(most, ...pick(bar).map(({ places }) => places)),
    0,
  );
}

function toCandle(
  openTimeMs: number,
  { open, high, low, close, base, quote, trades }: Bar,
  places: { readonly price: number; readonly base: number; readonly quote: number },
): LastCandle {
  const price = (value: Decimal) => formatDecimal(widenDecimal(value, places.price));
  return {
    open_time_ms: openTimeMs,
    open: price(open),
    high: price(high),
    low: price(low),
    close: price(close),
    volume_base: formatDecimal(widenDecimal(base, places.base)),
    volume_quote: formatDecimal(widenDecimal(quote, places.quote)),
    trades,
  };
}

const COMPARED_FIELDS = ["open", "high", "low", "close", "volume_base"] as const;

/** Prices and volume compared as numbers: `1.50` equals `1.5`. */
function isSame(a: LastCandle, b: LastCandle): boolean {
  return COMPARED_FIELDS.every((field) => {
    const [one, other] = [parseDecimal(a[field]), parseDecimal(b[field])];
    return one !== undefined && other !== undefined && compareDecimal(one, other) === 0;
  });
}
