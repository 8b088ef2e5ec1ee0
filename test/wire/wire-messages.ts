// Messages as the document allows them, made at random from a seed: frames of every kind, commands and REST pages.
// Written from the document, without src/wire, so that the decoder is judged by messages it did not shape.
import type { Random } from "../../src/units/random.ts";

/** A JSON object. */
export type Fields = Record<string, unknown>;

/** Makes one message; each call makes another. */
type Maker = (random: Random) => Fields;

export const below = (random: Random, limit: number): number => Math.floor(random() * limit);
export const oneOf = <T>(random: Random, items: readonly T[]): T =>
  items[below(random, items.length)] as T;
const chance = (random: Random, share: number): boolean => random() < share;

export function several<T>(random: Random, most: number, make: (random: Random) => T): T[] {
  return Array.from({ length: below(random, most + 1) }, () => make(random));
}

function characters(random: Random, alphabet: string, least: number, most: number): string {
  const length = least + below(random, most - least + 1);
  return Array.from({ length }, () => alphabet[below(random, alphabet.length)]).join("");
}

const digits: (random: Random) => string = (random) =>
  characters(random, "0123456789", 1, chance(random, 0.1) ? 39 : 19);
const digitsOrNull = (random: Random) => (chance(random, 0.2) ? null : digits(random));
const unsignedDecimal = (random: Random): string =>
  chance(random, 0.5)
    ? characters(random, "0123456789", 1, 20)
    : `${characters(random, "0123456789", 1, 20)}.${characters(random, "0123456789", 1, 18)}`;
const decimal = (random: Random): string =>
  `${chance(random, 0.3) ? "-" : ""}${unsignedDecimal(random)}`;
const words = (random: Random): string =>
  characters(random, 'abc XYZ09_-"\\\u001b\u00e9\ud83d', 0, 12);
const flag = (random: Random): boolean => chance(random, 0.5);
const edges = [0, 1, 2_147_483_647, 2_147_483_648, Number.MAX_SAFE_INTEGER];
const count = (random: Random): number =>
  chance(random, 0.2) ? oneOf(random, edges) : below(random, 1e6);
const integer = (random: Random): number => count(random) * (chance(random, 0.3) ? -1 : 1);
const index32 = (random: Random): number =>
  chance(random, 0.1) ? 2 ** 31 - 1 : below(random, 100);

const interval = (random: Random): string => oneOf(random, ["1m", "5m", "15m", "1h", "4h", "1d"]);
const marketType = (random: Random): string => oneOf(random, ["spot", "perp"]);
const base58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const address = (random: Random): string => characters(random, base58, 32, 44);
const id = (random: Random): string =>
  chance(random, 0.9) ? `${below(random, 1000)}` : digits(random);

/** A name of each channel kind. */
const channelMakers: Readonly<Record<string, (random: Random) => string>> = {
  bbo: (random) => `bbo/${marketType(random)}/${id(random)}`,
  orderbook: (random) => `orderbook/${marketType(random)}/${id(random)}`,
  trades: (random) => `trades/${marketType(random)}/${id(random)}`,
  candles: (random) => `candles/${marketType(random)}/${id(random)}/${interval(random)}`,
  "mark-candles": (random) => `mark-candles/${id(random)}/${interval(random)}`,
  markets: () => "markets",
  "market-stats": (random) =>
    `market-stats/${marketType(random)}${chance(random, 0.5) ? `/${id(random)}` : ""}`,
  "funding-rates": (random) => `funding-rates/${id(random)}`,
  accounts: (random) => `accounts/${address(random)}`,
  account: (random) => `account/${address(random)}/${id(random)}`,
};

export const anyChannel = (random: Random): string =>
  oneOf(random, Object.values(channelMakers))(random);

/** Records whose fields are made by these. */
const record =
  (fields: Readonly<Record<string, (random: Random) => unknown>>): Maker =>
  (random) =>
    Object.fromEntries(Object.entries(fields).map(([name, make]) => [name, make(random)]));

