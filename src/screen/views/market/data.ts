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
import { formatBookInterpretation } from "../../../select/orderbook.ts";
import type { PastBook } from "../../../state/book-window.ts";
import { type CandlesState, MAX_CANDLES_KEPT } from "../../../state/candles.ts";
import { copyState } from "../../../state/copy-state.ts";
import { isBookProven } from "../../../state/heatmap.ts";
import { isCurrent } from "../../../state/pane-state.ts";
import { PastCandles } from "../../../state/rebuilt-candles.ts";
import type { MarketScale, Scales } from "../../../state/scales.ts";
import type { Store } from "../../../state/store.ts";
import type { TapeHole, TradesState } from "../../../state/trades.ts";
import { Remembered } from "../../../units/remembered.ts";
import type { Scale } from "../../../units/scale.ts";
import type { Span } from "../../../units/spans.ts";
import type { Bbo } from "../../../wire/channels/bbo.ts";
import type { LastCandle, MarkCandle } from "../../../wire/channels/candles.ts";
import type { PriceLevel } from "../../../wire/channels/orderbook.ts";
import type { Trade } from "../../../wire/channels/trades.ts";
import { INTERVAL_MS, type Interval } from "../../../wire/channels.ts";
import type { OpenRecord } from "../../../wire/update.ts";

/** Candles of last prices, of mark prices, or of last prices with the mark's beside them. */
export const CANDLE_SOURCES = ["last", "mark", "both"] as const;
/** Whose candles are shown. */
export type CandleSource = (typeof CANDLE_SOURCES)[number];

export interface MarketData {
  /** What a tick and a lot are worth. */
  readonly scale: MarketScale;
  readonly bbo: Bbo | undefined;
  /** The best `count` levels of each side, best first. */
  depth(count: number): {
    readonly bids: readonly PriceLevel[];
    readonly asks: readonly PriceLevel[];
  };
  /** As `formatBookInterpretation` says it. */
  readonly bookInterpretation: string;
  /** True where the book is what the service has at this moment, as far as anybody can know. */
  readonly isBookProven: boolean;
  /** Of what moment all this is, by the clock of the store's events; and our clock less the service's, where that is known. */
  readonly nowMs: number;
  readonly skewMs: number | undefined;
  /** The book of a few seconds ago, and server time of that of now; undefined while they cannot be compared. */
  readonly bookBefore: { readonly book: PastBook; readonly untilNs: string } | undefined;
  /** Somebody looks at it: it is kept from now on. Answers milliseconds until it is known. */
  watchBookBefore(): number;
  /** The newest `count` trades, newest first. */
  trades(count: number): readonly Trade[];
  /** Oldest first. */
  readonly holes: readonly TapeHole[];
  /** With the order flow of all trades that were ever accepted. */
  readonly tape: TradesState;
  /** Time of the service, Unix milliseconds; undefined before the first trades. */
  readonly serverNowMs: number | undefined;
  readonly candles: CandleData;
  /** Candles of the mark price beside those of the last: oldest first; none where only one of them is shown. */
  readonly marks: readonly MarkCandle[];
  /** The market's record in the list of markets, and its figures. */
  readonly market: OpenRecord | undefined;
  readonly stats: OpenRecord | undefined;
  /** Of a perpetual market, by its own channel. */
  readonly funding: Funding | undefined;
}

