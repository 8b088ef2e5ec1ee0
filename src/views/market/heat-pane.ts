// The heatmap of a market as a pane: resting size by time and price in half cells, best prices, trades. A column in which the book
// was not current is hatched, never filled in.

import { formatTime } from "../../rows/format.ts";
import type { Key, Pane } from "../../screen/pane.ts";
import { formatState } from "../../screen/states.ts";
import type { Theme } from "../../screen/theme.ts";
import type { Ui } from "../../screen/ui.ts";
import type { HeatColumn } from "../../state/heatmap.ts";
import { type Moment, serviceMs } from "../../state/moment.ts";
import { OWN } from "../../terminal/style.ts";
import type { Surface } from "../../terminal/surface.ts";
import { heatmap, heatStep } from "./choices.ts";
import { figuresOf } from "./figures.ts";

export const HEAT_KEYS: readonly Key[] = [
  { key: "H", says: "heatmap in place of the chart, or the chart again", run: heatmap.next },
];

export const HEAT_PANE: Pane = {
  name: "heatmap",
  channels: ({ market }) => [`orderbook/${market}`, `trades/${market}`],
  keys: [{ key: "i", says: "heatmap: by 1 s or 10 s", hint: "interval", run: heatStep.next }],
  title(moment, ui) {
    const { store } = moment;
    const heat = store.heat.get(ui.market);
    const row = heat && figuresOf(store, ui.market).price(heat.rowTicks);
    const { text } = formatState(moment, `orderbook/${ui.market}`);
    return [`Heatmap ${heatStep.get(ui)} s`, row === undefined ? "" : `${row} a row`, text];
  },
  draw(surface, moment, ui) {
    const heat = moment.store.heat.get(ui.market);
    const seconds = heatStep.get(ui);
    const columns = heat?.columns[seconds === 1 ? 0 : 1] ?? [];
    const newest = columns.findLast(({ bid, ask }) => bid > 0 || ask > 0);
    if (heat === undefined || newest === undefined) {
      surface.text(1, 0, "waiting for the book", ui.theme.tones.dim);
      return;
    }
    const { price } = figuresOf(moment.store, ui.market, ui.display);
    const axis = price(newest.ask || newest.bid).length + 2;
    const area = surface.part(0, 0, surface.width - axis, surface.height - 1);
    const topRow = Math.floor((newest.bid || newest.ask) / heat.rowTicks) + area.height;
    drawHeat(area, withGaps(columns, area.width, seconds), topRow, heat.rowTicks, ui.theme);
    const { dim } = ui.theme.tones;
    for (let y = 0; y < area.height; y += ROWS_BETWEEN_PRICES) {
      const ticks = (topRow - y * 2) * heat.rowTicks;
      if (ticks > 0) surface.text(area.width + 1, y, price(ticks), dim);
    }
    drawTimes(surface, area.width - 1, newest.second, moment, ui);
  },
};

/** The columns have our clock; times are shown by the service's. */
function drawTimes(
  surface: Surface,
  newestX: number,
  newestSecond: number,
  moment: Moment,
  ui: Ui,
): void {
  const skewMs = moment.wallMs - serviceMs(moment);
  for (let x = newestX; x > 8; x -= COLUMNS_BETWEEN_TIMES) {
    const ms = (newestSecond - (newestX - x) * heatStep.get(ui)) * 1000;
    const text = ms > moment.wallMs ? "" : formatTime(ms - skewMs, ui.display);
    surface.text(x - 7, surface.height - 1, text, ui.theme.tones.dim);
  }
}

const ROWS_BETWEEN_PRICES = 4;
const COLUMNS_BETWEEN_TIMES = 20;

/** One for each step of time up to the newest; undefined where none was recorded. */
function withGaps(columns: readonly HeatColumn[], width: number, seconds: number) {
  const newest = columns.at(-1)?.second ?? 0;
  const bySecond = new Map(columns.map((column) => [column.second, column]));
  const count = Math.min(
    width,
    Math.floor((newest - (columns[0]?.second ?? newest)) / seconds) + 1,
  );
  return Array.from({ length: count }, (_, i) => bySecond.get(newest - (count - 1 - i) * seconds));
}

