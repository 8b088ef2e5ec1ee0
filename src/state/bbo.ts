// Best bid and offer of one market: the last one wins.
import type { Bbo, BboUpdate } from "../wire/channels/bbo.ts";

/** The newest best bid and ask, with the time of its frame in nanoseconds as digit text. */
export interface BboState {
  /** As received last; undefined before the first. */
  readonly bbo: Bbo | undefined;
  readonly timestampNs: string | undefined;
}

/** Before the first update. */
export const noBbo: BboState = { bbo: undefined, timestampNs: undefined };

/** The newest frame is the whole truth. */
export function reduceBbo(_: BboState, frame: BboUpdate): BboState {
  return { bbo: frame.bbo, timestampNs: frame.timestamp_ns };
}
