// Data of a market's panes: live from the store, or frozen at one moment.

import { type Funding, selectFunding } from "../../../select/funding.ts";
import {
  findMarketRecord,
  findOwnRecord,
  formatMarket,
  listedIn,
  type Market,
  type MarketChannels,
} from "../../../select/market.ts";
import { formatBookInterpretation, type LadderLevels } from "../../../select/orderbook.ts";
import { type CandlesState, MAX_CANDLES_KEPT } from "../../../state/candles.ts";
import { copyState } from "../../../state/copy-state.ts";
import { isBookProven } from "../../../state/heatmap.ts";
import { isCurrent } from "../../../state/pane-state.ts";
import { PastCandles } from "../../../state/rebuilt-candles.ts";
import type { Scales } from "../../../state/scales.ts";
import type { Store } from "../../../state/store.ts";
import { areSame, Memo } from "../../../units/memo.ts";
import type { Scale } from "../../../units/scale.ts";
import type { Span } from "../../../units/spans.ts";
import type { LastCandle, MarkCandle } from "../../../wire/channels/candles.ts";
import { INTERVAL_MS, type Interval } from "../../../wire/channels.ts";
import type { OpenRecord } from "../../../wire/update.ts";

/** Candles of last prices, of mark prices, or of last prices with mark prices beside them. */
export const CANDLE_SOURCES = ["last", "mark", "both"] as const;
export type CandleSource = (typeof CANDLE_SOURCES)[number];

export type MarketData = ReturnType<typeof liveMarketData>;

interface MarketDataOptions {
  readonly store: Store;
  readonly scales: Scales;
  readonly market: Market;
  readonly channels: MarketChannels;
  readonly source: CandleSource;
  readonly interval: Interval;
  /** Candles from before the subscription. */
  readonly past: PastCandles;
  /** The moment shown, on the clock of store events. */
  readonly now: () => number;
}

/** Reads the store at each access: created for one market, one interval and one epoch of the store. */
export function liveMarketData(options: MarketDataOptions) {
  const { store, scales, market, channels, source, interval, past, now } = options;
  const intervalMs = INTERVAL_MS[interval];
  const join = new CandleJoin();
  const markJoin = new Memo<CandleData>();
  const fundings = new Memo<Funding>();
  // Not cached: an audit, or a recording that begins with a state, may replace it.
  const book = () => store.slice("orderbook", channels.orderbook).data;
  const tape = () => store.slice("trades", channels.trades).data;
  // Cached: a frame asks several times, for up to thousands of records.
  const markets = new Memo<OpenRecord | undefined>();
  const figures = new Memo<OpenRecord | undefined>();
  return {
    get scale() {
      return scales.of(formatMarket(market));
    },
    get bbo() {
      return store.slice("bbo", channels.bbo).data.bbo;
    },
    depth: (count: number): LadderLevels => book().depth(count),
    get bookInterpretation() {
      return formatBookInterpretation(book());
    },
    get isBookProven() {
      return isBookProven(store, channels.orderbook, now());
    },
    /** The moment shown, on the clock of store events. */
    get nowMs() {
      return now();
    },
    /** Our clock minus the service's, if known. */
    get skewMs() {
      return store.link?.skewMs;
    },
    /** Records the book from now on. @returns milliseconds until an earlier book is known */
    watchBookBefore: () => book().watchChanges(now()),
    /** The book of a few seconds ago, and the server time of the current one; undefined while they cannot be compared. */
    get bookBefore() {
      const nowMs = now();
      const before = book().before(nowMs);
      const untilNs = book().timestampNs;
      // Without every trade since then, executed size cannot be distinguished from cancelled size.
      const slice = store.slice("trades", channels.trades);
      return before && isCurrent(store.paneState(slice, nowMs))
        ? { book: before, untilNs }
        : undefined;
    },
    /** The newest `count` trades, newest first. */
    trades: (count: number) => tape().recent(count),
    /** Oldest first. */
    get holes() {
      return tape().holes;
    },
    get tape() {
      return tape();
    },
    /** Time of the service, Unix milliseconds; undefined before the first trades. */
    get serverNowMs() {
      return tape().serverMs(now());
    },
    get candles(): CandleData {
      const { candles: last, markCandles } = channels;
      // There is no listing of mark prices.
      if (source === "mark" && markCandles !== undefined) {
        const { data } = store.slice("mark-candles", markCandles);
        return markJoin.get([data], () => getMarkCandles(data, intervalMs));
      }
      return join.of(past, store.slice("candles", last).data, intervalMs);
    },
    /** Candles of the mark price beside those of the last price, oldest first; none if only one of them is shown. */
    get marks(): readonly MarkCandle[] {
      const { markCandles } = channels;
      if (source !== "both" || markCandles === undefined) return [];
      return store.slice("mark-candles", markCandles).data.candles;
    },
    /** The market's record in the list of markets. */
    get market() {
      const { records } = store.slice("markets", channels.markets).data;
      return markets.get([records], () => findMarketRecord(records, market, store.aliases));
    },
    get stats() {
      const listed = listedIn(store);
      const { records } = store.slice("market-stats", channels.marketStats).data;
      return figures.get([records, listed.listed], () => findOwnRecord(records, market, listed));
    },
    /** Of a perpetual market, from its own channel. */
    get funding() {
      const { fundingRates } = channels;
      if (fundingRates === undefined) return undefined;
      const { data } = store.slice("funding-rates", fundingRates);
      const { listed } = listedIn(store);
      return fundings.get([data.rates, listed], () =>
        selectFunding(store.aliases, data, market, listed),
      );
    },
  };
}

