// Order books and lists of markets of composed services, held against what is there.
import type { ComposedStream } from "./compose-stream.ts";
import type { Level } from "./stream-channels.ts";
import { checkKeys, checkRows, type Finding } from "./truth-check.ts";
import { type LookedAt, showsLosses, type Watched, watchService } from "./watch-service.ts";

interface Sides {
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
}

const SIDES = ["bids", "asks"] as const;

function isSame(a: readonly Level[], b: readonly Level[]): boolean {
  return (
    a.length === b.length &&
    a.every(
      ({ price_ticks, size_base_lots }, i) =>
        price_ticks === b[i]?.price_ticks && size_base_lots === b[i]?.size_base_lots,
    )
  );
}

/** Levels of both sides as records, with the side and the place in them. */
function levelTexts(book: Sides): string[] {
  return SIDES.flatMap((side) =>
    book[side].map((level, rank) => JSON.stringify({ ...level, side, rank })),
  );
}

export function bookFindings({ store, channel, state, truth }: LookedAt): readonly Finding[] {
  if (truth.kind !== "orderbook") return [];
  const { data } = store.slice("orderbook", channel);
  // A book whose interpretation is only assumed says so; one of which only snapshots have come needs none.
  if (data.isOpen) return [];
  const book = data.depth();
  if (SIDES.every((side) => isSame(book[side], truth[side]))) return [];
  return checkRows({ list: channel, rows: levelTexts(book), state }, levelTexts(truth));
}

export function recordFindings(at: LookedAt): readonly Finding[] {
  const { store, channel, state, truth } = at;
  if (truth.kind !== "rows") return [];
  const { data } = store.slice(channel === "markets" ? "markets" : "market-stats", channel);
  const keys = data.records.map(at.keyOf);
  return checkKeys({ list: channel, keys, state }, at.keysOf(truth.rows));
}

/** Services with a book or a list of markets, of which a lost frame can be known. */
export function hasBooks(composed: ComposedStream): boolean {
  const { book, markets } = composed.facts;
  return (book !== undefined || markets !== undefined) && showsLosses(composed);
}

/** The book is marked while frames have come whose interpretation is only assumed. @param seed of the client's own chance */
export function watchBooks(composed: ComposedStream, seed: number): Watched {
  const { book: { channel: book } = {}, markets } = composed.facts;
  return watchService(composed, seed, {
    channels: composed.channels
      .filter((name) => /^(?:orderbook|bbo|markets?)/.test(name))
      .sort((a, b) => Number(b === book) - Number(a === book)),
    long: (markets?.extraMarkets ?? 0) > 0 ? markets?.channel : undefined,
    isMarked: (store) => book !== undefined && store.slice("orderbook", book).data.isOpen,
    find: (at) => [...bookFindings(at), ...recordFindings(at)],
  });
}
