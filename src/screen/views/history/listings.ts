// The listings of the history views: what each lists, its rows, and what can be exported.
import { HistoryList } from "../../../listing/history-list.ts";
import {
  fillsListing,
  type Listing,
  liquidationsListing,
  tradesListing,
} from "../../../listing/listing.ts";
import type { Source } from "../../../listing/source.ts";
import type { Display } from "../../../select/display.ts";
import { shortAddress } from "../../../select/fields.ts";
import {
  addFills,
  type FillTotals,
  fillMarketName,
  fillRow,
  formatFillMarket,
  formatTotals,
  liquidationRows,
  marketName,
  NO_FILLS,
  tradeRow,
} from "../../../select/listing-rows.ts";
import { findSymbol, formatMarket } from "../../../select/market.ts";
import { MASK } from "../../../select/mask.ts";
import { type PaneStatus, WAITING } from "../../../select/status.ts";
import type { FillsRead } from "../../../statement/fills.ts";
import type { Clock } from "../../../units/clock.ts";
import { Memo } from "../../../units/memo.ts";
import { formatAge } from "../../../units/time.ts";
import type { ListedRecord } from "../../../wire/rest/fields.ts";
import type { LiquidationRecord } from "../../../wire/rest/liquidations.ts";
import type { FillsOwner } from "../../../wire/rest/own-fill.ts";
import type { TradeRecord } from "../../../wire/rest/trades.ts";
import type { OpenRecord } from "../../../wire/update.ts";
import { RowOrder } from "../../table/rows.ts";
import type { Parts } from "../view.ts";

export type ExportRequest = {
  /** `trades perp/1` */
  readonly name: string;
  /** The output file, as typed. */
  readonly path: string;
  readonly filter: string;
} & RequestedListing;

/** Returns the part of a record that matches the filter, if any; undefined without a filter. */
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
      readonly owner?: FillsOwner | undefined;
    };

export interface HistoryFeed {
  sourceOf<T extends ListedRecord>(listing: Listing<T>): Source<T>;
  /** Source of newer rows, requested in the background; without it there are none. */
  headSourceOf?<T extends ListedRecord>(listing: Listing<T>): Source<T>;
  readonly clock: Clock;
  /** Whose fills can be listed, once known. The same object until it changes. */
  readonly owner: FillsOwner | undefined;
  nameOwner?(owner: string): void;
  readFills?(
    owner: FillsOwner,
    signal: AbortSignal,
    onProgress: (rows: number) => void,
  ): Promise<FillsRead>;
  /** Writes rows to the requested file and reports progress. */
  export(request: ExportRequest, notify: (words: string) => void): void;
  fileName(name: string): string;
  /** Unfinished exports as text; empty if there are none. */
  readonly running: string;
}

/** Rows per page: a few screens. */
const PAGE_ROWS = 200;

/** Where a listing starts, going back in time (Unix milliseconds; by default at the newest row), and who is notified. */
interface HistoryStart {
  readonly untilMs: number | undefined;
  readonly onChange: () => void;
}

function open<T extends ListedRecord>(
  { sourceOf, headSourceOf, clock }: HistoryFeed,
  listing: Listing<T>,
  start: HistoryStart,
): HistoryList<T> {
  const [source, headSource] = [sourceOf(listing), headSourceOf?.(listing)];
  return new HistoryList<T>({
    source,
    headSource,
    limit: PAGE_ROWS,
    clock,
    ...start,
  });
}

export interface HistoryRows {
  readonly name: string;
  readonly list: HistoryList<TradeRecord> | HistoryList<LiquidationRecord>;
  request(filter: string, isUnfolded: boolean): RequestedListing;
  /** The same array until the records change. */
  rows(isUnfolded: boolean): readonly OpenRecord[];
  /** The record of a row, which another row may replace. */
  recordOf?(row: OpenRecord): object;
  /** Channels of the stream that add to the rows. */
  channels?(): readonly string[];
  /** Totals of all rows as text, most important first. */
  totals?(display: Display): readonly string[];
}

export interface HistoryKind {
  readonly title: string;
  readonly emptyText: string;
  readonly isUnfolding: boolean;
  /** Such as `perp/1`; undefined while there is nothing to list. */
  subject(parts: Parts): string | undefined;
  /** For the title; empty if there is nothing to list. */
  subjectText(parts: Parts): string;
  /** What the user can do while it is unknown what to list; undefined if nothing is to be listed. */
  missing?(parts: Parts): string | undefined;
  open(parts: Parts, start: HistoryStart): HistoryRows | undefined;
}

function formatMarketState({ shown: { market, store } }: Parts): string {
  return market === undefined ? "" : (findSymbol(store, market) ?? formatMarket(market));
}

export const TRADES: HistoryKind = {
  title: "Trades",
  emptyText: "No trades in this market yet",
  isUnfolding: false,
  subject: ({ shown: { market } }) => market && formatMarket(market),
  subjectText: formatMarketState,
  open({ listings: { feed }, shown: { market } }, start) {
    if (feed === undefined || market === undefined) return undefined;
    const listing = tradesListing(market);
    const list = open(feed, listing, start);
    const rows = eachRow((record: TradeRecord) => [tradeRow(record)]);
    return {
      name: `trades ${formatMarket(market)}`,
      list,
      request: (filter) => ({ kind: "trades", listing, found: foundBy(filter, tradeRow) }),
      rows: () => rows(list.rows),
    };
  },
};

