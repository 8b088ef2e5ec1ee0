// The border of a pane with its title, and lines of facts. What does not fit goes whole: a number is never cut.
import type { Surface } from "../terminal/surface.ts";
import { textWidth } from "../terminal/width.ts";
import type { Theme } from "./theme.ts";
import type { Tone } from "./themes.ts";

const ACROSS = 0x2500;
const DOWN = 0x2502;

/** @returns the inside */
export function drawFrame(
  surface: Surface,
  titles: readonly string[],
  isFocused: boolean,
  { tones }: Theme,
): Surface {
  const { width, height } = surface;
  const style = isFocused ? tones.accent : tones.frame;
  surface.fill(1, 0, width - 2, 1, style, ACROSS);
  surface.fill(1, height - 1, width - 2, 1, style, ACROSS);
  surface.fill(0, 1, 1, height - 2, style, DOWN);
  surface.fill(width - 1, 1, 1, height - 2, style, DOWN);
  surface.text(0, 0, "╭", style);
  surface.text(width - 1, 0, "╮", style);
  surface.text(0, height - 1, "╰", style);
  surface.text(width - 1, height - 1, "╯", style);
  let x = 2;
  for (const [i, title] of titles.entries()) {
    const text = i === 0 ? ` ${title} ` : `${title} `;
    if (title === "" || x + textWidth(text) > width - 2) continue;
    x += surface.text(x, 0, text, i === 0 ? tones.bright : tones.dim);
  }
  return surface.part(1, 1, width - 2, height - 2);
}

export interface Fact {
  /** What it is, in a quiet tone before it. */
  readonly word?: string;
  readonly text: string;
  readonly tone?: Tone;
}

/**
 * Facts in a line, the most important first; those for which there is no room are left out whole.
 * @returns the columns taken
 */
export function drawFacts(
  surface: Surface,
  x: number,
  y: number,
  { tones }: Theme,
  facts: readonly (Fact | undefined)[],
  gap = 2,
): number {
  let at = x;
  for (const fact of facts) {
    if (fact === undefined || fact.text === "") continue;
    const { word = "", text, tone = "plain" } = fact;
    const start = word === "" ? 0 : textWidth(word) + 1;
    const end = at + start + textWidth(text);
    if (end > surface.width) continue;
    surface.text(at, y, word, tones.dim);
    surface.text(at + start, y, text, tones[tone]);
    at = end + gap;
  }
  return Math.max(0, at - x - gap);
}
