// What the panes of a market read: live from the store, or frozen at one moment.

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
import { areSame, Remembered } from "../../../units/remembered.ts";
import type { Scale } from "../../../units/scale.ts";
import type { Span } from "../../../units/spans.ts";
import type { LastCandle, MarkCandle } from "../../../wire/channels/candles.ts";
import { INTERVAL_MS, type Interval } from "../../../wire/channels.ts";
import type { OpenRecord } from "../../../wire/update.ts";

/** Candles of last prices, of mark prices, or of last prices with the mark's beside them. */
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
  /** Candles of the time before the subscription. */
  readonly past: PastCandles;
  /** The moment that is shown, by the clock of the store's events. */
  readonly now: () => number;
}

/** Reads the store anew at each access: made for one market, one interval and one epoch of the store. */
export function liveMarketData(options: MarketDataOptions) {
  const { store, scales, market, channels, source, interval, past, now } = options;
  const intervalMs = INTERVAL_MS[interval];
  const join = new CandleJoin();
  const markJoin = new Remembered<CandleData>();
  const fundings = new Remembered<Funding>();
  // An audit, or a recording that begins with a state, may put another in its place.
  const book = () => store.slice("orderbook", channels.orderbook).data;
  const tape = () => store.slice("trades", channels.trades).data;
  // A frame asks several times, of up to thousands of records.
  const markets = new Remembered<OpenRecord | undefined>();
  const figures = new Remembered<OpenRecord | undefined>();
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
    /** The moment that is shown, by the clock of the store's events. */
    get nowMs() {
      return now();
    },
    /** Our clock less the service's, where that is known. */
    get skewMs() {
      return store.link?.skewMs;
    },
    /** Records it from now on. @returns milliseconds until it is known */
    watchBookBefore: () => book().watchChanges(now()),
    /** The book of a few seconds ago, and server time of that of now; undefined while they cannot be compared. */
    get bookBefore() {
      const nowMs = now();
      const before = book().before(nowMs);
      const untilNs = book().timestampNs;
      // Without every trade of that time, what traded cannot be distinguished from what was taken away.
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
    /** Candles of the mark price beside those of the last: oldest first; none where only one of them is shown. */
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
    /** Of a perpetual market, by its own channel. */
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
  const trades = data.trades(Number.POSITIVE_INFINITY);
  return {
    // Each getter is read once, now.
    ...data,
    watchBookBefore: () => 0,
    holes: [...data.holes],
    tape: copyState(data.tape),
    depth: (count) => ({ bids: book.bids.slice(0, count), asks: book.asks.slice(0, count) }),
    trades: (count) => trades.slice(0, count),
  };
}

export interface CandleData {
  /** Oldest first, one for each period. */
  readonly candles: readonly (LastCandle | MarkCandle)[];
  /** Open times of those whose end was missed. */
  readonly unfinished: ReadonlySet<number>;
  /** Open times of those that are rebuilt from trades. */
  readonly rebuilt: ReadonlySet<number>;
  /** Periods that were rebuilt and received on the stream, too, and how many of them differ. */
  readonly compared: number;
  readonly differing: number;
  /** Why nothing, or nothing more, could be rebuilt; empty when it could. */
  readonly obstacle: string;
  readonly isFilling: boolean;
  /**
   * Open time of the oldest period from which on every period is known, with a candle or known to have none; undefined
   * where nothing but what the stream has is known.
   */
  readonly fromMs: number | undefined;
  /** Unix milliseconds of the market's first trade, where there is proof that it is the first, and no gap since. */
  readonly beginMs: number | undefined;
  /** Times between two candles of which nothing was received and nothing listed is known. */
  readonly gaps: readonly Span[];
}

const MAX_MARKETS = 16;

/** The past candles of each market that has been shown, by name: `perp/1`. */
export class PastCandlesByMarket {
  readonly #markets = new Map<string, PastCandles>();

  forget(market: string): void {
    this.#markets.delete(market);
  }

  /** Does not count as a use of the market. */
  held(market: string): PastCandles | undefined {
    return this.#markets.get(market);
  }

  /** The same object each time, until it is dropped for others. */
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

/** The times between candles, as far as they are lacking. @param candles oldest first */
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

/** Joins past and stream; cached until one of them changes, and most of it while only the newest candle does. */
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

/** True when the newest candle, which is forming, is all that has changed. */
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
  // Before the first frame it is not known which of them is still forming.
  const newest = candles.at(-1)?.open_time_ms ?? Number.NEGATIVE_INFINITY;
  const opens = candles.map(({ open_time_ms }) => open_time_ms);
  // A time stands in one candle: none is rebuilt that lies across one of the service.
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
    // A candle that was cut is complete again when all of its trades are listed.
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

/** Goes back from the newest candle for as long as every period is known. */
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

/** What stands over prices and sizes that are copied. */
export function unitTitles(scale: Scale | undefined): readonly string[] {
  return scale === undefined ? ["price_ticks", "size_lots"] : ["price", "size"];
}
