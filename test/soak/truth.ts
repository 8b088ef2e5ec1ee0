// The exchange's own ledger, moment by moment, beside what the program prints of a market and an account. It sees bytes only.
import type { Ledger } from "../simulator/ledger.ts";

export const PANES = ["bbo", "orderbook", "trades", "candles", "account"] as const;
export type Pane = (typeof PANES)[number];

/** What `monitor perp/1 --json` prints, as far as it is looked at. */
export interface PrintedMarket {
  readonly bbo: unknown;
  readonly orderbook: { readonly bids: unknown; readonly asks: unknown } | null;
  readonly trades: readonly { readonly timestamp_ns: string }[];
  readonly candles: {
    readonly items: readonly { readonly open_time_ms: number }[];
    readonly unfinished: readonly number[];
  };
  readonly panes: Readonly<Record<Exclude<Pane, "account">, { readonly state: string }>> & {
    readonly trades: {
      readonly holes: readonly { readonly after_ns: string; readonly until_ns: string }[];
    };
  };
}

type Row = Readonly<Record<string, string | number | null>>;

/** What `monitor account … --json` prints, as far as it is looked at. */
export interface PrintedAccount {
  readonly positions: readonly Row[] | null;
  readonly balances: readonly Row[] | null;
  readonly fills: readonly Row[] | null;
}

export interface Printed {
  readonly market: PrintedMarket;
  readonly account: PrintedAccount;
  /** Places of positions that are marked: they may be over. */
  readonly inQuestion: readonly number[];
}

/** The ledger at one moment. */
interface Moment {
  readonly bbo: string;
  readonly book: string;
  /** Counts of trades and of the account's fills so far. */
  readonly trades: number;
  readonly fills: number;
  /** The forming candle. */
  readonly candle: string;
  readonly openTimeMs: number | undefined;
  readonly money: string;
  readonly positions: readonly string[];
}

const MARKET = ["perp", 1] as const;
const SUBACCOUNT = 0;
/** Fills of a first frame: at least so many of the newest stand without a hole. */
const BACKLOG = 50;

export class Truth {
  readonly #ledger: Ledger;
  readonly #maxMoments: number;
  /** Newest first. */
  #moments: readonly Moment[] = [];
  /** Every trade of the market as JSON, and every fill's id, oldest first. */
  readonly #trades: string[] = [];
  readonly #fills: string[] = [];
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
    const ledger = this.#ledger;
    const [last] = this.#moments;
    if (last !== undefined && ledger.lastIndex === this.#lastIndex) return last;
    for (const { trade } of ledger.trades(...MARKET, this.#lastIndex)) {
      const text = JSON.stringify(trade);
      this.#places.set(text, [...(this.#places.get(text) ?? []), this.#trades.length]);
      this.#trades.push(text);
    }
    for (const { record } of ledger.fills(SUBACCOUNT, this.#lastIndex)) {
      this.#fills.push(record.trade_id);
    }
    this.#lastIndex = ledger.lastIndex;
    const { bids, asks } = ledger.book(...MARKET);
    const candle = ledger.candles(...MARKET, "1m").at(-1);
    const { quoteAtoms, positions } = ledger.account(SUBACCOUNT);
    return {
      bbo: JSON.stringify({ bid: bids[0] ?? null, ask: asks[0] ?? null }),
      book: JSON.stringify([bids, asks]),
      trades: this.#trades.length,
      fills: this.#fills.length,
      candle: JSON.stringify(candle),
      openTimeMs: candle?.open_time_ms,
      money: `${quoteAtoms}`,
      positions: positions.map(
        ({ marketId, lots, realisedAtoms, feesAtoms }) =>
          `${marketId} ${lots} ${realisedAtoms} ${feesAtoms}`,
      ),
    };
  }

  /**
   * In what each pane differs from the ledger; a pane that does not is left out.
   * @param isExact as it is now; else also as it was within the moments that are remembered
   */
  differences(printed: Printed, isExact: boolean): ReadonlyMap<Pane, string> {
    const moments = isExact ? this.#moments.slice(0, 1) : this.#moments;
    const { market } = printed;
    const tape = market.trades.map((trade) => JSON.stringify(trade));
    const bbo = JSON.stringify(market.bbo);
    const book = JSON.stringify([market.orderbook?.bids, market.orderbook?.asks]);
    const differenceOf: Readonly<Record<Pane, (moment: Moment) => string | undefined>> = {
      bbo: (moment) => unequal(bbo, moment.bbo),
      orderbook: (moment) => unequal(book, moment.book),
      trades: (moment) => this.#tradesDiffer(market, tape, moment.trades),
      candles: (moment) => this.#candlesDiffer(market, moment),
      account: (moment) => this.#accountDiffers(printed, moment),
    };
    return new Map(
      PANES.flatMap((pane) => {
        const found = moments.map(differenceOf[pane]);
        return found.includes(undefined) ? [] : [[pane, found[0] ?? ""] as const];
      }),
    );
  }

  /** Between holes nothing is missing, nothing comes twice, and the newest is the newest. */
  #tradesDiffer(
    { trades, panes }: PrintedMarket,
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
    { candles: { items, unfinished } }: PrintedMarket,
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

  /** Money and positions are the ledger's, and of the newest fills none is missing or comes twice. */
  #accountDiffers({ account, inQuestion }: Printed, moment: Moment): string | undefined {
    const positions = (account.positions ?? [])
      .map(({ market_id, side, size_base_lots, realized_pnl, fees_paid }) => {
        const lots = `${side === "short" ? "-" : ""}${size_base_lots}`;
        return `${market_id} ${lots} ${atoms(realized_pnl)} ${atoms(fees_paid)}`;
      })
      .filter((text, place) => !inQuestion.includes(place) || moment.positions.includes(text));
    const fills = (account.fills ?? []).map(({ trade_id }) => `${trade_id}`).reverse();
    const truth = this.#fills.slice(0, moment.fills).slice(-BACKLOG);
    return (
      unequal(positions.sort().join("; "), [...moment.positions].sort().join("; ")) ??
      unequal(atoms(account.balances?.[0]?.total), moment.money) ??
      unequal(fills.slice(-truth.length).join(" "), truth.join(" "))
    );
  }
}

/** Millionths of the quote currency. */
function atoms(text: string | number | null | undefined): string {
  const [, sign = "", whole = "", fraction = ""] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(`${text}`) ?? [];
  return `${BigInt(`${sign}${whole}${fraction.padEnd(6, "0")}`)}`;
}

function unequal(shown = "nothing", truth = "nothing"): string | undefined {
  if (shown === truth) return undefined;
  let at = 0;
  while (shown[at] === truth[at]) at++;
  const from = Math.max(0, at - 30);
  return `shown …${shown.slice(from, at + 60)}, in the ledger …${truth.slice(from, at + 60)}`;
}
