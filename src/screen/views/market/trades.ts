// The tape: newest trade first, one line for each taker's sweep.
//
//   08:11:58.987 ▲ 9702252  +2663  ×4  ███
import type { FittedColumn } from "../../../select/columns.ts";
import {
  selectTape,
  type TapeHoleRow,
  type TapeLine,
  type TapeRow,
} from "../../../select/trades.ts";
import { MAX_TRADES } from "../../../state/trades.ts";
import { drawBar, eighthsOf } from "../../../terminal/cells/bars.ts";
import { cutText } from "../../../terminal/cells/text-cells.ts";
import { formatUnits } from "../../../units/scale.ts";
import { type MarketPane, OWN, type PaintContext } from "./orderbook.ts";
import { isOwnTrade } from "./own-marks.ts";

const GAP = 1;
const MIN_BAR = 4;
const TITLES = ["time UTC", "", "price", "size", ""] as const;
/** Side, price and size before the time, and the count of trades last. */
const PRIORITY = [1, 2, 3, 0, 4];

/** The pane of the tape. */
export const trades: MarketPane = {
  title: ({ minimumLots, scale, data, scroll }) => [
    "Trades",
    minimumLots === 0n ? "" : `from ${formatUnits(`${minimumLots}`, scale?.lotSize)}`,
    data !== undefined && scale === undefined ? "ticks, lots" : "",
    scroll.of("trades") === 0 ? "" : `scrolled ${scroll.of("trades")}`,
  ],
  paint(context) {
    const { surface, inner, theme, model } = context;
    const rows = visibleRows(context);
    const sweeps = rows.filter((row) => row.kind === "sweep");
    const cells = sweeps.map(cellsOf);
    const widths = TITLES.map((title, i) =>
      Math.max(title.length, ...cells.map((row) => row[i]?.length ?? 0)),
    );
    const table = [model.channelOf("trades"), model.scale];
    const columns = model.columns.trades.fit(table, widths, PRIORITY, inner.width, GAP);
    for (const { index, x, width } of columns) {
      surface.textRight(inner.x + x + width, inner.y, TITLES[index] ?? "", theme.dim);
    }
    const largest = sweeps.reduce((most, { sizeLots }) => Math.max(most, Number(sizeLots)), 0);
    for (const [i, row] of rows.entries()) {
      const y = inner.y + 1 + i;
      if (row.kind === "hole") paintHole(context, y, row);
      else paintRow(context, y, row, columns, largest);
    }
    if (rows.length === 0) paintNothing(context);
  },
};

function visibleRows({ inner, data, model }: PaintContext): readonly TapeLine[] {
  const room = Math.max(0, inner.height - 1);
  const scroll = model.scroll.wanted("trades");
  const tape = selectTape(data.trades(MAX_TRADES), {
    rows: room + scroll,
    minimumLots: model.minimumLots,
    scale: data.scale.scale,
    holes: data.holes,
  });
  const first = Math.min(scroll, Math.max(0, tape.length - room));
  model.scroll.endAt("trades", first);
  return tape.slice(first);
}

function cellsOf({ time, takerIsBid, price, size, count }: TapeRow): readonly string[] {
  return [
    time,
    takerIsBid ? "▲" : "▼",
    price,
    `${takerIsBid ? "+" : "-"}${size}`,
    count === 1 ? "" : `×${count}`,
  ];
}

/** What was not seen stands between the trades before and behind it. */
function paintHole({ surface, inner, theme }: PaintContext, y: number, { words }: TapeHoleRow) {
  surface.text(inner.x, y, cutText(words, inner.width), theme.notice);
}

function paintRow(
  { surface, inner, theme, model: { own } }: PaintContext,
  y: number,
  row: TapeRow,
  columns: readonly FittedColumn[],
  largest: number,
): void {
  const cells = cellsOf(row);
  const side = row.takerIsBid ? "bid" : "ask";
  const look = theme[row.isLarge ? (`${side}Strong` as const) : side];
  for (const { index, x, width } of columns) {
    const isPlain = index === 0 || index === 4;
    surface.textRight(inner.x + x + width, y, cells[index] ?? "", isPlain ? theme.dim : look);
  }
  if (isOwnTrade(own, row)) surface.text(inner.x - 1, y, OWN, theme.key);
  const last = columns.at(-1);
  const start = last === undefined ? 0 : last.x + last.width + GAP * 2;
  const room = inner.width - start;
  if (room < MIN_BAR) return;
  const eighths = eighthsOf(Number(row.sizeLots), largest, room);
  drawBar(surface, inner.x + start, y, eighths, theme[`${side}Bar`]);
}

function paintNothing({ surface, inner, theme, data, model }: PaintContext): void {
  const isFiltered = model.minimumLots > 0n && data.trades(1).length > 0;
  const words = isFiltered ? "no trade is as large as the smallest size" : "no trades yet";
  if (words.length <= inner.width) surface.text(inner.x, inner.y + 1, words, theme.dim);
}
