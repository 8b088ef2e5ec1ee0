// Pages of a listing, asked for and read. What reads them is not needed to say what the listings are: a start without
// history does without it.

import { HistoryError } from "../units/monitor-error.ts";
import { type Rejection, reject } from "../wire/rejection.ts";
import { decodeLiquidationsPage } from "../wire/rest/liquidations.ts";
import type { Page } from "../wire/rest/page.ts";
import { decodeTradesPage } from "../wire/rest/trades.ts";
import { readTradesText } from "../wire/rest/trades-text.ts";
import type { Listing } from "./listing.ts";
import type { PageRequest, Source } from "./paging/source.ts";
import type { RestClient } from "./rest/rest-client.ts";
import { RowCheck } from "./row-check.ts";

/** How the bodies of one kind of listing are read. */
interface Reader<T> {
  readonly decode: (body: string, isStrict: boolean) => Page<T>;
  /** The same in less time, for most good pages; undefined for the others. Its records keep their page in memory. */
  readonly readText?: (body: Uint8Array) => readonly T[] | undefined;
}

const trades = { decode: decodeTradesPage, readText: readTradesText };
const READERS = { trades, fills: trades, liquidations: { decode: decodeLiquidationsPage } };

function readerOf<T>({ kind }: Listing<T>): Reader<T> {
  return READERS[kind] as unknown as Reader<T>;
}

/**
 * Reads a page of a listing as the schema says; one record that does not fit, or that is of something else than was
 * asked for, rejects the page. Never throws.
 * @param check of all pages of one reader
 */
export function decodeListed<T>(
  listing: Listing<T>,
  body: string,
  isStrict: boolean,
  check = new RowCheck(listing.asked),
): Page<T> {
  const page = readerOf(listing).decode(body, isStrict);
  const foreign = page.ok ? check.find(page.records) : undefined;
  if (foreign === undefined) return page;
  const { path, detail } = foreign;
  return { ok: false, rejection: reject(body, "foreign-row", detail, { path }) };
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
  const check = new RowCheck(listing.asked);
  const { readText } = readerOf(listing);
  const readQuickly = (bytes: Uint8Array) => {
    const records = isPassing ? readText?.(bytes) : undefined;
    return records !== undefined && check.find(records) === undefined ? records : undefined;
  };
  const read = (body: string, url: string) => {
    const page = decodeListed(listing, body, isStrict, check);
    if (!page.ok) throw badPage(url, page.rejection);
    if (page.drifts) onDrift?.();
    return page.records;
  };
  return {
    async get({ before, limit }: PageRequest, signal: AbortSignal) {
      const query = { ...listing.query, limit, before };
      const body = await client.get(listing.path, query, signal);
      return {
        end: (count) => lastRecords<T>(body.bytes, count),
        records: () =>
          readQuickly(body.bytes) ?? read(body.text, client.urlOf(listing.path, query)),
      };
    },
  };
}

function badPage(url: string, { reason, path, detail }: Rejection): HistoryError {
  const what = `${url}: ${path === "" ? "" : `${path}: `}${detail}`;
  return reason === "foreign-row"
    ? new HistoryError("foreign-row", what, {
        advice: "the service lists rows that were not asked for: none of them is shown or written",
      })
    : new HistoryError("bad-page", what, {
        advice: "the answer does not fit the interface; monitor doctor says more",
      });
}

/** The last flat records at the end of an array, read alone: guesses that are checked when all of it is parsed. */
function lastRecords<T>(body: Buffer, count: number): readonly Partial<T>[] {
  const records: Partial<T>[] = [];
  let end = body.length;
  while (records.length < count) {
    const start = end > 0 ? body.lastIndexOf('{"', end - 1) : -1;
    if (start < 0) break;
    try {
      const text = body.toString("utf8", start, body.lastIndexOf("}", end - 1) + 1);
      records.unshift(JSON.parse(text) as Partial<T>);
    } catch {
      break;
    }
    end = start;
  }
  return records;
}
