// Server frames (6, 7), their records (2.2, 2.3) and the client's commands (4.1) as JSON Schema, from the document alone.
import {
  channelOf,
  closed,
  count,
  decimal,
  flag,
  int32From,
  integer,
  type Kind,
  listOf,
  nullableSequence,
  type Schema,
  text,
  timestampNs,
  unsignedInteger,
} from "./values.ts";

// 2.2 "defined in full": the listed properties and no others.
const priceLevel = closed({ price_ticks: unsignedInteger, size_base_lots: unsignedInteger });
const priceLevelOrNull: Schema = { ...priceLevel, type: ["object", "null"] };
const bbo = closed({ bid: priceLevelOrNull, ask: priceLevelOrNull });
const orderbook = closed({ bids: listOf(priceLevel), asks: listOf(priceLevel) });
const trade = closed({
  timestamp_ns: timestampNs,
  price_ticks: unsignedInteger,
  size_base_lots: unsignedInteger,
  taker_is_bid: flag,
});
const prices = {
  open_time_ms: integer,
  open: decimal,
  high: decimal,
  low: decimal,
  close: decimal,
};
const lastCandle = closed({
  ...prices,
  volume_base: decimal,
  volume_quote: decimal,
  trades: count,
});
const markCandle = closed({ ...prices, samples: count });
const leverage = closed({ market_id: int32From(0), leverage: int32From(1) });
const catalogEntry = closed({
  subaccount_id: int32From(0),
  status: { enum: ["active", "restricted", "closed"] },
  created_at_ns: timestampNs,
});
const delegation = closed(
  {
    subaccount_id: int32From(0),
    delegate: text,
    permissions: listOf(text),
    expires_at_ns: timestampNs,
    name: text,
  },
  ["expires_at_ns", "name"],
);

// 2.3 "named only": any object.
const open: Schema = { type: "object" };

const chain = { previous_sequence: nullableSequence, sequence: nullableSequence };
const accountLists = {
  account: open,
  balances: listOf(open),
  positions: listOf(open),
  leverages: listOf(leverage),
  orders: listOf(open),
  fills: listOf(open),
  funding_payments: listOf(open),
};

function update(
  kind: Kind,
  payload: Readonly<Record<string, Schema>>,
  optional: readonly string[] = [],
): Schema {
  return closed(
    {
      type: { const: "update" },
      channel: channelOf(kind),
      timestamp_ns: timestampNs,
      ...payload,
    },
    optional,
  );
}

const accountUpdate: Schema = {
  ...update("account", { ...chain, ...accountLists }, Object.keys(accountLists)),
  anyOf: Object.keys(accountLists).map((name) => ({ required: [name] })),
};

/** One schema for the update frames of each channel kind (6.3). */
export const updates: Readonly<Record<Kind, Schema>> = {
  bbo: update("bbo", { bbo }),
  orderbook: update("orderbook", { ...chain, orderbook }),
  trades: update("trades", { ...chain, trades: listOf(trade) }),
  candles: update("candles", { candles: listOf(lastCandle, { maxItems: 2 }) }),
  "mark-candles": update("mark-candles", { candles: listOf(markCandle, { maxItems: 2 }) }),
  markets: update("markets", { ...chain, markets: listOf(open) }),
  "market-stats": update("market-stats", { ...chain, market_stats: listOf(open) }),
  "funding-rates": update("funding-rates", {
    ...chain,
    funding_rates: listOf(open, { maxItems: 200 }),
  }),
  accounts: update("accounts", {
    ...chain,
    subaccounts: listOf(catalogEntry),
    delegations: listOf(delegation),
  }),
  account: accountUpdate,
};

/** The other server frames. Where the document lists one value or a table of values, no other conforms. */
export const answers = {
  hello: closed({
    type: { const: "hello" },
    protocol_version: { const: 1 },
    keepalive_timeout_ms: { const: 120_000 },
  }),
  unsubscribed: closed({
    type: { const: "unsubscribed" },
    channel: channelOf(),
    timestamp_ns: timestampNs,
  }),
  error: closed(
    {
      type: { const: "error" },
      channel: channelOf(),
      code: { enum: [400, 404, 409, 503] },
      message: text,
      timestamp_ns: timestampNs,
    },
    ["channel"],
  ),
} as const;
