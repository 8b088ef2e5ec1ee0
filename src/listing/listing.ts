// The three REST listings (sections 4.2 to 4.4).
import type { MarketType } from "../wire/channels.ts";
import type { LiquidationRecord } from "../wire/rest/liquidations.ts";
import type { TradeRecord } from "../wire/rest/trades.ts";
import type { Asked } from "./listing-source.ts";
import type { RecordFields } from "./paging/source.ts";
import type { Query } from "./rest/rest-client.ts";

export interface Listing<T> {
  readonly kind: "trades" | "liquidations" | "fills";
  /** Relative to the root of the service. */
  readonly path: string;
  /** Without `limit` and `before`. */
  readonly query: Query;
  /** Undefined where rows may belong to anything. */
  readonly asked?: Asked;
  readonly fields: RecordFields<T>;
}

const tradeFields = fieldsOf<TradeRecord>("trade_id", ({ tx_hash }) => tx_hash);
const liquidationFields = fieldsOf<LiquidationRecord>("liquidation_id", () => "");

function fieldsOf<T extends { readonly timestamp_ms: number }>(
  id: string & keyof T,
  transaction: (record: T) => string,
): RecordFields<T> {
  return {
    timeMs: ({ timestamp_ms }) => timestamp_ms,
    transaction,
    cursorFields: [id, "timestamp_ms" as const].map((name) => ({
      name,
      value: (record) => parseInteger(record[name]),
    })),
  };
}

/** Ids are numeric text, possibly with leading zeros or a fraction; partial records may lack them. */
function parseInteger(value: unknown): bigint | undefined {
  const text = String(value);
  return /^[0-9]+$/.test(text) ? BigInt(text) : undefined;
}

/** GET /markets/{market_id}/trades (4.2). @param market with an int32 id */
export function tradesListing(market: {
  readonly type: MarketType;
  readonly id: string;
}): Listing<TradeRecord> {
  return {
    kind: "trades",
    path: `/markets/${market.id}/trades`,
    query: { market_type: market.type },
    asked: { kind: "market", ...market },
    fields: tradeFields,
  };
}

/** GET /markets/{market_id}/liquidations (4.3). @param marketId int32 */
export function liquidationsListing(marketId: string): Listing<LiquidationRecord> {
  return {
    kind: "liquidations",
    path: `/markets/${marketId}/liquidations`,
    query: {},
    fields: { ...liquidationFields, isNamedBy: (event) => isInMarket(event, marketId) },
  };
}

/**
 * The listing holds events that touch a market (4.3); the document does not promise that one of their positions is in it. An
 * event without positions names no market.
 */
function isInMarket({ positions }: LiquidationRecord, marketId: string): boolean | undefined {
  if (positions.length === 0) return undefined;
  return positions.some(({ market_id }) => String(market_id) === marketId);
}

export function isOwner(text: string): boolean {
  return /^0x[0-9a-fA-F]{40}$/.test(text);
}

/** GET /accounts/{address}/subaccounts/{subaccount_id}/trades (4.4). @param owner 0x and 40 hex digits */
export function fillsListing(owner: string, subaccountId: number): Listing<TradeRecord> {
  return {
    kind: "fills",
    path: `/accounts/${owner}/subaccounts/${subaccountId}/trades`,
    query: {},
    asked: { kind: "subaccount", owner, id: subaccountId },
    fields: tradeFields,
  };
}
