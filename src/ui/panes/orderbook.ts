// The order book as a ladder: asks above, bids below, the spread between them.
//
//     price   size  total
//   9702252  11747  11747  ████▌
//   ── spread 192 (0.20 bp) · bids 54 % ──
//   9702060   1410   1410  ▌
import { drawBar, eighthsOf } from "../../terminal/cells/bars.ts";
import { formatUnits } from "../../units/scale.ts";
import { selectSpread } from "../../view/bbo.ts";
import { type FittedColumn, fitColumns, fitPieces } from "../../view/columns.ts";
import { type LadderRow, levelsNeeded, selectLadder } from "../../view/orderbook.ts";
import type { MarketModel } from "../views/market/market-model.ts";
import { MISSING, type PaintContext, type PaneView } from "./pane.ts";

const GAP = 2;
const MIN_BAR = 4;
const COLUMNS = ["price", "size", "total"] as const;
/** The price counts most, then its size. */
const PRIORITY = [0, 1, 2];
const DASH = 0x2500;

type Side = "bid" | "ask";
type Line = { readonly side: Side; readonly row: LadderRow } | "spread";

export const orderbook: PaneView = {
  title: ({ grouping, scale, data }) => [
    "Order book",
    grouping === 1n ? "" : `by ${formatUnits(`${grouping}`, scale?.tickSize)}`,
    data !== undefined && scale === undefined ? "ticks, lots" : "",
    data?.bookReading ?? "",
  ],
  paint(context) {
    const { inner } = context;
    const lines = visibleLines(context);
    const rows = lines.flatMap((line) => (line === "spread" ? [] : line.row));
    const widths = COLUMNS.map((title, i) =>
      Math.max(title.length, ...rows.map((row) => cellsOf(row)[i]?.length ?? 0)),
    );
    const columns = fitColumns(widths, PRIORITY, inner.width, GAP);
    paintTitles(context, columns);
    for (const [i, line] of lines.entries()) {
      const y = inner.y + 1 + i;
      if (line === "spread") paintSpread(context, y);
      else paintLevel(context, y, line, columns);
    }
  },
};

/** The lines that fit: the spread in the middle, unless the pane is scrolled. */
function visibleLines({ inner, data, model }: PaintContext): readonly Line[] {
  const room = Math.max(0, inner.height - 1);
  const scroll = model.settings.scroll.orderbook;
  const rows = Math.ceil(room / 2) + Math.abs(scroll);
  const options = { grouping: model.grouping, rows, scale: data.scale.scale };
  const { asks, bids } = selectLadder(data.depth(levelsNeeded(options)), options);
  const lines: Line[] = [
    ...asks.map((row): Line => ({ side: "ask", row })).reverse(),
    "spread",
    ...bids.map((row): Line => ({ side: "bid", row })),
  ];
  const middle = asks.length - Math.floor((room - 1) / 2) + scroll;
  const first = Math.max(0, Math.min(middle, lines.length - room));
  return lines.slice(first, first + room);
}

function cellsOf({ price, size, cumulativeSize }: LadderRow): readonly string[] {
  return [price, size, cumulativeSize];
}

function paintTitles(
  { surface, inner, theme }: PaintContext,
  columns: readonly FittedColumn[],
): void {
  for (const { index, x, width } of columns) {
    surface.textRight(inner.x + x + width, inner.y, COLUMNS[index] ?? "", theme.dim);
  }
}

function paintLevel(
  { surface, inner, theme }: PaintContext,
  y: number,
  { side, row }: Exclude<Line, "spread">,
  columns: readonly FittedColumn[],
): void {
  const cells = cellsOf(row);
  for (const { index, x, width } of columns) {
    const look = index === 0 ? theme[side] : index === 1 ? theme.text : theme.dim;
    surface.textRight(inner.x + x + width, y, cells[index] ?? "", look);
  }
  const last = columns.at(-1);
  const start = last === undefined ? 0 : last.x + last.width + GAP;
  const room = inner.width - start;
  if (room < MIN_BAR) return;
  const eighths = eighthsOf(row.depthShare, 1, room);
  drawBar(surface, inner.x + start, y, eighths, theme[side === "bid" ? "bidBar" : "askBar"]);
}

function paintSpread(context: PaintContext, y: number): void {
  const { surface, inner, theme, data, model } = context;
  surface.fill(inner.x, y, inner.width, 1, theme.frame, DASH);
  const pieces = fitPieces(spreadPieces(context, model), inner.width - 4, 1);
  let x = inner.x + 2;
  for (const { text, width } of pieces) {
    surface.text(x, y, text, data.bbo === undefined ? theme.dim : theme.strong);
    x += width + 1;
  }
}

function spreadPieces({ data, inner }: PaintContext, model: MarketModel) {
  const spread = data.bbo === undefined ? undefined : selectSpread(data.bbo, data.scale.scale);
  const depth = data.depth(Math.max(1, inner.height));
  const { bidPercent } = selectLadder(depth, {
    grouping: 1n,
    rows: Math.max(1, inner.height),
    scale: undefined,
  });
  const words = [
    ` spread ${spread === undefined ? MISSING : spread.width} `,
    spread === undefined ? "" : ` ${spread.basisPoints} bp `,
    bidPercent === undefined ? "" : ` bids ${bidPercent} % `,
    model.settings.scroll.orderbook === 0 ? "" : " scrolled ",
  ];
  return words
    .map((text, i) => ({ text, width: text.length, priority: i }))
    .filter(({ text }) => text !== "");
}
