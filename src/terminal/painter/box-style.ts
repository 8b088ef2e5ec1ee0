// What Ink's Box says about its own looks, drawn into cells: background, and a border on each side that has one.
import type { BoxProps, DOMElement } from "ink";
import { DEFAULT_COLOR, parseColor } from "../cells/color.ts";
import type { StyleId, StyleTable } from "../cells/style-table.ts";
import type { Rectangle, Surface } from "../cells/surface.ts";

type BoxLook = DOMElement["style"];
type BorderCharacters = Exclude<NonNullable<BoxProps["borderStyle"]>, string>;

/** Upper left, top, upper right, left, right, lower left, bottom, lower right. */
const BORDERS: Readonly<Record<string, string>> = {
  single: "┌─┐││└─┘",
  double: "╔═╗║║╚═╝",
  round: "╭─╮││╰─╯",
  bold: "┏━┓┃┃┗━┛",
  singleDouble: "╓─╖║║╙─╜",
  doubleSingle: "╒═╕││╘═╛",
  classic: "+-+||+-+",
  arrow: "↘↓↙→←↗↑↖",
};

/** Sides that are drawn: those that a Box with a border did not switch off. */
interface Sides {
  readonly top: boolean;
  readonly bottom: boolean;
  readonly left: boolean;
  readonly right: boolean;
}

/** Fills the rectangle inside the border with the background of the Box, if it has one. Never throws. */
export function drawBackground(
  surface: Surface,
  styles: StyleTable,
  look: BoxLook,
  box: Rectangle,
): void {
  if (!look.backgroundColor) return;
  const { top, bottom, left, right } = sidesOf(look);
  const x = box.left + Number(left);
  const y = box.top + Number(top);
  const width = box.right - Number(right) - x;
  const height = box.bottom - Number(bottom) - y;
  const background = parseColor(look.backgroundColor);
  surface.fill(x, y, width, height, styles.intern(DEFAULT_COLOR, background, 0));
}

/** Draws the border of the Box, if it has one. Never throws. */
export function drawBorder(
  surface: Surface,
  styles: StyleTable,
  look: BoxLook,
  box: Rectangle,
): void {
  const characters = charactersOf(look.borderStyle);
  if (characters === undefined) return;
  const sides = sidesOf(look);
  const border = new Border(surface, box, sides, characters);
  const style = (color: string | undefined, isDim: boolean | undefined) =>
    styles.id({ color: color ?? look.borderColor, dim: isDim ?? look.borderDimColor });
  if (sides.top) border.drawTop(style(look.borderTopColor, look.borderTopDimColor));
  if (sides.left) border.drawLeft(style(look.borderLeftColor, look.borderLeftDimColor));
  if (sides.right) border.drawRight(style(look.borderRightColor, look.borderRightDimColor));
  if (sides.bottom) border.drawBottom(style(look.borderBottomColor, look.borderBottomDimColor));
}

/** The four sides of one border. Corners belong to the top and the bottom. */
class Border {
  readonly #surface: Surface;
  readonly #box: Rectangle;
  readonly #sides: Sides;
  readonly #characters: BorderCharacters;

  constructor(surface: Surface, box: Rectangle, sides: Sides, characters: BorderCharacters) {
    this.#surface = surface;
    this.#box = box;
    this.#sides = sides;
    this.#characters = characters;
  }

  drawTop(style: StyleId): void {
    const { topLeft, top, topRight } = this.#characters;
    this.#drawRow(this.#box.top, [topLeft, top, topRight], style);
  }

  drawBottom(style: StyleId): void {
    const { bottomLeft, bottom, bottomRight } = this.#characters;
    this.#drawRow(this.#box.bottom - 1, [bottomLeft, bottom, bottomRight], style);
  }

  drawLeft(style: StyleId): void {
    this.#drawColumn(this.#box.left, this.#characters.left, style);
  }

  drawRight(style: StyleId): void {
    this.#drawColumn(this.#box.right - 1, this.#characters.right, style);
  }

  #drawRow(y: number, [first, middle, last]: [string, string, string], style: StyleId): void {
    const { left, right } = this.#sides;
    const width = this.#box.right - this.#box.left - Number(left) - Number(right);
    const row = (left ? first : "") + middle.repeat(Math.max(0, width)) + (right ? last : "");
    this.#surface.text(this.#box.left, y, row, style);
  }

  #drawColumn(x: number, character: string, style: StyleId): void {
    const first = this.#box.top + Number(this.#sides.top);
    const last = this.#box.bottom - Number(this.#sides.bottom);
    for (let y = first; y < last; y++) this.#surface.text(x, y, character, style);
  }
}

function charactersOf(border: BoxLook["borderStyle"]): BorderCharacters | undefined {
  if (typeof border !== "string") return border;
  const characters = BORDERS[border];
  if (characters === undefined) return undefined;
  const [topLeft = "", top = "", topRight = "", left = "", right = "", ...bottoms] = characters;
  const [bottomLeft = "", bottom = "", bottomRight = ""] = bottoms;
  return { topLeft, top, topRight, left, right, bottomLeft, bottom, bottomRight };
}

function sidesOf(look: BoxLook): Sides {
  const hasBorder = Boolean(look.borderStyle);
  return {
    top: hasBorder && look.borderTop !== false,
    bottom: hasBorder && look.borderBottom !== false,
    left: hasBorder && look.borderLeft !== false,
    right: hasBorder && look.borderRight !== false,
  };
}
