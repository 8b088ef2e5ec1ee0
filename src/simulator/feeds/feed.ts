// A feed is what the service says on one channel: a first frame to each subscriber, then one for each
// transaction that concerns it, the same text to all. A feed only reads the exchange; nothing that
// happens there depends on it.
import type { MarketType } from "../../wire/channels.ts";
import type { Update } from "../../wire/update.ts";
import type { Catalogue } from "../exchange/account.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { Market } from "../exchange/market.ts";
import type { Readings } from "../scenarios/readings.ts";
import type { StreamScale, WallTime } from "./text.ts";

/** What is said on one channel. Only reads; never throws. */
export interface Feed {
  /** True when frames carry previous_sequence and sequence. */
  readonly isChained: boolean;
  /** What a new subscriber is told at once; undefined when there is nothing to say yet. */
  first(): Update | undefined;
  /** What the transaction that just happened changes; undefined when nothing. Called for every transaction. */
  change(index: number): Update | undefined;
}

/** What feeds read, and how they word it. */
export interface FeedContext {
  readonly exchange: Exchange;
  readonly catalogue: Catalogue;
  readonly readings: Readings;
  readonly scale: StreamScale;
  readonly time: WallTime;
}

/**
 * The market of a channel; undefined when there is none. Ids are matched as text: `01` is no market.
 */
export function findMarket(
  { exchange }: Pick<FeedContext, "exchange">,
  type: MarketType,
  id: string,
): Market | undefined {
  return exchange.markets.find(({ spec }) => spec.type === type && String(spec.id) === id);
}

/** A channel of a market; of a perpetual one where the name has no type. */
export interface MarketChannel {
  readonly marketType?: MarketType;
  readonly marketId: string;
}

/**
 * Makes what opens the feed of a market's channel; it answers undefined when there is no such market.
 */
export function feedOfMarket<C extends MarketChannel = MarketChannel>(
  open: (context: FeedContext, name: string, market: Market, channel: C) => Feed,
) {
  return (context: FeedContext, name: string, channel: C): Feed | undefined => {
    const market = findMarket(context, channel.marketType ?? "perp", channel.marketId);
    return market === undefined ? undefined : open(context, name, market, channel);
  };
}

/** What all updates begin with. Their time is that of the transaction that was folded in last. */
export function updateOf(context: FeedContext, channel: string): Update {
  return { type: "update", channel, timestamp_ns: context.time.ns(context.exchange.nowUs) };
}

/** The two sequences of a frame: digit text, or null. */
export interface Links {
  readonly previous_sequence: string | null;
  readonly sequence: string | null;
}

const NONE: Links = { previous_sequence: null, sequence: null };

/** The chain as it stands; each call is one frame. */
export class SequenceChain {
  readonly #readings: Readings;
  /** Transaction of the last frame, or of the state that the first one showed. 0: none yet. */
  #held: number;

  /** @param held index of the last transaction that the channel's state has folded in */
  constructor(readings: Readings, held: number) {
    this.#readings = readings;
    this.#held = held;
  }

  /** The links of a first frame: the state as it is held. */
  first(): Links {
    const { sequences, first_previous } = this.#readings;
    if (sequences !== "chained" || this.#held === 0) return NONE;
    const sequence = String(this.#held);
    return { previous_sequence: first_previous === "same" ? sequence : null, sequence };
  }

  /** The links of a frame that folds in a transaction. */
  next(index: number): Links {
    const previous = this.#held === 0 ? null : String(this.#held);
    this.#held = index;
    if (this.#readings.sequences === "null") return NONE;
    return { previous_sequence: previous, sequence: String(index) };
  }

  /** The links of a whole frame in mid-stream: it replaces what was before, so it follows nothing. */
  reset(index: number): Links {
    return { ...this.next(index), previous_sequence: null };
  }
}
