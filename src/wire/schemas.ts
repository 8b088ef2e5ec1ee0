// The records of 2.2 and the frames of section 6 as checks, one row a kind of channel. What the program does not need in order to
// be right is only noted where it differs.
import { CHANNELS, type Kind } from "./channels.ts";
import {
  type Check,
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
import { ACCOUNT_LISTS } from "./frames.ts";

/** Limits of section 8. */
const MAX_CANDLES = 2;
const MAX_FUNDING_RATES = 200;

const level = record({ price_ticks: uint, size_base_lots: uint });
const trade = record({
  timestamp_ns: uint,
  price_ticks: uint,
  size_base_lots: uint,
  taker_is_bid: flag,
});
const prices = {
  open_time_ms: integer,
  open: decimal,
  high: decimal,
  low: decimal,
  close: decimal,
};
const lastCandle = record({
  ...prices,
  volume_base: decimal,
  volume_quote: decimal,
  trades: count,
});
const markCandle = record({ ...prices, samples: count });
const subaccount = record({
  subaccount_id: count,
  status: word("active", "restricted", "closed"),
  created_at_ns: noted(uint),
});
const delegation = record({
  subaccount_id: count,
  delegate: text,
  permissions: noted(list(text)),
  expires_at_ns: optional(noted(uint)),
  name: optional(noted(text)),
});
const leverage = record({ market_id: noted(count), leverage: noted(count) });

const BODIES: Readonly<Record<Kind, Readonly<Record<string, Check>>>> = {
  bbo: { bbo: record({ bid: nullable(level), ask: nullable(level) }) },
  orderbook: { orderbook: record({ bids: list(level), asks: list(level) }) },
  trades: { trades: list(trade) },
  candles: { candles: list(lastCandle, MAX_CANDLES) },
  "mark-candles": { candles: list(markCandle, MAX_CANDLES) },
  markets: { markets: list(open) },
  "market-stats": { market_stats: list(open) },
  "funding-rates": { funding_rates: list(open, MAX_FUNDING_RATES) },
  accounts: { subaccounts: list(subaccount), delegations: list(delegation) },
  account: {
    account: optional(open),
    ...Object.fromEntries(ACCOUNT_LISTS.map((name) => [name, optional(list(open))])),
    leverages: optional(list(leverage)),
  },
};

/** Missing means null. */
const sequence: Check = (value, notes) => {
  if (value === undefined) notes.push(": missing");
  return nullable(uint)(value ?? null, notes);
};
const SEQUENCES = { previous_sequence: sequence, sequence };

export const UPDATES = Object.fromEntries(
  Object.entries(BODIES).map(([kind, body]) => {
    const sequences = CHANNELS[kind as Kind].isNumbered ? SEQUENCES : {};
    return [kind, record({ type: text, channel: text, timestamp_ns: uint, ...sequences, ...body })];
  }),
) as Readonly<Record<Kind, Check>>;

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