const UPPER_HALF = 0x2580;
const LOWER_HALF = 0x2584;
const HATCH = 0x2591;
const STEPS = 8;
/** Without colours, from little to much. */
const GREYS = [0x2591, 0x2592, 0x2593];

/**
 * @param columns oldest first, the newest at the right edge; undefined where there is none
 * @param topRow the row of prices in the upper half of the first row of cells; two rows stand in a cell
 */
function drawHeat(
  surface: Surface,
  columns: readonly (HeatColumn | undefined)[],
  topRow: number,
  rowTicks: number,
  theme: Theme,
): void {
  const shown = columns.slice(-surface.width);
  const most = shown.reduce((size, column) => Math.max(size, largestIn(column)), 1);
  const left = surface.width - shown.length;
  for (const [i, column] of shown.entries()) {
    const x = left + i;
    if (column === undefined) continue;
    if (!column.isWhole) surface.fill(x, 0, 1, surface.height, theme.tones.dim, HATCH);
    else drawColumnOf(surface, x, column, { topRow, most, rowTicks }, theme);
  }
}

function largestIn(column: HeatColumn | undefined): number {
  const size = (most: number, lots: number | bigint) => Math.max(most, Number(lots));
  const { bidLots = [], askLots = [] } = column ?? {};
  return askLots.reduce<number>(size, bidLots.reduce<number>(size, 0));
}

interface Frame {
  readonly topRow: number;
  readonly most: number;
  readonly rowTicks: number;
}

function drawColumnOf(
  surface: Surface,
  x: number,
  column: HeatColumn,
  frame: Frame,
  theme: Theme,
): void {
  const halves = halvesOf(column, frame, surface.height);
  for (let y = 0; y < surface.height; y++)
    drawCell(surface, x, y, [halves[y * 2] ?? 0, halves[y * 2 + 1] ?? 0], theme);
  const { tones } = theme;
  const cellOf = (row: number) => (frame.topRow - row) >> 1;
  const priceCell = (price: number) => cellOf(Math.floor(price / frame.rowTicks));
  if (column.bid > 0) surface.text(x, priceCell(column.bid), "▁", tones.gain);
  if (column.ask > 0) surface.text(x, priceCell(column.ask), "▔", tones.loss);
  for (const [i, row] of column.tradeRows.entries()) {
    const isBought = (column.tradeBought[i] ?? 0) >= (column.tradeSold[i] ?? 0);
    surface.text(x, cellOf(row), "●", isBought ? tones.gain : tones.loss);
  }
}

/** The step of each half cell from the top; 0 where nothing rests. */
function halvesOf(column: HeatColumn, { topRow, most }: Frame, rows: number): Uint8Array {
  const halves = new Uint8Array(rows * 2);
  const place = (row: number, lots: number | bigint) => {
    const half = topRow - row;
    if (half >= 0 && half < halves.length)
      halves[half] = Math.max(halves[half] ?? 0, shadeOf(Number(lots), most));
  };
  for (const [i, row] of column.bidRows.entries()) place(row, column.bidLots[i] ?? 0);
  for (const [i, row] of column.askRows.entries()) place(row, column.askLots[i] ?? 0);
  return halves;
}

function drawCell(
  surface: Surface,
  x: number,
  y: number,
  [upper, lower]: readonly [number, number],
  { heat, styles }: Theme,
): void {
  if (upper === 0 && lower === 0) return;
  const colorOf = (step: number) => heat[step - 1] ?? OWN;
  // Without colours the larger of both is a shade.
  if (heat.length === 0) surface.put(x, y, GREYS[Math.max(upper, lower) >> 2] ?? HATCH);
  else if (upper === 0) surface.put(x, y, LOWER_HALF, styles.id({ color: colorOf(lower) }));
  else {
    const ground = lower === 0 ? {} : { background: colorOf(lower) };
    surface.put(x, y, UPPER_HALF, styles.id({ color: colorOf(upper), ...ground }));
  }
}

/** 1 to 8 by the logarithm, so that small sizes are seen beside large ones. */
function shadeOf(lots: number, most: number): number {
  if (lots <= 0) return 0;
  const share = Math.log2(lots + 1) / Math.log2(most + 1);
  return Math.max(1, Math.min(STEPS, Math.ceil(share * STEPS)));
}
