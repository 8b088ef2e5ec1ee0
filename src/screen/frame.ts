// The border of a pane with its title, and lines of facts. What does not fit goes whole: a number is never cut.
import type { Surface } from "../terminal/surface.ts";
import { textWidth } from "../terminal/width.ts";
import { type ShownState, themeIn } from "./states.ts";
import type { Theme } from "./theme.ts";
import type { Tone } from "./themes.ts";
import type { Ui } from "./ui.ts";

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
  /** Where there is too little room the highest goes first; by default its place in the line. */
  readonly goes?: number;
}

/**
 * Facts in a line; those for which there is no room are left out whole, the last first.
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
  let shown = facts.filter((fact) => fact !== undefined && fact.text !== "") as Fact[];
  const goesOf = (fact: Fact) => fact.goes ?? facts.indexOf(fact);
  const widthOf = ({ word = "", text }: Fact) =>
    (word === "" ? 0 : textWidth(word) + 1) + textWidth(text) + gap;
  const width = () => shown.reduce((sum, fact) => sum + widthOf(fact), x - gap);
  while (shown.length > 0 && width() > surface.width) {
    const most = Math.max(...shown.map(goesOf));
    shown = shown.filter((fact) => goesOf(fact) !== most);
  }
  let at = x;
  for (const { word = "", text, tone = "plain" } of shown) {
    if (word !== "") at += surface.text(at, y, word, tones.dim) + 1;
    at += surface.text(at, y, text, tones[tone]) + gap;
  }
  return Math.max(0, at - x - gap);
}

/** Narrower, the sign of the state has to do. */
const MIN_WITH_STATE = 44;

/** Facts in the first row, and at its end how current they are. */
export function drawHead(
  surface: Surface,
  { text, tone, state }: ShownState,
  facts: readonly (Fact | undefined)[],
  ui: Ui,
): void {
  const isNarrow = surface.width < MIN_WITH_STATE;
  const shown = isNarrow ? text.slice(0, 1) : text;
  surface.textRight(surface.width - 1, 0, shown, ui.theme.tones[tone]);
  const room = surface.width - textWidth(shown) - (isNarrow ? 2 : 3);
  drawFacts(surface.part(0, 0, room, 1), 1, 0, themeIn(state, ui), facts);
}
