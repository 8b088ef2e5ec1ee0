// Colours as integers, the notations of Ink's props, and reduction to what a terminal can show.

/** -1: the terminal's default. 0 to 255: the palette, of which 0 to 15 are the ANSI colours. From 0x1000000: RGB, 0xRRGGBB. */
export type Color = number;

/** How many colours are sent to the terminal; "none" leaves other attributes (bold, inverse) unaffected. */
export type ColorDepth = "none" | "ansi16" | "ansi256" | "truecolor";

type Environment = Readonly<Record<string, string | undefined>>;

const FORCED: Readonly<Record<string, ColorDepth>> = {
  "0": "none",
  false: "none",
  "1": "ansi16",
  true: "ansi16",
  "2": "ansi256",
  "3": "truecolor",
};

/** Terminals whose name alone implies truecolor: COLORTERM is not passed on by SSH. */
const TRUECOLOR_TERMS = /^(?:xterm-(?:kitty|ghostty)|alacritty|foot(?:-extra)?|wezterm)$|-direct$/;

/** Precedence: the option, NO_COLOR, FORCE_COLOR, then what the terminal reports in COLORTERM and TERM. */
export function colorDepth(env: Environment, isOff: boolean): ColorDepth {
  const { NO_COLOR, FORCE_COLOR, COLORTERM = "", TERM = "" } = env;
  if (isOff || (NO_COLOR !== undefined && NO_COLOR !== "")) return "none";
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== "") return FORCED[FORCE_COLOR] ?? "ansi16";
  if (/^(?:truecolor|24bit)$/i.test(COLORTERM)) return "truecolor";
  if (TERM === "dumb") return "none";
  if (TRUECOLOR_TERMS.test(TERM)) return "truecolor";
  return /256(?:color)?$/i.test(TERM) ? "ansi256" : "ansi16";
}

export const DEFAULT_COLOR: Color = -1;
const RGB = 0x1000000;

const BASE_NAMES = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];
const NAMED: ReadonlyMap<string, Color> = new Map([
  ...BASE_NAMES.map((name, index): [string, Color] => [name, index]),
  ...BASE_NAMES.map((name, index): [string, Color] => [`${name}Bright`, index + 8]),
  ["gray", 8],
  ["grey", 8],
]);

/** The 16 ANSI colours as most terminals draw them; only for finding the nearest one. */
const ANSI_RGB = [
  0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5, 0x7f7f7f,
  0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff,
];
const CUBE_LEVELS = [0, 95, 135, 175, 215, 255];

/** An RGB colour; components outside 0 to 255 are truncated to their low byte. */
export function rgb(red: number, green: number, blue: number): Color {
  return RGB | ((red & 255) << 16) | ((green & 255) << 8) | (blue & 255);
}

/**
 * Parses a colour as in Ink's props: a name (`red`, `redBright`, `gray`), `#rgb`, `#rrggbb`, `ansi256(n)` or `rgb(r, g, b)`.
 * Anything else gives the terminal's default colour, as in Ink.
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

/**
 * The nearest colours that a terminal of this depth can show. With sixteen colours, text keeps its hue rather than its
 * brightness, as long as it stays readable on its background; backgrounds keep their brightness.
 */
export function reduceColors(
  foreground: Color,
  background: Color,
  depth: ColorDepth,
): readonly [foreground: Color, background: Color] {
  if (depth === "truecolor") return [foreground, background];
  if (depth === "none") return [DEFAULT_COLOR, DEFAULT_COLOR];
  // Not the first 16 of 256: users redefine them, so their actual colours are unknown.
  const palette = depth === "ansi256" ? { least: RGB, first: 16, last: 255 } : ANSI;
  const paper = background < palette.least ? background : nearestIn(background, palette);
  if (foreground < palette.least) return [foreground, paper];
  if (depth === "ansi256") return [nearestText(foreground, background, palette), paper];
  return [nearestAnsi(foreground, background, paper), paper];
}

export function colorDistance(a: Color, b: Color): number {
  if (a === b) return 0;
  if (a < 0 || b < 0) return 3 * 255 * 255;
  return distance(toRgb(a), toRgb(b));
}

/** Mixes `share` (0 to 1) of one colour with the rest of the other, as displayed; the terminal's default counts as black. */
export function mixColors(color: Color, other: Color, share: number): Color {
  const [a, b] = [toRgb(color), toRgb(other)];
  const part = (shift: number) =>
    Math.round(((a >> shift) & 255) * share + ((b >> shift) & 255) * (1 - share));
  return rgb(part(16), part(8), part(0));
}

