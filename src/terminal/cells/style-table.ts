// Styles as small numbers: a cell has 11 bits for its style, and the byte sequence between two styles is cached.
import {
  type Color,
  type ColorDepth,
  colorDistance,
  DEFAULT_COLOR,
  parseColor,
  reduceColors,
} from "./color.ts";

/** Index into a style table: 0 to 2047. 0 is the terminal's own style. */
export type StyleId = number;

/** A style by name; omitted properties are the terminal's own colour, or off. Colours as in Ink's props. */
export interface Style {
  readonly color?: Color | string | undefined;
  readonly backgroundColor?: Color | string | undefined;
  readonly bold?: boolean | undefined;
  readonly dim?: boolean | undefined;
  readonly italic?: boolean | undefined;
  readonly underline?: boolean | undefined;
  readonly inverse?: boolean | undefined;
  readonly strikethrough?: boolean | undefined;
}

/** An attribute: its bit, and the SGR parameters that set and reset it. */
interface Attribute {
  readonly bit: number;
  readonly on: number;
  readonly off: number;
}

/** Bold and dim share one "off" parameter, so resetting one may require setting the other again. */
export const ATTRIBUTES = {
  bold: { bit: 1, on: 1, off: 22 },
  dim: { bit: 2, on: 2, off: 22 },
  italic: { bit: 4, on: 3, off: 23 },
  underline: { bit: 8, on: 4, off: 24 },
  inverse: { bit: 16, on: 7, off: 27 },
  strikethrough: { bit: 32, on: 9, off: 29 },
} as const satisfies Readonly<Record<string, Attribute>>;

const ATTRIBUTE_LIST: readonly Attribute[] = Object.values(ATTRIBUTES);

/** A resolved style: two colours and a mask of attribute bits. */
export interface CellStyle {
  readonly foreground: Color;
  readonly background: Color;
  readonly attributes: number;
}

export const STYLE_LIMIT = 2048;
export const DEFAULT_STYLE: StyleId = 0;

const OWN_STYLE: CellStyle = {
  foreground: DEFAULT_COLOR,
  background: DEFAULT_COLOR,
  attributes: 0,
};

/** Replacements for the terminal's own two colours; -1 keeps the terminal's. */
export interface BaseColors {
  readonly foreground: Color;
  readonly background: Color;
}

/**
 * Greater than any difference between two pairs of colours: attributes carry meaning, so a wrong attribute is worse than any
 * wrong colour.
 */
const ATTRIBUTE_WEIGHT = 6 * 255 * 255 + 1;

/** The cache of transitions is cleared at this size: far above what a screen needs, far below 2048². */
const TRANSITION_LIMIT = 16_384;

/**
 * Assigns a number to every style; numbers are never reassigned. Once all 2048 are taken, the nearest existing style is used
 * instead: attributes first, then colours.
 */
export class StyleTable {
  /** The depth to which colours are reduced on output. */
  readonly depth: ColorDepth;
  readonly #styles: CellStyle[] = [OWN_STYLE];
  /** Style ids by foreground and attributes, then by background. */
  readonly #ids = new Map<number, Map<Color, StyleId>>([[0, new Map([[DEFAULT_COLOR, 0]])]]);
  /** Substitutes for styles that came after the table was full. */
  readonly #substitutes = new Map<string, StyleId>();
  /** By the style laid over the other one. */
  readonly #tinted = new Map<StyleId, StyleId[]>();
  #transitions: (Uint8Array | undefined)[][] = [];
  #transitionCount = 0;
  #sequences: string[] = [];
  base: BaseColors = OWN_STYLE;

  constructor(depth: ColorDepth = "truecolor") {
    this.depth = depth;
  }

  /** Number of styles assigned, including the default: 1 to 2048. */
  get size(): number {
    return this.#styles.length;
  }

  get hasBase(): boolean {
    return this.base.foreground >= 0 || this.base.background >= 0;
  }

  /** From now on, uses these for everything in the terminal's own colours; what is already on the screen has to be redrawn. */
  setBase(base: BaseColors): void {
    this.base = base;
    this.#forgetTransitions();
    this.#sequences = [];
  }

  /** The number of this style, for drawing. Look it up once and reuse it. */
  id(style: Style): StyleId {
    let attributes = 0;
    for (const [name, { bit }] of Object.entries(ATTRIBUTES)) {
      if (style[name as keyof typeof ATTRIBUTES]) attributes |= bit;
    }
    return this.intern(resolveColor(style.color), resolveColor(style.backgroundColor), attributes);
  }

  intern(foreground: Color, background: Color, attributes: number): StyleId {
    const key = (foreground + 1) * 64 + attributes;
    const known = this.#ids.get(key)?.get(background);
    if (known !== undefined) return known;
    const style = { foreground, background, attributes };
    return this.#styles.length < STYLE_LIMIT ? this.#add(key, style) : this.#substitute(style);
  }

  /** A style on the background of another one, and with that one's foreground, if it sets one. */
  tinted(style: StyleId, tint: StyleId): StyleId {
    const row = this.#tinted.get(tint) ?? [];
    const known = row[style];
    if (known !== undefined) return known;
    const { foreground, background } = this.getStyle(tint);
    const under = this.getStyle(style);
    const front = foreground < 0 ? under.foreground : foreground;
    const id = this.intern(front, background, under.attributes);
    row[style] = id;
    this.#tinted.set(tint, row);
    return id;
  }

