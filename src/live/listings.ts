// The listings that the screen shows: each is read page by page as one scrolls, and kept up to date while it is asked for.

import { marketKey } from "../dialect/markets.ts";
import { HistoryList } from "../listing/history-list.ts";
import {
  fillsListing,
  type LearnedCursors,
  type Listing,
  liquidationsListing,
  tradesListing,
} from "../listing/listing.ts";
import type { RequestBudget } from "../listing/request-budget.ts";
import { RestClient, type RestOptions } from "../listing/rest-client.ts";
import { createSource } from "../listing/source.ts";
import { type FillsRead, readFills } from "../statement/fills.ts";
import type { Clock } from "../units/clock.ts";
import { errorText } from "../units/monitor-error.ts";
import type { ListedRecord } from "../wire/rest/fields.ts";
import type { LiquidationRecord } from "../wire/rest/liquidations.ts";
import type { FillsOwner } from "../wire/rest/own-fill.ts";
import type { TradeRecord } from "../wire/rest/trades.ts";

/** All fills of a subaccount, or how far they are. */
export interface AllFills {
  readonly isReading: boolean;
  /** Rows that are read so far. */
  readonly rows: number;
  /** Oldest first; undefined until they are read to their end. */
  readonly fills: readonly TradeRecord[] | undefined;
  readonly read: FillsRead | undefined;
  readonly error: string | undefined;
  /** Monotonic milliseconds of the last end, good or bad. */
  readonly endedAtMs: number | undefined;
  /** Of the last good one. */
  readonly listedAtMs: number | undefined;
}

export interface Listings {
  /** Whose fills they are; undefined where that is not known. */
  readonly owner: FillsOwner | undefined;
  /** Asking for a list keeps it up to date. @param market `perp/1` */
  trades(market: string): HistoryList<TradeRecord>;
  liquidations(market: string): HistoryList<LiquidationRecord>;
  /** What of it has been read; asks for nothing. */
  knownLiquidations(market: string): readonly LiquidationRecord[];
  fills(owner: FillsOwner): HistoryList<TradeRecord>;
  /** What a statement sums; read again when it is asked for after a minute. */
  allFills(owner: FillsOwner): AllFills;
  /** Monotonic milliseconds at which what failed is tried again. */
  retryAtMs(failedAtMs: number): number;
  close(): void;
}

export interface ListingsOptions extends Pick<RestOptions, "baseUrl" | "headers" | "random"> {
  readonly clock: Clock;
  /** Of all background requests; undefined: none may be made. */
  readonly budget: RequestBudget | undefined;
  readonly owner: FillsOwner | undefined;
  /** Where all fills are stored between runs; undefined: nowhere. */
  readonly folder: string | undefined;
  readonly cursors?: LearnedCursors | undefined;
  readonly onChange: () => void;
}

/** Rows of a page: a screen full of them many times over, in one request. */
const PAGE_ROWS = 300;
const AGAIN_MS = 10_000;
const STATEMENT_MS = 60_000;
/** Lists of other markets that are kept, so that going to and fro asks for nothing. */
const MAX_LISTS = 6;

type AnyList = Pick<
  HistoryList<ListedRecord>,
  "activity" | "error" | "endedAtMs" | "rows" | "loadOlder" | "follow" | "close"
>;

export function createListings(options: ListingsOptions): Listings {
  const { clock, random, baseUrl, headers, owner, budget, cursors, onChange } = options;
  const client = new RestClient({ baseUrl, headers, clock, random });
  // What failed is said, and tried again, by the lists themselves.
  const once = { baseUrl, headers, clock, random, tries: 1 };
  const asked = new RestClient(once);
  const background = new RestClient({ ...once, budget });
  const abort = new AbortController();
  const lists = new Map<string, AnyList>();
  const statements = new Map<string, AllFills>();

  function listOf<T extends ListedRecord>(listing: Listing<T>): HistoryList<T> {
    let list = lists.get(listing.name) as HistoryList<T> | undefined;
    list ??= new HistoryList({
      ...{ clock, limit: PAGE_ROWS, cursor: cursors?.of(listing.kind) },
      onChange() {
        if (list?.cursor !== undefined) cursors?.learn(listing.kind, list.cursor);
        onChange();
      },
      source: createSource(asked, listing),
      headSource: createSource(background, listing),
    });
    lists.delete(listing.name);
    lists.set(listing.name, list);
    for (const [name, old] of [...lists].slice(0, -MAX_LISTS)) {
      old.close();
      lists.delete(name);
    }
    keepUp(list, clock.now(), budget !== undefined);
    return list;
  }

  async function readAll(of: FillsOwner, before: AllFills | undefined): Promise<void> {
    const put = (now: Partial<AllFills>) => {
      const held = statements.get(nameOf(of)) ?? before ?? NOTHING_READ;
      statements.set(nameOf(of), { ...held, ...now });
      onChange();
    };
    put({ isReading: true, rows: 0 });
    try {
      const read = await readFills({
        ...{ owner: of, baseUrl, client, signal: abort.signal },
        ...{ folder: options.folder, cursor: cursors?.of("fills") },
        onProgress: ({ rows }) => put({ rows }),
      });
      const fills: TradeRecord[] = [];
      for await (const page of read.pages()) fills.push(...page);
      put({ fills, read, error: undefined, listedAtMs: clock.now() });
    } catch (error) {
      put({ error: errorText(error) });
    }
    put({ isReading: false, endedAtMs: clock.now() });
  }

  return {
    owner,
    trades: (market) => listOf(tradesListing(marketKey(market))),
    liquidations: (market) => listOf(liquidationsListing(marketKey(market).id)),
    knownLiquidations(market) {
      const { name } = liquidationsListing(marketKey(market).id);
      const list = lists.get(name) as HistoryList<LiquidationRecord> | undefined;
      return list?.rows ?? [];
    },
    fills: ({ owner: address, subaccountId }) => listOf(fillsListing(address, subaccountId)),
    allFills(of) {
      const held = statements.get(nameOf(of));
      const { isReading = false, endedAtMs = Number.NEGATIVE_INFINITY, error } = held ?? {};
      const pauseMs = error === undefined ? STATEMENT_MS : AGAIN_MS;
      if (!isReading && clock.now() - endedAtMs >= pauseMs) void readAll(of, held);
      return statements.get(nameOf(of)) ?? NOTHING_READ;
    },
    retryAtMs: (failedAtMs) => failedAtMs + AGAIN_MS,
    close() {
      abort.abort();
      for (const list of lists.values()) list.close();
      void client.close();
      void asked.close();
      void background.close();
    },
  };
}

const NOTHING_READ: AllFills = {
  ...{ isReading: false, rows: 0, fills: undefined, read: undefined },
  ...{ error: undefined, endedAtMs: undefined, listedAtMs: undefined },
};

/** What failed is tried again, and newer rows come if that is wanted. */
function keepUp(list: AnyList, nowMs: number, isFollowed: boolean): void {
  const { activity, error, endedAtMs = Number.NEGATIVE_INFINITY, rows } = list;
  if (activity !== "nothing" || nowMs - endedAtMs < AGAIN_MS) return;
  const isBegun = Number.isFinite(endedAtMs) && (error === undefined || rows.length > 0);
  if (!isBegun) list.loadOlder();
  else if (isFollowed || error !== undefined) list.follow();
}

function nameOf({ owner, subaccountId }: FillsOwner): string {
  return `${owner} ${subaccountId}`;
}
