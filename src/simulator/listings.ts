// The three listings (interface 4.2 to 4.4): paths, parameters and rows.
import { MAX_INT32, MAX_UINT16 } from "../units/uint.ts";
import { DEFAULT_PAGE_LIMIT, MAX_PAGE_LIMIT } from "../wire/limits.ts";
import type { Filter, Log } from "./exchange/log.ts";
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

const PATHS = {
  trades: /^\/markets\/(?<market>[^/]+)\/trades$/,
  liquidations: /^\/markets\/(?<market>[^/]+)\/liquidations$/,
  fills: /^\/accounts\/(?<address>[^/]+)\/subaccounts\/(?<subaccount>[^/]+)\/trades$/,
};

/** @returns rows, newest first. @throws {RequestError} 404 for a path of none of the listings, 400 or 404 for bad parameters */
export function readListing(world: World, path: string, query: URLSearchParams): object[] {
  const { trades, liquidations } = world.exchange;
  const parts = (form: RegExp) => form.exec(path)?.groups;
  const traded = parts(PATHS.trades);
  const liquidated = parts(PATHS.liquidations);
  const filled = parts(PATHS.fills);
  if (traded !== undefined) {
    const market = findMarket(world, query.get("market_type") ?? "perp", traded.market);
    const rows = pageRows(query, trades, { value: market, in: ["market"] });
    return rows.map((row) => listedTrade(world, row));
  }
  if (liquidated !== undefined) {
    const market = findMarket(world, "perp", liquidated.market);
    const rows = pageRows(query, liquidations, { value: market, in: ["market"] });
    return rows.map((row) => listedLiquidation(world, row));
  }
  if (filled !== undefined) {
    const account = findAccount(world, filled.address, filled.subaccount);
    const rows = pageRows(query, trades, { value: account, in: ["maker", "taker"] });
    return rows.map((row) => listedTrade(world, row));
  }
  throw new RequestError(404, "unknown path");
}

function findMarket({ exchange }: World, type: string, text = ""): number {
  if (type !== "perp" && type !== "spot") {
    throw new RequestError(400, "market_type must be perp or spot");
  }
  const id = parseInteger(text, "market_id", 0, MAX_INT32);
  const market = exchange.markets.find(({ spec }) => spec.type === type && spec.id === Number(id));
  if (market === undefined) throw new RequestError(404, `unknown ${type} market`);
  return market.index;
}

function findAccount({ exchange }: World, address = "", subaccount = ""): number {
  if (!/^0x[0-9a-fA-F]{40}$/.test(address)) {
    throw new RequestError(400, "address must be 0x and 40 hex digits");
  }
  const id = Number(parseInteger(subaccount, "subaccount_id", 0, MAX_UINT16));
  const account = exchange.accounts.find(
    (each) => each.owner.owner === address.toLowerCase() && each.subaccountId === id,
  );
  if (account === undefined) throw new RequestError(404, "unknown account or subaccount");
  return account.index;
}

function parseInteger(text: string, name: string, least: number | bigint, most: number | bigint) {
  const value = /^-?[0-9]{1,30}$/.test(text) ? BigInt(text) : undefined;
  if (value === undefined || value < least || value > most) {
    throw new RequestError(400, `${name} must be an integer from ${least} to ${most}`);
  }
  return value;
}

/** The rows selected by `limit` and `before`, a transaction index, newest first. */
function pageRows<F extends string>(query: URLSearchParams, log: Log<F>, filter: Filter<F>) {
  const limit = query.get("limit") ?? `${DEFAULT_PAGE_LIMIT}`;
  const count = Number(parseInteger(limit, "limit", 1, MAX_PAGE_LIMIT));
  const before = query.get("before");
  if (before === null) return log.newest(count, filter);
  const bound = parseInteger(before, "before", MIN_BEFORE, MAX_BEFORE);
  return log.newest(count, filter, log.endBefore(bound));
}
