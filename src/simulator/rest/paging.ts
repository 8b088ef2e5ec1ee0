// limit and before: which rows of a listing a page holds.
import { DEFAULT_PAGE_LIMIT, MAX_PAGE_LIMIT } from "../../wire/limits.ts";
import type { Readings } from "../scenarios/readings.ts";
import type { WallTime } from "../wire/wall-time.ts";
import { RequestError } from "./request-error.ts";

const MIN_INT64 = -(2n ** 63n);
const MAX_INT64 = 2n ** 63n - 1n;

/** Which rows are asked for. */
export interface PageQuery {
  readonly limit: number;
  /** Items strictly before this; undefined for the newest. */
  readonly before: bigint | undefined;
}

/** Reads the paging parameters. @throws {RequestError} 400 for text that is no number of the allowed range */
export function parsePageQuery(query: URLSearchParams): PageQuery {
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

/** The rows of a page, newest first. Never throws. */
export function pageRows(
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