/** Of which market, candles and store the data are. */
export interface MarketDataOptions {
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
export function liveMarketData(options: MarketDataOptions): MarketData {
  const { store, scales, market, channels, source, interval, past, now } = options;
  const join = new CandleJoin();
  const markJoin = new Remembered<CandleData>();
  const fundings = new Remembered<Funding>();
  // An audit may put another in its place.
  const book = () => store.slice("orderbook", channels.orderbook).data;
  const tape = store.slice("trades", channels.trades).data;
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
    depth: (count) => book().depth(count),
    get bookInterpretation() {
      return formatBookInterpretation(book());
    },
    get isBookProven() {
      return isBookProven(store, channels.orderbook, now());
    },
    get nowMs() {
      return now();
    },
    get skewMs() {
      return store.link?.skewMs;
    },
    watchBookBefore: () => book().watchChanges(now()),
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
    trades: (count) => tape.recent(count),
    get holes() {
      return tape.holes;
    },
    tape,
    get serverNowMs() {
      return tape.serverMs(now());
    },
    get candles() {
      const { candles: last, markCandles } = channels;
      // There is no listing of mark prices.
      if (source === "mark" && markCandles !== undefined) {
        const { data } = store.slice("mark-candles", markCandles);
        return markJoin.get([data], () => getMarkCandles(data, INTERVAL_MS[interval]));
      }
      return join.of(past, store.slice("candles", last).data, INTERVAL_MS[interval]);
    },
    get marks() {
      const { markCandles } = channels;
      if (source !== "both" || markCandles === undefined) return [];
      return store.slice("mark-candles", markCandles).data.candles;
    },
    get market() {
      const { records } = store.slice("markets", channels.markets).data;
      return markets.get([records], () => findMarketRecord(records, market, store.aliases));
    },
    get stats() {
      const listed = listedIn(store);
      const { records } = store.slice("market-stats", channels.marketStats).data;
      return figures.get([records, listed.listed], () => findOwnRecord(records, market, listed));
    },
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

/** The same data as it is now, whatever comes later. */
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

/** Candles as the chart shows them. */
export interface CandleData {
  /** Oldest first, one for each period. */
  readonly candles: readonly (LastCandle | MarkCandle)[];
  /** Open times of those whose end was missed. */
  readonly unfinished: ReadonlySet<number>;
  /** Open times of those that are rebuilt from trades. */
  readonly rebuilt: ReadonlySet<number>;
  /** Periods that were rebuilt and came on the stream, too, and how many of them differ. */
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

/** Markets whose past candles are kept. */
const MAX_MARKETS = 16;

/** The past candles of each market that has been shown, by name: `perp/1`. */
export class PastCandlesByMarket {
  readonly #markets = new Map<string, PastCandles>();
  /** The one that was asked for last, which is asked for many times a frame. */
  #last: { readonly market: string; readonly past: PastCandles } | undefined;

  forget(market: string): void {
    this.#markets.delete(market);
    this.#last = undefined;
  }

  /** What is held of a market; nothing is released for it. */
  held(market: string): PastCandles | undefined {
    return this.#markets.get(market);
  }

  /** The same object each time, until it is released for others. */
  of(market: string): PastCandles {
    if (market === this.#last?.market) return this.#last.past;
    const past = this.#markets.get(market) ?? new PastCandles();
    this.#markets.delete(market);
    this.#markets.set(market, past);
    const [oldest] = this.#markets.keys();
    if (this.#markets.size > MAX_MARKETS && oldest !== undefined) this.#markets.delete(oldest);
    this.#last = { market, past };
    return past;
  }
}

const NONE: ReadonlySet<number> = new Set();

/** Candles of which nothing is rebuilt. */
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

/** Joins past and stream; remembers its answer until one of them changes, and most of it while only the newest does. */
export class CandleJoin {
  #past: PastCandles | undefined;
  #version = -1;
  #stream: CandlesState<LastCandle> | undefined;
  #intervalMs = 0;
  #joined: CandleData | undefined;

  of(past: PastCandles, stream: CandlesState<LastCandle>, intervalMs: number): CandleData {
    const isSamePast =
      past === this.#past && past.version === this.#version && intervalMs === this.#intervalMs;
    if (isSamePast && stream === this.#stream && this.#joined !== undefined) return this.#joined;
    const newest = stream.candles.at(-1);
    const isNewestOnly =
      isSamePast &&
      newest !== undefined &&
      this.#stream &&
      differOnlyInNewest(this.#stream, stream);
    this.#joined =
      isNewestOnly && this.#joined !== undefined
        ? { ...this.#joined, candles: [...this.#joined.candles.slice(0, -1), newest] }
        : join(past, stream, intervalMs);
    this.#past = past;
    this.#version = past.version;
    this.#stream = stream;
    this.#intervalMs = intervalMs;
    return this.#joined;
  }
}

/** True when the newest candle, which is forming, is all that has changed. */
function differOnlyInNewest(
  before: CandlesState<LastCandle>,
  now: CandlesState<LastCandle>,
): boolean {
  const last = now.candles.length - 1;
  return (
    before.candles.length === now.candles.length &&
    before.unfinished.size + now.unfinished.size === 0 &&
    before.candles[last]?.open_time_ms === now.candles[last]?.open_time_ms &&
    now.candles.every((candle, i) => i === last || candle === before.candles[i])
  );
}

function join(
  past: PastCandles,
  { candles, unfinished }: CandlesState<LastCandle>,
  intervalMs: number,
): CandleData {
  const whole = new Set(
    candles.map(({ open_time_ms }) => open_time_ms).filter((openMs) => !unfinished.has(openMs)),
  );
  // Until the stream has spoken, nothing says which of them is still forming.
  const newest = candles.at(-1)?.open_time_ms ?? Number.NEGATIVE_INFINITY;
  const opens = candles.map(({ open_time_ms }) => open_time_ms);
  // A time stands in one candle: none is rebuilt that lies across one of the service.
  const isAcross = (openMs: number) =>
    opens.some((each) => each !== openMs && Math.abs(each - openMs) < intervalMs);
  const isUneven = opens.some((each) => (newest - each) % intervalMs !== 0);
  const added = past
    .candles(intervalMs, candles.at(-1)?.open_time_ms)
    .filter(({ open_time_ms }) => open_time_ms < newest && !whole.has(open_time_ms))
    .filter(({ open_time_ms }) => !isUneven || !isAcross(open_time_ms));
  const rebuilt = new Set(added.map(({ open_time_ms }) => open_time_ms));
  const kept = candles.filter(({ open_time_ms }) => !rebuilt.has(open_time_ms));
  const all = [...added, ...kept]
    .sort((a, b) => a.open_time_ms - b.open_time_ms)
    .slice(-MAX_CANDLES_KEPT);
  const { obstacle, isFilling, beginMs } = past;
  const fromMs = knownFrom(past, whole, newest, intervalMs);
  const isFromBegin = fromMs !== undefined && beginMs !== undefined && fromMs <= beginMs;
  return {
    candles: all,
    // A candle that was cut is whole again when all of its trades are listed.
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
  whole: ReadonlySet<number>,
  newestMs: number,
  intervalMs: number,
): number | undefined {
  const oldestMs = newestMs - MAX_CANDLES_KEPT * intervalMs;
  let fromMs = newestMs;
  while (fromMs > oldestMs) {
    const coveredMs = Math.max(oldestMs, past.coveredFrom(fromMs));
    const readMs = fromMs - Math.floor((fromMs - coveredMs) / intervalMs) * intervalMs;
    if (readMs < fromMs) fromMs = readMs;
    else if (whole.has(fromMs - intervalMs)) fromMs -= intervalMs;
    else break;
  }
  return fromMs === newestMs ? undefined : fromMs;
}

/** What stands over prices and sizes that are copied. */
export function unitTitles(scale: Scale | undefined): readonly string[] {
  return scale === undefined ? ["price_ticks", "size_lots"] : ["price", "size"];
}
