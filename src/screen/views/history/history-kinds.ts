// The three kinds of history as a table: how each is opened, and how its records become rows.

import {
  addFills,
  fillRow,
  formatTotals,
  liquidationRows,
  NO_FILLS,
  tradeRow,
} from "../../../select/history-rows.ts";
import { RowOrder } from "../../../select/row-order.ts";
import type { LiquidationRecord } from "../../../wire/rest/liquidations.ts";
import type { TradeRecord } from "../../../wire/rest/trades.ts";
import type { OpenRecord } from "../../../wire/update.ts";
import type { Dashboard } from "../../dashboard.ts";
import {
  type ExportWish,
  type HistoryStart,
  type OpenHistory,
  openFills,
  openLiquidations,
  openTrades,
} from "../../histories.ts";

/** A stretch of time, and what of its rows is found. */
export type WishedPart = Pick<ExportWish, "sinceMs" | "untilMs" | "filter"> & {
  readonly isUnfolded: boolean;
};

/** A listing with its rows, whatever its records are. */
export interface HistoryRows {
  readonly name: string;
  readonly history: OpenHistory<TradeRecord> | OpenHistory<LiquidationRecord>;
  /** What of it is to be written to a file. */
  wish(part: WishedPart): ExportWish;
  /** The same array until the records change. */
  rows(isUnfolded: boolean): readonly OpenRecord[];
  /** Sums over all rows, in words, the most wanted first; none where nothing can be summed up. */
  totals(): readonly string[];
}

/** One kind of history. */
export interface HistoryKind {
  readonly title: string;
  readonly isUnfolding: boolean;
  /** What it is of now, such as `perp/1`; undefined while there is nothing to list. */
  subject(dashboard: Dashboard): string | undefined;
  /** Only when there is a subject and a supply. */
  open(dashboard: Dashboard, start: HistoryStart): HistoryRows | undefined;
}

/** Trades of the market that is shown. */
export const TRADES: HistoryKind = {
  title: "Trades",
  isUnfolding: false,
  subject: ({ market }) => market && `${market.type}/${market.id}`,
  open({ histories, market }, start) {
    if (histories.supply === undefined || market === undefined) return undefined;
    const history = openTrades(histories.supply, market, start);
    const plain = memo((records: readonly TradeRecord[]) => records.map(tradeRow));
    const { name, listing } = history;
    return {
      name,
      history,
      wish: (part) => ({
        kind: "trades",
        name,
        listing,
        owner: undefined,
        ...boundsOf(part),
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
  isUnfolding: true,
  subject: ({ market }) => market?.id,
  open({ histories, market }, start) {
    if (histories.supply === undefined || market === undefined) return undefined;
    const history = openLiquidations(histories.supply, market, start);
    const unfold = (isUnfolded: boolean) =>
      memo((events: readonly LiquidationRecord[]) =>
        events.flatMap((event) => liquidationRows(event, isUnfolded)),
      );
    const [foldedRows, unfoldedRows] = [unfold(false), unfold(true)];
    const { name, listing } = history;
    return {
      name,
      history,
      wish: (part) => ({
        kind: "liquidations",
        name,
        listing,
        ...boundsOf(part),
        found: part.isUnfolded ? positionsBy(part.filter) : foundBy(part.filter, folded),
      }),
      rows: (isUnfolded) => (isUnfolded ? unfoldedRows : foldedRows)(history.list.rows),
      totals: () => [],
    };
  },
};

/** Fills of the owner that the command was given. */
export const FILLS: HistoryKind = {
  title: "Fills",
  isUnfolding: false,
  subject({ histories }) {
    const owner = histories.supply?.owner;
    return owner && `${owner.owner}/${owner.subaccountId}`;
  },
  open({ histories }, start) {
    const { supply } = histories;
    const owner = supply?.owner;
    if (supply === undefined || owner === undefined) return undefined;
    const history = openFills(supply, owner, start);
    const rows = memo((fills: readonly TradeRecord[]) => fills.map((fill) => fillRow(fill, owner)));
    const totals = memo((fills: readonly TradeRecord[]) => addFills(NO_FILLS, fills, owner));
    const { name, listing } = history;
    return {
      name,
      history,
      wish: (part) => ({
        kind: "fills",
        name,
        listing,
        owner,
        ...boundsOf(part),
        found: foundBy(part.filter, (fill) => fillRow(fill, owner)),
      }),
      rows: () => rows(history.list.rows),
      totals: () => formatTotals(totals(history.list.rows)),
    };
  },
};

const boundsOf = ({ sinceMs, untilMs, filter }: WishedPart) => ({ sinceMs, untilMs, filter });

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

/** Keeps the last answer for as long as it is asked about the same thing. */
function memo<A, B>(work: (input: A) => B): (input: A) => B {
  let last: { readonly input: A; readonly output: B } | undefined;
  return (input) => {
    if (last === undefined || last.input !== input) last = { input, output: work(input) };
    return last.output;
  };
}
