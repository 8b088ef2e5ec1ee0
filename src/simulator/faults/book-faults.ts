// Faults of the order book: books that no exchange has, in frames that are well formed.
import type { OrderbookUpdate, PriceLevel } from "../../wire/channels/orderbook.ts";
import { parseJson } from "../../wire/json.ts";
import type { OutgoingFrame, Prelude } from "./fault.ts";

type Side = "bids" | "asks";

interface Distortion {
  readonly side: Side;
  /** What the frame is to say of one price; size 0: that there is nothing. */
  readonly level: PriceLevel;
}

/** Levels of a channel as its frames have shown them: price to size; and the sequence of the last of these frames. */
interface ShownBook {
  readonly bids: Map<bigint, string>;
  readonly asks: Map<bigint, string>;
  readonly sequence: string | null;
}

/** A bid above the best ask. */
export function crossing({ asks }: ShownBook): Distortion | undefined {
  const best = findBest(asks.keys(), (price, other) => price < other);
  if (best === undefined) return undefined;
  return { side: "bids", level: { price_ticks: `${best + 2n}`, size_base_lots: "7" } };
}

/** No best bid. */
export function emptying({ bids }: ShownBook): Distortion | undefined {
  const best = findBest(bids.keys(), (price, other) => price > other);
  if (best === undefined) return undefined;
  return { side: "bids", level: { price_ticks: `${best}`, size_base_lots: "0" } };
}

function findBest(
  prices: Iterable<bigint>,
  isBetter: (price: bigint, other: bigint) => boolean,
): bigint | undefined {
  let best: bigint | undefined;
  for (const price of prices) if (best === undefined || isBetter(price, best)) best = price;
  return best;
}

/** Now and then a frame after the first says something else of one level. */
export function distortBooks(
  { matches, hasLuck, strike, interpretations }: Prelude,
  distort: (book: ShownBook) => Distortion | undefined,
) {
  const books = new Map<string, ShownBook>();
  /** Undefined behind a frame that another fault has taken away: the book is not known then, until the next snapshot. */
  const fold = (update: OrderbookUpdate, isSnapshot: boolean): ShownBook | undefined => {
    const { channel, orderbook, previous_sequence, sequence } = update;
    const before = books.get(channel);
    const isNext = before?.sequence === null || before?.sequence === previous_sequence;
    books.delete(channel);
    if (!isSnapshot && !isNext) return undefined;
    const { bids, asks } = (isSnapshot ? undefined : before) ?? {
      bids: new Map(),
      asks: new Map(),
    };
    foldSide(bids, orderbook.bids);
    foldSide(asks, orderbook.asks);
    const book = { bids, asks, sequence };
    books.set(channel, book);
    return book;
  };
  return (frame: OutgoingFrame): readonly OutgoingFrame[] => {
    const update = matches(frame.channel ?? "") ? parseUpdate(frame) : undefined;
    if (update === undefined) return [frame];
    const { isFirst } = frame;
    const isSnapshot =
      isFirst || interpretations.book === "whole" || update.previous_sequence === null;
    const book = fold(update, isSnapshot);
    const distortion = book !== undefined && !isFirst && hasLuck() ? distort(book) : undefined;
    if (distortion === undefined) return [frame];
    strike();
    return [{ ...frame, text: JSON.stringify(distorted(update, distortion, isSnapshot)) }];
  };
}

function distorted(
  update: OrderbookUpdate,
  { side, level }: Distortion,
  isSnapshot: boolean,
): OrderbookUpdate {
  const others = update.orderbook[side].filter(
    ({ price_ticks }) => price_ticks !== level.price_ticks,
  );
  const isNothing = level.size_base_lots === "0";
  const levels = isSnapshot && isNothing ? others : [level, ...others];
  return { ...update, orderbook: { ...update.orderbook, [side]: levels } };
}

/** Undefined for another channel's, and for what another fault has spoiled already. */
function parseUpdate({ channel, text }: OutgoingFrame): OrderbookUpdate | undefined {
  if (!channel?.startsWith("orderbook/")) return undefined;
  const update = parseJson(text) as OrderbookUpdate | undefined;
  const { bids, asks } = update?.orderbook ?? {};
  return Array.isArray(bids) && Array.isArray(asks)
    ? ({ ...update, channel } as OrderbookUpdate)
    : undefined;
}

function foldSide(levels: Map<bigint, string>, changes: readonly PriceLevel[]): void {
  for (const { price_ticks, size_base_lots } of changes) {
    if (size_base_lots === "0") levels.delete(BigInt(price_ticks));
    else levels.set(BigInt(price_ticks), size_base_lots);
  }
}