/** A copy that later changes do not affect. */
export function freezeMarketData(data: MarketData): MarketData {
  const book = data.depth(Number.POSITIVE_INFINITY);
  const tape = copyState(data.tape);
  return {
    // Spreading reads each getter once, now.
    ...data,
    watchBookBefore: () => 0,
    holes: tape.holes,
    tape,
    depth: (count) => ({ bids: book.bids.slice(0, count), asks: book.asks.slice(0, count) }),
    trades: (count) => tape.recent(count),
  };
}

export interface CandleData {
  /** Oldest first, one for each period. */
  readonly candles: readonly (LastCandle | MarkCandle)[];
  /** Open times of candles whose end was missed. */
  readonly unfinished: ReadonlySet<number>;
  /** Open times of candles rebuilt from trades. */
  readonly rebuilt: ReadonlySet<number>;
  /** Periods that were both rebuilt and received on the stream, and how many of them differ. */
  readonly compared: number;
  readonly differing: number;
  /** Why nothing, or nothing more, could be rebuilt; empty if it could. */
  readonly obstacle: string;
  readonly isFilling: boolean;
  /**
   * Open time of the oldest period since which every period is known, with a candle or known to have none; undefined if
   * only the stream's candles are known.
   */
  readonly fromMs: number | undefined;
  /** Unix milliseconds of the market's first trade, if it is proven to be the first, and without a gap since. */
  readonly beginMs: number | undefined;
  /** Times between two candles of which nothing was received, neither on the stream nor from a listing. */
  readonly gaps: readonly Span[];
}

const MAX_MARKETS = 16;

/** Past candles of each market that has been shown, by name: `perp/1`. */
export class PastCandlesByMarket {
  readonly #markets = new Map<string, PastCandles>();

  forget(market: string): void {
    this.#markets.delete(market);
  }

  /** Does not mark the market as recently used. */
  held(market: string): PastCandles | undefined {
    return this.#markets.get(market);
  }

  /** The same object each time, until it is evicted for other markets. */
  of(market: string): PastCandles {
    const past = this.#markets.get(market) ?? new PastCandles();
    this.#markets.delete(market);
    this.#markets.set(market, past);
    const [oldest] = this.#markets.keys();
    if (this.#markets.size > MAX_MARKETS && oldest !== undefined) this.#markets.delete(oldest);
    return past;
  }
}

const NONE: ReadonlySet<number> = new Set();

function getMarkCandles(
  { candles, unfinished }: CandlesState<MarkCandle>,
  intervalMs: number,
): CandleData {
  const nothing = { rebuilt: NONE, compared: 0, differing: 0, obstacle: "", isFilling: false };
  const gaps = findGaps(candles, intervalMs, (span) => [span]);
  return { candles, unfinished, ...nothing, gaps, fromMs: undefined, beginMs: undefined };
}

/** Times between candles, as far as `lacking` reports them missing. @param candles oldest first */
function findGaps(
  candles: readonly { readonly open_time_ms: number }[],
  intervalMs: number,
  lacking: (span: Span) => readonly Span[],
): readonly Span[] {
  return candles.flatMap(({ open_time_ms: untilMs }, i) => {
    const before = candles[i - 1];
    const fromMs = before === undefined ? untilMs : before.open_time_ms + intervalMs;
    return fromMs < untilMs ? lacking({ fromMs, untilMs }) : [];
  });
}

/** Joins past and stream; cached until one of them changes, and mostly reused while only the newest candle does. */
export class CandleJoin {
  #of: readonly unknown[] = [];
  #stream: CandlesState<LastCandle> | undefined;
  #joined: CandleData | undefined;

