// All that is held and shown: a state and a status for each channel, the link, and the dialect. Plain data: what is frozen is a
// `structuredClone`.
import type { Dialect } from "../dialect/dialect.ts";
import { createLink, type Link } from "../stream/link.ts";
import type { ChannelStatus } from "../stream/status.ts";
import type { Kind } from "../wire/channels.ts";
import type { Bbo, OpenRecord } from "../wire/frames.ts";
import type { Book } from "./book.ts";
import type { Candles } from "./candles.ts";
import type { List } from "./list.ts";
import type { Tape } from "./tape.ts";

export interface Account {
  account: OpenRecord | null;
  balances: List;
  positions: List;
  leverages: List;
  orders: List;
  /** Oldest first. */
  fills: OpenRecord[];
  funding_payments: OpenRecord[];
}

export interface Accounts {
  subaccounts: List;
  delegations: List;
}

/** The state of each kind of channel. */
export interface States {
  bbo: Bbo;
  orderbook: Book;
  trades: Tape;
  candles: Candles;
  "mark-candles": Candles;
  markets: List;
  "market-stats": List;
  /** Oldest first. */
  "funding-rates": { rates: OpenRecord[] };
  accounts: Accounts;
  account: Account;
}

export interface Store {
  /** By channel name; read with `select`. */
  readonly states: Map<string, States[Kind]>;
  readonly channels: Map<string, ChannelStatus>;
  readonly link: Link;
  readonly dialect: Dialect;
  /** What the service sends beside the document, and how often. */
  readonly drift: Map<string, number>;
}

export function createStore(dialect: Dialect): Store {
  return { states: new Map(), channels: new Map(), link: createLink(), dialect, drift: new Map() };
}

/** What a channel holds; undefined before its first frame. @param channel of this kind */
export function select<K extends Kind>(
  store: Store,
  kind: K,
  channel: string,
): States[K] | undefined {
  return store.channels.get(channel)?.kind === kind
    ? (store.states.get(channel) as States[K] | undefined)
    : undefined;
}
