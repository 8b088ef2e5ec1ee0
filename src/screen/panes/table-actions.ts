// What keys do in each face of a table.
import { copiedField, copiedTable } from "../../select/copied.ts";
import type { Clipboard } from "../clipboard.ts";
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

const copy =
  (act: (pane: TablePane, clipboard: Clipboard) => void): Act =>
  (pane) => {
    const { clipboard } = pane.options;
    if (clipboard !== undefined) act(pane, clipboard);
  };

const copyValue = copy(({ table: { selected, column }, options }, clipboard) => {
  const isThere = selected !== undefined && column !== undefined;
  clipboard.copyValue(isThere ? copiedField(options.format(), selected, column) : "");
});

const copyRow = copy(({ table: { selected, columns }, options }, clipboard) => {
  const cells = (row: typeof selected & object) =>
    columns.map((column) => copiedField(options.format(), row, column));
  clipboard.copyRows({ rows: selected === undefined ? [] : [cells(selected)], hasTitles: false });
});

const copyTable = copy(({ table: { rows, columns }, options }, clipboard) =>
  clipboard.copyRows({ rows: copiedTable(options.format(), rows, columns), hasTitles: true }),
);

const copyFields = copy((pane, clipboard) =>
  clipboard.copyRows({ rows: pane.fields(), hasTitles: false }),
);

/** By the face that is shown and the action of the key. */
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
    copyValue,
    copyRow,
    copyTable,
  },
  record: {
    ...SCROLL,
    back: (pane) => pane.showRows(),
    closeRow: (pane) => pane.showRows(),
    copyRow: copyFields,
  },
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
