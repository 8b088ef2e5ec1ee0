// The chart as a footprint: in each candle what was bought and what was sold at each group of prices.

import type { Display } from "../../../select/display.ts";
import { selectProfile } from "../../../select/flow.ts";
import { formatUnits, type Scale } from "../../../units/scale.ts";
import type { CandleChart } from "./chart.ts";
import { getGrouping, rowOfPrice } from "./chart.ts";
import type { FlowPlan } from "./flow-chart.ts";
import { getSign } from "./flow-views.ts";
import type { MarketModel } from "./model.ts";
import type { PaintContext } from "./panes.ts";

const TIMES = "×";
/** Columns of a figure: at least, and of any lot size at the most. */
const MIN_FIGURE = 6;
const MAX_FIGURE = 10;
/** Cells that a candle needs, with the candle itself and the column between. */
const MIN_CELLS = 9;

/** Columns from one candle to the next; words where there is no footprint. */
export function footprintPitch(model: MarketModel, columns: number): number | string {
  if (model.scale === undefined) return "no scale";
  if (model.choices.source === "mark") return "mark prices have no trades";
  const pitch = figureWidth(model.scale) * 2 + 3;
  return pitch < MIN_CELLS || columns < pitch ? "no room" : pitch;
}

/** A size below 1 has no more digits than a lot. */
function figureWidth({ lotSize }: Scale): number {
  return Math.min(MAX_FIGURE, Math.max(MIN_FIGURE, lotSize.places + 2));
}

export interface FootprintCell {
  /** Column of its candle, and row of the plot. */
  readonly x: number;
  readonly row: number;
  readonly bought: string;
  readonly sold: string;
  /** True at the group with most lots of the candle. */
  readonly isMost: boolean;
}

/** Bought × sold beside each candle; nothing beside one of which trades are missing. @returns what was painted */
export function paintFootprint(
  context: PaintContext,
  chart: CandleChart,
  plan: FlowPlan,
): readonly FootprintCell[] {
  const { surface, inner, theme, model } = context;
  const { scale } = model;
  if (scale === undefined) return [];
  const width = figureWidth(scale);
  const cells = formatCells(context, chart, plan, scale);
  for (const { x, row, bought, sold, isMost } of cells) {
    const middle = inner.x + x + 1 + width;
    const y = plan.top + row;
    surface.textRight(middle, y, bought, isMost ? theme.bidStrong : theme.bid);
    surface.text(middle, y, TIMES, theme.dim);
    surface.text(middle + 1, y, sold, isMost ? theme.askStrong : theme.ask);
  }
  return cells;
}

function formatCells(
  { data, model, again }: PaintContext,
  chart: CandleChart,
  plan: FlowPlan,
  scale: Scale,
): readonly FootprintCell[] {
  const { range } = chart;
  const { tape } = data;
  const { display } = model.parts.shown;
  if (range === undefined) return [];
  const grouping = getGrouping(range, plan.rows, scale);
  const of = [range.high, grouping, plan.newestMs, plan.intervalMs, plan.columns, display];
  return model.keptViews
    .read("footprint", { model, tape, again, of }, () =>
      chart.candles.flatMap(({ openTimeMs: fromMs, column }) => {
        const span = { fromMs, untilMs: fromMs + plan.intervalMs };
        if (getSign(tape, span, false) !== "") return [];
        const { levels, pointOfControl } = selectProfile(tape.flow, span, grouping);
        return levels.map(({ priceTicks, boughtLots, soldLots }) => ({
          x: column,
          row: rowOfPrice(formatPrice(priceTicks, scale), range, plan.rows),
          bought: formatLots(boughtLots, scale, display),
          sold: formatLots(soldLots, scale, display),
          isMost: priceTicks === pointOfControl,
        }));
      }),
    )
    .filter(({ row }) => row >= 0 && row < plan.rows);
}

function formatPrice(ticks: bigint, { tickSize: { mantissa, places } }: Scale) {
  return { mantissa: ticks * mantissa, places };
}

/** About so much; a figure that has no room is `…`. */
function formatLots(lots: bigint, scale: Scale, display: Display): string {
  const text = lots === 0n ? "0" : display.compact(formatUnits(`${lots}`, scale.lotSize));
  return text.length > figureWidth(scale) ? "…" : text;
}
