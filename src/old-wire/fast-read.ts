// Reads updates of the busiest channels directly from their text if it has exactly the documented form: compact JSON with the
// fields in the order of section 6.3. Costs a fifth of JSON.parse plus validation, which handle everything else, valid or not.

import { MAX_CANDLES, MAX_DECIMAL_LENGTH, MAX_INTEGER_DIGITS } from "../wire/limits.ts";
import type { BboUpdate } from "./channels/bbo.ts";
import type { CandlesUpdate, LastCandle } from "./channels/candles.ts";
import type { OrderbookUpdate, PriceLevel } from "./channels/orderbook.ts";
import type { Trade, TradesUpdate } from "./channels/trades.ts";
import type { ChannelKind, Updates } from "./channels.ts";

const HEAD = '{"type":"update","channel":"';

/** The beginning of an update of a channel. */
export function headOf(channel: string): string {
  return `${HEAD}${channel}"`;
}

/** Size of the channel table: most markets watched at once get a slot of their own. */
const PLACES = 256;

/** Slot of a message's channel in a cache, hashed from a few characters, so that a cached name need not be parsed again. */
export function slotOfChannel(message: string): number {
  const end = message.indexOf('"', HEAD.length);
  const first = message.charCodeAt(HEAD.length);
  const last = message.charCodeAt(end - 1);
  return (end + first * 5 + last * 3 + message.charCodeAt(end - 2) * 37) & (PLACES - 1);
}

/** The channel named by an update; undefined when the message does not start with the documented fields. */
export function channelOfText(message: string): string | undefined {
  if (!message.startsWith(HEAD)) return undefined;
  const end = message.indexOf('"', HEAD.length);
  return end < 0 ? undefined : message.slice(HEAD.length, end);
}

// Patterns of values as services usually write them, each with one group: a subset of what JSON and the schemas allow.
const decimal = '"(-?[0-9]+(?:\\.[0-9]+)?)"';
const flag = "(?:true|false)";
/** As many digits as are exact in a Number. */
const count = "(0|[1-9][0-9]{0,14})";
const integer = "(-?(?:0|[1-9][0-9]{0,14}))";
const digits = `"([0-9]{1,${MAX_INTEGER_DIGITS}})"`;
/** For longer substrings V8 would keep the whole message alive; books and tapes keep parts of many frames for long. */
const MAX_COPIED_DIGITS = 12;
const shortDigits = `"[0-9]{1,${MAX_COPIED_DIGITS}}"`;

/** The pattern of an object with these fields in this order, without spaces; one group per field. */
function objectForm(fields: readonly (readonly [name: string, form: string])[]): string {
  return `\\{${fields.map(([name, form]) => `"${name}":${form}`).join(",")}\\}`;
}

const level = objectForm([
  ["price_ticks", digits],
  ["size_base_lots", digits],
]);
const bookLevel = objectForm([
  ["price_ticks", shortDigits],
  ["size_base_lots", shortDigits],
]);
/** As long as two substrings that are short enough to be copied. */
const nanoseconds = `"[0-9]{1,${2 * MAX_COPIED_DIGITS}}"`;
const trade = objectForm([
  ["timestamp_ns", nanoseconds],
  ["price_ticks", shortDigits],
  ["size_base_lots", shortDigits],
  ["taker_is_bid", flag],
]);
const candle = objectForm([
  ["open_time_ms", integer],
  ["open", decimal],
  ["high", decimal],
  ["low", decimal],
  ["close", decimal],
  ["volume_base", decimal],
  ["volume_quote", decimal],
  ["trades", count],
]);

/** Text between the channel name and the payload of the kind. */
const stamped = `","timestamp_ns":${digits},`;
const chained = `${stamped}"previous_sequence":(?:null|${digits}),"sequence":(?:null|${digits}),`;