/** The colour as 0xRRGGBB; ANSI colours as most terminals draw them, the terminal's default as black. */
export function toRgb(color: Color): number {
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

/** A range of palette colours. `least`: the lowest Color that is not in the palette and has to be reduced. */
interface Palette {
  readonly least: Color;
  readonly first: number;
  readonly last: number;
}

const BLACK = 0;
const WHITE = 15;
const ANSI: Palette = { least: 16, first: 0, last: 15 };

/** By perceived colour (OKLab): by RGB distance, a theme's dark green would become teal. */
function nearestIn(
  color: Color,
  { first, last }: Palette,
  isAllowed?: (index: number) => boolean,
): Color {
  const target = oklab(color);
  let best = isAllowed === undefined ? first : color;
  let least = Number.POSITIVE_INFINITY;
  for (let index = first; index <= last; index++) {
    if (isAllowed?.(index) === false) continue;
    const [lightness, a, b] = oklab(index);
    const distance = Math.hypot(lightness - target[0], a - target[1], b - target[2]);
    if (distance >= least) continue;
    best = index;
    least = distance;
  }
  return best;
}

/** Minimum contrast of text on a tint; a tint has less contrast than these to black or to white. */
const ON_TINT_CONTRAST = 4;
const NEAR_BLACK = 4;
const NEAR_WHITE = 1.7;

/** The nearest colour; on a tint, the nearest one readable there. */
function nearestText(color: Color, background: Color, palette: Palette): Color {
  const nearest = nearestIn(color, palette);
  if (!isTint(background) || contrast(nearest, background) >= ON_TINT_CONTRAST) return nearest;
  return nearestIn(color, palette, (index) => contrast(index, background) >= ON_TINT_CONTRAST);
}

/** True for a palette colour that is nearly black or nearly white, like the background it is drawn on. */
function isTint(color: Color): boolean {
  if (color < CUBE.first || color > CUBE.last) return false;
  return contrast(color, BLACK) < NEAR_BLACK || contrast(color, WHITE) < NEAR_WHITE;
}

const CUBE = { least: RGB, first: 16, last: 231 } as const;
/** In radians; further away, green becomes yellow or cyan. */
const SAME_HUE = 0.7;

/** The colour of the cube nearest to `color` with the hue of `hue`; `color` itself if there is none. */
export function nearestOfHue(color: Color, hue: Color): Color {
  const wanted = perceived(hue);
  const isAlike = (index: number) => {
    const { chroma, hue: own } = perceived(index);
    return chroma >= MIN_CHROMA && Math.cos(own - wanted.hue) >= Math.cos(SAME_HUE);
  };
  return wanted.chroma < MIN_CHROMA ? color : nearestIn(color, CUBE, isAlike);
}

/** Below this OKLab chroma, a colour is a gray. */
const MIN_CHROMA = 0.04;
/** Cost of replacing a colour by a gray or vice versa, and the weight of lightness relative to hue: a theme's red stays red. */
const GRAY_COST = 0.9;
const LIGHTNESS_WEIGHT = 0.6;
/** WCAG contrast that is readable for everyone, and the minimum share of its contrast that a text keeps. */
const READABLE_CONTRAST = 4.5;
const KEPT_CONTRAST = 2 / 3;

/** The ANSI colour nearest in hue to this text that is readable on `paper`, if the background is known. */
function nearestAnsi(color: Color, background: Color, paper: Color): Color {
  const wanted = background < 0 ? 0 : contrast(color, background);
  const least = Math.max(Math.min(wanted, READABLE_CONTRAST), wanted * KEPT_CONTRAST);
  const target = perceived(color);
  let best = contrast(BLACK, paper) > contrast(WHITE, paper) ? BLACK : WHITE;
  let bestCost = Number.POSITIVE_INFINITY;
  for (let index = ANSI.first; index <= ANSI.last; index++) {
    const cost = unlikeness(target, perceived(index));
    if (cost >= bestCost || (least > 0 && contrast(index, paper) < least)) continue;
    best = index;
    bestCost = cost;
  }
  return best;
}

/** A perceived colour: lightness 0 to 1, chroma, hue in radians. */
interface Perceived {
  readonly lightness: number;
  readonly chroma: number;
  readonly hue: number;
}

function unlikeness(a: Perceived, b: Perceived): number {
  const lightness = LIGHTNESS_WEIGHT * Math.abs(a.lightness - b.lightness);
  const [isGray, isOtherGray] = [a.chroma < MIN_CHROMA, b.chroma < MIN_CHROMA];
  if (isGray || isOtherGray) return isGray === isOtherGray ? lightness : GRAY_COST + lightness;
  return 2 * Math.abs(Math.sin((a.hue - b.hue) / 2)) + lightness;
}

function perceived(color: Color): Perceived {
  const [lightness, a, b] = oklab(color);
  return { lightness, chroma: Math.hypot(a, b), hue: Math.atan2(b, a) };
}

type OkLab = readonly [lightness: number, a: number, b: number];

/** Cache for palette colours, which are requested repeatedly. */
const paletteLab: OkLab[] = [];

function oklab(color: Color): OkLab {
  if (color < 0 || color > 255) return toOklab(color);
  const known = paletteLab[color] ?? toOklab(color);
  paletteLab[color] = known;
  return known;
}

function toOklab(color: Color): OkLab {
  const [red, green, blue] = toLinear(color);
  const l = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue);
  const m = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue);
  const s = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue);
  const a = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s;
  const b = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s;
  const lightness = 0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s;
  return [lightness, a, b];
}

function contrast(a: Color, b: Color): number {
  const luminance = (color: Color) => {
    const [red, green, blue] = toLinear(color);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05;
  };
  const [x, y] = [luminance(a), luminance(b)];
  return Math.max(x, y) / Math.min(x, y);
}

/** True if white is more readable on it than black. */
export function isDark(color: Color): boolean {
  return contrast(color, rgb(255, 255, 255)) >= contrast(color, rgb(0, 0, 0));
}

/** Red, green and blue in linear light, 0 to 1. */
function toLinear(color: Color): readonly [red: number, green: number, blue: number] {
  const value = toRgb(color);
  const part = (shift: number) => {
    const share = ((value >> shift) & 255) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  return [part(16), part(8), part(0)];
}
