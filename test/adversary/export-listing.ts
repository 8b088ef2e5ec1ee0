// Drives the client's pager against a composed service, in the test's own process: the client's reader of pages and its
// judgement of answers, without a socket.
import {
  fillsListing,
  type Listing,
  liquidationsListing,
  tradesListing,
} from "../../src/listing/listing.ts";
import { listingSource } from "../../src/listing/listing-source.ts";
import { Pager, type PagerOptions } from "../../src/listing/paging/pager.ts";
import type { RequestCounts } from "../../src/listing/paging/requests.ts";
import { RowDigest, readAgain } from "../../src/listing/paging/second-pass.ts";
import type { Verdict } from "../../src/listing/paging/verdict.ts";
import { Body, checkReply, pageBody } from "../../src/listing/rest/reply.ts";
import type { Query, RestClient } from "../../src/listing/rest/rest-client.ts";
import { instantClock } from "../support/instant-clock.ts";
import type { ComposedListing } from "./compose-listing.ts";
import { hash } from "./random.ts";

/** One request and what came of it. */
export interface Asked {
  readonly before: bigint | undefined;
  readonly limit: number;
  readonly status: number;
}

export interface Exported {
  readonly rows: readonly object[];
  readonly verdict: Verdict;
  readonly counts: RequestCounts & { readonly pages: number };
  readonly asked: readonly Asked[];
  readonly requests: number;
}

export interface ExportOptions
  extends Partial<Pick<PagerOptions<object>, "limit" | "bounds" | "probes">> {
  /** Without fields that could propose a cursor. */
  readonly isSearch?: boolean;
  readonly isVerified?: boolean;
}

/** Pages of most users, and some of others. */
const LIMITS = [1000, 1000, 1000, 500, 100, 37];

export function limitOf(seed: number): number {
  return LIMITS[hash(seed, 300) % LIMITS.length] ?? 1000;
}

function listingOfService(composed: ComposedListing): Listing<object> {
  const { kind, marketId, marketType, owner, subaccountId } = composed;
  if (kind === "liquidations") return liquidationsListing(`${marketId}`) as Listing<never>;
  if (kind === "fills") return fillsListing(owner, subaccountId) as Listing<never>;
  return tradesListing({ type: marketType, id: `${marketId}` }) as Listing<never>;
}

function clientOf({ service }: ComposedListing, asked: Asked[]): RestClient {
  const client = {
    urlOf: (path: string) => `http://service${path}`,
    async get(path: string, query: Query) {
      const words = new URLSearchParams(
        Object.entries(query).flatMap(([name, value]) =>
          value === undefined ? [] : [[name, `${value}`] as [string, string]],
        ),
      ).toString();
      for (;;) {
        const request = { path: `${service.options.prefix}${path}`, query: words, headers: {} };
        const { status, body } = service.answer(request, asked.length + 1);
        const { before, limit } = query;
        asked.push({ before: before as bigint | undefined, limit: Number(limit), status });
        const url = `http://service${path}?${words}`;
        const trouble = checkReply({
          url,
          status,
          contentType: "application/json",
          body: new Body(Buffer.from(body)),
          tookMs: 0,
          location: undefined,
          retryAfterMs: undefined,
        });
        if (trouble === undefined) return pageBody({ status, body: new Body(Buffer.from(body)) });
        if (trouble.retry === "never") throw trouble.error;
      }
    },
  };
  return client as unknown as RestClient;
}

/** Reads a composed listing as an export does. */
export async function exportListing(
  composed: ComposedListing,
  { limit = 1000, isSearch = false, isVerified = false, ...more }: ExportOptions = {},
): Promise<Exported> {
  const asked: Asked[] = [];
  const listing = listingOfService(composed);
  const { fields } = listing;
  const options = {
    source: listingSource(clientOf(composed, asked), listing, { isTransient: true }),
    fields: isSearch ? { ...fields, cursorFields: [] } : fields,
    limit,
    isReadThrough: true,
    clock: instantClock,
    signal: new AbortController().signal,
    ...more,
  };
  const pager = new Pager(options);
  const rows: object[] = [];
  const seen = new RowDigest(fields);
  for await (const page of pager.pages()) {
    for (const row of page) rows.push(row);
    if (isVerified) seen.add(page);
  }
  let { verdict } = pager;
  if (verdict === undefined) throw new Error("no verdict");
  if (isVerified) ({ verdict } = await readAgain({ ...options, seen, verdict }));
  return { rows, verdict, counts: pager.counts, asked, requests: asked.length };
}
