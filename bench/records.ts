// S9: a changing table of 10,000 open records, with a user who scrolls and filters: cost of each frame.

import { TablePane } from "../src/screen/table/pane.ts";
import { createTheme } from "../src/screen/theme/theme.ts";
import { Display } from "../src/select/display.ts";
import { Aliases } from "../src/state/aliases.ts";
import { Grid } from "../src/terminal/cells/grid.ts";
import { StyleTable } from "../src/terminal/cells/style-table.ts";
import { Surface } from "../src/terminal/cells/surface.ts";
import type { OpenRecord } from "../src/wire/update.ts";
import { runBench } from "./harness/bench.ts";
import { type Effort, type Figure, medianAndP99 } from "./harness/figure.ts";
import { cpuMs } from "./harness/statistics.ts";

const ROWS = 10_000;
const COLUMNS = 120;
const LINES = 40;

function order(i: number, remaining = i % 900): OpenRecord {
  return {
    order_id: `${9_000_000 + i}`,
    client_order_id: `${100_000 + i}`,
    market_type: "perp",
    market_id: i % 40,
    symbol: `COIN${i % 40}-PERP`,
    side: i % 2 === 0 ? "buy" : "sell",
    order_type: "post-only",
    price_ticks: `${9_680_000 + ((i * 7919) % 10_007)}`,
    size_base_lots: `${i % 900}`,
    remaining_base_lots: `${remaining}`,
    status: "open",
    created_at_ns: `1767225692255${String(i).padStart(6, "0")}`,
  };
}

class Desk {
  readonly pane: TablePane;
  rows: readonly OpenRecord[] = Array.from({ length: ROWS }, (_, i) => order(i));
  readonly #surface: Surface;
  readonly #theme;

  constructor() {
    const styles = new StyleTable();
    const aliases = new Aliases();
    const shown = { store: { aliases }, isMasked: false, display: new Display() };
    this.#theme = createTheme(styles);
    this.#surface = new Surface(new Grid(COLUMNS, LINES), styles);
    this.#surface.place({ left: 0, top: 0, right: COLUMNS, bottom: LINES });
    const parts = { shown, clipboard: undefined, changes: { notify() {} } };
    this.pane = new TablePane(parts, {
      title: "Orders",
      records: () => this.rows,
      keyOf: (row) => aliases.text(row, "orderId"),
    });
    this.frame();
  }

  frame(): void {
    this.#surface.clear();
    this.pane.title();
    const inner = { x: 0, y: 0, width: COLUMNS, height: LINES };
    this.pane.painted = this.pane.paint(this.#surface, inner, this.#theme, this.pane.painted);
  }

  /** CPU milliseconds of each frame, including the action before it. */
  times(count: number, act: (index: number) => void): number[] {
    return Array.from({ length: count }, (_, index) => {
      const start = cpuMs();
      act(index);
      this.frame();
      return cpuMs() - start;
    });
  }
}

/** A table that has been drawn for this many frames. */
function openFor(frames: number): Desk {
  const desk = new Desk();
  for (let frame = 0; frame < frames; frame++) desk.frame();
  return desk;
}

const WORDS = ["coin1-perp sell", "9000", "buy 77", "xyz", "post open coin3"];

async function measure(effort: Effort): Promise<Figure[]> {
  const count = effort.pick(1000, 5);
  const desk = openFor(20);
  const { pane } = desk;
  const scrolling = desk.times(count, () => pane.perform("scrollDown"));
  const paging = desk.times(count, (i) =>
    pane.perform(i % 300 < 150 ? "scrollPageDown" : "scrollPageUp"),
  );
  const typing = WORDS.flatMap((words) =>
    desk.times(words.length, (i) => pane.table.setFilter(words.slice(0, i + 1))),
  );
  pane.table.setFilter("");
  const sorting = desk.times(effort.pick(60, 2), (i) =>
    pane.table.sortBy(i % 2 === 0 ? "price_ticks" : "remaining_base_lots"),
  );
  const change = (i: number) => {
    desk.rows = desk.rows.with(i % ROWS, order(i % ROWS, i));
  };
  const { sort } = pane.table;
  for (let i = sort?.isDescending === false ? 2 : 1; sort !== undefined && i > 0; i--) {
    pane.table.sortBy(sort.column);
  }
  const changing = desk.times(effort.pick(300, 2), change);
  pane.table.sortBy("price_ticks");
  const sorted = desk.times(effort.pick(300, 2), change);
  pane.table.setFilter("coin1 sell");
  const filtered = desk.times(effort.pick(300, 2), change);
  return [
    ...medianAndP99("10,000 rows: a row further", scrolling),
    ...medianAndP99("10,000 rows: a page further", paging),
    ...medianAndP99("10,000 rows: a letter more in the filter", typing),
    ...medianAndP99("10,000 rows: sorted by another column", sorting, false),
    ...medianAndP99("10,000 rows: one changes", changing),
    ...medianAndP99("10,000 rows: one changes, sorted", sorted),
    ...medianAndP99("10,000 rows: one changes, sorted and filtered", filtered),
  ];
}

await runBench(measure);