/** Sticky: each is tried at one position only. */
const BBO = new RegExp(
  `${stamped}"bbo":\\{"bid":(?:null|${level}),"ask":(?:null|${level})\\}\\}$`,
  "y",
);
const BOOK = new RegExp(`${chained}"orderbook":\\{"bids":\\[`, "y");
const TRADES = new RegExp(`${chained}"trades":\\[`, "y");
const CANDLES = new RegExp(`${stamped}"candles":\\[`, "y");
const ASKS = ',"asks":[';

/** Groups of a match, from 1; undefined where the text has null. */
type Captured = Readonly<Record<1 | 2 | 3 | 4 | 5 | 6 | 7 | 8, string>>;
type Nullable = Readonly<Record<1 | 2 | 3 | 4 | 5, string | undefined>>;

/** The pattern of a list item, with the separator or bracket after it. */
function itemOf(form: string): RegExp {
  return new RegExp(`${form}(?:,(?=\\{)|\\])`, "y");
}

const LEVEL = itemOf(bookLevel);
const TRADE = itemOf(trade);
const CANDLE = itemOf(candle);

/** Reads one message from left to right. */
class Cursor {
  readonly message: string;
  at: number;

  constructor(message: string, at: number) {
    this.message = message;
    this.at = at;
  }

  find(pattern: RegExp): Captured | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.message);
    if (found === null) return undefined;
    this.at = pattern.lastIndex;
    return found as unknown as Captured;
  }

  /** As `find`, without returning the groups. */
  skips(pattern: RegExp): boolean {
    pattern.lastIndex = this.at;
    if (!pattern.test(this.message)) return false;
    this.at = pattern.lastIndex;
    return true;
  }

  /** The items of a list that begins at the cursor, up to its end. */
  list<T>(read: (cursor: Cursor) => T | undefined): readonly T[] | undefined {
    const { message } = this;
    const items: T[] = [];
    if (message.charCodeAt(this.at) === CLOSE_LIST) {
      this.at++;
      return items;
    }
    do {
      const item = read(this);
      if (item === undefined) return undefined;
      items.push(item);
    } while (message.charCodeAt(this.at - 1) !== CLOSE_LIST);
    return items;
  }

  /** True when the message continues with this text; moves past it. */
  passes(words: string): boolean {
    if (!this.message.startsWith(words, this.at)) return false;
    this.at += words.length;
    return true;
  }

  endsWith(words: string): boolean {
    return this.message.length === this.at + words.length && this.passes(words);
  }
}

const CLOSE_LIST = 0x5d;

const TRUE = "t".charCodeAt(0);
const PRICE = '"price_ticks":"'.length;
const SIZE = '"size_base_lots":"'.length;
const TIME = '"timestamp_ns":"'.length;
const SIDE = '"taker_is_bid":'.length;

// These are so many that their values are sliced out: a match array would cost as much as the slices.

function readLevel(cursor: Cursor): PriceLevel | undefined {
  const { message, at } = cursor;
  if (!cursor.skips(LEVEL)) return undefined;
  const price = at + 1 + PRICE;
  const priceEnd = message.indexOf('"', price);
  const size = priceEnd + 2 + SIZE;
  return {
    price_ticks: message.slice(price, priceEnd),
    size_base_lots: message.slice(size, cursor.at - '"},'.length),
  };
}

function readTrade(cursor: Cursor): Trade | undefined {
  const { message, at } = cursor;
  if (!cursor.skips(TRADE)) return undefined;
  const time = at + 1 + TIME;
  const timeEnd = message.indexOf('"', time);
  const price = timeEnd + 2 + PRICE;
  const priceEnd = message.indexOf('"', price);
  const size = priceEnd + 2 + SIZE;
  const sizeEnd = message.indexOf('"', size);
  const middle = Math.min(timeEnd, time + MAX_COPIED_DIGITS);
  return {
    timestamp_ns: message.slice(time, middle) + message.slice(middle, timeEnd),
    price_ticks: message.slice(price, priceEnd),
    size_base_lots: message.slice(size, sizeEnd),
    taker_is_bid: message.charCodeAt(sizeEnd + 2 + SIDE) === TRUE,
  };
}

