// Checks of the REST listings: a page of each, their order, and what their cursor counts.
import {
  fillsListing,
  isOwner,
  type Listing,
  liquidationsListing,
  tradesListing,
} from "../listing/listing.ts";
import { Pager } from "../listing/pager.ts";
import { isSuccess, type Query, type RestClient, refusal } from "../listing/rest-client.ts";
import { createSource, parsePage } from "../listing/source.ts";
import type { Clock } from "../units/clock.ts";
import { ServiceError } from "../units/monitor-error.ts";
import type { MarketType } from "../wire/channels.ts";
import type { ListedRecord } from "../wire/rest/fields.ts";
import type { TradeRecord } from "../wire/rest/trades.ts";
import { type Check, check, count, ms } from "./check.ts";

export interface ListingsExam {
  readonly client: RestClient;
  /** The same service one prefix below, where nothing is found at the root. */
  readonly below: RestClient;
  readonly market: { readonly type: MarketType; readonly id: string };
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** How the listing of trades turned out to count. */
  onCursor(cursor: string): void;
}

/** Where a root lacks its prefix, this is the likeliest. */
export const PREFIX = "/v1";
const PAGE = 100;
/** Few rows a page: three pages show what a cursor counts. */
const CURSOR_PAGE = 20;
const CURSOR_PAGES = 3;

export async function checkListings(exam: ListingsExam): Promise<readonly Check[]> {
  const { market } = exam;
  const trades = await ask(exam, exam.client, tradesListing(market), "rest.trades");
  if (trades.rows === undefined) return [trades.check, ...(await checkPrefix(exam, trades.status))];
  const { rows } = trades;
  const checks = [trades.check, checkOrder(rows), await checkCursor(exam, rows)];
  if (market.type === "perp") {
    const listing = liquidationsListing(market.id);
    checks.push((await ask(exam, exam.client, listing, "rest.liquidations")).check);
  }
  const owned = rows.find(({ maker_address }) => isOwner(maker_address));
  if (owned === undefined)
    return [...checks, check("rest.fills", "unknown", "no trade names an owner to ask about")];
  const listing = fillsListing(owned.maker_address, owned.maker_subaccount_id);
  const fills = await ask(exam, exam.client, listing, "rest.fills");
  // A service may know the owner of a trade no longer, or show fills to the owner alone.
  const isKnown = fills.rows !== undefined || ![401, 403, 404].includes(fills.status ?? 0);
  return [...checks, isKnown ? fills.check : check("rest.fills", "unknown", fills.check.fact)];
}

interface Asked<T> {
  readonly check: Check;
  readonly rows: readonly T[] | undefined;
  readonly status: number | undefined;
}

/** One request, without another try. */
async function ask<T extends ListedRecord>(
  { clock, signal }: ListingsExam,
  client: RestClient,
  listing: Listing<T>,
  id: string,
): Promise<Asked<T>> {
  const startedAtMs = clock.now();
  const query: Query = { ...listing.query, limit: PAGE };
  let status: number | undefined;
  try {
    const answer = await client.ask(listing.path, query, signal);
    status = answer.status;
    if (!isSuccess(status)) throw refusal(answer);
    const rows = parsePage(listing, answer);
    const fact = `${count(rows.length, "record")} in ${ms(clock.now() - startedAtMs)}`;
    return { check: check(id, "ok", fact), rows, status };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { check: check(id, "fail", error.message), rows: undefined, status };
  }
}

async function checkPrefix(
  exam: ListingsExam,
  status: number | undefined,
): Promise<readonly Check[]> {
  if (status !== 404) return [];
  const { rows } = await ask(exam, exam.below, tradesListing(exam.market), "rest.prefix");
  const advice = `the listings are under ${PREFIX}: add it to --base-url`;
  return rows === undefined ? [] : [check("rest.prefix", "fail", advice)];
}

function checkOrder(rows: readonly TradeRecord[]): Check {
  const id = "rest.order";
  if (rows.length < 2)
    return check(id, "unknown", `${count(rows.length, "record")}: too few to tell`);
  const wrong = rows.filter(
    ({ timestamp_ms }, i) => i > 0 && timestamp_ms > (rows[i - 1]?.timestamp_ms ?? 0),
  ).length;
  return wrong === 0
    ? check(id, "ok", `newest first, by timestamp_ms of ${rows.length} records`)
    : check(id, "fail", `${wrong} of ${rows.length} records are newer than the one before`);
}

async function checkCursor(exam: ListingsExam, rows: readonly TradeRecord[]): Promise<Check> {
  const id = "rest.cursor";
  if (rows.length < CURSOR_PAGE) return check(id, "unknown", "all trades fit on a page");
  const source = createSource(exam.client, tradesListing(exam.market));
  const pager = new Pager({ source, limit: CURSOR_PAGE, bounds: {}, signal: exam.signal });
  try {
    const pages = pager.pages();
    for (let read = 0; read < CURSOR_PAGES; read++) if ((await pages.next()).done) break;
    // What is under way is no longer waited for.
    await pages.return();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return check(id, "fail", error.message);
  }
  if (pager.state.pages < 2) return check(id, "unknown", "no second page was found");
  exam.onCursor(pager.cursor);
  return pager.cursor === "search"
    ? check(id, "warn", "before counts nothing that the records have: pages are found by searching")
    : check(id, "ok", `before counts ${pager.cursor}: pages overlap`);
}
