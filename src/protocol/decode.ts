// Server frames (section 6): from text to a typed frame, or to a rejection that says where and why.

import { type ChannelKind, parseChannel } from "./channel.ts";
import { type AccountUpdate, accountUpdate } from "./channels/account.ts";
import { type AccountsUpdate, accountsUpdate } from "./channels/accounts.ts";
import { type BboUpdate, bboUpdate } from "./channels/bbo.ts";
import { type CandlesUpdate, candlesUpdate } from "./channels/candles.ts";
import { type FundingRatesUpdate, fundingRatesUpdate } from "./channels/funding-rates.ts";
import { type MarkCandlesUpdate, markCandlesUpdate } from "./channels/mark-candles.ts";
import { type MarketStatsUpdate, marketStatsUpdate } from "./channels/market-stats.ts";
import { type MarketsUpdate, marketsUpdate } from "./channels/markets.ts";
import { type OrderbookUpdate, orderbookUpdate } from "./channels/orderbook.ts";
import { type TradesUpdate, tradesUpdate } from "./channels/trades.ts";
import { type ErrorFrame, errorFrame } from "./frames/error.ts";
import { type HelloFrame, helloFrame } from "./frames/hello.ts";
import { type UnsubscribedFrame, unsubscribedFrame } from "./frames/unsubscribed.ts";
import { isDeepValue, isTooDeepToParse, parseJson } from "./json.ts";
import { type Drift, type Rejection, reject } from "./rejection.ts";
import { createSchema, type Schema } from "./schema.ts";

/** The update frame of each channel kind. */
export interface Updates {
  bbo: BboUpdate;
  orderbook: OrderbookUpdate;
  trades: TradesUpdate;
  candles: CandlesUpdate;
  "mark-candles": MarkCandlesUpdate;
  markets: MarketsUpdate;
  "market-stats": MarketStatsUpdate;
  "funding-rates": FundingRatesUpdate;
  accounts: AccountsUpdate;
  account: AccountUpdate;
}

/** An accepted update with the kind of its channel, and the text that it was read from. */
export type ReceivedUpdate = {
  [K in ChannelKind]: {
    readonly type: "update";
    readonly kind: K;
    readonly frame: Updates[K];
    readonly message: string;
  };
}[ChannelKind];

/** An accepted server frame. */
export type Received =
  | ReceivedUpdate
  | { readonly type: "hello"; readonly frame: HelloFrame }
  | { readonly type: "unsubscribed"; readonly frame: UnsubscribedFrame }
  | { readonly type: "error"; readonly frame: ErrorFrame };

/** What became of one message. */
export type Decoded =
  | { readonly ok: true; readonly received: Received; readonly drifts: boolean }
  | { readonly ok: false; readonly rejection: Rejection };

export interface Decoder {
  /** Reads one text message of the service. Never throws. */
  decode(message: string): Decoded;
  /** Names what an accepted frame has that the document does not list. Never throws. */
  drifts(received: Received): readonly Drift[];
}

const updates: { readonly [K in ChannelKind]: Schema<Updates[K]> } = {
  bbo: createSchema(bboUpdate),
  orderbook: createSchema(orderbookUpdate),
  trades: createSchema(tradesUpdate),
  candles: createSchema(candlesUpdate),
  "mark-candles": createSchema(markCandlesUpdate),
  markets: createSchema(marketsUpdate),
  "market-stats": createSchema(marketStatsUpdate),
  "funding-rates": createSchema(fundingRatesUpdate),
  accounts: createSchema(accountsUpdate),
  account: createSchema(accountUpdate),
};

const others = {
  hello: createSchema(helloFrame),
  unsubscribed: createSchema(unsubscribedFrame),
  error: createSchema(errorFrame),
};

/** Channel names whose kind is remembered: several times what one connection plausibly carries. */
const MAX_REMEMBERED_NAMES = 1000;

/**
 * Makes a reader of server frames.
 * @param isStrict refuse fields and words that the document does not list, instead of keeping them
 */
export function createDecoder(isStrict: boolean): Decoder {
  const kinds = new Map<string, ChannelKind>();

  const kindOf = (name: string): ChannelKind | undefined => {
    const known = kinds.get(name);
    if (known !== undefined) return known;
    const kind = parseChannel(name)?.kind;
    if (kind !== undefined && kinds.size < MAX_REMEMBERED_NAMES) kinds.set(name, kind);
    return kind;
  };

  return {
    decode(message) {
      const value = parseFrame(message);
      if (!isRecord(value)) return noFrame(message, value);
      const { type, channel } = value;
      if (type !== "update") return decodeOther(message, value, isStrict);
      const kind = typeof channel === "string" ? kindOf(channel) : undefined;
      if (kind === undefined) {
        return refused(message, "unknown-channel", "no channel name", { path: "channel" });
      }
      return decodeUpdate(message, value, kind, isStrict);
    },
    drifts(received) {
      const schema = received.type === "update" ? updates[received.kind] : others[received.type];
      return (schema as Schema<unknown>).drifts(received.frame);
    },
  };
}

function decodeOther(message: string, value: Fields, isStrict: boolean): Decoded {
  const { type, channel } = value;
  if (typeof type !== "string" || !Object.hasOwn(others, type)) {
    return refused(message, "unknown-type", "not hello, update, unsubscribed or error", {
      path: "type",
      channel,
    });
  }
  const known = type as keyof typeof others;
  const fit = (others[known] as Schema<unknown>).check(value, isStrict);
  if (!fit.ok) return refused(message, "wrong-shape", fit.detail, { path: fit.path, channel });
  if (fit.drifts && isDeepValue(value)) return tooDeep(message, channel);
  return {
    ok: true,
    received: { type: known, frame: fit.value } as Received,
    drifts: fit.drifts,
  };
}

function decodeUpdate(
  message: string,
  value: Fields,
  kind: ChannelKind,
  isStrict: boolean,
): Decoded {
  const { channel } = value;
  const fit = updates[kind].check(value, isStrict);
  if (!fit.ok) return refused(message, "wrong-shape", fit.detail, { ...fit, channel });
  const isOpen = fit.drifts || !CLOSED.has(kind);
  if (isOpen && isDeepValue(value)) return tooDeep(message, channel);
  const received = { type: "update", kind, frame: fit.value, message } as ReceivedUpdate;
  return { ok: true, received, drifts: fit.drifts };
}

/** Undefined for what is no JSON, and for what would take too long to find out. */
function parseFrame(message: string): unknown {
  return isTooDeepToParse(message) ? undefined : parseJson(message);
}

function noFrame(message: string, value: unknown): Decoded {
  if (value !== undefined) return refused(message, "not-an-object", "a frame is a JSON object");
  if (isTooDeepToParse(message)) return tooDeep(message, undefined);
  return refused(message, "not-json", "the text is not JSON");
}

/** Kinds whose frames have no room for anything that the document does not list, unless they drift. */
const CLOSED: ReadonlySet<ChannelKind> = new Set([
  "bbo",
  "orderbook",
  "trades",
  "candles",
  "mark-candles",
]);

function tooDeep(message: string, channel: unknown): Decoded {
  return refused(message, "too-deep", "nested too deep", { channel });
}

type Fields = Readonly<Record<string, unknown>>;

function isRecord(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function refused(
  message: string,
  reason: Rejection["reason"],
  detail: string,
  { path = "", channel }: { path?: string; channel?: unknown } = {},
): Decoded {
  const name = typeof channel === "string" ? channel : undefined;
  return { ok: false, rejection: reject(message, reason, detail, { path, channel: name }) };
}
