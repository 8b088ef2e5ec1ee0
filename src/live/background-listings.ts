// REST listings for background requests of a live view: one client, one request budget.
import type { Context } from "../args/context.ts";
import { type Listing, tradesListing } from "../listing/listing.ts";
import { RequestBudget } from "../listing/request-budget.ts";
import { RestClient } from "../listing/rest-client.ts";
import { createSource, type Source } from "../listing/source.ts";
import type { Market } from "../select/market.ts";
import type { Store } from "../state/store.ts";
import type { Clock } from "../units/clock.ts";
import type { ListedRecord } from "../wire/rest/fields.ts";
import type { TradeRecord } from "../wire/rest/trades.ts";
import type { Service } from "./service.ts";

/** Makes no request until a page is read. */
export interface BackgroundListings {
  of(market: Market): Source<TradeRecord>;
  sourceOf<T extends ListedRecord>(listing: Listing<T>): Source<T>;
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
  const budget = new RequestBudget(clock, perSecond);
  const client = new RestClient({ baseUrl, headers, clock, random, budget });
  return {
    of: (market) => createSource(client, tradesListing(market)),
    sourceOf: (listing) => createSource(client, listing),
    close() {
      void client.close();
    },
  };
}

/** Maximum delay until a trade is listed. */
const LISTING_LAG_MS = 15_000;

/**
 * Unix milliseconds by the service's clock up to which a listing read now is complete; negative infinity if that clock is
 */
export function listingWholeUntilMs({ link }: Pick<Store, "link">, clock: Clock): number {
  if (link?.skewMs === undefined) return Number.NEGATIVE_INFINITY;
  return clock.wall() - link.skewMs - LISTING_LAG_MS;
}
