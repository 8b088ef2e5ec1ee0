// Channel names (section 4.1): the ten kinds, their grammar, and the way from text to parts and back.
// Record shapes are in channels/; nothing here needs a schema, so it can be loaded before the first frame.
import { parseId } from "../units/uint.ts";

/** Spot and perpetual markets; their ids may overlap, so a market is known by both (type, id). */
export type MarketType = "spot" | "perp";

/** Candle periods of the interface, shortest first. */
export const INTERVALS = ["1m", "5m", "15m", "1h", "4h", "1d"] as const;
/** One of the candle periods. */
export type Interval = (typeof INTERVALS)[number];

/** Length of each period in milliseconds. */
export const INTERVAL_MS: Readonly<Record<Interval, number>> = {
  "1m": 60_000,
  "5m": 300_000,
  "15m": 900_000,
  "1h": 3_600_000,
  "4h": 14_400_000,
  "1d": 86_400_000,
};

/** A channel name taken apart. Ids are the digit text of the name, so that the name can be made again. */
export type Channel =
  | { readonly kind: "bbo"; readonly marketType: MarketType; readonly marketId: string }
  | { readonly kind: "orderbook"; readonly marketType: MarketType; readonly marketId: string }
  | { readonly kind: "trades"; readonly marketType: MarketType; readonly marketId: string }
  | {
      readonly kind: "candles";
      readonly marketType: MarketType;
      readonly marketId: string;
      readonly interval: Interval;
    }
  | { readonly kind: "mark-candles"; readonly marketId: string; readonly interval: Interval }
  | { readonly kind: "markets" }
  | {
      readonly kind: "market-stats";
      readonly marketType: MarketType;
      readonly marketId: string | undefined;
    }
  | { readonly kind: "funding-rates"; readonly marketId: string }
  | { readonly kind: "accounts"; readonly address: string }
  | { readonly kind: "account"; readonly address: string; readonly subaccountId: string };

/** The first word of a channel name. */
export type ChannelKind = Channel["kind"];

const types = "(spot|perp)";
const id = "([0-9]{1,39})";
const interval = `(${INTERVALS.join("|")})`;
const address = "([1-9A-HJ-NP-Za-km-z]{32,44})";

interface Grammar {
  readonly pattern: RegExp;
  readonly form: string;
}

function grammar(form: string, pattern: string): Grammar {
  return { form, pattern: new RegExp(`^${pattern}$`) };
}

/** The grammar of each kind: the exact pattern, and the form as a person would write it. */
export const CHANNEL_GRAMMAR: Readonly<Record<ChannelKind, Grammar>> = {
  bbo: grammar("bbo/<spot|perp>/<market_id>", `bbo/${types}/${id}`),
  orderbook: grammar("orderbook/<spot|perp>/<market_id>", `orderbook/${types}/${id}`),
  trades: grammar("trades/<spot|perp>/<market_id>", `trades/${types}/${id}`),
  candles: grammar(
    "candles/<spot|perp>/<market_id>/<interval>",
    `candles/${types}/${id}/${interval}`,
  ),
  "mark-candles": grammar("mark-candles/<market_id>/<interval>", `mark-candles/${id}/${interval}`),
  markets: grammar("markets", "markets"),
  "market-stats": grammar(
    "market-stats/<spot|perp>[/<market_id>]",
    `market-stats/${types}(?:/${id})?`,
  ),
  "funding-rates": grammar("funding-rates/<market_id>", `funding-rates/${id}`),
  accounts: grammar("accounts/<address>", `accounts/${address}`),
  account: grammar("account/<address>/<subaccount_id>", `account/${address}/${id}`),
};

const ADDRESS = new RegExp(`^${address}$`);

/** True for an address as channels name it: base58 (section 2.2). Never throws. */
export function isAddress(text: string): boolean {
  return ADDRESS.test(text);
}

/** All ten kinds, in the order of the grammar. */
export const CHANNEL_KINDS = Object.keys(CHANNEL_GRAMMAR) as readonly ChannelKind[];

/** A name of any kind. */
export const ANY_CHANNEL = new RegExp(
  Object.values(CHANNEL_GRAMMAR)
    .map(({ pattern }) => pattern.source)
    .join("|"),
);

type Parts = readonly (string | undefined)[];

const build: { readonly [K in ChannelKind]: (parts: Parts) => Channel } = {
  bbo: (parts) => ({ kind: "bbo", ...market(parts) }),
  orderbook: (parts) => ({ kind: "orderbook", ...market(parts) }),
  trades: (parts) => ({ kind: "trades", ...market(parts) }),
  candles: (parts) => ({ kind: "candles", ...market(parts), interval: parts[3] as Interval }),
  "mark-candles": ([, marketId = "", period]) => ({
    kind: "mark-candles",
    marketId,
    interval: period as Interval,
  }),
  markets: () => ({ kind: "markets" }),
  "market-stats": ([, marketType, marketId]) => ({
    kind: "market-stats",
    marketType: marketType as MarketType,
    marketId,
  }),
  "funding-rates": ([, marketId = ""]) => ({ kind: "funding-rates", marketId }),
  accounts: ([, owner = ""]) => ({ kind: "accounts", address: owner }),
  account: ([, owner = "", subaccountId = ""]) => ({
    kind: "account",
    address: owner,
    subaccountId,
  }),
};

function market(parts: Parts): { marketType: MarketType; marketId: string } {
  return { marketType: parts[1] as MarketType, marketId: parts[2] ?? "" };
}

/**
 * Takes a channel name apart.
 * @returns undefined when the name matches none of the ten forms exactly. Never throws.
 */
export function parseChannel(name: string): Channel | undefined {
  const slash = name.indexOf("/");
  const kind = (slash < 0 ? name : name.slice(0, slash)) as ChannelKind;
  if (!Object.hasOwn(CHANNEL_GRAMMAR, kind)) return undefined;
  const parts = CHANNEL_GRAMMAR[kind].pattern.exec(name);
  return parts === null ? undefined : build[kind](parts);
}

/**
 * Takes a channel name apart that somebody has typed: its ids are those of the interface (int32), without zeros before
 * them, so that one channel has one name. Interpretation: docs/adr/0026.
 * @returns undefined when the name has none of the ten forms, or an id is out of range. Never throws.
 */
export function parseTypedChannel(name: string): Channel | undefined {
  const channel = parseChannel(name);
  if (channel === undefined) return undefined;
  const ids: { marketId?: string; subaccountId?: string } = {};
  if ("marketId" in channel && channel.marketId !== undefined) {
    const marketId = parseId(channel.marketId);
    if (marketId === undefined) return undefined;
    ids.marketId = marketId;
  }
  if ("subaccountId" in channel) {
    const subaccountId = parseId(channel.subaccountId);
    if (subaccountId === undefined) return undefined;
    ids.subaccountId = subaccountId;
  }
  return { ...channel, ...ids };
}

/** The name of a channel, as commands and frames carry it. Never throws. */
export function formatChannel(channel: Channel): string {
  const parts: (string | undefined)[] = [channel.kind];
  if ("marketType" in channel) parts.push(channel.marketType);
  if ("marketId" in channel) parts.push(channel.marketId);
  if ("address" in channel) parts.push(channel.address);
  if ("subaccountId" in channel) parts.push(channel.subaccountId);
  if ("interval" in channel) parts.push(channel.interval);
  return parts.filter((part) => part !== undefined).join("/");
}
