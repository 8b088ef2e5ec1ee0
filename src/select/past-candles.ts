// The stream's candles with those before them, rebuilt from trades. What the stream tells always counts.

import { type CandlesState, MAX_CANDLES_KEPT } from "../state/candles.ts";
import { PastCandles } from "../state/rebuilt-candles.ts";
import type { LastCandle } from "../wire/channels/candles.ts";
import type { MarkCandle } from "../wire/channels/mark-candles.ts";

/** Candles as the chart shows them. */
export interface CandleData {
  /** Oldest first, one for each period. */
  readonly candles: readonly (LastCandle | MarkCandle)[];
  /** Open times of those whose end was missed. */
  readonly unfinished: ReadonlySet<number>;
  /** Open times of those that are rebuilt from trades. */
  readonly rebuilt: ReadonlySet<number>;
  /** Periods that were rebuilt and are told by the stream, too, and how many of them differ. */
  readonly compared: number;
  readonly differing: number;
  /** Why nothing, or nothing more, could be rebuilt; empty when it could. */
  readonly obstacle: string;
  /** True while older candles are being read. */
  readonly isFilling: boolean;
  /**
   * Open time of the oldest period from which on every period is known, with a candle or known to have none; undefined
   * where nothing but what the stream has is known.
   */
  readonly fromMs: number | undefined;
}

/** Markets whose past candles are kept. */
const MAX_MARKETS = 8;

/** The past candles of each market that has been shown, by name: `perp/1`. Never throws. */
export class PastCandlesByMarket {
  readonly #markets = new Map<string, PastCandles>();
  /** The one that was asked for last, which is asked for many times a frame. */
  #last: { readonly market: string; readonly past: PastCandles } | undefined;

  /** What was rebuilt is of another market. */
  forget(market: string): void {
    this.#markets.delete(market);
    this.#last = undefined;
  }

  /** The same object each time, until it is let go for others. */
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

/** Candles of which nothing is rebuilt. Never throws. */
export function streamCandles({
  candles,
  unfinished,
}: CandlesState<LastCandle | MarkCandle>): CandleData {
  const nothing = { rebuilt: NONE, compared: 0, differing: 0, obstacle: "" };
  return { candles, unfinished, ...nothing, isFilling: false, fromMs: undefined };
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
  const added = past
    .candles(intervalMs)
    .filter(({ open_time_ms }) => open_time_ms < newest && !whole.has(open_time_ms));
  const rebuilt = new Set(added.map(({ open_time_ms }) => open_time_ms));
  const kept = candles.filter(({ open_time_ms }) => !rebuilt.has(open_time_ms));
  const all = [...added, ...kept]
    .sort((a, b) => a.open_time_ms - b.open_time_ms)
    .slice(-MAX_CANDLES_KEPT);
  const { obstacle, isFilling } = past;
  return {
    candles: all,
    // A candle that was cut is whole again when all of its trades are listed.
    unfinished: new Set([...unfinished].filter((openMs) => !rebuilt.has(openMs))),
    rebuilt,
    obstacle,
    isFilling,
    fromMs: knownFrom(past, whole, newest, intervalMs),
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
