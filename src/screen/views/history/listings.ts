// Where the history views get their listings from: handed over when the service is known, shared by all of them.
import { HistoryList } from "../../../listing/history-list.ts";
import {
  fillsListing,
  type Listing,
  liquidationsListing,
  tradesListing,
} from "../../../listing/listing.ts";
import type { Source } from "../../../listing/paging/source.ts";
import type { Display } from "../../../select/display.ts";
import { shortAddress } from "../../../select/fields.ts";
import {
  addFills,
  type FillsOwner,
  fillMarketName,
  fillRow,
  formatTotals,
  liquidationRows,
  NO_FILLS,
  tradeRow,
} from "../../../select/listing-rows.ts";
import { findSymbol, formatMarket } from "../../../select/market.ts";
import { MASK } from "../../../select/mask.ts";
import type { FillsRead } from "../../../statement/fills.ts";
import type { Clock } from "../../../units/clock.ts";
import type { LiquidationRecord } from "../../../wire/rest/liquidations.ts";
import type { TradeRecord } from "../../../wire/rest/trades.ts";
import type { OpenRecord } from "../../../wire/update.ts";
import { RowOrder } from "../../table/rows.ts";
import type { Parts } from "../view.ts";
import { MarkoutRows } from "./markouts.ts";

/** A part of a listing that is to be written to a file. */
export type ExportRequest = {
  /** `trades perp/1` */
  readonly name: string;
  /** The file to write, as it was typed. */
  readonly path: string;
  readonly filter: string;
} & RequestedListing;

/** What of a record the filter finds, if anything; undefined where there is no filter. */
type Found<T> = ((record: T) => T | undefined) | undefined;

type RequestedListing =
  | {
      readonly kind: "liquidations";
      readonly listing: Listing<LiquidationRecord>;
      readonly found: Found<LiquidationRecord>;
    }
  | {
      readonly kind: "trades" | "fills";
      readonly listing: Listing<TradeRecord>;
      readonly found: Found<TradeRecord>;
      readonly owner: FillsOwner | undefined;
    };

export interface HistoryFeed {
  sourceOf<T>(listing: Listing<T>): Source<T>;
  /** What newer rows come from while nobody asks for them; without it none come by themselves. */
  headSourceOf?<T>(listing: Listing<T>): Source<T>;
  readonly clock: Clock;
  /** Whose fills can be listed; undefined when nobody has said. The same object until it is another one. */
  readonly owner: FillsOwner | undefined;
  /** Says whose fills are those of the address that is watched. */
  nameOwner?(owner: string): void;
  /** All fills of an owner, proven. */
  readFills?(
    owner: FillsOwner,
    signal: AbortSignal,
    onProgress: (rows: number) => void,
  ): Promise<FillsRead>;
  /** Writes rows to a file of its own and says how far it is. */
  export(request: ExportRequest, notify: (words: string) => void): void;
  /** A file name for a listing that none has yet. */
  fileName(name: string): string;
  /** Exports that are not finished, in words; empty where there is none. */
  readonly running: string;
}

/** Rows of a page on the screen: a few screens of them. */
const PAGE_ROWS = 200;

/** One listing that is looked through. */
export interface OpenHistory<T extends object> {
  readonly name: string;
  readonly listing: Listing<T>;
  readonly list: HistoryList<T>;
}

/** From when on back a listing is looked through (Unix milliseconds; the newest without it), and who is notified. */
interface HistoryStart {
  readonly untilMs: number | undefined;
  readonly onChange: () => void;
}

function open<T extends object>(
  { sourceOf, headSourceOf, clock }: HistoryFeed,
  name: string,
  listing: Listing<T>,
  start: HistoryStart,
): OpenHistory<T> {
  const { fields } = listing;
  const [source, headSource] = [sourceOf(listing), headSourceOf?.(listing)];
  const list = new HistoryList<T>({
    ...{ source, headSource, fields, limit: PAGE_ROWS, clock },
    ...start,
  });
  return { name, listing, list };
}

