// Best bid and offer of one market: the last one wins.
import { isZero } from "../units/uint.ts";
import type { Bbo, BboUpdate } from "../wire/channels/bbo.ts";
import type { PriceLevel } from "../wire/channels/orderbook.ts";

/** The newest best bid and ask, with the time of its frame in nanoseconds as digit text. */
export interface BboState {
  /** As received last; undefined before the first. */
  readonly bbo: Bbo | undefined;
  readonly timestampNs: string | undefined;
}

/** Before the first update. */
export const noBbo: BboState = { bbo: undefined, timestampNs: undefined };

/** The newest frame is the whole truth. A level of no size is none: nobody bids, or nobody asks. */
export function reduceBbo(_: BboState, { bbo, timestamp_ns: timestampNs }: BboUpdate): BboState {
  if (!isNothing(bbo.bid) && !isNothing(bbo.ask)) return { bbo, timestampNs };
  const [bid, ask] = [bbo.bid, bbo.ask].map((level) => (isNothing(level) ? null : level));
  return { bbo: { bid: bid ?? null, ask: ask ?? null }, timestampNs };
}

/** True of a level without a size. */
export function isNothing(level: PriceLevel | null): boolean {
  return level !== null && isZero(level.size_base_lots);
}
