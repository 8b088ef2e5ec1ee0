/**
 * The records of the three listings (interface 2.4 and 2.5), made from a content number: the same
 * number and time make the same record, so rows that are equal in every field can be made on purpose.
 */
import { hash } from "./random.ts";

export type ListingKind = "trades" | "liquidations" | "fills";

/** What kind of untrue row a lying service slips in. */
export type RowLie = "other-market" | "other-market-type" | "other-owner" | "other-subaccount";

export interface RowStyle {
  kind: ListingKind;
  marketType: "perp" | "spot";
  /** How records spell the market type; the document does not show the values. */
  marketTypeText: string;
  marketId: number;
  owner: string;
  subaccountId: number;
  addressCase: "lower" | "mixed" | "mixed-by-row";
  /** Every row carries the same ids and few values: rows are often equal in every field. */
  isBland: boolean;
  /** Fills of which maker and taker are both the owner, as a share. */
  selfTradeShare: number;
  /** Trades of an account come from several markets; some liquidations touch the market without a position in it. */
  hasManyMarkets: boolean;
  hasBigIds: boolean;
  /** Some numeric texts are 1.5e3, 007.50 or +2. */
  hasOddNumbers: boolean;
  hasExtraFields: boolean;
  hasShuffledKeys: boolean;
}

export interface RowPlace {
  content: number;
  /** Numeric text of `trade_id` or `liquidation_id`. */
  id: string;
  transaction: number;
  timestampMs: number;
}

export type Json = string | number | boolean | null | Json[] | { [name: string]: Json };
export type ListingRecord = Record<string, Json>;

const HEX = "0123456789abcdef";

function mixCase(address: string, salt: number): string {
  let text = "0x";
  for (let i = 2; i < address.length; i++) {
    const letter = address.charAt(i);
    text += hash(salt, i) & 1 ? letter.toUpperCase() : letter;
  }
  return text;
}

/** 0x and 40 lower-case hex digits. */
export function makeOwner(salt: number): string {
  let text = "0x";
  for (let i = 0; i < 40; i++) text += HEX.charAt(hash(salt, i, 77) & 15);
  return text;
}

const STRANGERS = Array.from({ length: 40 }, (_, i) => makeOwner(1_000 + i));
const CASES = 8;
const cased = new Map<string, string[]>();

function inCase(address: string, style: RowStyle, content: number): string {
  if (style.addressCase === "lower") return address;
  let list = cased.get(address);
  if (list === undefined) {
    if (cased.size > 1_000) cased.clear();
    list = Array.from({ length: CASES }, (_, salt) => mixCase(address, salt));
    cased.set(address, list);
  }
  return list[style.addressCase === "mixed" ? 1 : content % CASES] ?? address;
}

function withPoint(value: number, decimals: number): string {
  const digits = String(Math.abs(value)).padStart(decimals + 1, "0");
  const split = digits.length - decimals;
  return `${value < 0 ? "-" : ""}${digits.slice(0, split)}.${digits.slice(split)}`;
}

interface Side {
  address: string;
  subaccountId: number;
}

function stranger(content: number, salt: number, style: RowStyle): Side {
  const number = style.isBland ? salt : hash(content, salt) % 9;
  return { address: STRANGERS[number] ?? "", subaccountId: number % 3 };
}

/** The account is maker and taker of the trade with this content. */
export function isSelfTrade(content: number, share: number): boolean {
  return hash(content, 5) % 1000 < share * 1000;
}

function sidesOf(content: number, style: RowStyle, lie: RowLie | undefined): [Side, Side] {
  const maker = stranger(content, 3, style);
  const taker = stranger(content, 4, style);
  if (style.kind !== "fills") return [maker, taker];
  const own: Side = { address: style.owner, subaccountId: style.subaccountId };
  if (lie === "other-owner") return [maker, taker];
  if (lie === "other-subaccount") own.subaccountId += 1;
  if (!lie && isSelfTrade(content, style.selfTradeShare)) {
    const other = hash(content, 6) & 1 ? own : { ...own, subaccountId: own.subaccountId + 1 };
    return hash(content, 7) & 1 ? [own, other] : [other, own];
  }
  return hash(content, 8) & 1 ? [own, taker] : [maker, own];
}

function marketIdOf(content: number, style: RowStyle, lie: RowLie | undefined): number {
  if (lie === "other-market" && style.kind !== "fills") return style.marketId + 1;
  if (style.kind !== "fills" || !style.hasManyMarkets) return style.marketId;
  return hash(content, 9) % 5;
}

