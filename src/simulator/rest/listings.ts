// The three listings (4.2 to 4.4): path, who or what they are about, and their rows.
import type { Owner } from "../accounts/owner.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { Market } from "../exchange/market.ts";
import { FIRST_LIQUIDATION_ID } from "../ledger/liquidation-log.ts";
import { FIRST_TRADE_ID } from "../ledger/trade-table.ts";
import type { Readings } from "../scenarios/readings.ts";
import type { WallTime } from "../wire/wall-time.ts";
import { liquidationRecordOf } from "./liquidation-record.ts";
import { type Listing, pageRows, parsePageQuery } from "./paging.ts";
import { RequestError } from "./request-error.ts";
import { tradeRecordOf } from "./trade-record.ts";

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
