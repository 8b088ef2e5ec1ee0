// The three REST listings (sections 4.2 to 4.4): where each is, what its records are, and how they are asked for.
import type { MarketType } from "../protocol/channel.ts";
import { decodeLiquidationsPage, type LiquidationRecord } from "../protocol/rest/liquidations.ts";
import type { Page } from "../protocol/rest/page.ts";
import { decodeTradesPage, type TradeRecord } from "../protocol/rest/trades.ts";
import { readTradesText } from "../protocol/rest/trades-text.ts";
import { HistoryError } from "../units/monitor-error.ts";
import type { RecordReading } from "./paging/record-reading.ts";
import type { PageRequest, Source } from "./paging/source.ts";
import type { Query, RestClient } from "./rest/rest-client.ts";

/** One listing of one market or subaccount. */
export interface Listing<T> {
  readonly kind: "trades" | "liquidations" | "fills";
  /** Below the root of the service. */
  readonly path: string;
  /** What is asked for besides the page. */
  readonly query: Query;
  readonly reading: RecordReading<T>;
  decode(body: string, isStrict: boolean): Page<T>;
  /** The same in less time, for most good pages; undefined for the others. Its records keep their page in memory. */
  readonly readText?: ((body: Uint8Array) => readonly T[] | undefined) | undefined;
}

const tradeReading: RecordReading<TradeRecord> = {
  timeMs: ({ timestamp_ms }) => timestamp_ms,
  transaction: ({ tx_hash }) => tx_hash,
  cursorFields: [
    { name: "trade_id", value: ({ trade_id }) => integerOf(trade_id) },
    { name: "timestamp_ms", value: ({ timestamp_ms }) => integerOf(String(timestamp_ms)) },
  ],
};

const liquidationReading: RecordReading<LiquidationRecord> = {
  timeMs: ({ timestamp_ms }) => timestamp_ms,
  transaction: () => "",
  cursorFields: [
    { name: "liquidation_id", value: ({ liquidation_id }) => integerOf(liquidation_id) },
    { name: "timestamp_ms", value: ({ timestamp_ms }) => integerOf(String(timestamp_ms)) },
  ],
};

/** Ids are numeric text, which may have leading zeros or a fraction. */
function integerOf(text: string | undefined): bigint | undefined {
  return text !== undefined && /^[0-9]+$/.test(text) ? BigInt(text) : undefined;
}

/** GET /markets/{market_id}/trades (4.2). Never throws. @param market its id in decimal digits, int32 */
export function tradesListing(market: {
  readonly type: MarketType;
  readonly id: string;
}): Listing<TradeRecord> {
  return {
    kind: "trades",
    path: `/markets/${market.id}/trades`,
    query: { market_type: market.type },
    reading: tradeReading,
    decode: decodeTradesPage,
    readText: readTradesText,
  };
}

/** GET /markets/{market_id}/liquidations (4.3). Never throws. @param marketId decimal digits, int32 */
export function liquidationsListing(marketId: string): Listing<LiquidationRecord> {
  return {
    kind: "liquidations",
    path: `/markets/${marketId}/liquidations`,
    query: {},
    reading: liquidationReading,
    decode: decodeLiquidationsPage,
  };
}

/** GET /accounts/{address}/subaccounts/{subaccount_id}/trades (4.4). Never throws. @param owner 0x and 40 hex digits */
export function fillsListing(owner: string, subaccountId: number): Listing<TradeRecord> {
  return {
    kind: "fills",
    path: `/accounts/${owner}/subaccounts/${subaccountId}/trades`,
    query: {},
    reading: tradeReading,
    decode: decodeTradesPage,
    readText: readTradesText,
  };
}

/** How the pages of a listing are read. */
export interface SourceOptions {
  /** Refuse records with anything that the document does not list. */
  readonly isStrict?: boolean;
  /**
   * Records are let go soon, so that they may be read in less time from a text that stays with them. Their fields are then
   * no properties of their own: whoever looks through all of a record takes it as JSON.
   */
  readonly isPassing?: boolean;
  /** An accepted page had such a thing. */
  readonly onDrift?: (() => void) | undefined;
}

/**
 * A listing as the pager reads it: `get({ before, limit }, signal)`, then `records()`, newest first.
 * Both throw {HistoryError}: when the service cannot be read, and when a record does not fit.
 */
export function listingSource<T>(
  client: RestClient,
  listing: Listing<T>,
  { isStrict = false, isPassing = false, onDrift }: SourceOptions = {},
): Source<T> {
  return {
    async get({ before, limit }: PageRequest, signal: AbortSignal) {
      const query = { ...listing.query, limit, before };
      const body = await client.get(listing.path, query, signal);
      return {
        last: () => lastRecord<T>(body.bytes),
        records() {
          const records = isPassing ? listing.readText?.(body.bytes) : undefined;
          if (records !== undefined) return records;
          const page = listing.decode(body.text, isStrict);
          if (!page.ok) throw badPage(client.urlOf(listing.path, query), page.rejection);
          if (page.drifts) onDrift?.();
          return page.records;
        },
      };
    },
  };
}

function badPage(url: string, { path, detail }: { path: string; detail: string }): HistoryError {
  return new HistoryError("bad-page", `${url}: ${path === "" ? "" : `${path}: `}${detail}`, {
    advice: "the answer does not fit the interface; monitor doctor says more",
  });
}

/** The last flat record at the end of an array, read alone: a guess that is checked when all of it is parsed. */
function lastRecord<T>(body: Buffer): Partial<T> | undefined {
  const start = body.lastIndexOf('{"');
  if (start < 0) return undefined;
  try {
    return JSON.parse(body.toString("utf8", start, body.lastIndexOf("}") + 1)) as Partial<T>;
  } catch {
    return undefined;
  }
}
