// Where the history views get their listings from: supplied when the service is known, shared by all of them.
import { HistoryList } from "../listing/history-list.ts";
import {
  fillsListing,
  type Listing,
  liquidationsListing,
  tradesListing,
} from "../listing/listing.ts";
import type { Source } from "../listing/paging/source.ts";
import type { FillsOwner } from "../select/fill.ts";
import type { Market } from "../select/market.ts";
import type { Clock } from "../units/clock.ts";
import type { LiquidationRecord } from "../wire/rest/liquidations.ts";
import type { TradeRecord } from "../wire/rest/trades.ts";

/** A part of a listing that is to be written to a file. */
export type ExportWish = {
  /** `trades perp/1` */
  readonly name: string;
  /** Unix milliseconds, both ends included; undefined for everything. */
  readonly sinceMs: number | undefined;
  readonly untilMs: number | undefined;
  /** Words that each row has; empty text for all rows. */
  readonly filter: string;
} & WishedListing;

/** What of a record the filter finds, if anything; undefined where there is no filter. */
type Found<T> = ((record: T) => T | undefined) | undefined;

type WishedListing =
  | {
      readonly kind: "liquidations";
      readonly listing: Listing<LiquidationRecord>;
      readonly found: Found<LiquidationRecord>;
    }
  | {
      readonly kind: "trades" | "fills";
      readonly listing: Listing<TradeRecord>;
      readonly found: Found<TradeRecord>;
      /** Whose fills they are. */
      readonly owner: FillsOwner | undefined;
    };

/** What the command supplies. */
export interface HistorySupply {
  sourceOf<T>(listing: Listing<T>): Source<T>;
  readonly clock: Clock;
  /** Whose fills can be listed; undefined when nobody has said. */
  readonly owner: FillsOwner | undefined;
  /** Writes rows to a file of its own and tells how far it is. */
  export(wish: ExportWish, tell: (words: string) => void): void;
}

/** Rows of a page on the screen: a few screens of them. */
const PAGE_ROWS = 200;

/** Holds what the command supplies, once it does. */
export class Histories {
  #supply: HistorySupply | undefined;

  /** Undefined while the service is not known, and where it has no listings. */
  get supply(): HistorySupply | undefined {
    return this.#supply;
  }

  supplyWith(supply: HistorySupply): void {
    this.#supply = supply;
  }
}

/** One listing that is looked through. */
export interface OpenHistory<T extends object> {
  readonly name: string;
  readonly listing: Listing<T>;
  readonly list: HistoryList<T>;
}

/** From when on back a listing is looked through (Unix milliseconds; the newest without it), and who is told of it. */
export interface HistoryStart {
  readonly untilMs: number | undefined;
  readonly onChange: () => void;
}

function open<T extends object>(
  { sourceOf, clock }: HistorySupply,
  name: string,
  listing: Listing<T>,
  start: HistoryStart,
): OpenHistory<T> {
  const { reading } = listing;
  const source = sourceOf(listing);
  const list = new HistoryList<T>({ source, reading, limit: PAGE_ROWS, clock, ...start });
  return { name, listing, list };
}

/** The trades of a market. Never throws. */
export function openTrades(supply: HistorySupply, market: Market, start: HistoryStart) {
  return open(supply, `trades ${market.type}/${market.id}`, tradesListing(market), start);
}

/** The liquidations of a market. Never throws. */
export function openLiquidations(supply: HistorySupply, market: Market, start: HistoryStart) {
  return open(supply, `liquidations ${market.id}`, liquidationsListing(market.id), start);
}

/** The fills of one subaccount. Never throws. */
export function openFills(supply: HistorySupply, owner: FillsOwner, start: HistoryStart) {
  const listing = fillsListing(owner.owner, owner.subaccountId);
  return open(supply, `fills ${owner.owner} ${owner.subaccountId}`, listing, start);
}
