// The heatmap of a market as a pane: what rested in the book over time.

import { formatTime } from "../../rows/format.ts";
import type { Key, Pane } from "../../screen/pane.ts";
import { formatState } from "../../screen/states.ts";
import type { Ui } from "../../screen/ui.ts";
import type { HeatColumn } from "../../state/heatmap.ts";
import { type Moment, serviceMs } from "../../state/moment.ts";
import type { Surface } from "../../terminal/surface.ts";
import { heatmap, heatStep } from "./choices.ts";
import { figuresOf } from "./figures.ts";
import { drawHeat } from "./heat-picture.ts";

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
