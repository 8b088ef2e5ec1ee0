// Funding rates as bars: above the line what longs pay, below it what shorts pay; the newest at the right.

import type { Display } from "../../../select/display.ts";
import { MISSING, withSign } from "../../../select/fields.ts";
import {
  type Carry,
  type FundingPoint,
  formatFundingRate,
  selectFundingChart,
} from "../../../select/funding.ts";
import { findMarketRecord, findSymbol, formatMarket, selectStat } from "../../../select/market.ts";
import { drawCandle } from "../../../terminal/cells/candle.ts";
import type { Surface } from "../../../terminal/cells/surface.ts";
import { visible } from "../../../terminal/visible.ts";
import { formatAge } from "../../../units/time.ts";
import type { Inner } from "../../panes/frame.tsx";
import { badges, ofState, type Piece, paintPieces, piece, signStyle } from "../../panes/pieces.ts";
import type { StyleName, Theme } from "../../theme/theme.ts";
import type { FundingModel } from "./model.ts";

const AXIS_GAP = 1;
const LINE = 0x2500;
/** Below this width bars stand side by side, above it with a column between them. */
const ROOMY = 60;
const LOOKS: Readonly<Record<"positive" | "negative" | "none", StyleName>> = {
  positive: "up",
  negative: "down",
  none: "flat",
};

/** Paints the points that fit. @param points oldest first. */
export function paintFundingChart(
  surface: Surface,
  inner: Inner,
  points: readonly FundingPoint[],
  theme: Theme,
  display: Display,
): void {
  const rows = inner.height - 1;
  // The labels' width depends on which points fit, which depends on the labels' width: as wide as for all of them.
  const { labels: all } = selectFundingChart(points, { columns: points.length, rows, step: 1 });
  const axis = Math.max(0, ...all.map(({ text }) => text.length));
  const columns = Math.max(1, inner.width - axis - AXIS_GAP);
  const step = columns >= ROOMY && points.length * 2 <= columns ? 2 : 1;
  const { bars, labels } = selectFundingChart(points, { columns, rows, step });
  const [zero, ...others] = labels;
  if (zero === undefined) return;
  surface.fill(inner.x, inner.y + zero.at, columns, 1, theme.dim, LINE);
  for (const { at, text } of [...others, zero]) {
    surface.textRight(inner.x + inner.width, inner.y + at, text, theme.dim);
  }
  for (const { column, top, bottom, sign } of bars) {
    const offset = inner.y * 2;
    const shape = {
      high: top + offset,
      bodyTop: top + offset,
      bodyBottom: bottom + offset,
      low: bottom + offset,
    };
    const style = theme[LOOKS[sign]];
    const isHollow = theme.up === theme.down && sign === "negative";
    drawCandle(surface, inner.x + column, shape, { style, isHollow, body: "line" });
  }
  paintTimes(surface, inner, { points, columns, shown: bars.length }, theme, display);
}

function paintTimes(
  surface: Surface,
  inner: Inner,
  plot: { points: readonly FundingPoint[]; columns: number; shown: number },
  theme: Theme,
  display: Display,
): void {
  const y = inner.y + inner.height - 1;
  const [oldest] = plot.points.slice(-plot.shown);
  const first = timeText(oldest, display);
  const last = timeText(plot.points.at(-1), display);
  if (last.length <= plot.columns) surface.textRight(inner.x + plot.columns, y, last, theme.dim);
  const isRoom = first.length + last.length + 2 <= plot.columns;
  if (isRoom && plot.shown > 1) surface.text(inner.x, y, first, theme.dim);
}

function timeText(point: FundingPoint | undefined, display: Display): string {
  return point?.timeMs === undefined ? "" : display.dateTime(point.timeMs).slice(5, 16);
}

export function paintFundingHeader(surface: Surface, model: FundingModel, theme: Theme): void {
  paintPieces(surface, 0, [...pieces(model), ...badges(model.parts)], theme);
}

function pieces(model: FundingModel): Piece[] {
  const { data } = model.shows;
  if (data === undefined) return [piece("", "funding: perpetual markets only", "dim", 0)];
  const { market, funding, carry } = data;
  const { newest, intervalMs, annualPercent } = funding;
  const { shown } = model.parts;
  const { store, display } = shown;
  const symbol = visible(findSymbol(store, market) ?? formatMarket(market));
  const name = piece("", `Funding ${symbol}`, "title", 1);
  if (newest === undefined) return [name, piece("rate", MISSING, "dim", 0)];
  const { state } = model.status;
  const rate = formatFundingRate(newest.rate);
  const look = signStyle(rate);
  const status = store.aliases.text(newest.record, "status");
  const figures = [
    piece("rate", status === undefined ? rate : `${rate} ${visible(status)}`, look, 0),
    intervalMs === undefined
      ? piece("", "schedule unknown", "notice", 2)
      : piece("every", formatInterval(intervalMs), "text", 4),
    ...(annualPercent === undefined
      ? []
      : [piece("APR", `${display.number(withSign(annualPercent))}%`, look, 3)]),
    ...(carry === undefined ? [] : [carryPiece(carry, model)]),
  ];
  return [name, ...ofState(state, figures)];
}

/** What the position pays or receives next, in the currency that the market's record names. */
function carryPiece({ side, amount }: Carry, { parts, shows }: FundingModel): Piece {
  const { store, display } = parts.shown;
  const { records } = store.slice("markets", "markets").data;
  const record = shows.data && findMarketRecord(records, shows.data.market, store.aliases);
  const unit = selectStat(record, "quoteAsset", store.aliases);
  const isPaid = amount.startsWith("-");
  const verb = isPaid || /^[0.]*$/.test(amount) ? "pay" : "receive";
  const sum = `${display.money(amount.replace("-", ""))}${unit === undefined ? "" : ` ${visible(unit)}`}`;
  return piece(`you ${verb}`, `${sum} next (${side})`, signStyle(amount), 2);
}

/** `1m`, `8h`: without units of which there are none. */
function formatInterval(ms: number): string {
  return formatAge(ms).replace(/(?<=[mhd])00[smh]$/, "");
}
