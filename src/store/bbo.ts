// Best bid and offer of one market: the last one wins.
import type { Bbo, BboUpdate } from "../protocol/channels/bbo.ts";

export interface BboState {
  /** As received last; undefined before the first. */
  readonly bbo: Bbo | undefined;
  /** Server time of it, Unix nanoseconds, digit text. */
  readonly timestampNs: string | undefined;
}

export const noBbo: BboState = { bbo: undefined, timestampNs: undefined };

export function reduceBbo(_: BboState, frame: BboUpdate): BboState {
  return { bbo: frame.bbo, timestampNs: frame.timestamp_ns };
}
