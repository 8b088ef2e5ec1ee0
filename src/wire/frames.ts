// The frames of sections 6 and 7, their records (2.2), and the kinds of channels (4.1), whose updates they are: each as a check,
// from which its type follows. Names and texts are those of the wire. What the program does not need in order to be right is only
// noted where it differs.
import {
  type Check,
  type Checked,
  type CheckedRecord,
  count,
  decimal,
  flag,
  integer,
  list,
  noted,
  nullable,
  open,
  optional,
  record,
  text,
  uint,
  word,
} from "./check.ts";
import type { Json, JsonObject } from "./json.ts";

/** Limits of section 8. */
const MAX_CANDLES = 2;
const MAX_FUNDING_RATES = 200;

/** A record of which the document names none or not all fields (2.3); read by meaning, see `dialect/names.ts`. */
export type OpenRecord = JsonObject;

/** Whole ticks and lots; a later frame of size 0 takes the level away. */
const level = record({ price_ticks: uint, size_base_lots: uint });
export type Level = Checked<typeof level>;

const bbo = record({ bid: nullable(level), ask: nullable(level) });
export type Bbo = Checked<typeof bbo>;

/** Best first, as far as the service sends them so. */
const orderbook = record({ bids: list(level), asks: list(level) });
export type Orderbook = Checked<typeof orderbook>;

const trade = record({
  timestamp_ns: uint,
  price_ticks: uint,
  size_base_lots: uint,
  taker_is_bid: flag,
});
export type Trade = Checked<typeof trade>;

const prices = {
  open_time_ms: integer,
  open: decimal,
  high: decimal,
  low: decimal,
  close: decimal,
};
const volumes = { volume_base: decimal, volume_quote: decimal, trades: count };
const samples = { samples: count };
/** A LastCandle or a MarkCandle. */
export type Candle = CheckedRecord<typeof prices> &
  Partial<CheckedRecord<typeof volumes & typeof samples>>;
const lastCandle: Check<Candle> = record({ ...prices, ...volumes });
const markCandle: Check<Candle> = record({ ...prices, ...samples });

const subaccount: Check<OpenRecord> = record({
  subaccount_id: count,
  status: word("active", "restricted", "closed"),
  created_at_ns: noted(uint),
});
const delegation: Check<OpenRecord> = record({
  subaccount_id: count,
  delegate: text,
  permissions: noted(list(text)),
  expires_at_ns: optional(noted(uint)),
  name: optional(noted(text)),
});
const leverage: Check<OpenRecord> = record({ market_id: noted(count), leverage: noted(count) });

const accountLists = {
  balances: optional(list(open)),
  positions: optional(list(open)),
  leverages: optional(list(leverage)),
  orders: optional(list(open)),
  fills: optional(list(open)),
  funding_payments: optional(list(open)),
};
export type AccountList = keyof typeof accountLists;
export const ACCOUNT_LISTS = Object.keys(accountLists) as readonly AccountList[];

/**
 * The kinds of channels: the form of their names, whether their updates are numbered (6.3), and what these carry beside type,
 * channel, time and sequences. `open`: numbered, and with fields that the document does not list.
 */
export const CHANNELS = {
  bbo: row("bbo/TYPE/ID", "unnumbered", { bbo }),
  orderbook: row("orderbook/TYPE/ID", "numbered", { orderbook }),
  trades: row("trades/TYPE/ID", "numbered", { trades: list(trade) }),
  candles: row("candles/TYPE/ID/INTERVAL", "unnumbered", {
    candles: list(lastCandle, MAX_CANDLES),
  }),
  "mark-candles": row("mark-candles/ID/INTERVAL", "unnumbered", {
    candles: list(markCandle, MAX_CANDLES),
  }),
  markets: row("markets", "open", { markets: list(open) }),
  "market-stats": row("market-stats/TYPE[/ID]", "open", { market_stats: list(open) }),
  "funding-rates": row("funding-rates/ID", "open", {
    funding_rates: list(open, MAX_FUNDING_RATES),
  }),
  accounts: row("accounts/ADDRESS", "open", {
    subaccounts: list(subaccount),
    delegations: list(delegation),
  }),
  account: row("account/ADDRESS/SUBACCOUNT", "open", {
    account: optional(open),
    ...accountLists,
  }),
};
export type Kind = keyof typeof CHANNELS;
export const KINDS = Object.keys(CHANNELS) as readonly Kind[];
export type Bodies = { [K in Kind]: Checked<(typeof CHANNELS)[K]["check"]> };

function row<F extends Readonly<Record<string, Check>>>(
  form: string,
  how: "unnumbered" | "numbered" | "open",
  fields: F,
) {
  const isNumbered = how !== "unnumbered";
  const head = { type: text, channel: text, timestamp_ns: uint };
  const sequences = isNumbered ? { previous_sequence: sequence, sequence } : {};
  const all: Readonly<Record<string, Check>> = { ...head, ...sequences, ...fields };
  return {
    form,
    isNumbered,
    isOpen: how === "open",
    check: record(all) as Check<CheckedRecord<F>>,
  };
}

/** Missing means null. */
function sequence(value: Json | undefined, notes: string[]): string | undefined {
  if (value === undefined) notes.push(": missing");
  return nullable(uint)(value ?? null, notes);
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

export const HELLO = record({
  type: text,
  protocol_version: count,
  keepalive_timeout_ms: noted(count),
});
export const ERROR = record({
  type: text,
  channel: optional(noted(text)),
  code: integer,
  message: noted(text),
  timestamp_ns: noted(uint),
});
