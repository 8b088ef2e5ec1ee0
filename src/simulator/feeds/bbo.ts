// bbo: a frame for each transaction that changes the best price or size of a side.
import type { BboUpdate } from "../../wire/channels/bbo.ts";
import type { PriceLevel } from "../../wire/channels/orderbook.ts";
import type { BookSide, Level } from "../engine/book-side.ts";
import type { StreamScale } from "../wire/text.ts";
import { feedOfMarket, updateOf } from "./feed.ts";

/** The best of one side as it was last sent. */
interface Best {
  ticks: number;
  lots: number;
}

/** Opens the feed of a market's best prices. */
export const openBboFeed = feedOfMarket((context, name, market) => {
  const { bids, asks } = market.book;
  const bid: Best = { ticks: 0, lots: 0 };
  const ask: Best = { ticks: 0, lots: 0 };
  const frame = (): BboUpdate => ({
    ...updateOf(context, name),
    bbo: { bid: level(context.scale, bids.best), ask: level(context.scale, asks.best) },
  });
  note(bid, bids);
  note(ask, asks);
  return {
    isChained: false,
    first: frame,
    change(index) {
      if (market.bookSequence !== index) return undefined;
      const isBidChanged = note(bid, bids);
      const isAskChanged = note(ask, asks);
      return isBidChanged || isAskChanged ? frame() : undefined;
    },
  };
});

/** Remembers the best of a side. @returns true when it is another one than before */
function note(held: Best, { best }: BookSide): boolean {
  const ticks = best?.priceTicks ?? 0;
  const lots = best?.sizeLots ?? 0;
  if (held.ticks === ticks && held.lots === lots) return false;
  held.ticks = ticks;
  held.lots = lots;
  return true;
}

function level(scale: StreamScale, best: Level | undefined): PriceLevel | null {
  if (best === undefined) return null;
  return { price_ticks: scale.ticks(best.priceTicks), size_base_lots: scale.lots(best.sizeLots) };
}