function readCandle(cursor: Cursor): LastCandle | undefined {
  const found = cursor.find(CANDLE);
  if (found === undefined) return undefined;
  return {
    open_time_ms: Number(found[1]),
    open: found[2],
    high: found[3],
    low: found[4],
    close: found[5],
    volume_base: found[6],
    volume_quote: found[7],
    trades: Number(found[8]),
  };
}

function createLevel(price_ticks: string | undefined, size_base_lots = ""): PriceLevel | null {
  return price_ticks === undefined ? null : { price_ticks, size_base_lots };
}

function readBbo(cursor: Cursor, channel: string): BboUpdate | undefined {
  const found: Nullable | undefined = cursor.find(BBO);
  if (found === undefined) return undefined;
  const { 1: timestamp_ns = "" } = found;
  const bbo = { bid: createLevel(found[2], found[3]), ask: createLevel(found[4], found[5]) };
  return { type: "update", channel, timestamp_ns, bbo };
}

function readOrderbook(cursor: Cursor, channel: string): OrderbookUpdate | undefined {
  const found: Nullable | undefined = cursor.find(BOOK);
  const bids = found === undefined ? undefined : cursor.list(readLevel);
  if (found === undefined || bids === undefined || !cursor.passes(ASKS)) return undefined;
  const asks = cursor.list(readLevel);
  if (asks === undefined || !cursor.endsWith("}}")) return undefined;
  const { 1: timestamp_ns = "", 2: previous_sequence = null, 3: sequence = null } = found;
  const orderbook = { bids, asks };
  return { type: "update", channel, timestamp_ns, previous_sequence, sequence, orderbook };
}

function readTrades(cursor: Cursor, channel: string): TradesUpdate | undefined {
  const found: Nullable | undefined = cursor.find(TRADES);
  const trades = found === undefined ? undefined : cursor.list(readTrade);
  if (found === undefined || trades === undefined || !cursor.endsWith("}")) return undefined;
  const { 1: timestamp_ns = "", 2: previous_sequence = null, 3: sequence = null } = found;
  return { type: "update", channel, timestamp_ns, previous_sequence, sequence, trades };
}

function readCandles(cursor: Cursor, channel: string): CandlesUpdate | undefined {
  const found = cursor.find(CANDLES);
  const candles = found === undefined ? undefined : cursor.list(readCandle);
  if (found === undefined || candles === undefined || !cursor.endsWith("}")) return undefined;
  if (candles.length > MAX_CANDLES || candles.some(hasLongDecimal)) return undefined;
  return { type: "update", channel, timestamp_ns: found[1], candles };
}

/** Faster than a counted pattern. */
function hasLongDecimal({ open, high, low, close, volume_base, volume_quote }: LastCandle) {
  return (
    open.length > MAX_DECIMAL_LENGTH ||
    high.length > MAX_DECIMAL_LENGTH ||
    low.length > MAX_DECIMAL_LENGTH ||
    close.length > MAX_DECIMAL_LENGTH ||
    volume_base.length > MAX_DECIMAL_LENGTH ||
    volume_quote.length > MAX_DECIMAL_LENGTH
  );
}

const READERS: {
  readonly [K in ChannelKind]?: (cursor: Cursor, channel: string) => Updates[K] | undefined;
} = { bbo: readBbo, orderbook: readOrderbook, trades: readTrades, candles: readCandles };

/**
 * The frame of a message whose channel was found by `channelOfText`, identical to what parsing and strict validation would return.
 * @returns undefined when the text is anything but such an update, valid or not
 */
export function readUpdateText<K extends ChannelKind>(
  message: string,
  kind: K,
  channel: string,
): Updates[K] | undefined {
  const read = READERS[kind];
  return read?.(new Cursor(message, HEAD.length + channel.length), channel) as
    | Updates[K]
    | undefined;
}
