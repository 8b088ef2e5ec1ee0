// How a client folds what it gets, written as simply as can be and without the program's own code: an
// order book kept as two maps, and an account's lists merged by the keys of their rows.
import type { Orderbook } from "../../src/wire/frames.ts";

/** Decimal text as a whole number of millionths: an oracle of its own, apart from src/units. */
export function millionths(text: string): bigint {
  const sign = text.startsWith("-") ? -1n : 1n;
  const [whole = "", fraction = ""] = text.replace("-", "").split(".");
  return sign * BigInt(whole + fraction.padEnd(6, "0"));
}

type Sizes = Map<string, string>;

export class FoldedBook {
  readonly #bids: Sizes = new Map();
  readonly #asks: Sizes = new Map();

  /** Sets the sizes of these levels; size 0 removes one. */
  fold({ bids, asks }: Orderbook): void {
    foldSide(this.#bids, bids);
    foldSide(this.#asks, asks);
  }

  replace(orderbook: Orderbook): void {
    this.#bids.clear();
    this.#asks.clear();
    this.fold(orderbook);
  }

  /** All levels, best first. */
  whole(): Orderbook {
    return { bids: sorted(this.#bids, -1n), asks: sorted(this.#asks, 1n) };
  }

  isCrossed(): boolean {
    const { bids, asks } = this.whole();
    if (bids[0] === undefined || asks[0] === undefined) return false;
    return BigInt(bids[0].price_ticks) >= BigInt(asks[0].price_ticks);
  }
}

function foldSide(side: Sizes, levels: Orderbook["bids"]): void {
  for (const { price_ticks, size_base_lots } of levels) {
    if (size_base_lots === "0") side.delete(price_ticks);
    else side.set(price_ticks, size_base_lots);
  }
}

function sorted(side: Sizes, sign: bigint): Orderbook["bids"] {
  return [...side]
    .map(([price_ticks, size_base_lots]) => ({ price_ticks, size_base_lots }))
    .sort((a, b) => Number(sign * (BigInt(a.price_ticks) - BigInt(b.price_ticks))));
}

// biome-ignore lint/suspicious/noExplicitAny: rows of lists whose fields the interface does not show
type Row = Readonly<Record<string, any>>;

/** Keys of the lists of an account, and which rows have left it. */
const LISTS: Readonly<
  Record<string, { key: (row: Row) => string; isGone?: (row: Row) => boolean }>
> = {
  balances: { key: ({ asset }) => asset },
  positions: {
    key: ({ market_id }) => `${market_id}`,
    isGone: (row) => row.size_base_lots === "0",
  },
  leverages: { key: ({ market_id }) => `${market_id}` },
  orders: {
    key: ({ order_id }) => order_id,
    isGone: ({ status }) => status !== "open" && status !== "partially_filled",
  },
};

/** Folds account frames: lists by key, sorted by it, and the summary. Times of change are left out. */
export function mergeRows(frames: readonly Row[]): Record<string, Row[]> {
  const lists = Object.entries(LISTS).map(([list, { key, isGone = () => false }]) => {
    const rows = new Map<string, Row>();
    for (const row of frames.flatMap((frame): Row[] => frame[list] ?? [])) {
      if (isGone(row)) rows.delete(key(row));
      else rows.set(key(row), timeless(row));
    }
    return [list, [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)];
  });
  const summary = frames.findLast((frame) => frame.account !== undefined)?.account ?? {};
  return { ...Object.fromEntries(lists), account: [timeless(summary)] };
}

function timeless({ updated_at_ns, ...rest }: Row): Row {
  return rest;
}
