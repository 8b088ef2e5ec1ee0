// A feed produces the frames of one channel: a first frame for each subscriber, then one for each transaction that concerns the
// channel, with the same text for all. Feeds only read the exchange and never influence it.

import { formatDecimal } from "../../units/decimal.ts";
import { formatUnits } from "../../units/scale.ts";
import { US_PER_MS } from "../../units/time.ts";
import type { ChannelParts, Kind, MarketType } from "../../wire/channels.ts";
import type { Bodies } from "../../wire/frames.ts";
import type { Market } from "../exchange/market.ts";
import { QUOTE_PLACES } from "../exchange/money.ts";
import type { MarketSpec } from "../scenarios/market-spec.ts";
import type { Readings } from "../scenarios/scenario.ts";
import type { World } from "../world.ts";

/** Shared by feeds and listings: the data that they read, and its formats. */
export type FeedContext = ReturnType<typeof createFeedContext>;

/** @param epochMs Unix milliseconds of simulated time 0 */
export function createFeedContext(
  { simulation: { exchange }, catalogue, liquidator }: World,
  readings: Readings,
  epochMs: number,
) {
  return {
    exchange,
    catalogue,
    liquidator,
    readings,
    time: {
      /** Unix nanoseconds as digits. The simulated clock counts microseconds: the last three digits are zeros. */
      ns: (timeUs: number) => `${epochMs * US_PER_MS + timeUs}000`,
      ms: (timeUs: number) => epochMs + Math.floor(timeUs / US_PER_MS),
    },
  };
}

export interface Feed<K extends Kind = Kind> {
  /** Index of the last transaction included in the channel's state when the feed was opened; 0: none yet. */
  readonly sequence: number;
  /** The first frame of a new subscriber; undefined if there is no data yet. */
  first(): Bodies[K] | undefined;
  /** Changes of the transaction that has just ended; undefined if none. Called for every transaction. */
  change(index: number): Bodies[K] | undefined;
}

export type OpenFeed<K extends Kind> = (
  context: FeedContext,
  channel: ChannelParts,
) => Feed<K> | undefined;

/** Ids are compared as text: `01` is unknown. */
export function findMarket(
  { exchange }: FeedContext,
  type: MarketType,
  id: string,
): Market | undefined {
  return exchange.markets.find(({ spec }) => spec.type === type && String(spec.id) === id);
}

// Numbers of the exchange as exact text for the wire.

export function priceText(spec: MarketSpec, ticks: number | bigint): string {
  return formatUnits(String(ticks), spec.tickSize);
}

export function sizeText(spec: MarketSpec, lots: number): string {
  return formatUnits(String(lots), spec.lotSize);
}

export function quoteText(atoms: bigint): string {
  return formatDecimal({ mantissa: atoms, places: QUOTE_PLACES });
}

/** A rate in millionths, as a fraction of 1. */
export function ppmText(ppm: bigint): string {
  return formatDecimal({ mantissa: ppm, places: 6 });
}
