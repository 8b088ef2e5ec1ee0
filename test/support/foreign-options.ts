// What somebody else's service makes of the points that the document leaves open.
import type { ForeignScale } from "./foreign-listing.ts";

export interface ForeignOptions {
  /** Whole books in each frame, or the first whole and then changes. */
  readonly book: "whole" | "changes";
  /** When hello comes. */
  readonly hello: "at-once" | "late" | "never";
  readonly protocolVersion: number;
  /** Added to every price, so that they can be larger than any Number can hold. */
  readonly priceOffset: bigint;
  /** Trades that a new subscription is told again. */
  readonly backlog: number;
  /** The connection is cut once, this long after the first subscribe. */
  readonly cutAfterMs: number | undefined;
  /** The market stands still from this long after the first subscribe, so that its last state can be compared. */
  readonly quietAfterMs: number;
  /** What ticks and lots are worth in candles and REST; without it there is no REST, and a tick is 1. */
  readonly scale: ForeignScale | undefined;
  /** Records of channels of which the document does not list the fields, by channel. */
  readonly records: Readonly<Record<string, readonly object[]>>;
}

/** Of a service of which nothing is said. */
export const USUAL: ForeignOptions = {
  book: "changes",
  hello: "at-once",
  protocolVersion: 1,
  priceOffset: 0n,
  backlog: 50,
  cutAfterMs: undefined,
  quietAfterMs: 1500,
  scale: undefined,
  records: {},
};
