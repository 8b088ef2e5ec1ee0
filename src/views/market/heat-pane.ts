// The heatmap of a market as a pane: what rested in the book over time.

import { formatNumber, formatTime } from "../../rows/format.ts";
import { scaleOf } from "../../rows/market.ts";
import type { Key, Pane } from "../../screen/pane.ts";
import type { Ui } from "../../screen/ui.ts";
import type { HeatColumn, Heatmap } from "../../state/heatmap.ts";
import { type Moment, serviceMs } from "../../state/moment.ts";
import type { Surface } from "../../terminal/surface.ts";
import { formatUnits } from "../../units/scale.ts";
import { formatState } from "../states.ts";
import { drawHeat } from "./heat-picture.ts";
import { heatmap, heatStep } from "./state.ts";

export const HEAT_KEYS: readonly Key[] = [
  { key: "H", says: "heatmap in place of the chart, or the chart again", run: heatmap.next },
];

const heatOf = ({ store }: Moment, ui: Ui): Heatmap | undefined => store.heat.get(ui.market);

export const HEAT_PANE: Pane = {
  name: "heatmap",
  channels: ({ market }) => [`orderbook/${market}`, `trades/${market}`],
  keys: [{ key: "i", says: "heatmap: by 1 s or 10 s", hint: "interval", run: heatStep.next }],
  title(moment, ui) {
    const heat = heatOf(moment, ui);
    const scale = scaleOf(moment.store, ui.market);
    const rows =
      heat === undefined ? "" : `${formatUnits(String(heat.rowTicks), scale?.tickSize)} a row`;
    return [
      `Heatmap ${heatStep.get(ui)} s`,
      rows,
      formatState(moment, `orderbook/${ui.market}`).text,
    ];
  },
  draw(surface, moment, ui) {
    const heat = heatOf(moment, ui);
    const columns = heat?.columns[heatStep.get(ui) === 1 ? 0 : 1] ?? [];
    const newest = columns.findLast(({ bid, ask }) => bid > 0 || ask > 0);
    if (heat === undefined || newest === undefined) {
      surface.text(1, 0, "waiting for the book", ui.theme.tones.dim);
      return;
    }
    const axis = axisWidth(moment, ui, newest);
    const area = surface.part(0, 0, surface.width - axis, surface.height - 1);
    const middle = Math.floor((newest.bid || newest.ask) / heat.rowTicks);
    const topRow = middle + area.height;
    drawHeat(
      area,
      withGaps(columns, area.width, heatStep.get(ui)),
      topRow,
      heat.rowTicks,
      ui.theme,
    );
    drawAxes(surface, area, { topRow, heat, newest }, moment, ui);
  },
};

function axisWidth({ store }: Moment, ui: Ui, { ask, bid }: HeatColumn): number {
  const scale = scaleOf(store, ui.market);
  return formatNumber(formatUnits(String(ask || bid), scale?.tickSize), ui.display).length + 2;
}

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

const ROWS_BETWEEN_PRICES = 4;

function drawAxes(
  surface: Surface,
  area: Surface,
  {
    topRow,
    heat,
    newest,
  }: { readonly topRow: number; readonly heat: Heatmap; readonly newest: HeatColumn },
  moment: Moment,
  ui: Ui,
): void {
  const { store, wallMs } = moment;
  const { tones } = ui.theme;
  const scale = scaleOf(store, ui.market);
  for (let y = 0; y < area.height; y += ROWS_BETWEEN_PRICES) {
    const ticks = (topRow - y * 2) * heat.rowTicks;
    if (ticks > 0)
      surface.text(
        area.width + 1,
        y,
        formatNumber(formatUnits(String(ticks), scale?.tickSize), ui.display),
        tones.dim,
      );
  }
  const seconds = heatStep.get(ui);
  // The columns have our clock; times are shown by the service's.
  const skewMs = wallMs - serviceMs(moment);
  for (let x = area.width - 1; x > 8; x -= 20) {
    const second = newest.second - (area.width - 1 - x) * seconds;
    if (second * 1000 <= wallMs)
      surface.text(
        x - 7,
        surface.height - 1,
        formatTime(second * 1000 - skewMs, ui.display),
        tones.dim,
      );
  }
}
