// The tape: newest trade first, one line for each sweep of a taker.
//
//   08:11:58.987 ▲ 9702252  +2663  ×4  ███
import { type FittedColumn, steadyColumns } from "../../../select/columns.ts";
import type { Display } from "../../../select/display.ts";
import { selectStat } from "../../../select/market.ts";
import {
  MINIMUM_VALUES,
  placeInTape,
  selectTape,
  type TapeLine,
  type TapeRow,
  unitsOfValue,
} from "../../../select/trades.ts";
import { MAX_TRADES } from "../../../state/trades.ts";
import { countEighths, drawBar } from "../../../terminal/cells/bars.ts";
import { cutText } from "../../../terminal/cells/text-cells.ts";
import { visible } from "../../../terminal/visible.ts";
import { msOfNs } from "../../../units/time.ts";
import type { Trade } from "../../../wire/channels/trades.ts";
import { unitTitles } from "./data.ts";
import type { MarketModel } from "./model.ts";
import { isOwnTrade, OWN } from "./own-marks.ts";
import type { MarketPane, PaintContext, PaintedPane } from "./panes.ts";

const GAP = 1;
const MIN_BAR = 4;

interface TapeColumn {
  readonly title: string;
  /** Not in the colour of its side. */
  readonly isPlain?: true;
  cell(row: TapeRow, display: Display): string;
}

const COLUMNS: readonly TapeColumn[] = [
  {
    title: "time",
    isPlain: true,
    cell: ({ timestampNs }, display) => display.timeOfDay(msOfNs(timestampNs), true),
  },
  { title: "", cell: ({ takerIsBid }) => (takerIsBid ? "▲" : "▼") },
  { title: "price", cell: ({ price }, display) => display.number(price) },
  {
    title: "size",
    cell: ({ takerIsBid, size }, display) => `${takerIsBid ? "+" : "-"}${display.number(size)}`,
  },
  {
    title: "",
    isPlain: true,
    cell: ({ count }) => (count === 1 ? "" : `×${count}`),
  },
];
/** Columns by priority: without room, the last of these is dropped first. */
const PRIORITY = [1, 2, 3, 0, 4];

export const trades: MarketPane = {
  label: "trades",
  minHeight: 5,
  weight: 4,
  widthIn: () => 40,
  feeds: ({ trades: channel }) => [{ kind: "trades", channel }],
  title: (model) => [
    "Trades",
    minimumTitle(model),
    model.data !== undefined && model.scale === undefined ? "ticks, lots" : "",
    model.scrolledBy("trades") === 0 ? "" : `scrolled ${model.scrolledBy("trades")}`,
  ],
  paint(context, before) {
    const { surface, inner, theme, model } = context;
    const { rows, scrolled } = visibleRows(context, before);
    const sweeps = rows.filter((row) => row.kind === "sweep");
    const { display } = model.parts.shown;
    const cells = sweeps.map((row) => COLUMNS.map(({ cell }) => cell(row, display)));
    const [newest] = sweeps;
    const zone = newest === undefined ? "" : ` ${display.zoneName(msOfNs(newest.timestampNs))}`;
    const titles = COLUMNS.map(({ title }, i) => (i === 0 ? `${title}${zone}` : title));
    const widths = titles.map((title, i) =>
      Math.max(title.length, ...cells.map((row) => row[i]?.length ?? 0)),
    );
    const of = [model.feedOf("trades")?.channel, model.scale, display];
    const columns = steadyColumns(before?.columns, of, widths, PRIORITY, inner.width, GAP);
    for (const { index, x, width } of columns.fitted) {
      surface.textRight(inner.x + x + width, inner.y, titles[index] ?? "", theme.dim);
    }
    const largest = sweeps.reduce((most, { sizeLots }) => Math.max(most, Number(sizeLots)), 0);
    let sweep = 0;
    for (const [i, row] of rows.entries()) {
      const y = inner.y + 1 + i;
      // A hole stands between the trades before and after it.
      if (row.kind === "hole") {
        surface.text(inner.x, y, cutText(`┄┄ ${row.words} ┄┄`, inner.width), theme.notice);
      } else paintRow(context, y, row, cells[sweep++] ?? [], columns.fitted, largest);
    }
    if (rows.length === 0) paintNothing(context);
    return { scrolled, columns, tape: paintedTape(context, rows) };
  },
  copy: (data, model) => {
    const { scale } = data.scale;
    const options = { rows: MAX_TRADES, ...getMinimum(model), scale, holes: data.holes };
    return [
      ["timestamp_ns", "taker", ...unitTitles(scale), "trades"],
      ...selectTape(data.trades(MAX_TRADES), options).map((line) => {
        if (line.kind === "hole") return [line.timestampNs, line.words, "", "", ""];
        const { timestampNs, takerIsBid, price, size, count } = line;
        return [timestampNs, takerIsBid ? "buy" : "sell", price, size, `${count}`];
      }),
    ];
  },
};

