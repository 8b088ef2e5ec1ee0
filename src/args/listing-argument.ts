// trades <market>, liquidations <market_id>, fills <owner> <subaccount_id>: which listing is meant.
import {
  fillsListing,
  isOwner,
  type Listing,
  liquidationsListing,
  tradesListing,
} from "../listing/listing.ts";
import type { FillsOwner } from "../select/listing-rows.ts";
import type { Market } from "../select/market.ts";
import { UsageError } from "../units/monitor-error.ts";
import { MAX_INT32, MAX_UINT16, parseId } from "../units/uint.ts";
import { isAddress } from "../wire/channels.ts";
import type { LiquidationRecord } from "../wire/rest/liquidations.ts";
import type { TradeRecord } from "../wire/rest/trades.ts";
import { parseMarket } from "./market-argument.ts";

/** A listing, and its name as the user gave it, such as `trades perp/1`. */
export type ListingArgument =
  | {
      readonly kind: "trades";
      readonly name: string;
      readonly market: Market;
      readonly listing: Listing<TradeRecord>;
    }
  | {
      readonly kind: "liquidations";
      readonly name: string;
      readonly market: Market;
      readonly listing: Listing<LiquidationRecord>;
    }
  | {
      readonly kind: "fills";
      readonly name: string;
      readonly listing: Listing<TradeRecord>;
      readonly owner: FillsOwner;
    };

/** A listing of a market that is named by a symbol, which only the stream can tell the number of. */
export interface SymbolListing {
  readonly kind: "trades" | "liquidations";
  readonly symbol: string;
}

type Aliases = Readonly<Record<string, string>>;

/**
 * Reads what to list; nothing has been sent then.
 * @throws {UsageError} when a word is not of its form
 */
export function parseListing(
  words: readonly string[],
  aliases: Aliases,
): ListingArgument | SymbolListing {
  const [kind = "", first = "", second, ...more] = words;
  if (kind === "fills") {
    if (second === undefined || more.length > 0) throw wrongCount("fills <owner> <subaccount_id>");
    return fills(first, second);
  }
  if (kind !== "trades" && kind !== "liquidations") {
    throw new UsageError(`no such listing: ${kind}`, "expected: trades, liquidations or fills");
  }
  if (second !== undefined) throw wrongCount(`${kind} <market>`);
  const market = parseMarket(first, aliases);
  return "symbol" in market
    ? { kind, symbol: market.symbol }
    : marketListing(kind, market.type, market.id);
}

/**
 * A listing of a market. @param digits its id
 * @throws {UsageError} when the id is larger than those of the listings
 */
export function marketListing(
  kind: SymbolListing["kind"],
  type: Market["type"],
  digits: string,
): ListingArgument {
  const id = parseId(digits);
  if (id === undefined) {
    throw new UsageError(`market id out of range: ${digits}`, `expected: 0 to ${MAX_INT32}`);
  }
  const market = { type, id };
  return kind === "trades"
    ? { kind, market, name: `trades ${type}/${id}`, listing: tradesListing(market) }
    : { kind, market, name: `liquidations ${id}`, listing: liquidationsListing(market.id) };
}

function fills(owner: string, id: string): ListingArgument {
  if (!isOwner(owner)) {
    throw new UsageError(
      isAddress(owner)
        ? `an address of the stream is no owner of the listings: ${owner}`
        : `not an owner: ${owner}`,
      `expected: 0x and 40 hex digits${isAddress(owner) ? "; neither can be worked out from the other" : ""}`,
    );
  }
  const digits = parseId(id, MAX_UINT16);
  if (digits === undefined) {
    throw new UsageError(`not a subaccount id: ${id}`, `expected: 0 to ${MAX_UINT16}`);
  }
  const subaccountId = Number(digits);
  return {
    kind: "fills",
    name: `fills ${owner} ${subaccountId}`,
    listing: fillsListing(owner, subaccountId),
    owner: { owner, subaccountId },
  };
}

function wrongCount(form: string): UsageError {
  return new UsageError("a word is missing or too many", `expected: ${form}`);
}
