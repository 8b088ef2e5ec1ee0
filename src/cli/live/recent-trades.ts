// The newest trades of a market as the REST listing tells them, for what the live view makes of them.
import { tradesListing } from "../../history/listing.ts";
import { listingSource } from "../../history/listing-source.ts";
import type { RecordReading } from "../../history/paging/record-reading.ts";
import type { Source } from "../../history/paging/source.ts";
import { RestClient } from "../../history/rest/rest-client.ts";
import type { TradeRecord } from "../../protocol/rest/trades.ts";
import type { Market } from "../../view/market.ts";
import type { Context } from "../context.ts";
import type { Service } from "../service.ts";

/** A listing, page by page, and what its records say of themselves. */
export interface TradesSource {
  readonly source: Source<TradeRecord>;
  readonly reading: RecordReading<TradeRecord>;
}

/** Listings of trades over one client; nothing is asked before a page is. */
export interface RecentTrades {
  of(market: Market): TradesSource;
  close(): void;
}

/** @returns undefined when the address of the REST listings is not known. Never throws. */
export function openRecentTrades(
  { clock, random, options }: Pick<Context, "clock" | "random" | "options">,
  { baseUrl, headers }: Service,
): RecentTrades | undefined {
  if (baseUrl === undefined) return undefined;
  const client = new RestClient({ baseUrl, headers, clock, random });
  const isStrict = options.strict ?? false;
  return {
    of(market) {
      const listing = tradesListing(market);
      return { source: listingSource(client, listing, { isStrict }), reading: listing.reading };
    },
    close() {
      void client.close();
    },
  };
}