/** `≥ 500 USDC`: smaller trades are hidden; in lots while the scale is unknown. */
function minimumTitle(model: MarketModel): string {
  const { minimumLots, data, parts } = model;
  const minimumQuote = getMinimumQuote(model);
  const { display, store } = parts.shown;
  if (minimumLots > 0n) return `≥ ${display.number(`${minimumLots}`)}`;
  if (minimumQuote === 0n) return "";
  const asset = selectStat(data?.market, "quoteAsset", store.aliases);
  return `≥ ${display.number(`${minimumQuote}`)} ${asset === undefined ? "quote" : visible(asset)}`;
}

function getMinimumQuote({ scale, choices }: MarketModel): bigint {
  return scale === undefined ? 0n : (MINIMUM_VALUES[choices.minimum] ?? 0n);
}

function getMinimum(model: MarketModel) {
  const { minimumLots, scale } = model;
  return { minimumLots, minimumValue: scale && unitsOfValue(getMinimumQuote(model), scale) };
}

/** Which line of a scrolled tape is where: it stays there while newer trades come in above. */
export interface PaintedTape {
  /** The oldest trade of the line. */
  readonly first: Trade;
  readonly row: number;
  /** Scroll offset that the user had asked for. */
  readonly wanted: number;
}

function paintedTape({ model }: PaintContext, rows: readonly TapeLine[]): PaintedTape | undefined {
  const wanted = model.choices.scroll.trades;
  for (const [row, line] of rows.entries()) {
    if (line.kind === "sweep") return { first: line.first, row, wanted };
  }
  return undefined;
}

function visibleRows({ inner, data, model }: PaintContext, before: PaintedPane | undefined) {
  const room = Math.max(0, inner.height - 1);
  const trades = data.trades(MAX_TRADES);
  const filter = { ...getMinimum(model), holes: data.holes };
  const select = (skip: number) =>
    selectTape(trades, { ...filter, rows: room, skip, scale: data.scale.scale });
  const wanted = model.choices.scroll.trades;
  if (wanted === 0) return { rows: select(0), scrolled: 0 };
  const held = before?.tape?.wanted === wanted ? before.tape : undefined;
  const { length, place } = placeInTape(trades, filter, { first: held?.first, rows: room });
  const offset = held === undefined || place === undefined ? wanted : place - held.row;
  const scrolled = Math.max(0, Math.min(offset, length - room));
  return { rows: select(scrolled), scrolled };
}

function paintRow(
  { surface, inner, theme, model: { own, parts } }: PaintContext,
  y: number,
  row: TapeRow,
  cells: readonly string[],
  columns: readonly FittedColumn[],
  largest: number,
): void {
  const side = row.takerIsBid ? "bid" : "ask";
  const sideStyle = theme[row.isLarge ? (`${side}Strong` as const) : side];
  for (const { index, x, width } of columns) {
    const style = COLUMNS[index]?.isPlain ? theme.dim : sideStyle;
    surface.textRight(inner.x + x + width, y, cells[index] ?? "", style);
  }
  // Masked, since the mark would reveal the size beside it as the user's.
  if (isOwnTrade(own, row) && !parts.shown.isMasked) surface.text(inner.x - 1, y, OWN, theme.own);
  const last = columns.at(-1);
  const start = last === undefined ? 0 : last.x + last.width + GAP * 2;
  const room = inner.width - start;
  if (room < MIN_BAR) return;
  const eighths = countEighths(Number(row.sizeLots), largest, room);
  drawBar(surface, inner.x + start, y, eighths, theme[`${side}Bar`]);
}

function paintNothing({ surface, inner, theme, data, model }: PaintContext): void {
  const isFiltered = model.choices.minimum > 0 && data.trades(1).length > 0;
  const reason = isFiltered
    ? "no trade is as large as the smallest size"
    : "no trades received yet";
  if (reason.length <= inner.width) surface.text(inner.x, inner.y + 1, reason, theme.dim);
}
