import { type Listing, tradesListing } from "../../src/listing/listing.ts";
import type { Source } from "../../src/listing/source.ts";
import type { TradeRecord } from "../../src/wire/rest/trades.ts";

type Page<T> = (before: bigint | undefined, limit: number) => readonly T[] | Promise<readonly T[]>;

/** A listing without a service behind it. */
export const sourceOf = <T extends TradeRecord>(page: Page<T>): Source<T> => ({
  listing: tradesListing({ type: "perp", id: "1" }) as unknown as Listing<T>,
  page: async (before, limit) => page(before, limit),
});