export const LIQUIDATIONS: HistoryKind = {
  title: "Liquidations",
  emptyText: "No liquidations in this market yet",
  isUnfolding: true,
  subject: ({ shown: { market } }) => market?.id,
  subjectText: formatMarketState,
  open({ listings: { feed }, shown: { market } }, start) {
    if (feed === undefined || market === undefined) return undefined;
    const listing = liquidationsListing(market.id);
    const list = open(feed, listing, start);
    const foldedRows = eachRow((event: LiquidationRecord) => liquidationRows(event, false));
    const unfoldedRows = eachRow((event: LiquidationRecord) => liquidationRows(event, true));
    return {
      name: `liquidations ${market.id}`,
      list,
      request: (filter, isUnfolded) => ({
        kind: "liquidations",
        listing,
        found: isUnfolded ? positionsBy(filter) : foundBy(filter, folded),
      }),
      rows: (isUnfolded) => (isUnfolded ? unfoldedRows : foldedRows)(list.rows),
    };
  },
};

const OWNER_MISSING = "Name the owner in the listings: :owner 0x… (at the start: --owner)";

/** Why it is unknown whose fills to list; undefined if known, or if no account is shown. */
export function formatOwnerMissing({ listings, shown, options }: Parts): string | undefined {
  const { account } = shown;
  const isAny = account !== undefined || (options.accounts?.length ?? 0) > 0;
  if (!isAny || listings.feed?.nameOwner === undefined || listings.feed.owner !== undefined)
    return undefined;
  return account?.subaccountId === undefined
    ? "No subaccount is watched: Enter on its row (A)"
    : OWNER_MISSING;
}

export const FILLS: HistoryKind = {
  title: "Fills",
  emptyText: "No fills of this subaccount yet",
  isUnfolding: false,
  subject({ listings: { feed } }) {
    const owner = feed?.owner;
    return owner && `${owner.owner}/${owner.subaccountId}`;
  },
  subjectText({ listings: { feed }, shown: { isMasked } }) {
    const owner = feed?.owner;
    if (owner === undefined) return "";
    return isMasked ? MASK : `${shortAddress(owner.owner)}/${owner.subaccountId}`;
  },
  missing: formatOwnerMissing,
  open(parts, start) {
    const { feed } = parts.listings;
    const owner = feed?.owner;
    if (feed === undefined || owner === undefined) return undefined;
    const listing = fillsListing(owner.owner, owner.subaccountId);
    const list = open(feed, listing, start);
    const { store } = parts.shown;
    const records = new WeakMap<OpenRecord, TradeRecord>();
    const rowOf = (fill: TradeRecord) => {
      const row = fillRow(fill, owner, fillMarketName(fill, store));
      records.set(row, fill);
      return row;
    };
    const markets = new Memo<readonly string[]>();
    const rows = new Memo<ReturnType<typeof eachRow<TradeRecord>>>();
    const totals = new Memo<FillTotals>();
    // The list of markets, with its symbols, may arrive after the fills.
    const selectRows = () => {
      const { rows: fills } = list;
      const ids = markets.get([fills], () => [...new Set(fills.map(formatFillMarket))]);
      const names = ids.map((id) => marketName(id, store));
      return rows.get(names, () => eachRow((fill: TradeRecord) => [rowOf(fill)]))(fills);
    };
    return {
      name: `fills ${owner.owner} ${owner.subaccountId}`,
      list,
      request: (filter) => ({ kind: "fills", listing, owner, found: foundBy(filter, rowOf) }),
      rows: selectRows,
      recordOf: (row) => records.get(row) ?? row,
      channels: () => ["markets"],
      totals: (display) =>
        formatTotals(
          totals.get([list.rows], () => addFills(NO_FILLS, list.rows, owner)),
          display,
        ),
    };
  },
};

/** A listing is never live but as old as its last response: `as of 00:45:52, 6m03s ago`. @param atMs monotonic */
export function getListingStatus(
  { shown, listings }: Parts,
  atMs: number | undefined,
  error: string | undefined,
  note: string,
): PaneStatus {
  const nowMs = listings.feed?.clock.now() ?? shown.now();
  const time = shown.display.timeOfDay(shown.wall() - shown.now() + (atMs ?? 0));
  const since = formatAge(Math.max(0, nowMs - (atMs ?? 0)));
  const age = atMs === undefined ? "" : `as of ${time}, ${since} ago`;
  if (error !== undefined) return { state: "offline", age, note: shown.masked(error) };
  return atMs === undefined ? { ...WAITING, note } : { state: "listed", age, note };
}

const folded = (event: LiquidationRecord) => liquidationRows(event, false)[0] ?? {};

/** Matches what the filter of the table matches in its rows. */
function foundBy<T>(filter: string, rowOf: (record: T) => OpenRecord) {
  if (filter.trim() === "") return undefined;
  const order = new RowOrder();
  return (record: T) =>
    order.select([rowOf(record)], undefined, filter).length > 0 ? record : undefined;
}

/** The same for unfolded rows: keeps the matching positions of an event. */
function positionsBy(filter: string) {
  if (filter.trim() === "") return undefined;
  const order = new RowOrder();
  return (event: LiquidationRecord): LiquidationRecord | undefined => {
    const rows = liquidationRows(event, true);
    const matches = new Set(order.select(rows, undefined, filter));
    if (matches.size === 0) return undefined;
    const positions = event.positions.filter((_, i) => matches.has(rows[i] ?? {}));
    return { ...event, positions };
  };
}

/** The same array until the records change. A record always has the same rows, so that the selection stays with them. */
function eachRow<T extends object>(
  make: (record: T) => readonly OpenRecord[],
): (records: readonly T[]) => readonly OpenRecord[] {
  const known = new WeakMap<T, readonly OpenRecord[]>();
  const all = new Memo<readonly OpenRecord[]>();
  const rowsOf = (record: T) => {
    const rows = known.get(record) ?? make(record);
    known.set(record, rows);
    return rows;
  };
  return (records) => all.get([records], () => records.flatMap(rowsOf));
}
