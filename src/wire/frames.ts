// The frames of sections 6 and 7 as types. Field names of records are those of the wire, and so are their texts.
import type { Kind } from "./channels.ts";
import type { JsonObject } from "./json.ts";

export interface Level {
  readonly price_ticks: string;
  readonly size_base_lots: string;
}

export interface Trade {
  readonly timestamp_ns: string;
  readonly price_ticks: string;
  readonly size_base_lots: string;
  readonly taker_is_bid: boolean;
}

export interface Bbo {
  readonly bid: Level | null;
  readonly ask: Level | null;
}

/** Best first, as far as the service sends them so. */
export interface Orderbook {
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
}

/** A LastCandle or a MarkCandle (2.2). */
export interface Candle {
  readonly open_time_ms: number;
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  readonly volume_base?: string;
  readonly volume_quote?: string;
  readonly trades?: number;
  readonly samples?: number;
}

/** A record of which the document names none or not all fields (2.3); read by meaning, see `dialect/names.ts`. */
export type OpenRecord = JsonObject;

export const ACCOUNT_LISTS = [
  "balances",
  "positions",
  "leverages",
  "orders",
  "fills",
  "funding_payments",
] as const;
export type AccountList = (typeof ACCOUNT_LISTS)[number];

type AccountBody = { readonly account?: OpenRecord } & {
  readonly [list in AccountList]?: readonly OpenRecord[];
};

/** What an update carries beside its type, channel, time and sequences. */
export interface Bodies {
  bbo: { readonly bbo: Bbo };
  orderbook: { readonly orderbook: Orderbook };
  trades: { readonly trades: readonly Trade[] };
  candles: { readonly candles: readonly Candle[] };
  "mark-candles": { readonly candles: readonly Candle[] };
  markets: { readonly markets: readonly OpenRecord[] };
  "market-stats": { readonly market_stats: readonly OpenRecord[] };
  "funding-rates": { readonly funding_rates: readonly OpenRecord[] };
  accounts: {
    readonly subaccounts: readonly OpenRecord[];
    readonly delegations: readonly OpenRecord[];
  };
  account: AccountBody;
}

/** Told apart by its kind. Channels without numbers have null for both sequences, which breaks no chain. */
export type Update<K extends Kind = Kind> = {
  [P in K]: {
    readonly type: "update";
    readonly channel: string;
    readonly kind: P;
    /** Of the service's clock. */
    readonly timestampNs: string;
    readonly previous: string | null;
    readonly sequence: string | null;
    readonly body: Bodies[P];
    /** The message as it came. */
    readonly text: string;
    /** The first thing in it that the document does not have. */
    readonly drift?: string;
  };
}[K];

export type Frame =
  | Update
  | { readonly type: "hello"; readonly protocolVersion: number; readonly keepaliveMs: number }
  | { readonly type: "unsubscribed"; readonly channel: string }
  | ServiceErrorFrame
  /** No frame of the document; `channel` if it names one of a known form. */
  | { readonly type: "rejected"; readonly channel: string | undefined; readonly reason: string };

/** `channel` where it names one of a known form (section 7). */
export interface ServiceErrorFrame {
  readonly type: "error";
  readonly channel: string | undefined;
  readonly code: number;
  readonly message: string;
}