const level = record({ price_ticks: digits, size_base_lots: digits });
const levelOrNull = (random: Random) => (chance(random, 0.1) ? null : level(random));
const trade = record({
  timestamp_ns: digits,
  price_ticks: digits,
  size_base_lots: digits,
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
const leverage = record({ market_id: index32, leverage: (random) => 1 + below(random, 50) });
const catalogEntry = record({
  subaccount_id: index32,
  status: (random) => oneOf(random, ["active", "restricted", "closed"]),
  created_at_ns: digits,
});
const delegation = (random: Random): Fields => ({
  subaccount_id: index32(random),
  delegate: words(random),
  permissions: several(random, 3, words),
  ...(flag(random) && { expires_at_ns: digits(random) }),
  ...(flag(random) && { name: words(random) }),
});
const openValue = (random: Random): unknown =>
  oneOf<(random: Random) => unknown>(random, [words, integer, flag, decimal, () => null, open])(
    random,
  );
const open = (random: Random): Fields =>
  Object.fromEntries(several(random, 2, (own) => [words(own), openValue(own)]));

const sequences = record({ previous_sequence: digitsOrNull, sequence: digitsOrNull });

const accountFields: Readonly<Record<string, (random: Random) => unknown>> = {
  account: open,
  balances: (random) => several(random, 3, open),
  positions: (random) => several(random, 3, open),
  leverages: (random) => several(random, 3, leverage),
  orders: (random) => several(random, 3, open),
  fills: (random) => several(random, 3, open),
  funding_payments: (random) => several(random, 3, open),
};

function accountPayload(random: Random): Fields {
  const all = Object.keys(accountFields);
  const chosen = new Set([oneOf(random, all), ...all.filter(() => chance(random, 0.3))]);
  return Object.fromEntries([...chosen].map((name) => [name, accountFields[name]?.(random)]));
}

/** What the update frames of each channel kind carry beside type, channel and time. */
export const payloadMakers: Readonly<Record<string, Maker>> = {
  bbo: (random) => ({ bbo: { bid: levelOrNull(random), ask: levelOrNull(random) } }),
  orderbook: (random) => ({
    ...sequences(random),
    orderbook: { bids: several(random, 4, level), asks: several(random, 4, level) },
  }),
  trades: (random) => ({ ...sequences(random), trades: several(random, 4, trade) }),
  candles: (random) => ({ candles: several(random, 2, lastCandle) }),
  "mark-candles": (random) => ({ candles: several(random, 2, markCandle) }),
  markets: (random) => ({ ...sequences(random), markets: several(random, 3, open) }),
  "market-stats": (random) => ({ ...sequences(random), market_stats: several(random, 3, open) }),
  "funding-rates": (random) => ({
    ...sequences(random),
    funding_rates: several(random, chance(random, 0.05) ? 200 : 3, open),
  }),
  accounts: (random) => ({
    ...sequences(random),
    subaccounts: several(random, 3, catalogEntry),
    delegations: several(random, 3, delegation),
  }),
  account: (random) => ({ ...sequences(random), ...accountPayload(random) }),
};

const update = ([kind, payload]: readonly [string, Maker]): readonly [string, Maker] => [
  kind,
  (random) => ({
    type: "update",
    channel: channelMakers[kind]?.(random),
    timestamp_ns: digits(random),
    ...payload(random),
  }),
];

/** Server frames: an update of each kind, and the other three. */
export const frameMakers: Readonly<Record<string, Maker>> = {
  ...Object.fromEntries(Object.entries(payloadMakers).map(update)),
  hello: () => ({ type: "hello", protocol_version: 1, keepalive_timeout_ms: 120_000 }),
  unsubscribed: (random) => ({
    type: "unsubscribed",
    channel: anyChannel(random),
    timestamp_ns: digits(random),
  }),
  error: (random) => ({
    type: "error",
    ...(flag(random) && { channel: anyChannel(random) }),
    code: oneOf(random, [400, 404, 409, 503]),
    message: words(random),
    timestamp_ns: digits(random),
  }),
};

export const makeCommand = record({
  type: (random) => oneOf(random, ["subscribe", "unsubscribe"]),
  channel: anyChannel,
});

export const makeTradeRecord = record({
  trade_id: digits,
  tx_hash: words,
  market_type: words,
  market_id: integer,
  price: unsignedDecimal,
  quantity: unsignedDecimal,
  quote_notional: unsignedDecimal,
  taker_is_bid: flag,
  maker_address: words,
  maker_subaccount_id: integer,
  taker_address: words,
  taker_subaccount_id: integer,
  maker_fee_quote: decimal,
  taker_fee_quote: decimal,
  maker_client_order_id: digits,
  taker_client_order_id: digits,
  timestamp_ms: integer,
});

const position = record({
  market_id: integer,
  side: words,
  size: unsignedDecimal,
  position_margin: decimal,
  margin_mode: words,
});

export const makeLiquidation = record({
  liquidation_id: digits,
  liquidation_type: words,
  liquidator: words,
  liquidatee: words,
  liquidatee_subaccount: integer,
  bucket: words,
  scope: words,
  positions: (random) => several(random, 3, position),
  timestamp_ms: integer,
});
