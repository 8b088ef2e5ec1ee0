// How the user wants the order book: its grouping in each market, and what stands behind its numbers. Persisted between runs.
import { GROUPINGS } from "../../../select/orderbook.ts";

/** What the bars and tints of the book are as long as. */
export const BOOK_DEPTHS = ["total", "size"] as const;
export type BookDepthKind = (typeof BOOK_DEPTHS)[number];

/** What the user has chosen in the book. */
export interface BookChoices {
  /** Width of a step in ticks, by market: `perp/1`. Markets that are not among them have the usual one. */
  readonly groupings: Readonly<Record<string, bigint>>;
  readonly depth: BookDepthKind;
}

export const DEFAULT_BOOK: BookChoices = { groupings: {}, depth: "total" };

/** Markets whose grouping is remembered. */
const MAX_MARKETS = 200;

/** The same with this grouping in a market; of too many markets, those that were grouped first are forgotten. */
export function groupBook(book: BookChoices, market: string, grouping: bigint): BookChoices {
  const { [market]: _, ...others } = book.groupings;
  const kept = Object.entries(others).slice(-(MAX_MARKETS - 1));
  return { ...book, groupings: { ...Object.fromEntries(kept), [market]: grouping } };
}

/** As JSON can have it. */
export function writeBookChoices({ groupings, depth }: BookChoices): unknown {
  const texts = Object.entries(groupings).map(([market, ticks]) => [market, `${ticks}`]);
  return { groupings: Object.fromEntries(texts), depth };
}

/** Reads what an earlier run persisted, from a file that anybody may have changed: what is none of it is left out. */
export function readBookChoices(persisted: unknown): BookChoices {
  const { groupings, depth } = membersOf(persisted);
  const known = Object.entries(membersOf(groupings)).flatMap(([market, text]) => {
    const ticks = GROUPINGS.find((each) => `${each}` === text);
    return /^(?:perp|spot)\/[0-9]{1,39}$/.test(market) && ticks !== undefined
      ? [[market, ticks] as const]
      : [];
  });
  return {
    groupings: Object.fromEntries(known.slice(-MAX_MARKETS)),
    depth: BOOK_DEPTHS.find((each) => each === depth) ?? DEFAULT_BOOK.depth,
  };
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