/** The file, and what of the rows it is to hold. */
export type RequestedPart = Pick<ExportRequest, "path" | "filter"> & {
  readonly isUnfolded: boolean;
};

/** A listing with its rows, whatever its records are. */
export interface HistoryRows {
  readonly name: string;
  readonly history: OpenHistory<TradeRecord> | OpenHistory<LiquidationRecord>;
  /** What of it is to be written to a file. */
  request(part: RequestedPart): ExportRequest;
  /** The same array until the records change. */
  rows(isUnfolded: boolean): readonly OpenRecord[];
  /** What a row is of, where another row may take its place. */
  recordOf?(row: OpenRecord): object;
  /** Of the stream: what more is said of the rows. */
  channels?(): readonly string[];
  /** Sums over all rows, in words, the most wanted first; none where nothing can be summed up. */
  totals(display: Display): readonly string[];
}

export interface HistoryKind {
  readonly title: string;
  readonly emptyWords: string;
  readonly isUnfolding: boolean;
  /** What it is of now, such as `perp/1`; undefined while there is nothing to list. */
  subject(parts: Parts): string | undefined;
  /** The same for the title; empty where there is nothing to list. */
  subjectWords(parts: Parts): string;
  /** What the user can do about it, where it is not known what to list; undefined where nothing is to be listed. */
  missing?(parts: Parts): string | undefined;
  /** Only when there is a subject and a feed. */
  open(parts: Parts, start: HistoryStart): HistoryRows | undefined;
}

function marketWords({ shown: { market, store } }: Parts): string {
  return market === undefined ? "" : (findSymbol(store, market) ?? formatMarket(market));
}

export const TRADES: HistoryKind = {
  title: "Trades",
  emptyWords: "No trades in this market yet",
  isUnfolding: false,
  subject: ({ shown: { market } }) => market && formatMarket(market),
  subjectWords: marketWords,
  open({ listings: { feed }, shown: { market } }, start) {
    if (feed === undefined || market === undefined) return undefined;
    const history = open(feed, `trades ${formatMarket(market)}`, tradesListing(market), start);
    const rowOf = rowsOfEach((record: TradeRecord) => [tradeRow(record)]);
    const plain = memo((records: readonly TradeRecord[]) => records.flatMap(rowOf));
    const { name, listing } = history;
    return {
      name,
      history,
      request: (part) => ({
        kind: "trades",
        name,
        listing,
        owner: undefined,
        path: part.path,
        filter: part.filter,
        found: foundBy(part.filter, tradeRow),
      }),
      rows: () => plain(history.list.rows),
      totals: () => [],
    };
  },
};

/** Liquidations that touch the market that is shown. */
export const LIQUIDATIONS: HistoryKind = {
  title: "Liquidations",
  emptyWords: "No liquidations in this market yet",
  isUnfolding: true,
  subject: ({ shown: { market } }) => market?.id,
  subjectWords: marketWords,
  open({ listings: { feed }, shown: { market } }, start) {
    if (feed === undefined || market === undefined) return undefined;
    const { id } = market;
    const history = open(feed, `liquidations ${id}`, liquidationsListing(id), start);
    const unfold = (isUnfolded: boolean) => {
      const rowsOf = rowsOfEach((event: LiquidationRecord) => liquidationRows(event, isUnfolded));
      return memo((events: readonly LiquidationRecord[]) => events.flatMap(rowsOf));
    };
    const [foldedRows, unfoldedRows] = [unfold(false), unfold(true)];
    const { name, listing } = history;
    return {
      name,
      history,
      request: (part) => ({
        kind: "liquidations",
        name,
        listing,
        path: part.path,
        filter: part.filter,
        found: part.isUnfolded ? positionsBy(part.filter) : foundBy(part.filter, folded),
      }),
      rows: (isUnfolded) => (isUnfolded ? unfoldedRows : foldedRows)(history.list.rows),
      totals: () => [],
    };
  },
};

