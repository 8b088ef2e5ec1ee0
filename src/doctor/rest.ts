// Examines the REST listings: requests each once or twice, without retries, and tries what `before` may mean.
import type { Context } from "../args/context.ts";
import type { Listings } from "../config/settings.ts";
import { fieldValue } from "../listing/cursors.ts";
import {
  fillsListing,
  isOwner,
  type Listing,
  liquidationsListing,
  tradesListing,
} from "../listing/listing.ts";
import { isSuccess, type Query, RestClient } from "../listing/rest-client.ts";
import { parsePage } from "../listing/source.ts";
import type { Market } from "../select/market.ts";
import type { Clock } from "../units/clock.ts";
import { HistoryError } from "../units/monitor-error.ts";
import { isSameRecord, type ListedRecord } from "../wire/rest/fields.ts";
import type { LiquidationRecord } from "../wire/rest/liquidations.ts";
import type { TradeRecord } from "../wire/rest/trades.ts";

const PAGE = 100;
const FEW = 3;
/** One more than the maximum limit. */
const TOO_MANY = 1001;
/** A market that almost certainly does not exist. */
const NO_MARKET = "2147483647";
/** The prefix to try if nothing is found at the root: that of the stream. */
const COMMON_PREFIX = "/v1";

/** For all requests together: the doctor has a minute, and a service may delay each of them. */
const TIME_MS = 45_000;
const NO_TIME = "no time left";

export interface Asked<T> {
  /** Undefined without a complete response. */
  readonly status: number | undefined;
  /** Undefined if the response is not a page. */
  readonly records: readonly T[] | undefined;
  readonly tookMs: number;
  readonly problem: string | undefined;
}

export interface CursorTry {
  readonly field: string;
  /** The response began with the record that follows the one whose field was used. */
  readonly fits: boolean;
  readonly seen: string;
}

/** Responses of the listings. Undefined: not requested; nothing more is requested if the first listing returns no page. */
export interface RestExam {
  readonly requests: number;
  /** Undefined if the listing was found at the given address, or nowhere; else the prefix where it was found. */
  readonly prefix: string | undefined;
  /** Why the listing was not found under /v1 either; undefined if that was not tried. */
  readonly elsewhere: string | undefined;
  readonly trades: Asked<TradeRecord>;
  readonly liquidations: Asked<LiquidationRecord> | undefined;
  readonly fills: Asked<TradeRecord> | undefined;
  readonly cursor: readonly CursorTry[];
  readonly missing: Asked<TradeRecord> | undefined;
  readonly tooMany: Asked<TradeRecord> | undefined;
}

/** Requests without a response in time, or before an interruption, have a `problem`. Never rejects because of the service. */
export async function examineRest(
  context: Context,
  listings: Listings,
  market: Market,
): Promise<RestExam> {
  const over = new AbortController();
  const cancel = context.clock.after(TIME_MS, () => over.abort());
  const signal = AbortSignal.any([context.interrupt, over.signal]);
  try {
    return await examine(context, listings, market, signal);
  } finally {
    cancel();
  }
}

async function examine(
  context: Context,
  listings: Listings,
  market: Market,
  signal: AbortSignal,
): Promise<RestExam> {
  const asker = new Asker(context, listings, signal);
  try {
    const trades = await asker.ask(tradesListing(market), { limit: PAGE });
    const baseUrl = listings.baseUrl + COMMON_PREFIX;
    const isTried = trades.status === 404 && !listings.baseUrl.endsWith(COMMON_PREFIX);
    const below = isTried
      ? await examine(context, { ...listings, baseUrl }, market, signal)
      : undefined;
    const requests = () => asker.requests + (below?.requests ?? 0);
    if (below?.trades.records !== undefined)
      return { ...below, requests: requests(), prefix: COMMON_PREFIX };
    const rest = await examineFound(asker, market, trades.records);
    const elsewhere = below?.trades.problem;
    return { ...rest, requests: requests(), prefix: undefined, elsewhere, trades };
  } finally {
    await asker.close();
  }
}

