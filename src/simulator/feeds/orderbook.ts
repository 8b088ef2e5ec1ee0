// orderbook: the whole book first, then for each transaction the levels that it changed, with their new
// size; or whatever else the scenario takes an order book frame to be.
import type { Orderbook, OrderbookUpdate } from "../../wire/channels/orderbook.ts";
import type { TouchedLevel } from "../engine/order-book.ts";
import type { Market } from "../exchange/market.ts";
import { type FeedContext, feedOfMarket, updateOf } from "./feed.ts";
import { type Links, SequenceChain } from "./sequence-chain.ts";

/** Opens the feed of a market's order book. */
export const openOrderbookFeed = feedOfMarket((context, name, market) => {
  const { book, book_depth, book_reset_every } = context.readings;
  const depth = book_depth ?? Number.POSITIVE_INFINITY;
  const chain = new SequenceChain(context.readings, market.bookSequence);
  const window = book_depth === null ? undefined : new DepthWindow(market, depth);
  let untilReset = book_reset_every;

  const frame = (links: Links, levels: readonly TouchedLevel[]): OrderbookUpdate => ({
    ...updateOf(context, name),
    ...links,
    orderbook: orderbookOf(context, levels),
  });
  const whole = (links: Links) => frame(links, wholeBook(market, depth));
  return {
    isChained: true,
    first: () => whole(chain.first()),
    change(index) {
      if (market.bookSequence !== index) return undefined;
      // A book of limited depth has not changed when only levels beyond it have.
      const changes = window === undefined ? market.book.touched() : window.changes();
      if (changes.length === 0) return undefined;
      if (book === "whole") return whole(chain.next(index));
      if (book === "delta-with-resets" && --untilReset <= 0) {
        untilReset = book_reset_every;
        return whole(chain.reset(index));
      }
      return frame(chain.next(index), changes);
    },
  };
});

/** The best levels of both sides, best first. */
function wholeBook({ book }: Market, depth: number): TouchedLevel[] {
  return [true, false].flatMap((isBid) =>
    book
      .side(isBid)
      .levels.slice(-depth)
      .reverse()
      .map(({ priceTicks, sizeLots }) => ({ isBid, priceTicks, sizeLots })),
  );
}

function orderbookOf({ scale }: FeedContext, levels: readonly TouchedLevel[]): Orderbook {
  const side = (wanted: boolean) =>
    levels
      .filter(({ isBid }) => isBid === wanted)
      .map(({ priceTicks, sizeLots }) => ({
        price_ticks: scale.ticks(priceTicks),
        size_base_lots: scale.lots(sizeLots),
      }));
  return { bids: side(true), asks: side(false) };
}

/** The published part of a book: levels leave it and come into it without having changed themselves. */
class DepthWindow {
  readonly #market: Market;
  readonly #depth: number;
  #published: ReadonlyMap<string, TouchedLevel>;

  constructor(market: Market, depth: number) {
    this.#market = market;
    this.#depth = depth;
    this.#published = this.#read();
  }

  /** What changed since the last call: new sizes, and 0 for levels that are no longer in it. */
  changes(): TouchedLevel[] {
    const before = this.#published;
    const now = this.#read();
    this.#published = now;
    const changed = [...now].flatMap(([key, level]) =>
      before.get(key)?.sizeLots === level.sizeLots ? [] : [level],
    );
    const gone = [...before].flatMap(([key, level]) =>
      now.has(key) ? [] : [{ ...level, sizeLots: 0 }],
    );
    return [...changed, ...gone];
  }

  #read(): ReadonlyMap<string, TouchedLevel> {
    const levels = wholeBook(this.#market, this.#depth);
    return new Map(levels.map((level) => [`${level.isBid} ${level.priceTicks}`, level]));
  }
}
