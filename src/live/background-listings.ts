// REST listings for background requests of a live view: one client, one request budget.
import type { Context } from "../args/context.ts";
import { type Listing, tradesListing } from "../listing/listing.ts";
import { listingSource } from "../listing/listing-source.ts";
import type { RecordFields, Source } from "../listing/paging/source.ts";
import { openingBurst, RequestBudget } from "../listing/rest/request-budget.ts";
import { RestClient } from "../listing/rest/rest-client.ts";
import type { Market } from "../select/market.ts";
import type { Store } from "../state/store.ts";
import type { Clock } from "../units/clock.ts";
import { parseChannel } from "../wire/channels.ts";
import type { TradeRecord } from "../wire/rest/trades.ts";
import type { Service } from "./service.ts";

export interface TradesSource {
  readonly source: Source<TradeRecord>;
  readonly fields: RecordFields<TradeRecord>;
}

/** Makes no request until a page is read. */
export interface BackgroundListings {
  of(market: Market): TradesSource;
  sourceOf<T>(listing: Listing<T>): Source<T>;
  close(): void;
}

/** Default for background requests per second. */
const DEFAULT_REST_RATE = 2;

/** Undefined if the address is unknown or background requests are disabled. */
export function openBackgroundListings(
  { clock, random }: Pick<Context, "clock" | "random">,
  { baseUrl, headers, restRate: perSecond = DEFAULT_REST_RATE }: Service,
): BackgroundListings | undefined {
  if (baseUrl === undefined || perSecond === 0) return undefined;
  const budget = new RequestBudget({ clock, perSecond, burst: openingBurst(perSecond) });
  const client = new RestClient({ baseUrl, headers, clock, random, budget });
  const sourceOf = <T>(listing: Listing<T>) => listingSource(client, listing);
  return {
    of(market) {
      const listing = tradesListing(market);
      return { source: sourceOf(listing), fields: listing.fields };
    },
    sourceOf,
    close() {
      void client.close();
    },
  };
}

/** Maximum delay until a trade is listed. */
const LISTING_LAG_MS = 15_000;

/**
 * Unix milliseconds by the service's clock up to which a listing read now is complete; negative infinity if that clock is
 * unknown.
 */
export function listingWholeUntilMs({ link }: Pick<Store, "link">, clock: Clock): number {
  if (link?.skewMs === undefined) return Number.NEGATIVE_INFINITY;
  return clock.wall() - link.skewMs - LISTING_LAG_MS;
}

/**
 * The newest sequence in frames of these channels: the stream's "global transaction sequence" is usually the "transaction
 * index" of the listings. A suggestion, never a proof.
 */
export function newestSequence(
  store: Pick<Store, "slice">,
  channels: readonly string[],
): bigint | undefined {
  let newest: bigint | undefined;
  for (const channel of channels) {
    const kind = parseChannel(channel)?.kind;
    const sequence = kind && store.slice(kind, channel).feed.sequence;
    if (!sequence) continue;
    const index = BigInt(sequence);
    if (newest === undefined || index > newest) newest = index;
  }
  return newest;
}