const NOTHING = {
  cursor: [],
  liquidations: undefined,
  fills: undefined,
  missing: undefined,
  tooMany: undefined,
} satisfies Partial<RestExam>;

async function examineFound(
  asker: Asker,
  market: Market,
  records: readonly TradeRecord[] | undefined,
) {
  if (records === undefined) return NOTHING;
  const listing = tradesListing(market);
  const [newest] = records;
  const owner = newest !== undefined && isOwner(newest.maker_address) ? newest : undefined;
  return {
    cursor: await tryCursors(asker, listing, records),
    liquidations: await asker.ask(liquidationsListing(market.id), { limit: PAGE }),
    // The account of the newest maker: its address is in the public listing.
    fills:
      owner &&
      (await asker.ask(fillsListing(owner.maker_address, owner.maker_subaccount_id), {
        limit: FEW,
      })),
    missing: await asker.ask(tradesListing({ ...market, id: NO_MARKET }), { limit: 1 }),
    tooMany: await asker.ask(listing, { limit: TOO_MANY }),
  };
}

/** Requests the page before one record, by each of its fields that may be the cursor. */
async function tryCursors(
  asker: Asker,
  listing: Listing<TradeRecord>,
  records: readonly TradeRecord[],
): Promise<readonly CursorTry[]> {
  const at = records.findIndex((_, i) => stands(records, i));
  const [pivot, next] = [records[at], records[at + 1]];
  if (pivot === undefined || next === undefined) return [];
  const tries: CursorTry[] = [];
  for (const name of listing.cursorFields) {
    const before = fieldValue(pivot, name);
    if (before === undefined) continue;
    const { records: answer, problem } = await asker.ask(listing, { limit: FEW, before });
    const [got] = answer ?? [];
    const fits = got !== undefined && isSameRecord(got, next, listing.fields);
    tries.push({ field: name, fits, seen: problem ?? formatPlace(got, records) });
  }
  return tries;
}

/** A record with a unique time and transaction: the page before it must begin with the next record. */
function stands(records: readonly TradeRecord[], i: number): boolean {
  const [before, it, after] = [records[i - 1], records[i], records[i + 1]];
  if (before === undefined || it === undefined || after === undefined) return false;
  return [before, after].every(
    (other) => other.timestamp_ms !== it.timestamp_ms && other.tx_hash !== it.tx_hash,
  );
}

function formatPlace(record: TradeRecord | undefined, records: readonly TradeRecord[]): string {
  if (record === undefined) return "an empty page";
  const place = records.findIndex(({ trade_id }) => trade_id === record.trade_id);
  return place < 0 ? "another record" : `record ${place + 1} of the first page`;
}

/** Requests without retries, and counts requests. */
class Asker {
  readonly #client: RestClient;
  readonly #signal: AbortSignal;
  readonly #clock: Clock;
  requests = 0;

  constructor({ clock, random }: Context, { baseUrl, headers }: Listings, signal: AbortSignal) {
    this.#signal = signal;
    this.#clock = clock;
    this.#client = new RestClient({ baseUrl, headers, clock, random });
  }

  async ask<T extends ListedRecord>(listing: Listing<T>, query: Query): Promise<Asked<T>> {
    const nothing = { status: undefined, records: undefined, tookMs: 0 };
    const signal = this.#signal;
    if (signal.aborted) return { ...nothing, problem: NO_TIME };
    this.requests++;
    const startedAt = this.#clock.now();
    let status: number | undefined;
    try {
      const answer = await this.#client.ask(listing.path, { ...listing.query, ...query }, signal);
      status = answer.status;
      const tookMs = this.#clock.now() - startedAt;
      if (!isSuccess(status)) return { ...nothing, status, tookMs, problem: `status ${status}` };
      const records = status === 204 ? [] : parsePage(listing, answer);
      return { status, tookMs, records, problem: undefined };
    } catch (error) {
      if (signal.aborted) return { ...nothing, problem: NO_TIME };
      if (!(error instanceof HistoryError)) throw error;
      return { ...nothing, status, problem: error.message };
    }
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}
