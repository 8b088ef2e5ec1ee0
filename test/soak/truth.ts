// The checker of the soak: compares what the program prints with the exchange's own ledger. It sees bytes only.
import type { Ledger } from "../simulator/ledger.ts";

export const PANES = ["bbo", "orderbook", "trades", "candles"] as const;
export type Pane = (typeof PANES)[number];

/** What `monitor perp/1 --json` prints, as far as it is looked at. */
export interface Printed {
  readonly bbo: unknown;
  readonly orderbook: { readonly bids: unknown; readonly asks: unknown } | null;
  readonly trades: readonly { readonly timestamp_ns: string }[];
  readonly candles: {
    readonly items: readonly { readonly open_time_ms: number }[];
    readonly unfinished: readonly number[];
  };
  readonly panes: Readonly<Record<Pane, { readonly state: string }>> & {
    readonly trades: {
      readonly holes: readonly { readonly after_ns: string; readonly until_ns: string }[];
    };
  };
}

/** The ledger at one moment. */
interface Moment {
  readonly bbo: string;
  readonly book: string;
  /** Count of trades so far. */
  readonly trades: number;
  /** The forming candle. */
  readonly candle: string;
  readonly openTimeMs: number | undefined;
}

const MARKET = ["perp", 1] as const;

export class Truth {
  readonly #ledger: Ledger;
  readonly #maxMoments: number;
  /** Newest first. */
  #moments: readonly Moment[] = [];
  /** Every trade of the market, oldest first, as JSON. */
  readonly #trades: string[] = [];
  readonly #places = new Map<string, number[]>();
  #lastIndex = -1;

  /** @param maxMoments moments that are remembered: as many as something shown may be behind */
  constructor(ledger: Ledger, maxMoments: number) {
    this.#ledger = ledger;
    this.#maxMoments = maxMoments;
  }

  /** Remembers the ledger as it is now. */
  note(): void {
    this.#moments = [this.#newestMoment(), ...this.#moments.slice(0, this.#maxMoments - 1)];
  }

  #newestMoment(): Moment {
    const [last] = this.#moments;
    if (last !== undefined && this.#ledger.lastIndex === this.#lastIndex) return last;
    for (const { trade } of this.#ledger.trades(...MARKET, this.#lastIndex)) {
      const text = JSON.stringify(trade);
      this.#places.set(text, [...(this.#places.get(text) ?? []), this.#trades.length]);
      this.#trades.push(text);
    }
    this.#lastIndex = this.#ledger.lastIndex;
    const { bids, asks } = this.#ledger.book(...MARKET);
    const candle = this.#ledger.candles(...MARKET, "1m").at(-1);
    return {
      bbo: JSON.stringify({ bid: bids[0] ?? null, ask: asks[0] ?? null }),
      book: JSON.stringify([bids, asks]),
      trades: this.#trades.length,
      candle: JSON.stringify(candle),
      openTimeMs: candle?.open_time_ms,
    };
  }

  /**
   * In what each pane differs from the ledger; a pane that does not is left out.
   * @param isExact as it is now; else also as it was within the moments that are remembered
   */
  differences(printed: Printed, isExact: boolean): ReadonlyMap<Pane, string> {
    const moments = isExact ? this.#moments.slice(0, 1) : this.#moments;
    const found = new Map<Pane, string>();
    const note = (pane: Pane, difference: (moment: Moment) => string | undefined) => {
      const [newest] = moments;
      if (newest === undefined || moments.some((moment) => difference(moment) === undefined))
        return;
      found.set(pane, difference(newest) ?? "");
    };
    const tape = printed.trades.map((trade) => JSON.stringify(trade));
    const bbo = JSON.stringify(printed.bbo);
    const book = JSON.stringify([printed.orderbook?.bids, printed.orderbook?.asks]);
    note("bbo", (moment) => unequal(bbo, moment.bbo));
    note("orderbook", (moment) => unequal(book, moment.book));
    note("trades", (moment) => this.#tradesDiffer(printed, tape, moment.trades));
    note("candles", (moment) => this.#candlesDiffer(printed, moment));
    return found;
  }

  /** Between holes nothing is missing, nothing comes twice, and the newest is the newest. */
  #tradesDiffer(
    { trades, panes }: Printed,
    tape: readonly string[],
    count: number,
  ): string | undefined {
    // A hole ends before the first trade of its time; others of the same time follow it.
    const begins = (i: number) => {
      const [newer, older] = [trades[i], trades[i + 1]].map((trade) =>
        BigInt(trade?.timestamp_ns ?? "0"),
      );
      if (newer === undefined || older === undefined || newer === older) return false;
      return panes.trades.holes.some(
        ({ after_ns, until_ns }) => BigInt(after_ns) >= older && BigInt(until_ns) <= newer,
      );
    };
    let at = count;
    for (const [i, text] of tape.entries()) {
      at = i > 0 && begins(i - 1) ? this.#lastPlaceBefore(text, at) : at - 1;
      if (this.#trades[at] !== text) {
        return `trade ${i} of ${trades.length} is ${text}, in the ledger ${this.#trades[at]}`;
      }
    }
    return undefined;
  }

  #lastPlaceBefore(text: string, end: number): number {
    return this.#places.get(text)?.findLast((place) => place < end) ?? -1;
  }

  /** Every candle that is not marked as unfinished is the ledger's, and the newest is the newest. */
  #candlesDiffer(
    { candles: { items, unfinished } }: Printed,
    { candle, openTimeMs }: Moment,
  ): string | undefined {
    const truth = new Map(
      this.#ledger.candles(...MARKET, "1m").map((each) => [each.open_time_ms, each]),
    );
    for (const item of items) {
      const { open_time_ms } = item;
      if (unfinished.includes(open_time_ms)) continue;
      const wanted = open_time_ms === openTimeMs ? candle : JSON.stringify(truth.get(open_time_ms));
      const difference = unequal(JSON.stringify(item), wanted);
      if (difference !== undefined) return difference;
    }
    return unequal(String(items.at(-1)?.open_time_ms), String(openTimeMs));
  }
}

function unequal(shown = "nothing", truth = "nothing"): string | undefined {
  if (shown === truth) return undefined;
  let at = 0;
  while (shown[at] === truth[at]) at++;
  const from = Math.max(0, at - 30);
  return `shown …${shown.slice(from, at + 60)}, in the ledger …${truth.slice(from, at + 60)}`;
}
