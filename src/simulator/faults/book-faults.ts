// Faults of the order book: books that no exchange has, told in frames that are well formed.
import * as z from "zod";
import type { OrderbookUpdate, PriceLevel } from "../../wire/channels/orderbook.ts";
import { parseJson } from "../../wire/json.ts";
import type { Readings } from "../scenarios/readings.ts";
import { faultKind, type OutgoingFrame } from "./fault.ts";
import { createLuck, pattern, probability, when } from "./fault-timing.ts";
import { withText } from "./frame-faults.ts";

const settings = { channels: pattern.default("orderbook/*"), probability, when };

/** A bid stands above the best ask, until the book is sent as a whole again. */
export const crossedBook = faultKind(
  z.strictObject({ kind: z.literal("crossed-book"), ...settings }),
  {
    stream: (chosen, context) =>
      distorting(createLuck(chosen, context), context, ({ asks }) => {
        const best = lowest(asks.keys());
        if (best === undefined) return undefined;
        return { side: "bids", level: { price_ticks: `${best + 2n}`, size_base_lots: "7" } };
      }),
  },
);

/** The best bid is taken out of the book while the bbo still has it, until the book is sent as a whole again. */
export const falseBook = faultKind(z.strictObject({ kind: z.literal("false-book"), ...settings }), {
  stream: (chosen, context) =>
    distorting(createLuck(chosen, context), context, ({ bids }) => {
      const best = highest(bids.keys());
      if (best === undefined) return undefined;
      return { side: "bids", level: { price_ticks: `${best}`, size_base_lots: "0" } };
    }),
});

interface Distortion {
  readonly side: "bids" | "asks";
  /** What the frame is to say of one price; size 0: that there is nothing. */
  readonly level: PriceLevel;
}

/** Levels of a channel as its frames have told them: price to size; and the sequence of the last of these frames. */
interface Told {
  readonly bids: Map<bigint, string>;
  readonly asks: Map<bigint, string>;
  readonly sequence: string | null;
}

function distorting(
  strikes: () => boolean,
  { readings, strike }: { readonly readings: Readings; readonly strike: () => void },
  distort: (told: Told) => Distortion | undefined,
) {
  const books = new Map<string, Told>();
  const isWholeBook = (frame: OutgoingFrame, { previous_sequence }: OrderbookUpdate) =>
    frame.isFirst || readings.book === "whole" || previous_sequence === null;
  /** Undefined behind a frame that another fault has taken away: what was told is not known then, until it is told anew. */
  const fold = (update: OrderbookUpdate, isWhole: boolean): Told | undefined => {
    const { channel, orderbook, previous_sequence, sequence } = update;
    const before = books.get(channel);
    const isNext = before?.sequence === null || before?.sequence === previous_sequence;
    books.delete(channel);
    if (!isWhole && !isNext) return undefined;
    const { bids, asks } = (isWhole ? undefined : before) ?? { bids: new Map(), asks: new Map() };
    note(bids, orderbook.bids);
    note(asks, orderbook.asks);
    const told = { bids, asks, sequence };
    books.set(channel, told);
    return told;
  };
  return {
    frames(frame: OutgoingFrame): readonly OutgoingFrame[] {
      const update = readUpdate(frame);
      if (update === undefined) return [frame];
      const isWhole = isWholeBook(frame, update);
      const told = fold(update, isWhole);
      const distortion =
        told !== undefined && !frame.isFirst && strikes() ? distort(told) : undefined;
      if (distortion === undefined) return [frame];
      strike();
      return [withText(frame, JSON.stringify(distorted(update, distortion, isWhole)))];
    },
  };
}

function distorted(
  update: OrderbookUpdate,
  { side, level }: Distortion,
  isWhole: boolean,
): OrderbookUpdate {
  const others = update.orderbook[side].filter(
    ({ price_ticks }) => price_ticks !== level.price_ticks,
  );
  const isNothing = level.size_base_lots === "0";
  const levels = isWhole && isNothing ? others : [level, ...others];
  return { ...update, orderbook: { ...update.orderbook, [side]: levels } };
}

/** Undefined for another channel's, and for what another fault has spoiled already. */
function readUpdate({ channel, text }: OutgoingFrame): OrderbookUpdate | undefined {
  if (!channel?.startsWith("orderbook/")) return undefined;
  const update = parseJson(text) as OrderbookUpdate | undefined;
  const { bids, asks } = update?.orderbook ?? {};
  return Array.isArray(bids) && Array.isArray(asks)
    ? ({ ...update, channel } as OrderbookUpdate)
    : undefined;
}

function note(levels: Map<bigint, string>, changes: readonly PriceLevel[]): void {
  for (const { price_ticks, size_base_lots } of changes) {
    if (size_base_lots === "0") levels.delete(BigInt(price_ticks));
    else levels.set(BigInt(price_ticks), size_base_lots);
  }
}

function lowest(prices: Iterable<bigint>): bigint | undefined {
  let best: bigint | undefined;
  for (const price of prices) if (best === undefined || price < best) best = price;
  return best;
}

function highest(prices: Iterable<bigint>): bigint | undefined {
  let best: bigint | undefined;
  for (const price of prices) if (best === undefined || price > best) best = price;
  return best;
}
