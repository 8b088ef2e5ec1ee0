// The three listings (4.2 to 4.4): path, who or what they are about, and their rows.

import { DEFAULT_PAGE_LIMIT, MAX_PAGE_LIMIT } from "../../wire/limits.ts";
import type { LiquidationRecord } from "../../wire/rest/liquidations.ts";
import type { TradeRecord } from "../../wire/rest/trades.ts";
import type { Owner } from "../exchange/account.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { Market } from "../exchange/market.ts";
import { feeAtoms, notionalAtoms } from "../exchange/money.ts";
import { priceText, quoteText, sizeText, type WallTime } from "../feeds/text.ts";
import { FIRST_LIQUIDATION_ID, FIRST_TRADE_ID } from "../ledger/tables.ts";
import type { Readings } from "../scenarios/readings.ts";

/** A request that gets no listing: an HTTP status, and words for whoever asked. */
export class RequestError extends Error {
  override readonly name = "RequestError";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** What listings are read from, and how they are worded. */
export interface ListingContext {
  readonly exchange: Exchange;
  readonly time: WallTime;
  readonly liquidator: Owner;
  readonly readings: Readings;
}

const MAX_INT32 = 2_147_483_647n;
const MAX_UINT16 = 65_535n;

/** One kind of listing. `parts` are the variable parts of the path. */
interface Endpoint {
  readonly path: RegExp;
  /** @throws {RequestError} 400 for malformed parameters, 404 for what does not exist */
  readonly page: (
    context: ListingContext,
    parts: readonly string[],
    query: URLSearchParams,
  ) => readonly object[];
}

/** The listings, by their paths without the prefix. */
export const ENDPOINTS: readonly Endpoint[] = [
  { path: /^\/markets\/([^/]+)\/trades$/, page: marketTrades },
  { path: /^\/markets\/([^/]+)\/liquidations$/, page: marketLiquidations },
  { path: /^\/accounts\/([^/]+)\/subaccounts\/([^/]+)\/trades$/, page: accountFills },
];

function marketTrades(
  context: ListingContext,
  [id = ""]: readonly string[],
  query: URLSearchParams,
): readonly object[] {
  const type = query.get("market_type") ?? "perp";
  if (type !== "perp" && type !== "spot") {
    throw new RequestError(400, "market_type must be perp or spot");
  }
  const market = findMarket(context, type, id);
  const { trades } = context.exchange;
  return tradePage(context, query, (row) => trades.marketAt(row) === market.index);
}

function accountFills(
  context: ListingContext,
  [address = "", subaccount = ""]: readonly string[],
  query: URLSearchParams,
): readonly object[] {
  if (!/^0x[0-9a-fA-F]{40}$/.test(address)) {
    throw new RequestError(400, "address must be 0x and 40 hex digits");
  }
  const subaccountId = parseId(subaccount, "subaccount_id", MAX_UINT16);
  const owner = address.toLowerCase();
  const { accounts, trades } = context.exchange;
  const account = accounts.find(
    (each) => each.owner.owner === owner && each.subaccountId === subaccountId,
  );
  if (account === undefined) throw new RequestError(404, "unknown account or subaccount");
  return tradePage(context, query, (row) => trades.isOf(row, account.index));
}

function marketLiquidations(
  context: ListingContext,
  [id = ""]: readonly string[],
  query: URLSearchParams,
): readonly object[] {
  const market = findMarket(context, "perp", id);
  const { exchange, time, liquidator, readings } = context;
  const { liquidations } = exchange;
  const at = (row: number) => liquidations.rows[row - liquidations.first];
  const listing: Listing = {
    first: liquidations.first,
    end: liquidations.end,
    index: (row) => at(row)?.index ?? 0,
    id: (row) => FIRST_LIQUIDATION_ID + row,
    timeUs: (row) => at(row)?.timeUs ?? 0,
    isListed: (row) =>
      at(row)?.positions.some((position) => position.market === market.index) ?? false,
  };
  return pageRows(listing, parsePageQuery(query), readings.cursor, time).map((row) =>
    liquidationRecordOf(exchange, time, liquidator, row),
  );
}

function tradePage(
  { exchange, time, readings }: ListingContext,
  query: URLSearchParams,
  isListed: (row: number) => boolean,
): readonly object[] {
  const { trades } = exchange;
  const listing: Listing = {
    first: trades.first,
    end: trades.end,
    index: (row) => trades.indexAt(row),
    id: (row) => FIRST_TRADE_ID + row,
    timeUs: (row) => trades.timeUsAt(row),
    isListed,
  };
  return pageRows(listing, parsePageQuery(query), readings.cursor, time).map((row) =>
    tradeRecordOf(exchange, time, row),
  );
}

function findMarket({ exchange }: ListingContext, type: "perp" | "spot", text: string): Market {
  const id = parseId(text, "market_id", MAX_INT32);
  const market = exchange.markets.find(({ spec }) => spec.type === type && spec.id === id);
  if (market === undefined) throw new RequestError(404, `unknown ${type} market`);
  return market;
}

function parseId(text: string, name: string, most: bigint): number {
  if (!/^[0-9]{1,20}$/.test(text) || BigInt(text) > most) {
    throw new RequestError(400, `${name} must be an integer from 0 to ${most}`);
  }
  return Number(text);
}

const MIN_INT64 = -(2n ** 63n);
const MAX_INT64 = 2n ** 63n - 1n;

/** Which rows are asked for. */
export interface PageQuery {
  readonly limit: number;
  /** Items strictly before this; undefined for the newest. */
  readonly before: bigint | undefined;
}

/** Reads the paging parameters. @throws {RequestError} 400 for text that is no number of the allowed range */
function parsePageQuery(query: URLSearchParams): PageQuery {
  const limit = parseInteger(query, "limit", 1n, BigInt(MAX_PAGE_LIMIT));
  const before = parseInteger(query, "before", MIN_INT64, MAX_INT64);
  return { limit: limit === undefined ? DEFAULT_PAGE_LIMIT : Number(limit), before };
}

function parseInteger(
  query: URLSearchParams,
  name: string,
  least: bigint,
  most: bigint,
): bigint | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const value = /^-?[0-9]{1,30}$/.test(text) ? BigInt(text) : undefined;
  if (value === undefined || value < least || value > most) {
    throw new RequestError(400, `${name} must be an integer from ${least} to ${most}`);
  }
  return value;
}

