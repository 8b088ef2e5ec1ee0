// The three listings (interface 4.2 to 4.4): paths, parameters and rows.
import { createHash } from "node:crypto";
import { DEFAULT_PAGE_LIMIT, MAX_PAGE_LIMIT } from "../../wire/limits.ts";
import type { LiquidationRecord } from "../../wire/rest/liquidations.ts";
import type { TradeRecord } from "../../wire/rest/trades.ts";
import { isPartyTo } from "../exchange/account.ts";
import type { Market } from "../exchange/market.ts";
import { feeAtoms, notionalAtoms } from "../exchange/money.ts";
import { type FeedContext, priceText, quoteText, sizeText } from "../feeds/feed.ts";
import type { Liquidation, Log, TradeRow } from "../ledger/log.ts";

/** A rejected request: HTTP status, message for the client, and headers. */
export class RequestError extends Error {
  override readonly name = "RequestError";
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

const MAX_INT32 = 2_147_483_647n;
const MAX_UINT16 = 65_535n;
const MIN_INT64 = -(2n ** 63n);
const MAX_INT64 = 2n ** 63n - 1n;

/**
 * The rows of a page, newest first; `parts` are the variable parts of the path.
 * @throws {RequestError} 400 for malformed parameters, 404 for what does not exist
 */
type Page = (
  context: FeedContext,
  parts: readonly string[],
  query: URLSearchParams,
) => readonly object[];

export const ENDPOINTS: readonly { readonly path: RegExp; readonly page: Page }[] = [
  { path: /^\/markets\/([^/]+)\/trades$/, page: marketTrades },
  { path: /^\/markets\/([^/]+)\/liquidations$/, page: marketLiquidations },
  { path: /^\/accounts\/([^/]+)\/subaccounts\/([^/]+)\/trades$/, page: accountFills },
];

function marketTrades(...[context, [id = ""], query]: Parameters<Page>): readonly object[] {
  const type = query.get("market_type") ?? "perp";
  if (type !== "perp" && type !== "spot") {
    throw new RequestError(400, "market_type must be perp or spot");
  }
  const { index } = findMarket(context, type, id);
  const { trades } = context.exchange;
  const rows = pageRows(context, query, trades, ({ market }) => market === index);
  return rows.map((row) => createTradeRecord(context, row));
}

function accountFills(
  ...[context, [address = "", subaccount = ""], query]: Parameters<Page>
): readonly object[] {
  if (!/^0x[0-9a-fA-F]{40}$/.test(address)) {
    throw new RequestError(400, "address must be 0x and 40 hex digits");
  }
  const id = parseId(subaccount, "subaccount_id", MAX_UINT16);
  const { accounts, trades } = context.exchange;
  const account = accounts.find(
    ({ setup }) => setup.owner.owner === address.toLowerCase() && setup.subaccountId === id,
  );
  if (account === undefined) throw new RequestError(404, "unknown account or subaccount");
  const rows = pageRows(context, query, trades, (row) => isPartyTo(account, row));
  return rows.map((row) => createTradeRecord(context, row));
}

function marketLiquidations(...[context, [id = ""], query]: Parameters<Page>): readonly object[] {
  const { index } = findMarket(context, "perp", id);
  const { liquidations } = context.exchange;
  const rows = pageRows(context, query, liquidations, ({ positions }) =>
    positions.some(({ market }) => market === index),
  );
  return rows.map((row) => createLiquidationRecord(context, row));
}

function findMarket({ exchange }: FeedContext, type: "perp" | "spot", text: string): Market {
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

/** The rows selected by `limit` and `before`, newest first. */
function pageRows<R extends TradeRow | Liquidation>(
  { readings, time }: FeedContext,
  query: URLSearchParams,
  log: Log<R>,
  isListed: (row: R) => boolean,
): R[] {
  const limit = parseInteger(query, "limit", 1n, BigInt(MAX_PAGE_LIMIT)) ?? DEFAULT_PAGE_LIMIT;
  const before = parseInteger(query, "before", MIN_INT64, MAX_INT64);
  // Every possible key is non-decreasing from row to row, as the binary search requires.
  const key = {
    transaction: ({ index }: R) => index,
    id: ({ id }: R) => id,
    timestamp: ({ timeUs }: R) => time.ms(timeUs),
  }[readings.cursor];
  const end = before === undefined ? undefined : lowerBound(log, key, before);
  return log.newest(Number(limit), isListed, end);
}

/** Position of the first row whose key is at least the bound. */
function lowerBound<R extends TradeRow | Liquidation>(
  log: Log<R>,
  key: (row: R) => number,
  bound: bigint,
): number {
  let low = 0;
  let high = log.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    // A number and a bigint compare exactly.
    if (key(log.rows[middle] as R) < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A trade as a REST record (interface 2.4). */
export function createTradeRecord({ exchange, time }: FeedContext, trade: TradeRow): TradeRecord {
  const { spec } = exchange.market(trade.market);
  const maker = exchange.account(trade.maker).setup;
  const taker = exchange.account(trade.taker).setup;
  const notional = notionalAtoms(spec, trade.priceTicks, trade.sizeLots);
  return {
    trade_id: String(trade.id),
    tx_hash: `0x${createHash("sha256").update(`${trade.index}`).digest("hex")}`,
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

/**
 * A liquidation as a REST record (interface 2.5). The interface does not show the values of its text fields: these are plausible.
 * `liquidation_type`: all is closed; `bucket`: which limit was crossed; `scope`: what was evaluated.
 */
export function createLiquidationRecord(
  { exchange, time, liquidator }: FeedContext,
  liquidation: Liquidation,
): LiquidationRecord {
  const { owner, subaccountId } = exchange.account(liquidation.account).setup;
  return {
    liquidation_id: String(liquidation.id),
    liquidation_type: "full",
    liquidator: liquidator.owner,
    liquidatee: owner.owner,
    liquidatee_subaccount: subaccountId,
    bucket: liquidation.isBankrupt ? "bankruptcy" : "maintenance",
    scope: "account",
    positions: liquidation.positions.map(({ market, isLong, closedLots, marginAtoms }) => {
      const { spec } = exchange.market(market);
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
