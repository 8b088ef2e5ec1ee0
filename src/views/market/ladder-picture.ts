// The picture of an order book: asks above, bids below, the spread between them.
//
//   ◆ 97,115.20   0.1422     0.83  ▒▒▒▒▒   own orders, price, size, sum from the best price, depth behind it
//   ── 0.02  0.2 bp ────── 52 : 48 ────    the spread, and the shares of the rows shown
//     97,113.98   0.1119     0.11  ▒▒
import type { Ladder, LadderRow } from "../../rows/ladder.ts";
import type { Theme } from "../../screen/theme.ts";
import type { Tone } from "../../screen/themes.ts";
import type { Surface } from "../../terminal/surface.ts";
import { textWidth } from "../../terminal/width.ts";

export interface LadderInput {
  readonly ladder: Ladder;
  /** Rows of the surface from the top at which the spread stands. */
  readonly spreadRow: number;
  readonly spread: string;
  readonly shares: string;
  /** Exact figures as text of the market's scale. */
  price(ticks: bigint): string;
  size(lots: bigint): string;
  /** Rows with own orders. */
  isOwn(side: Side, priceTicks: bigint): boolean;
  /** Further columns: what traded there, what was pulled. */
  readonly extras: readonly LadderColumn[];
  /** Bars show a row's own size, not the sum up to it. */
  readonly isDepthOwn: boolean;
  readonly cursor: { readonly side: Side; readonly priceTicks: bigint } | undefined;
}

type Side = "bid" | "ask";

export interface LadderColumn {
  readonly title: string;
  /** Undefined: that of the side. */
  readonly tone: Tone | undefined;
  text(side: Side, row: LadderRow): string;
}

const GAP = 2;
const MIN_BAR = 3;

/** Price and size always; then what was asked for; then the sum. */
function columnsOf({ price, size, extras }: LadderInput): readonly LadderColumn[] {
  return [
    { title: "price", tone: undefined, text: (_side, { priceTicks }) => price(priceTicks) },
    { title: "size", tone: "plain", text: (_side, { lots }) => size(lots) },
    ...extras,
    { title: "sum", tone: "dim", text: (_side, { totalLots }) => size(totalLots) },
  ];
}

/** @param widths they do not shrink while the market is shown, so that columns stay */
export function drawLadder(
  surface: Surface,
  input: LadderInput,
  widths: Map<string, number>,
  theme: Theme,
): void {
  const { ladder, spreadRow } = input;
  const lines = linesOf(ladder, spreadRow, surface.height);
  const columns = fitColumns(columnsOf(input), lines, widths, surface.width - GAP);
  for (const { title, x, width } of columns)
    surface.textRight(x + width, 0, title, theme.tones.dim);
  const barX = (columns.at(-1)?.x ?? 0) + (columns.at(-1)?.width ?? 0) + GAP;
  const depthOf = ({ lots, totalLots }: LadderRow) => (input.isDepthOwn ? lots : totalLots);
  const most = lines.reduce((all, { row }) => (depthOf(row) > all ? depthOf(row) : all), 1n);
  for (const [i, { side, row, y }] of lines.entries()) {
    if (input.isOwn(side, row.priceTicks)) surface.text(0, y, "◆", theme.tones.own);
    for (const { tone = SIDE_TONES[side], texts, x, width } of columns)
      surface.textRight(x + width, y, texts[i] ?? "", theme.tones[tone]);
    drawDepth(surface, { side, y }, { barX, lots: depthOf(row), most }, theme);
    const isCursor = input.cursor?.side === side && input.cursor.priceTicks === row.priceTicks;
    if (isCursor) surface.restyle(0, y, surface.width, theme.select);
  }
  drawSpread(surface, input, theme);
}

const SIDE_TONES = { bid: "gain", ask: "loss" } as const;

interface Line {
  readonly side: Side;
  readonly row: LadderRow;
  readonly y: number;
}

/** The best ask stands above the spread and the best bid below; the first line has the titles. */
function linesOf({ bids, asks }: Ladder, spreadRow: number, height: number): readonly Line[] {
  const above = asks
    .slice(0, Math.max(0, spreadRow - 1))
    .map((row, i) => ({ side: "ask" as const, row, y: spreadRow - 1 - i }));
  const below = bids
    .slice(0, Math.max(0, height - spreadRow - 1))
    .map((row, i) => ({ side: "bid" as const, row, y: spreadRow + 1 + i }));
  return [...above, ...below];
}

/** With the texts of all lines, which are asked for once. */
function fitColumns(
  columns: readonly LadderColumn[],
  lines: readonly Line[],
  widths: Map<string, number>,
  room: number,
) {
  let x = GAP;
  return columns.flatMap(({ title, tone, text }, i) => {
    const texts = lines.map(({ side, row }) => text(side, row));
    const widest = texts.reduce((most, each) => Math.max(most, each.length), title.length);
    const width = Math.max(widths.get(title) ?? 0, widest);
    widths.set(title, width);
    // The first two are never dropped: a book without them is none.
    if (i > 1 && x + width > room) return [];
    const placed = { title, tone, texts, x, width };
    x += width + GAP;
    return [placed];
  });
}

/** Behind the numbers where the theme has tints, else as a bar beside them. */
function drawDepth(
  surface: Surface,
  { side, y }: Pick<Line, "side" | "y">,
  { barX, lots, most }: { readonly barX: number; readonly lots: bigint; readonly most: bigint },
  { gainTint, lossTint, tones }: Theme,
): void {
  const share = Number((lots * 1000n) / most) / 1000;
  const tint = side === "bid" ? gainTint : lossTint;
  if (tint >= 0) {
    const width = Math.max(1, Math.round(share * surface.width));
    surface.shade(surface.width - width, y, width, tint);
    return;
  }
  const room = surface.width - barX - 1;
  if (room < MIN_BAR) return;
  surface.text(barX, y, "▒".repeat(Math.max(1, Math.round(share * room))), tones.dim);
}

function drawSpread(
  surface: Surface,
  { spreadRow, spread, shares }: LadderInput,
  { tones }: Theme,
): void {
  surface.text(0, spreadRow, "─".repeat(surface.width), tones.frame);
  const x = 3 + surface.text(3, spreadRow, ` ${spread} `, tones.bright);
  if (x + textWidth(shares) + 4 < surface.width)
    surface.textRight(surface.width - 2, spreadRow, ` ${shares} `, tones.dim);
}

/**
 * Where the spread stands: it stays until the best prices have left the middle third, so that rows do not jump.
 * @param held the row of before
 */
export function spreadRowOf(height: number, held: number | undefined): number {
  const middle = Math.floor(height / 2);
  return held === undefined || held < height / 3 || held > (height * 2) / 3 ? middle : held;
}
