// The three kinds of history as a table: how each is opened, and how its records become rows.
import type { OpenRecord } from "../../../protocol/channels/update.ts";
import type { LiquidationRecord } from "../../../protocol/rest/liquidations.ts";
import type { TradeRecord } from "../../../protocol/rest/trades.ts";
import {
  addFills,
  fillRow,
  formatTotals,
  liquidationRows,
  NO_FILLS,
  tradeRow,
} from "../../../view/history-rows.ts";
import type { Dashboard } from "../../dashboard.ts";
import {
  type ExportWish,
  type HistoryStart,
  type OpenHistory,
  openFills,
  openLiquidations,
  openTrades,
} from "../../histories.ts";

/** A listing with its rows, whatever its records are. */
export interface HistoryRows {
  readonly name: string;
  readonly history: OpenHistory<TradeRecord> | OpenHistory<LiquidationRecord>;
  /** What of it is to be written to a file. */
  wish(sinceMs: number | undefined, untilMs: number | undefined): ExportWish;
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
      wish: (sinceMs, untilMs) => ({
        kind: "trades",
        name,
        listing,
        owner: undefined,
        sinceMs,
        untilMs,
      }),
      rows: () => plain(history.list.rows),
      totals: () => [],
    };
  },
};

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
    const [folded, unfolded] = [unfold(false), unfold(true)];
    const { name, listing } = history;
    return {
      name,
      history,
      wish: (sinceMs, untilMs) => ({ kind: "liquidations", name, listing, sinceMs, untilMs }),
      rows: (isUnfolded) => (isUnfolded ? unfolded : folded)(history.list.rows),
      totals: () => [],
    };
  },
};

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
      wish: (sinceMs, untilMs) => ({ kind: "fills", name, listing, owner, sinceMs, untilMs }),
      rows: () => rows(history.list.rows),
      totals: () => formatTotals(totals(history.list.rows)),
    };
  },
};

/** Keeps the last answer for as long as it is asked about the same thing. */
function memo<A, B>(work: (input: A) => B): (input: A) => B {
  let last: { readonly input: A; readonly output: B } | undefined;
  return (input) => {
    if (last === undefined || last.input !== input) last = { input, output: work(input) };
    return last.output;
  };
}
