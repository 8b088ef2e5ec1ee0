// The rows of a tape, newest first: trades of one taker at one time stand as one row; holes stand where trades are missing.

interface Trade {
  readonly timestamp_ns: string;
  readonly price_ticks: string;
  readonly size_base_lots: string;
  readonly taker_is_bid: boolean;
}

interface Hole {
  readonly after_ns: string;
  readonly until_ns: string;
  readonly healed: boolean;
  /** Index of the first trade after it. */
  readonly at: number;
}

export type TapeRow =
  | {
      readonly kind: "trade";
      readonly timestampNs: string;
      /** Of the last trade of a sweep: where it ended. */
      readonly priceTicks: string;
      readonly lots: bigint;
      readonly isBought: boolean;
      readonly trades: number;
      /** Of the oldest trade, in the tape. */
      readonly index: number;
    }
  | { readonly kind: "hole"; readonly afterNs: string; readonly untilNs: string };

/**
 * @param trades oldest first
 * @param skip rows to pass over at the top, for scrolling
 */
export function selectTape(
  { trades, holes }: { readonly trades: readonly Trade[]; readonly holes: readonly Hole[] },
  maxRows: number,
  skip = 0,
): readonly TapeRow[] {
  const rows: TapeRow[] = [];
  const open = new Map(holes.filter(({ healed }) => !healed).map((hole) => [hole.at, hole]));
  const most = maxRows + skip;
  for (let end = trades.length; end >= 0 && rows.length < most; ) {
    const hole = open.get(end);
    if (hole !== undefined)
      rows.push({ kind: "hole", afterNs: hole.after_ns, untilNs: hole.until_ns });
    const last = trades[end - 1];
    if (last === undefined) break;
    let begin = end - 1;
    let lots = BigInt(last.size_base_lots);
    while (begin > 0 && !open.has(begin) && isSameTaker(trades[begin - 1], last)) {
      begin--;
      lots += BigInt(trades[begin]?.size_base_lots ?? 0);
    }
    rows.push({
      kind: "trade",
      timestampNs: last.timestamp_ns,
      priceTicks: last.price_ticks,
      lots,
      isBought: last.taker_is_bid,
      trades: end - begin,
      index: begin,
    });
    end = begin;
  }
  return rows.slice(skip, most);
}

function isSameTaker(a: Trade | undefined, b: Trade): boolean {
  return a?.timestamp_ns === b.timestamp_ns && a.taker_is_bid === b.taker_is_bid;
}
