// The three listings (interface 4.2 to 4.4): paths, parameters and rows.
import { createHash } from "node:crypto";
import { US_PER_MS } from "../units/time.ts";
import { MAX_INT32, MAX_UINT16 } from "../units/uint.ts";
import { DEFAULT_PAGE_LIMIT, MAX_PAGE_LIMIT } from "../wire/limits.ts";
import type { LiquidationRecord } from "../wire/rest/liquidations.ts";
import type { TradeRecord } from "../wire/rest/trades.ts";
import type { Filter, Liquidation, Log, TradeRow } from "./exchange/log.ts";
import { priced } from "./exchange/money.ts";
import { priceText, quoteText, sizeText } from "./text.ts";
import type { World } from "./world.ts";

/** A rejected request: HTTP status, message for the client, and headers. */
export const refused = (status: number, message: string, headers = {}) =>
  Object.assign(new Error(message), { status, headers });

const MAX_BEFORE = 2n ** 63n - 1n;

const PATH =
  /^\/(?:markets\/([^/]+)\/(trades|liquidations)|accounts\/([^/]+)\/subaccounts\/([^/]+)\/trades)$/;

/** @returns rows, newest first. @throws what `refused` makes: 404 for a path of none of the listings, 400 or 404 for bad parameters */
export function readListing(world: World, path: string, query: URLSearchParams): object[] {
  const [isListing, market, kind, address, subaccount] = PATH.exec(path) ?? [];
  if (isListing === undefined) throw refused(404, "unknown path");
  const { liquidations, trades } = world.exchange;
  if (kind === "liquidations") {
    const value = findMarket(world, "perp", market);
    const rows = pageRows(query, liquidations, { value, in: ["market"] });
    return rows.map((row) => liquidationRecord(world, row));
  }
  const meant: Filter<keyof TradeRow> =
    address === undefined
      ? { value: findMarket(world, query.get("market_type") ?? "perp", market), in: ["market"] }
      : { value: findAccount(world, address, subaccount), in: ["maker", "taker"] };
  return pageRows(query, trades, meant).map((row) => tradeRecord(world, row));
}

function findMarket({ exchange }: World, type: string, text = ""): number {
  if (type !== "perp" && type !== "spot") throw refused(400, "market_type must be perp or spot");
  const id = Number(parseInteger(text, "market_id", 0, MAX_INT32));
  const market = exchange.markets.find(({ spec }) => spec.type === type && spec.id === id);
  if (market === undefined) throw refused(404, `unknown ${type} market`);
  return market.index;
}

function findAccount({ exchange }: World, address = "", subaccount = ""): number {
  const isAddress = /^0x[0-9a-fA-F]{40}$/.test(address);
  if (!isAddress) throw refused(400, "address must be 0x and 40 hex digits");
  const id = Number(parseInteger(subaccount, "subaccount_id", 0, MAX_UINT16));
  const account = exchange.accounts.find(
    (each) => each.owner.owner === address.toLowerCase() && each.subaccountId === id,
  );
  if (account === undefined) throw refused(404, "unknown account or subaccount");
  return account.index;
}

function parseInteger(text: string, name: string, least: number | bigint, most: number | bigint) {
  const value = /^-?[0-9]{1,30}$/.test(text) ? BigInt(text) : undefined;
  if (value === undefined || value < least || value > most) {
    throw refused(400, `${name} must be an integer from ${least} to ${most}`);
  }
  return value;
}

/** The rows selected by `limit` and `before`, a transaction index of signed 64 bits, newest first. */
function pageRows<F extends string>(query: URLSearchParams, log: Log<F>, filter: Filter<F>) {
  const limit = query.get("limit") ?? `${DEFAULT_PAGE_LIMIT}`;
  const count = Number(parseInteger(limit, "limit", 1, MAX_PAGE_LIMIT));
  const before = query.get("before") ?? `${MAX_BEFORE}`;
  const bound = parseInteger(before, "before", -MAX_BEFORE - 1n, MAX_BEFORE);
  return log.newest(count, filter, log.endBefore(bound));
}

/** Interface 2.4. */
function tradeRecord({ exchange }: World, trade: TradeRow): TradeRecord {
  const { priceTicks, takerLots } = trade;
  const { spec } = exchange.market(trade.market);
  const { notional, makerFee, takerFee } = priced(spec, priceTicks, takerLots);
  const [maker, taker] = [exchange.account(trade.maker), exchange.account(trade.taker)];
  return {
    trade_id: String(trade.id),
    tx_hash: `0x${createHash("sha256").update(`${trade.index}`).digest("hex")}`,
    market_type: spec.type,
    market_id: spec.id,
    price: priceText(spec, priceTicks),
    quantity: sizeText(spec, Math.abs(takerLots)),
    quote_notional: quoteText(notional),
    taker_is_bid: takerLots > 0,
    maker_address: maker.owner.owner,
    maker_subaccount_id: maker.subaccountId,
    taker_address: taker.owner.owner,
    taker_subaccount_id: taker.subaccountId,
    maker_fee_quote: quoteText(makerFee),
    taker_fee_quote: quoteText(takerFee),
    maker_client_order_id: String(trade.makerClientOrderId),
    taker_client_order_id: String(trade.takerClientOrderId),
    timestamp_ms: Math.floor(trade.timeUs / US_PER_MS),
  };
}

/** Interface 2.5, which has no words for it. `bucket`: which limit was crossed; `scope`: what was evaluated. */
function liquidationRecord(
  { exchange, liquidator }: World,
  { id, market, account, lots, marginAtoms, timeUs }: Liquidation,
): LiquidationRecord {
  const { owner, subaccountId } = exchange.account(account);
  const { spec } = exchange.market(market);
  const size = sizeText(spec, Math.abs(lots));
  const words = { side: lots > 0 ? "long" : "short", margin_mode: "cross" };
  return {
    liquidation_id: String(id),
    liquidation_type: "full",
    liquidator: liquidator.owner,
    liquidatee: owner.owner,
    liquidatee_subaccount: subaccountId,
    bucket: marginAtoms < 0 ? "bankruptcy" : "maintenance",
    scope: "account",
    positions: [{ market_id: spec.id, size, position_margin: quoteText(marginAtoms), ...words }],
    timestamp_ms: Math.floor(timeUs / US_PER_MS),
  };
}