export const OWNER_MISSING = "Name the owner in the listings: :owner 0x… (at the start: --owner)";

/** Why it is not known whose fills to list, where an account is shown; undefined where it is, or none is. */
export function formatOwnerMissing({ listings, shown, options }: Parts): string | undefined {
  const { account } = shown;
  const isAny = account !== undefined || (options.accounts?.length ?? 0) > 0;
  if (!isAny || listings.feed?.nameOwner === undefined || listings.feed.owner !== undefined)
    return undefined;
  return account?.subaccountId === undefined
    ? "No subaccount is watched: Enter on its row of the overview (U)"
    : OWNER_MISSING;
}

export const FILLS: HistoryKind = {
  title: "Fills",
  emptyWords: "No fills of this subaccount yet",
  isUnfolding: false,
  subject({ listings: { feed } }) {
    const owner = feed?.owner;
    return owner && `${owner.owner}/${owner.subaccountId}`;
  },
  subjectWords({ listings: { feed }, shown: { isMasked } }) {
    const owner = feed?.owner;
    if (owner === undefined) return "";
    return isMasked ? MASK : `${shortAddress(owner.owner)}/${owner.subaccountId}`;
  },
  missing: formatOwnerMissing,
  open(parts, start) {
    const { feed } = parts.listings;
    const owner = feed?.owner;
    if (feed === undefined || owner === undefined) return undefined;
    const name = `fills ${owner.owner} ${owner.subaccountId}`;
    const listing = fillsListing(owner.owner, owner.subaccountId);
    const history = open(feed, name, listing, start);
    const rows = new MarkoutRows(parts, owner);
    const totals = memo((fills: readonly TradeRecord[]) => addFills(NO_FILLS, fills, owner));
    return {
      name,
      history,
      request: (part) => ({
        kind: "fills",
        name,
        listing,
        owner,
        path: part.path,
        filter: part.filter,
        found: foundBy(part.filter, (fill) =>
          fillRow(fill, owner, fillMarketName(fill, parts.shown.store)),
        ),
      }),
      rows: () => rows.select(history.list.rows),
      recordOf: (row) => rows.recordOf(row),
      channels: () => [...rows.channels(history.list.rows), "markets"],
      totals: (display) => formatTotals(totals(history.list.rows), display),
    };
  },
};

const folded = (event: LiquidationRecord) => liquidationRows(event, false)[0] ?? {};

/** Finds what the filter of the table finds: in the rows that it shows. */
function foundBy<T>(filter: string, rowOf: (record: T) => OpenRecord) {
  if (filter.trim() === "") return undefined;
  const order = new RowOrder();
  return (record: T) =>
    order.select([rowOf(record)], undefined, filter).length > 0 ? record : undefined;
}

/** The same of unfolded rows: of an event those positions that are found. */
function positionsBy(filter: string) {
  if (filter.trim() === "") return undefined;
  const order = new RowOrder();
  return (event: LiquidationRecord): LiquidationRecord | undefined => {
    const rows = liquidationRows(event, true);
    const found = new Set(order.select(rows, undefined, filter));
    if (found.size === 0) return undefined;
    const positions = event.positions.filter((_, i) => found.has(rows[i] ?? {}));
    return { ...event, positions };
  };
}

/** A record has the same rows for as long as it is held: the selection stays with them when newer ones come. */
function rowsOfEach<T extends object>(
  make: (record: T) => readonly OpenRecord[],
): (record: T) => readonly OpenRecord[] {
  const known = new WeakMap<T, readonly OpenRecord[]>();
  return (record) => {
    const rows = known.get(record) ?? make(record);
    known.set(record, rows);
    return rows;
  };
}

/** Keeps the last answer for as long as it is asked about the same thing. */
function memo<A, B>(work: (input: A) => B): (input: A) => B {
  let last: { readonly input: A; readonly output: B } | undefined;
  return (input) => {
    if (last === undefined || last.input !== input) last = { input, output: work(input) };
    return last.output;
  };
}