/** Rows in the order in which things happened. What each is ordered by never falls from one to the next. */
export interface Listing {
  readonly first: number;
  readonly end: number;
  /** The three things that `before` may be compared with. */
  index(row: number): number;
  id(row: number): number;
  timeUs(row: number): number;
  isListed(row: number): boolean;
}

/** The rows of a page, newest first. */
function pageRows(
  listing: Listing,
  { limit, before }: PageQuery,
  cursor: Readings["cursor"],
  time: WallTime,
): number[] {
  const key = {
    transaction: (row: number) => listing.index(row),
    id: (row: number) => listing.id(row),
    timestamp: (row: number) => time.ms(listing.timeUs(row)),
  }[cursor];
  const rows: number[] = [];
  const end = before === undefined ? listing.end : lowerBound(listing, key, before);
  for (let row = end - 1; row >= listing.first && rows.length < limit; row--) {
    if (listing.isListed(row)) rows.push(row);
  }
  return rows;
}

/** The first row whose key is not less than a bound. */
function lowerBound({ first, end }: Listing, key: (row: number) => number, bound: bigint): number {
  let low = first;
  let high = end;
  while (low < high) {
    const middle = low + Math.floor((high - low) / 2);
    // A number and a bigint compare exactly.
    if (key(middle) < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** @throws {RangeError} for a row that is not kept */
export function tradeRecordOf(exchange: Exchange, time: WallTime, row: number): TradeRecord {
  const trade = exchange.trades.at(row);
  const spec = exchange.markets[trade.market]?.spec;
  const maker = exchange.accounts[trade.maker];
  const taker = exchange.accounts[trade.taker];
  if (spec === undefined || maker === undefined || taker === undefined) {
    throw new RangeError(`trade ${row} is of nobody`);
  }
  const notional = notionalAtoms(spec, trade.priceTicks, trade.sizeLots);
  return {
    trade_id: String(FIRST_TRADE_ID + row),
    tx_hash: hashOf(trade.index),
    market_type: spec.type,
    market_id: spec.id,
    price: priceText(spec, trade.priceTicks),
    quantity: sizeText(spec, trade.sizeLots),
    quote_notional: quoteText(notional),
    taker_is_bid: trade.takerIsBid,
    maker_address: maker.owner.owner,
    maker_subaccount_id: maker.subaccountId,
    taker_address: taker.owner.owner,
    taker_subaccount_id: taker.subaccountId,
    maker_fee_quote: quoteText(feeAtoms(notional, spec.makerFeePpm)),
    taker_fee_quote: quoteText(feeAtoms(notional, spec.takerFeePpm)),
    maker_client_order_id: String(trade.makerClientOrderId),
    taker_client_order_id: String(trade.takerClientOrderId),
    timestamp_ms: time.ms(trade.timeUs),
  };
}

const HASH_WORDS = 8;

/** A hash that looks like one: all trades of a transaction share it, no two transactions do in practice. */
function hashOf(index: number): string {
  let state = index | 0;
  let text = "0x";
  for (let word = 0; word < HASH_WORDS; word++) {
    state = Math.imul(state ^ (state >>> 16) ^ word, 0x85ebca6b);
    state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35) ^ Math.floor(index / 2 ** 32);
    state ^= state >>> 16;
    text += (state >>> 0).toString(16).padStart(8, "0");
  }
  return text;
}

/**
 * `liquidation_type`: how much was closed; `bucket`: which limit was passed; `scope`: what was looked at.
 * @throws {RangeError} for a number that is not kept
 */
export function liquidationRecordOf(
  exchange: Exchange,
  time: WallTime,
  liquidator: Owner,
  number: number,
): LiquidationRecord {
  const { liquidations, accounts, markets } = exchange;
  const liquidation = liquidations.rows[number - liquidations.first];
  const account = accounts[liquidation?.account ?? -1];
  if (liquidation === undefined || account === undefined) {
    throw new RangeError(`liquidation ${number} is not kept`);
  }
  return {
    liquidation_id: String(FIRST_LIQUIDATION_ID + number),
    liquidation_type: liquidation.isPartial ? "partial" : "full",
    liquidator: liquidator.owner,
    liquidatee: account.owner.owner,
    liquidatee_subaccount: account.subaccountId,
    bucket: liquidation.isBankrupt ? "bankruptcy" : "maintenance",
    scope: "account",
    positions: liquidation.positions.flatMap(({ market, isLong, closedLots, marginAtoms }) => {
      const spec = markets[market]?.spec;
      if (spec === undefined) return [];
      return {
        market_id: spec.id,
        side: isLong ? "long" : "short",
        size: sizeText(spec, closedLots),
        position_margin: quoteText(marginAtoms),
        margin_mode: "cross",
      };
    }),
    timestamp_ms: time.ms(liquidation.timeUs),
  };
}