  /** The style with this number; the terminal's own for an unassigned number. */
  getStyle(id: StyleId): CellStyle {
    return this.#styles[id] ?? OWN_STYLE;
  }

  /**
   * Bytes that switch from one style to another; empty if they look the same on this terminal. The array is shared: do not
   * modify.
   */
  transition(from: StyleId, to: StyleId): Uint8Array {
    const row = this.#transitions[from];
    return row?.[to] ?? this.#makeTransition(from, to);
  }

  /** The text that sets this style whatever the current one is: a separate reset, then what is on. */
  sequence(id: StyleId): string {
    const known = this.#sequences[id];
    if (known !== undefined) return known;
    const [, ...parameters] = resetParameters(this.#shownStyle(id));
    const made = parameters.length === 0 ? RESET : `${RESET}\x1b[${parameters.join(";")}m`;
    this.#sequences[id] = made;
    return made;
  }

  /** As the terminal shows it: with the base colours, and reduced to its depth. */
  #shownStyle(id: StyleId): CellStyle {
    const { foreground, background, attributes } = this.getStyle(id);
    const [shownForeground, shownBackground] = reduceColors(
      foreground < 0 ? this.base.foreground : foreground,
      background < 0 ? this.base.background : background,
      this.depth,
    );
    return { foreground: shownForeground, background: shownBackground, attributes };
  }

  #add(key: number, style: CellStyle): StyleId {
    const id = this.#styles.push(style) - 1;
    const sameForeground = this.#ids.get(key);
    if (sameForeground === undefined) this.#ids.set(key, new Map([[style.background, id]]));
    else sameForeground.set(style.background, id);
    return id;
  }

  #substitute(style: CellStyle): StyleId {
    const key = `${style.foreground},${style.background},${style.attributes}`;
    const known = this.#substitutes.get(key);
    if (known !== undefined) return known;
    // Text with an endless supply of colours must not fill memory through the substitutes either.
    if (this.#substitutes.size >= STYLE_LIMIT) this.#substitutes.clear();
    const nearest = this.#nearest(style);
    this.#substitutes.set(key, nearest);
    return nearest;
  }

  #nearest(style: CellStyle): StyleId {
    let best = DEFAULT_STYLE;
    let bestCost = Number.POSITIVE_INFINITY;
    for (const [id, candidate] of this.#styles.entries()) {
      const cost =
        (candidate.attributes === style.attributes ? 0 : ATTRIBUTE_WEIGHT) +
        colorDistance(candidate.foreground, style.foreground) +
        colorDistance(candidate.background, style.background);
      if (cost < bestCost) {
        best = id;
        bestCost = cost;
      }
    }
    return best;
  }

  #makeTransition(from: StyleId, to: StyleId): Uint8Array {
    const bytes = Buffer.from(
      encodeTransition(this.#shownStyle(from), this.#shownStyle(to)),
      "latin1",
    );
    if (this.#transitionCount >= TRANSITION_LIMIT) this.#forgetTransitions();
    const row = this.#transitions[from] ?? [];
    row[to] = bytes;
    this.#transitions[from] = row;
    this.#transitionCount++;
    return bytes;
  }

  #forgetTransitions(): void {
    this.#transitions = [];
    this.#transitionCount = 0;
  }
}

function resolveColor(color: Color | string = DEFAULT_COLOR): Color {
  return typeof color === "string" ? parseColor(color) : color;
}

/** All attributes off. Not the short form, because chalk and its related libraries do not recognise it. */
const RESET = "\x1b[0m";

/** The shortest SGR sequence that switches `from` to `to`; empty if they are equal. */
function encodeTransition(from: CellStyle, to: CellStyle): string {
  const change = changeParameters(from, to);
  if (change.length === 0) return "";
  const reset = resetParameters(to).join(";");
  const delta = change.join(";");
  return `\x1b[${delta.length <= reset.length ? delta : reset}m`;
}

function changeParameters(from: CellStyle, to: CellStyle): (string | number)[] {
  const removed = from.attributes & ~to.attributes;
  const off = new Set(ATTRIBUTE_LIST.filter(({ bit }) => removed & bit).map((each) => each.off));
  const on = ATTRIBUTE_LIST.filter(
    (each) => to.attributes & each.bit && (!(from.attributes & each.bit) || off.has(each.off)),
  ).map((each) => each.on);
  const parameters: (string | number)[] = [...off, ...on];
  if (from.foreground !== to.foreground) parameters.push(colorParameters(to.foreground, 30));
  if (from.background !== to.background) parameters.push(colorParameters(to.background, 40));
  return parameters;
}

// An empty first parameter means 0: all attributes off.
function resetParameters(to: CellStyle): (string | number)[] {
  const parameters: (string | number)[] = [""];
  for (const { bit, on } of ATTRIBUTE_LIST) if (to.attributes & bit) parameters.push(on);
  if (to.foreground >= 0) parameters.push(colorParameters(to.foreground, 30));
  if (to.background >= 0) parameters.push(colorParameters(to.background, 40));
  return parameters;
}

/** @param base 30 for the foreground, 40 for the background */
function colorParameters(color: Color, base: number): string {
  if (color < 0) return String(base + 9);
  if (color < 8) return String(base + color);
  if (color < 16) return String(base + 60 + color - 8);
  if (color < 256) return `${base + 8};5;${color}`;
  return `${base + 8};2;${(color >> 16) & 255};${(color >> 8) & 255};${color & 255}`;
}
