// Updates of the four busiest kinds, read directly from text of exactly the documented form: compact JSON, fields in the order of
// section 6.3. Any other text, valid or not, goes through the checks, whose result for these texts is the same.
import { namedChannel } from "./channels.ts";
import type { Bodies, Level, Trade, Update } from "./frames.ts";

const HEAD = '{"type":"update","channel":"';
const DIGITS = '"([0-9]{1,24})"';
const LEVEL = `(?:null|\\{"price_ticks":${DIGITS},"size_base_lots":${DIGITS}\\})`;
/** What follows the name of a channel. Sticky: each is tried at one place only. */
const BBO = new RegExp(
  `","timestamp_ns":${DIGITS},"bbo":\\{"bid":${LEVEL},"ask":${LEVEL}\\}\\}$`,
  "y",
);
const DECIMAL = '"(-?[0-9]{1,40}(?:\\.[0-9]{1,40})?)"';
const COUNT = "(0|[1-9][0-9]{0,14})";
/** One candle, as nearly always. */
const CANDLE = new RegExp(
  `","timestamp_ns":${DIGITS},"candles":\\[\\{"open_time_ms":${COUNT},"open":${DECIMAL},"high":${DECIMAL},"low":${DECIMAL},` +
    `"close":${DECIMAL},"volume_base":${DECIMAL},"volume_quote":${DECIMAL},"trades":${COUNT}\\}\\]\\}$`,
  "y",
);
const NUMBERED = `","timestamp_ns":${DIGITS},"previous_sequence":(?:null|${DIGITS}),"sequence":(?:null|${DIGITS}),`;
const TRADES = new RegExp(`${NUMBERED}"trades":\\[`, "y");
const BOOK = new RegExp(`${NUMBERED}"orderbook":\\{"bids":\\[`, "y");

/** One cursor for the items of all lists, which a pattern reads slower; reading ends before the next message begins. */
let message = "";
let at = 0;

/** @returns undefined when the text is anything but such an update */
export function readFast(text: string): Update | undefined {
  if (!text.startsWith(HEAD)) return undefined;
  const end = text.indexOf('"', HEAD.length);
  const named = namedChannel(text.slice(HEAD.length, end));
  if (named === undefined) return undefined;
  const { channel, kind } = named;
  if (kind === "bbo") return readBbo(text, channel, end);
  if (kind === "candles") return readCandle(text, channel, end);
  if (kind !== "trades" && kind !== "orderbook") return undefined;
  const pattern = kind === "trades" ? TRADES : BOOK;
  pattern.lastIndex = end;
  const found = pattern.exec(text);
  if (found === null) return undefined;
  message = text;
  at = pattern.lastIndex;
  const [, timestampNs = "", previous = null, sequence = null] = found;
  if (kind === "trades") {
    const body = readTrades();
    return body && { type: "update", channel, kind, timestampNs, previous, sequence, body, text };
  }
  const body = readBook();
  return body && { type: "update", channel, kind, timestampNs, previous, sequence, body, text };
}

function readBbo(text: string, channel: string, end: number): Update | undefined {
  BBO.lastIndex = end;
  const found = BBO.exec(text);
  if (found === null) return undefined;
  const [, timestampNs = "", bidTicks, bidLots, askTicks, askLots] = found;
  return {
    type: "update",
    channel,
    kind: "bbo",
    timestampNs,
    previous: null,
    sequence: null,
    body: { bbo: { bid: levelOf(bidTicks, bidLots), ask: levelOf(askTicks, askLots) } },
    text,
  };
}

function readCandle(text: string, channel: string, end: number): Update | undefined {
  CANDLE.lastIndex = end;
  const found = CANDLE.exec(text);
  if (found === null) return undefined;
  const [, timestampNs = "", time, open = "", high = "", low = "", close = "", ...counted] = found;
  const [volume_base = "", volume_quote = "", trades] = counted;
  const open_time_ms = Number(time);
  const volumes = { volume_base, volume_quote, trades: Number(trades) };
  return {
    type: "update",
    channel,
    kind: "candles",
    timestampNs,
    previous: null,
    sequence: null,
    body: { candles: [{ open_time_ms, open, high, low, close, ...volumes }] },
    text,
  };
}

function levelOf(price_ticks: string | undefined, size_base_lots = ""): Level | null {
  return price_ticks === undefined ? null : { price_ticks, size_base_lots };
}

function readTrades(): Bodies["trades"] | undefined {
  const trades = readList(readTrade);
  return trades !== undefined && isAtEnd("}") ? { trades } : undefined;
}

function readBook(): Bodies["orderbook"] | undefined {
  const bids = readList(readLevel);
  if (bids === undefined || !pass(',"asks":[')) return undefined;
  const asks = readList(readLevel);
  return asks !== undefined && isAtEnd("}}") ? { orderbook: { bids, asks } } : undefined;
}

function isAtEnd(words: string): boolean {
  return pass(words) && at === message.length;
}

/** The items up to the closing bracket, which is passed. */
function readList<T>(readItem: () => T | undefined): readonly T[] | undefined {
  const items: T[] = [];
  if (pass("]")) return items;
  for (;;) {
    const item = readItem();
    if (item === undefined) return undefined;
    items.push(item);
    if (pass("]")) return items;
    if (!pass(",")) return undefined;
  }
}

function readLevel(): Level | undefined {
  const price_ticks = pass('{"price_ticks":"') ? readDigits() : undefined;
  if (price_ticks === undefined || !pass('","size_base_lots":"')) return undefined;
  const size_base_lots = readDigits();
  return size_base_lots !== undefined && pass('"}') ? { price_ticks, size_base_lots } : undefined;
}

function readTrade(): Trade | undefined {
  const timestamp_ns = pass('{"timestamp_ns":"') ? readDigits() : undefined;
  if (timestamp_ns === undefined || !pass('","price_ticks":"')) return undefined;
  const price_ticks = readDigits();
  if (price_ticks === undefined || !pass('","size_base_lots":"')) return undefined;
  const size_base_lots = readDigits();
  if (size_base_lots === undefined || !pass('","taker_is_bid":')) return undefined;
  const taker_is_bid = pass("true");
  if (!(taker_is_bid || pass("false")) || !pass("}")) return undefined;
  return { timestamp_ns, price_ticks, size_base_lots, taker_is_bid };
}

function pass(words: string): boolean {
  if (!message.startsWith(words, at)) return false;
  at += words.length;
  return true;
}

/** V8 copies shorter substrings; a longer one would keep its message alive for as long as a book or tape holds it. */
const COPIED = 12;

/** One to 24 digits; the cursor is then at what follows them. */
function readDigits(): string | undefined {
  const begin = at;
  for (let unit = message.charCodeAt(at); unit >= 0x30 && unit <= 0x39; )
    unit = message.charCodeAt(++at);
  const length = at - begin;
  if (length === 0 || length > 2 * COPIED) return undefined;
  if (length <= COPIED) return message.slice(begin, at);
  return message.slice(begin, begin + COPIED) + message.slice(begin + COPIED, at);
}
