// The three listings (interface 4.2 to 4.4): paths, parameters and rows.
import { MAX_INT32, MAX_UINT16 } from "../units/uint.ts";
import { DEFAULT_PAGE_LIMIT, MAX_PAGE_LIMIT } from "../wire/limits.ts";
import { isPartyTo } from "./exchange/account.ts";
import type { Liquidation, Log, TradeRow } from "./exchange/log.ts";
import type { Market } from "./exchange/market.ts";
import { listedLiquidation, listedTrade } from "./records.ts";
import type { World } from "./world.ts";

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

/** Signed 64 bits. */
const MIN_BEFORE = -(2n ** 63n);
const MAX_BEFORE = 2n ** 63n - 1n;

/** @param parts variable parts of the path. @returns rows, newest first */
type Page = (
  world: World,
  query: URLSearchParams,
  ...parts: readonly string[]
) => readonly object[];

const LISTINGS: readonly { readonly path: RegExp; readonly page: Page }[] = [
  {
    path: /^\/markets\/([^/]+)\/trades$/,
    page: (world, query, id = "") => {
      const type = query.get("market_type") ?? "perp";
      const { index } = findMarket(world, type, id);
      const rows = pageRows(query, world.exchange.trades, (row) => row.market === index);
      return rows.map((row) => listedTrade(world, row));
    },
  },
  {
    path: /^\/markets\/([^/]+)\/liquidations$/,
    page: (world, query, id = "") => {
      const { index } = findMarket(world, "perp", id);
      const rows = pageRows(query, world.exchange.liquidations, ({ positions }) =>
        positions.some(({ market }) => market === index),
      );
      return rows.map((row) => listedLiquidation(world, row));
    },
  },
  {
    path: /^\/accounts\/([^/]+)\/subaccounts\/([^/]+)\/trades$/,
    page: (world, query, address = "", subaccount = "") => {
      if (!/^0x[0-9a-fA-F]{40}$/.test(address)) {
        throw new RequestError(400, "address must be 0x and 40 hex digits");
      }
      const id = parseId(subaccount, "subaccount_id", MAX_UINT16);
      const { accounts, trades } = world.exchange;
      const account = accounts.find(
        (each) => each.owner.owner === address.toLowerCase() && each.subaccountId === id,
      );
      if (account === undefined) throw new RequestError(404, "unknown account or subaccount");
      const rows = pageRows(query, trades, (row) => isPartyTo(account, row));
      return rows.map((row) => listedTrade(world, row));
    },
  },
];

/**
 * The page of a path.
 * @returns undefined for a path of none of the listings; a function that throws {RequestError} 400 or 404 for bad parameters
 */
export function findListing(path: string) {
  for (const listing of LISTINGS) {
    const [, ...parts] = listing.path.exec(path) ?? [];
    if (parts.length === 0) continue;
    return (world: World, query: URLSearchParams) => listing.page(world, query, ...parts);
  }
  return undefined;
}

function findMarket({ exchange }: World, type: string, text: string): Market {
  if (type !== "perp" && type !== "spot") {
    throw new RequestError(400, "market_type must be perp or spot");
  }
  const id = parseId(text, "market_id", MAX_INT32);
  const market = exchange.markets.find(({ spec }) => spec.type === type && spec.id === id);
  if (market === undefined) throw new RequestError(404, `unknown ${type} market`);
  return market;
}

function parseId(text: string, name: string, most: number): number {
  return Number(parseInteger(/^[0-9]/.test(text) ? text : "", name, 0n, BigInt(most)));
}

function parseInteger(text: string, name: string, least: bigint, most: bigint): bigint {
  const value = /^-?[0-9]{1,30}$/.test(text) ? BigInt(text) : undefined;
  if (value === undefined || value < least || value > most) {
    throw new RequestError(400, `${name} must be an integer from ${least} to ${most}`);
  }
  return value;
}

/** The rows selected by `limit` and `before`, a transaction index, newest first. */
function pageRows<R extends TradeRow | Liquidation>(
  query: URLSearchParams,
  log: Log<R>,
  isListed: (row: R) => boolean,
): R[] {
  const limit = query.get("limit") ?? `${DEFAULT_PAGE_LIMIT}`;
  const count = Number(parseInteger(limit, "limit", 1n, BigInt(MAX_PAGE_LIMIT)));
  const before = query.get("before");
  if (before === null) return log.newest(count, isListed);
  const bound = parseInteger(before, "before", MIN_BEFORE, MAX_BEFORE);
  return log.newest(count, isListed, log.endBefore(bound));
}
