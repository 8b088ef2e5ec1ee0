// The newest trades of a market as the REST listing tells them, for what the live view makes of them.
import { listingSource, tradesListing } from "../history/listing.ts";
import type { Source } from "../history/paging/source.ts";
import { RestClient } from "../history/rest/rest-client.ts";
import type { TradeRecord } from "../protocol/rest/trades.ts";
import type { Market } from "../view/market.ts";
import type { Context } from "./context.ts";
import type { Service } from "./run-market.ts";

export interface RecentTrades {
  /** The listing of one market, page by page. */
  of(market: Market): Source<TradeRecord>;
  close(): void;
}

/** @returns undefined when the address of the REST listings is not known */
export function openRecentTrades(
  { clock, random, options }: Pick<Context, "clock" | "random" | "options">,
  { baseUrl, headers }: Service,
): RecentTrades | undefined {
  if (baseUrl === undefined) return undefined;
  const client = new RestClient({ baseUrl, headers, clock, random });
  const isStrict = options.strict ?? false;
  return {
    of: (market) => listingSource(client, tradesListing(market), { isStrict }),
    close() {
      void client.close();
    },
  };
}
