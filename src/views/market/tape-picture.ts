// The picture of a tape: newest first, one row for each sweep of a taker, holes where trades are missing.
//
//   ◆ 08:11:58.987 ▲ 97,022.52  +0.2663  ×4  ███

import { type Display, formatSpan, formatTime } from "../../rows/format.ts";
import type { TapeRow } from "../../rows/tape.ts";
import type { Theme } from "../../screen/theme.ts";
import { barText, eighthsOf } from "../../terminal/bars.ts";
import type { Surface } from "../../terminal/surface.ts";
import { msOfNs } from "../../units/time.ts";

type Trade = Extract<TapeRow, { kind: "trade" }>;

export interface TapeInput {
  readonly rows: readonly TapeRow[];
  /** Of the rows; empty for a hole. */
  readonly texts: readonly TapeTexts[];
  readonly largest: bigint;
  isOwn(row: Trade): boolean;
}

interface TapeTexts {
  readonly price: string;
  readonly size: string;
  /** With milliseconds. */
  readonly time: string;
}

const NO_TEXTS: TapeTexts = { price: "", size: "", time: "" };

/** What does not change from frame to frame. */
export function textsOf(
  rows: readonly TapeRow[],
  price: (ticks: string) => string,
  size: (lots: bigint) => string,
  display: Display,
): Omit<TapeInput, "isOwn"> {
  return {
    rows,
    texts: rows.map((row) =>
      row.kind === "hole"
        ? NO_TEXTS
        : {
            price: price(row.priceTicks),
            size: size(row.lots),
            time: formatTime(msOfNs(row.timestampNs), display, true),
          },
    ),
    largest: rows.reduce(
      (most, row) => (row.kind === "trade" && row.lots > most ? row.lots : most),
      1n,
    ),
  };
}

const MIN_BAR = 4;
/** Between a size and its bar, with room for the count of trades. */
const BAR_GAP = 6;
/** With milliseconds, or without where there is little room. */
const TIME_WIDTHS = [12, 8, 0];

/** @param widths they grow with what is shown, so that columns stay */
export function drawTape(
  surface: Surface,
  { rows, texts, largest, isOwn }: TapeInput,
  widths: { price: number; size: number },
  { tones }: Theme,
): void {
  for (const { price, size } of texts) {
    widths.price = Math.max(widths.price, price.length);
    widths.size = Math.max(widths.size, size.length + 1);
  }
  const besides = 2 + 3 + widths.price + widths.size + 2;
  const timeWidth = TIME_WIDTHS.find((width) => width + besides <= surface.width) ?? 0;
  const priceX = 2 + (timeWidth > 0 ? timeWidth + 1 : 0);
  const priceEnd = priceX + 2 + widths.price;
  const sizeEnd = priceEnd + 2 + widths.size;
  const room = surface.width - sizeEnd - BAR_GAP;
  const drawTrade = (y: number, row: Trade, { price, size, time }: TapeTexts) => {
    const style = row.isBought ? tones.gain : tones.loss;
    const [glyph, sign] = row.isBought ? ["▲", "+"] : ["▼", "−"];
    if (isOwn(row)) surface.text(0, y, "◆", tones.own);
    surface.text(2, y, time.slice(0, timeWidth), tones.dim);
    surface.text(priceX, y, glyph, style);
    surface.textRight(priceEnd, y, price, style);
    surface.textRight(sizeEnd, y, sign + size, style);
    const count = row.trades > 1 ? `×${row.trades}` : "";
    if (sizeEnd + 1 + count.length <= surface.width) surface.text(sizeEnd + 1, y, count, tones.dim);
    if (room < MIN_BAR) return;
    const bar = barText(eighthsOf(Number(row.lots), Number(largest), room));
    surface.text(sizeEnd + BAR_GAP, y, bar, style);
  };
  for (const [y, row] of rows.entries()) {
    if (row.kind === "trade") drawTrade(y, row, texts[y] ?? NO_TEXTS);
    else {
      const ms = Math.max(0, msOfNs(row.untilNs) - msOfNs(row.afterNs));
      surface.text(1, y, `┄┄ not seen ${formatSpan(ms)} ┄┄`, tones.notice);
    }
  }
}
