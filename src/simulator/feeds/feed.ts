// A feed is what the service says on one channel: a first frame to each subscriber, then one for each
// transaction that concerns it, the same text to all. A feed only reads the exchange; nothing that
// happens there depends on it.
import type { Channel, ChannelKind, MarketType, Updates } from "../../wire/channels.ts";
import type { SequencedUpdate } from "../../wire/update.ts";
import type { Catalogue, Owner } from "../exchange/account.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { Market } from "../exchange/market.ts";
import type { Readings } from "../scenarios/readings.ts";
import type { StreamScale, WallTime } from "./text.ts";

/** What feeds and listings read, and how they word it. */
export interface FeedContext {
  readonly exchange: Exchange;
  readonly catalogue: Catalogue;
  readonly liquidator: Owner;
  readonly readings: Readings;
  readonly scale: StreamScale;
  readonly time: WallTime;
}

/** The fields of an update that are its channel kind's own. */
export type Payload<K extends ChannelKind> = Omit<Updates[K], keyof SequencedUpdate>;

export interface Feed<K extends ChannelKind = ChannelKind> {
  /** Index of the last transaction that the channel's state had folded in when the feed was opened; 0: none yet. */
  readonly sequence: number;
  /** What a new subscriber gets at once; undefined when there is nothing to say yet. */
  first(): Payload<K> | undefined;
  /** What the transaction that just happened changes; undefined when nothing. Called for every transaction. */
  change(index: number): Payload<K> | undefined;
  /** True when what changed last replaces all that was before: its frame follows none. */
  isReset?: boolean;
}

/** Opens the feed of a channel; undefined when it names a market or an account that does not exist. */
export type OpenFeed<K extends ChannelKind> = (
  context: FeedContext,
  channel: Extract<Channel, { kind: K }>,
) => Feed<K> | undefined;

/** Ids are matched as text: `01` is no market. */
export function findMarket(
  { exchange }: FeedContext,
  type: MarketType,
  id: string,
): Market | undefined {
  return exchange.markets.find(({ spec }) => spec.type === type && String(spec.id) === id);
}

/** The newest rows of a table that match, oldest of them first. */
export function newestRows(
  count: number,
  { first, end }: { readonly first: number; readonly end: number },
  matches: (row: number) => boolean,
): number[] {
  const rows: number[] = [];
  for (let row = end - 1; row >= first && rows.length < count; row--) {
    if (matches(row)) rows.push(row);
  }
  return rows.reverse();
}
