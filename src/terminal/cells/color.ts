// Colours as one integer each, the notations that Ink's props take, and their reduction for poorer terminals.

/** -1: the terminal's own. 0 to 255: the palette, 0 to 15 the ANSI colours. From 0x1000000: exact, 0xRRGGBB. */
export type Color = number;

/** How many colours the terminal is told; "none" leaves the other attributes (bold, inverse) as they are. */
export type ColorDepth = "none" | "ansi16" | "ansi256" | "truecolor";

/** The terminal's own colour. */
export const DEFAULT_COLOR: Color = -1;
const RGB = 0x1000000;

const BASE_NAMES = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];
const NAMED: ReadonlyMap<string, Color> = new Map([
  ...BASE_NAMES.map((name, index): [string, Color] => [name, index]),
  ...BASE_NAMES.map((name, index): [string, Color] => [`${name}Bright`, index + 8]),
  ["gray", 8],
  ["grey", 8],
]);

/** The 16 ANSI colours as most terminals draw them; used only to find the nearest one. */
const ANSI_RGB = [
  0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5, 0x7f7f7f,
  0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff,
];
/** Levels of the 6 × 6 × 6 cube of the palette. */
const CUBE_LEVELS = [0, 95, 135, 175, 215, 255];

/** An exact colour; parts outside 0 to 255 are cut to their low byte. Never throws. */
export function rgb(red: number, green: number, blue: number): Color {
  return RGB | ((red & 255) << 16) | ((green & 255) << 8) | (blue & 255);
}

/**
 * Reads a colour as Ink's props write it: a name (`red`, `redBright`, `gray`), `#rgb`, `#rrggbb`, `ansi256(n)` or
 * `rgb(r, g, b)`. Anything else is the terminal's own colour, as in Ink. Never throws.
 */
export function parseColor(notation: string): Color {
  const named = NAMED.get(notation);
  if (named !== undefined) return named;
  if (notation.startsWith("#")) return parseHex(notation);
  const palette = /^ansi256\(\s?(\d+)\s?\)$/.exec(notation);
  if (palette !== null) return Number(palette[1]) & 255;
  const parts = /^rgb\(\s?(\d+),\s?(\d+),\s?(\d+)\s?\)$/.exec(notation);
  if (parts === null) return DEFAULT_COLOR;
  return rgb(Number(parts[1]), Number(parts[2]), Number(parts[3]));
}

function parseHex(notation: string): Color {
  const digits = /[a-f\d]{6}|[a-f\d]{3}/i.exec(notation)?.[0] ?? "000000";
  const long = digits.length === 3 ? digits.replace(/./g, "$&$&") : digits;
  return RGB | Number.parseInt(long, 16);
}

/** The nearest colour that a terminal of this depth can show. Never throws. */
export function reduceColor(color: Color, depth: ColorDepth): Color {
  if (color < 0 || depth === "truecolor") return color;
  if (depth === "none") return DEFAULT_COLOR;
  const indexed = color >= RGB ? nearestOf256(color) : color;
  return depth === "ansi256" || indexed < 16 ? indexed : nearestAnsi(rgbOf(indexed));
}

/** Squared distance of two colours as they would be drawn; 0 for the same. Never throws. */
export function colorDistance(a: Color, b: Color): number {
  if (a === b) return 0;
  if (a < 0 || b < 0) return 3 * 255 * 255;
  return distance(rgbOf(a), rgbOf(b));
}

/**
 * `share` (0 to 1) of one colour and the rest of the other, as they would be drawn; the terminal's own counts as
 * black. Never throws.
 */
export function mixColors(color: Color, other: Color, share: number): Color {
  const [a, b] = [rgbOf(color), rgbOf(other)];
  const part = (shift: number) =>
    Math.round(((a >> shift) & 255) * share + ((b >> shift) & 255) * (1 - share));
  return rgb(part(16), part(8), part(0));
}

/** The colour as 0xRRGGBB, the sixteen ANSI ones as most terminals draw them, the terminal's own as black. Never throws. */
export function rgbOf(color: Color): number {
  if (color >= RGB) return color & 0xffffff;
  if (color < 16) return ANSI_RGB[color] ?? 0;
  if (color >= 232) return (8 + (color - 232) * 10) * 0x010101;
  const cube = color - 16;
  const level = (index: number) => CUBE_LEVELS[index % 6] ?? 0;
  return (level(Math.floor(cube / 36)) << 16) | (level(Math.floor(cube / 6)) << 8) | level(cube);
}

function distance(a: number, b: number): number {
  const red = (a >> 16) - (b >> 16);
  const green = ((a >> 8) & 255) - ((b >> 8) & 255);
  const blue = (a & 255) - (b & 255);
  return red * red + green * green + blue * blue;
}

function nearestIn(target: number, first: number, last: number): Color {
  let best = first;
  for (let index = first + 1; index <= last; index++) {
    if (distance(target, rgbOf(index)) < distance(target, rgbOf(best))) best = index;
  }
  return best;
}

// The first 16 are left out: users redefine them, so they are not a known colour.
function nearestOf256(color: Color): Color {
  return nearestIn(color & 0xffffff, 16, 255);
}

function nearestAnsi(target: number): Color {
  return nearestIn(target, 0, 15);
}