  of(past: PastCandles, stream: CandlesState<LastCandle>, intervalMs: number): CandleData {
    const of = [past, past.version, intervalMs];
    const known = areSame(this.#of, of) ? this.#joined : undefined;
    if (known !== undefined && stream === this.#stream) return known;
    const newest = stream.candles.at(-1);
    const isNewestOnly = this.#stream !== undefined && differOnlyInNewest(this.#stream, stream);
    this.#joined =
      isNewestOnly && newest !== undefined && known !== undefined
        ? { ...known, candles: [...known.candles.slice(0, -1), newest] }
        : join(past, stream, intervalMs);
    this.#of = of;
    this.#stream = stream;
    return this.#joined;
  }
}

/** True if only the newest candle, which is forming, has changed. */
function differOnlyInNewest(
  { candles: before, unfinished }: CandlesState<LastCandle>,
  { candles, unfinished: unfinishedNow }: CandlesState<LastCandle>,
): boolean {
  const last = candles.length - 1;
  return (
    before.length === candles.length &&
    unfinished.size + unfinishedNow.size === 0 &&
    before[last]?.open_time_ms === candles[last]?.open_time_ms &&
    candles.every((candle, i) => i === last || candle === before[i])
  );
}

function join(
  past: PastCandles,
  { candles, unfinished }: CandlesState<LastCandle>,
  intervalMs: number,
): CandleData {
  const complete = new Set(
    candles.map(({ open_time_ms }) => open_time_ms).filter((openMs) => !unfinished.has(openMs)),
  );
  // Before the first frame nothing is added: it is unknown which candle is still forming.
  const newest = candles.at(-1)?.open_time_ms ?? Number.NEGATIVE_INFINITY;
  const opens = candles.map(({ open_time_ms }) => open_time_ms);
  // Candles must not overlap: none is rebuilt across one of the service.
  const isAcross = (openMs: number) =>
    opens.some((each) => each !== openMs && Math.abs(each - openMs) < intervalMs);
  const isUneven = opens.some((each) => (newest - each) % intervalMs !== 0);
  const added = past
    .candles(intervalMs, candles.at(-1)?.open_time_ms)
    .filter(({ open_time_ms }) => open_time_ms < newest && !complete.has(open_time_ms))
    .filter(({ open_time_ms }) => !isUneven || !isAcross(open_time_ms));
  const rebuilt = new Set(added.map(({ open_time_ms }) => open_time_ms));
  const received = candles.filter(({ open_time_ms }) => !rebuilt.has(open_time_ms));
  const all = [...added, ...received]
    .sort((a, b) => a.open_time_ms - b.open_time_ms)
    .slice(-MAX_CANDLES_KEPT);
  const { obstacle, isFilling, beginMs } = past;
  const fromMs = knownFrom(past, complete, newest, intervalMs);
  const isFromBegin = fromMs !== undefined && beginMs !== undefined && fromMs <= beginMs;
  return {
    candles: all,
    // A candle that was cut is complete once all of its trades are listed.
    unfinished: new Set([...unfinished].filter((openMs) => !rebuilt.has(openMs))),
    rebuilt,
    obstacle,
    isFilling,
    fromMs,
    beginMs: isFromBegin ? beginMs : undefined,
    gaps: findGaps(all, intervalMs, (span) => past.lacking(span)),
    ...past.comparison(intervalMs),
  };
}

/** Goes back from the newest candle while every period is known. */
function knownFrom(
  past: PastCandles,
  complete: ReadonlySet<number>,
  newestMs: number,
  intervalMs: number,
): number | undefined {
  const oldestMs = newestMs - MAX_CANDLES_KEPT * intervalMs;
  let fromMs = newestMs;
  while (fromMs > oldestMs) {
    const coveredMs = Math.max(oldestMs, past.coveredFrom(fromMs));
    const readMs = fromMs - Math.floor((fromMs - coveredMs) / intervalMs) * intervalMs;
    if (readMs < fromMs) fromMs = readMs;
    else if (complete.has(fromMs - intervalMs)) fromMs -= intervalMs;
    else break;
  }
  return fromMs === newestMs ? undefined : fromMs;
}

/** Titles of copied prices and sizes. */
export function unitTitles(scale: Scale | undefined): readonly string[] {
  return scale === undefined ? ["price_ticks", "size_lots"] : ["price", "size"];
}