function marketTypeOf(style: RowStyle, lie: RowLie | undefined): string {
  if (lie !== "other-market-type") return style.marketTypeText;
  return style.marketType === "perp" ? "spot" : "perp";
}

function tradeRecord(place: RowPlace, style: RowStyle, lie: RowLie | undefined): ListingRecord {
  const { content } = place;
  const cents = style.isBland ? 10_000 : 9_000 + (hash(content, 10) % 2_000);
  const milli = style.isBland ? 1_000 + (content % 2) * 500 : 1 + (hash(content, 11) % 50_000);
  const [maker, taker] = sidesOf(content, style, lie);
  const quantity = withPoint(milli, 3);
  const oddQuantity = [`${milli}e-3`, `00${quantity}`, `+${quantity}`][content % 3] ?? quantity;
  const clientId = (salt: number): string => {
    if (style.isBland) return "0";
    const low = String(hash(content, salt));
    return style.hasBigIds ? `9${low.padStart(10, "0")}${low.padStart(10, "0")}` : low;
  };
  return {
    trade_id: place.id,
    tx_hash: style.isBland ? "" : `0x${hash(place.transaction, 12).toString(16).padStart(8, "0")}`,
    market_type: marketTypeOf(style, lie),
    market_id: marketIdOf(content, style, lie),
    price: withPoint(cents, 2),
    quantity: style.hasOddNumbers ? oddQuantity : quantity,
    quote_notional: withPoint(cents * milli, 5),
    taker_is_bid: (content & 1) === 1,
    maker_address: inCase(maker.address, style, content),
    maker_subaccount_id: maker.subaccountId,
    taker_address: inCase(taker.address, style, content),
    taker_subaccount_id: taker.subaccountId,
    maker_fee_quote: withPoint(style.isBland ? 0 : (hash(content, 13) % 900) - 600, 4),
    taker_fee_quote: withPoint(style.isBland ? 0 : (hash(content, 14) % 900) - 100, 4),
    maker_client_order_id: clientId(15),
    taker_client_order_id: clientId(16),
    timestamp_ms: place.timestampMs,
  };
}

function positionRecord(marketId: number, content: number): ListingRecord {
  return {
    market_id: marketId,
    side: hash(content, 20) & 1 ? "long" : "short",
    size: withPoint(1 + (hash(content, 21) % 9_000), 3),
    position_margin: withPoint((hash(content, 22) % 20_000) - 12_000, 4),
    margin_mode: hash(content, 23) & 1 ? "cross" : "isolated",
  };
}

/**
 * What "touching the market" (4.3) means, nobody says: an event may have no position at all, or positions in other markets
 * alone.
 */
function positionsOf(content: number, style: RowStyle): ListingRecord[] {
  if (!style.isBland && style.hasManyMarkets && hash(content, 31) % 3 === 0)
    return [positionRecord(style.marketId + 1, content)];
  const count = style.isBland ? 1 : hash(content, 24) % 5;
  const list: ListingRecord[] = [];
  for (let i = 0; i < count; i++) {
    list.push(positionRecord(style.marketId + i, style.isBland ? i : content + i));
  }
  return list.reverse();
}

function liquidationRecord(place: RowPlace, style: RowStyle): ListingRecord {
  const { content } = place;
  return {
    liquidation_id: place.id,
    liquidation_type: hash(content, 25) & 1 ? "partial" : "full",
    liquidator: inCase(stranger(content, 26, style).address, style, content),
    liquidatee: inCase(stranger(content, 27, style).address, style, content),
    liquidatee_subaccount: style.isBland ? 0 : hash(content, 28) % 4,
    bucket: style.isBland ? "" : `b${hash(content, 29) % 4}`,
    scope: hash(content, 30) & 1 ? "market" : "account",
    positions: positionsOf(content, style),
    timestamp_ms: place.timestampMs,
  };
}

function shuffled(record: ListingRecord, salt: number): ListingRecord {
  const names = Object.keys(record);
  const rank = new Map(names.map((name, i) => [name, hash(salt, i, 31)]));
  names.sort((a, b) => (rank.get(a) ?? 0) - (rank.get(b) ?? 0));
  return Object.fromEntries(names.map((name) => [name, record[name] ?? null]));
}

export function makeRecord(place: RowPlace, style: RowStyle, lie?: RowLie): ListingRecord {
  const record =
    style.kind === "liquidations"
      ? liquidationRecord(place, style)
      : tradeRecord(place, style, lie);
  if (style.hasExtraFields) {
    record.note = "ünïcode, with a comma";
    record.detail = { nested: [1, null, true] };
  }
  return style.hasShuffledKeys ? shuffled(record, place.content) : record;
}
