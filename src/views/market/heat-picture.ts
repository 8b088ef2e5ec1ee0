// The picture of a heatmap: resting size by time and price in half cells, best prices, trades. A column in which the book was not
// current is hatched, never filled in.
import type { Theme } from "../../screen/theme.ts";
import type { HeatColumn } from "../../state/heatmap.ts";
import { OWN } from "../../terminal/style.ts";
import type { Surface } from "../../terminal/surface.ts";

const UPPER_HALF = 0x2580;
const LOWER_HALF = 0x2584;
const HATCH = 0x2591;
const STEPS = 8;

/**
 * @param columns oldest first, the newest at the right edge; undefined where there is none
 * @param topRow the row of prices in the upper half of the first row of cells; two rows stand in a cell
 */
export function drawHeat(
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
  if (column === undefined) return 0;
  const size = (all: number, lots: number | bigint) => Math.max(all, Number(lots));
  return Math.max(column.bidLots.reduce<number>(size, 0), column.askLots.reduce<number>(size, 0));
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
      halves[half] = Math.max(halves[half] ?? 0, heatStep(Number(lots), most));
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
  if (heat.length === 0) surface.put(x, y, shadeOf(Math.max(upper, lower)));
  else if (upper === 0) surface.put(x, y, LOWER_HALF, styles.id({ color: colorOf(lower) }));
  else {
    const ground = lower === 0 ? {} : { background: colorOf(lower) };
    surface.put(x, y, UPPER_HALF, styles.id({ color: colorOf(upper), ...ground }));
  }
}

/** 1 to 8 by the logarithm, so that small sizes are seen beside large ones. */
function heatStep(lots: number, most: number): number {
  if (lots <= 0) return 0;
  return Math.max(
    1,
    Math.min(STEPS, Math.ceil((Math.log2(lots + 1) / Math.log2(most + 1)) * STEPS)),
  );
}

function shadeOf(step: number): number {
  return step > 6 ? 0x2593 : step > 3 ? 0x2592 : 0x2591;
}
