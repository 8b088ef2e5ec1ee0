// What keys do in each face of a table.
import type { Action } from "../keys.ts";
import type { Face, TablePane } from "./table-pane.ts";

/** Answers false where the key is not for the table now. */
type Act = (pane: TablePane) => unknown;

const SCROLL: Readonly<Partial<Record<Action, Act>>> = {
  scrollUp: (pane) => pane.scrollBy(-1),
  scrollDown: (pane) => pane.scrollBy(1),
  scrollPageUp: (pane) => pane.scrollBy(0, -1),
  scrollPageDown: (pane) => pane.scrollBy(0, 1),
  scrollHome: (pane) => pane.scrollBy(Number.MIN_SAFE_INTEGER),
};

/** Escape takes the filter away; without one, it is not for the table. */
function clearFilter({ table }: TablePane): boolean {
  if (table.filter === "") return false;
  table.setFilter("");
  return true;
}

export const TABLE_ACTIONS: Readonly<Record<Face, Readonly<Partial<Record<Action, Act>>>>> = {
  rows: {
    ...SCROLL,
    scrollEnd: (pane) => pane.scrollBy(Number.MAX_SAFE_INTEGER),
    back: clearFilter,
    filter: (pane) => pane.startFilter(),
    openRow: (pane) => pane.openRow(),
    showRecord: (pane) => pane.showRecord(),
    sort: ({ table }) => table.column !== undefined && table.sortBy(table.column),
    columnNext: ({ table }) => table.moveColumnBy(1),
    columnPrevious: ({ table }) => table.moveColumnBy(-1),
    chooseColumns: (pane) => pane.chooseColumns(),
    hideColumn: ({ table }) => table.hideColumn(),
    columnLater: ({ table }) => table.shiftColumn(1),
    columnEarlier: ({ table }) => table.shiftColumn(-1),
  },
  record: { ...SCROLL, back: (pane) => pane.showRows(), closeRow: (pane) => pane.showRows() },
  columns: {
    ...SCROLL,
    back: (pane) => pane.showRows(),
    closeColumns: (pane) => pane.showRows(),
    toggleColumn: (pane) => pane.toggleColumn(),
    columnLater: (pane) => pane.moveListed(1),
    columnEarlier: (pane) => pane.moveListed(-1),
    resetColumns: ({ table }) => table.choice.reset(),
  },
};
