// Below the ladder: what the level at the cursor costs, and what an amount costs on both sides.
//
//   sell 0.2521 at 96980.1234  0.0312 bp  3 levels
//   amount 10000 quote
//   buy 0.1030 at 97003.1234  0.0021 bp  2 levels  for 9991.32172
//   sell 0.1031 at 97001.0000  0.0000 bp  1 level  for 10000.8031

import { parseAmount } from "../../select/book-amount.ts";
import {
  type AmountCost,
  type BookCost,
  selectAmountCost,
  selectBookCost,
} from "../../select/book-cost.ts";
import { fitWords } from "../../select/columns.ts";
import { formatUnits } from "../../units/scale.ts";
import type { LookName } from "../theme.ts";
import { CARET } from "../typed-text.ts";
import type { MarketModel } from "../views/market/market-model.ts";
import type { PaintContext } from "./pane.ts";

const AMOUNT_ROWS = 3;

/** Rows that the ladder leaves to it, of so many. Never throws. */
export function footRows({ cursor, amount }: MarketModel, height: number): number {
  const wanted = (cursor.level === undefined ? 0 : 1) + (amount.isShown ? AMOUNT_ROWS : 0);
  return Math.max(0, Math.min(wanted, height - 1));
}

/** Paints the last rows of the pane. Never throws. */
export function paintFoot(context: PaintContext): void {
  const { surface, inner, model, theme } = context;
  const { amount } = model;
  const lines = [...cursorLines(context), ...(amount.isShown ? amountLines(context) : [])];
  const rows = footRows(model, inner.height);
  const top = inner.y + inner.height - rows;
  for (const [i, { words, look }] of lines.slice(0, rows).entries()) {
    const text = fitWords(words, inner.width);
    const end = inner.x + surface.text(inner.x, top + i, text, theme[look]);
    const isTyped = look === "key" && amount.typing !== undefined;
    if (isTyped) surface.text(end, top + i, CARET, theme.key);
  }
}

interface FootLine {
  /** The most important first. */
  readonly words: readonly string[];
  readonly look: LookName;
}

function cursorLines({ data, model }: PaintContext): readonly FootLine[] {
  const { level } = model.cursor;
  if (level === undefined) return [];
  const { scale } = data.scale;
  const { bids, asks } = data.depth(Number.POSITIVE_INFINITY);
  const levels = level.side === "bid" ? bids : asks;
  const cost = selectBookCost({ levels, ...level, worstTicks: level.priceTicks }, scale);
  const words =
    cost === undefined
      ? [`nothing is left up to ${formatUnits(`${level.priceTicks}`, scale?.tickSize)}`]
      : costWords(level.side === "bid" ? "sell" : "buy", cost);
  return [{ words, look: "strong" }];
}

function amountLines({ data, model }: PaintContext): readonly FootLine[] {
  const { text, typing } = model.amount;
  const { scale } = data.scale;
  const asked: FootLine = { words: [`amount ${text}`], look: "key" };
  const parsed = parseAmount(text, scale);
  if ("fault" in parsed) {
    const isBegun = typing === undefined || text.trim() !== "";
    return [asked, { words: [parsed.fault], look: isBegun ? "bad" : "dim" }];
  }
  const { bids, asks } = data.depth(Number.POSITIVE_INFINITY);
  const sideLine = (verb: string, cost: AmountCost): FootLine => ({
    words: amountWords(verb, cost),
    look: cost.isEnough ? "strong" : "notice",
  });
  return [
    asked,
    sideLine("buy", selectAmountCost(asks, parsed.amount, scale)),
    sideLine("sell", selectAmountCost(bids, parsed.amount, scale)),
  ];
}

function amountWords(verb: string, { cost, isEnough }: AmountCost): readonly string[] {
  if (cost !== undefined) return costWords(isEnough ? verb : `only ${verb}`, cost);
  return [isEnough ? `${verb}: too little for one lot` : `${verb}: the side is empty`];
}

function costWords(verb: string, { size, average, slippage, levels, value }: BookCost) {
  return [
    `${verb} ${size} at ${average}`,
    `${slippage} bp`,
    `${levels} ${levels === 1 ? "level" : "levels"}`,
    `for ${value}`,
  ];
}
