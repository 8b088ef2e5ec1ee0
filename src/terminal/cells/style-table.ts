// Looks as small numbers: a cell has 11 bits for its style, and two styles have one cached byte sequence between them.
import { type Color, type ColorDepth, colorDistance, DEFAULT_COLOR, parseColor } from "./color.ts";
import * as sgr from "./sgr.ts";

/** Index into a style table: 0 to 2047. 0 is the terminal's own look. */
export type StyleId = number;

/** A look in words; what is left out is the terminal's own colour, or off. Colours as Ink's props write them. */
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

/** Eleven bits of a cell. */
export const STYLE_LIMIT = 2048;
/** The terminal's own look. */
export const DEFAULT_STYLE: StyleId = 0;

const ATTRIBUTE_BITS = {
  bold: sgr.BOLD,
  dim: sgr.DIM,
  italic: sgr.ITALIC,
  underline: sgr.UNDERLINE,
  inverse: sgr.INVERSE,
  strikethrough: sgr.STRIKETHROUGH,
} as const;

const DEFAULT_LOOK: sgr.Look = {
  foreground: DEFAULT_COLOR,
  background: DEFAULT_COLOR,
  attributes: 0,
};

/** What stands for the terminal's own two colours; -1 leaves them to the terminal. */
export interface BaseColors {
  readonly foreground: Color;
  readonly background: Color;
}

const OWN_COLORS: BaseColors = { foreground: DEFAULT_COLOR, background: DEFAULT_COLOR };

/** More than two colours can differ by: wrong attributes are worse than any colour, since they carry meaning. */
const ATTRIBUTE_WEIGHT = 6 * 255 * 255 + 1;

/** Cached transitions before all are forgotten: far above what a screen needs, far below 2,048 squared. */
const TRANSITION_LIMIT = 16_384;

/**
 * Gives every look a number, and never takes one back. When all 2,048 are given away, the nearest look that has one
 * is used instead: attributes first, then colours.
 */
export class StyleTable {
  /** What colours are reduced to on their way to the terminal. */
  readonly depth: ColorDepth;
  readonly #looks: sgr.Look[] = [DEFAULT_LOOK];
  /** Style by foreground and attributes, then by background. */
  readonly #ids = new Map<number, Map<Color, StyleId>>([[0, new Map([[DEFAULT_COLOR, 0]])]]);
  /** What stands for looks that came too late. */
  readonly #substitutes = new Map<string, StyleId>();
  #transitions: (Uint8Array | undefined)[][] = [];
  #transitionCount = 0;
  #sequences: string[] = [];
  #base = OWN_COLORS;

  constructor(depth: ColorDepth = "truecolor") {
    this.depth = depth;
  }

  /** Styles given so far, the default one included: 1 to 2048. */
  get size(): number {
    return this.#looks.length;
  }

  /** True when the terminal's own colours are replaced. */
  get hasBase(): boolean {
    return this.#base.foreground >= 0 || this.#base.background >= 0;
  }

  /**
   * Draws everything that has the terminal's own colours in these from now on; what is on the screen already has to
   * be drawn again. Never throws.
   */
  setBase(base: BaseColors): void {
    this.#base = base;
    this.#transitions = [];
    this.#transitionCount = 0;
    this.#sequences = [];
  }

  /** The number of this style, for drawing. Ask once and keep it: it costs a look-up. Never throws. */
  id(style: Style): StyleId {
    return this.#withStyle(DEFAULT_LOOK, style);
  }

  /** The number of the style that `base` becomes when only what `change` names is changed. Never throws. */
  derive(base: StyleId, change: Style): StyleId {
    return this.#withStyle(this.look(base), change);
  }

  /** The number of a look. Never throws. */
  intern(foreground: Color, background: Color, attributes: number): StyleId {
    const key = (foreground + 1) * 64 + attributes;
    const known = this.#ids.get(key)?.get(background);
    if (known !== undefined) return known;
    const look = { foreground, background, attributes };
    return this.#looks.length < STYLE_LIMIT ? this.#add(key, look) : this.#substitute(look);
  }

  /** The look behind a number; the default look for a number that was never given. */
  look(id: StyleId): sgr.Look {
    return this.#looks[id] ?? DEFAULT_LOOK;
  }

  /** Bytes that turn one style into another; empty when they look the same here. The array is shared: do not write. */
  transition(from: StyleId, to: StyleId): Uint8Array {
    const row = this.#transitions[from];
    return row?.[to] ?? this.#makeTransition(from, to);
  }

  /** What sets this style whatever was in force before, as text. */
  sequence(id: StyleId): string {
    const known = this.#sequences[id];
    if (known !== undefined) return known;
    const made = sgr.encodeLook(this.#shownLook(id), this.depth);
    this.#sequences[id] = made;
    return made;
  }

  #shownLook(id: StyleId): sgr.Look {
    const look = this.look(id);
    if (!this.hasBase) return look;
    const { foreground, background, attributes } = look;
    return {
      foreground: foreground < 0 ? this.#base.foreground : foreground,
      background: background < 0 ? this.#base.background : background,
      attributes,
    };
  }

  #withStyle(base: sgr.Look, style: Style): StyleId {
    let attributes = base.attributes;
    for (const [name, bit] of Object.entries(ATTRIBUTE_BITS)) {
      const wanted = style[name as keyof typeof ATTRIBUTE_BITS];
      if (wanted !== undefined) attributes = wanted ? attributes | bit : attributes & ~bit;
    }
    const foreground = style.color === undefined ? base.foreground : colorOf(style.color);
    const background =
      style.backgroundColor === undefined ? base.background : colorOf(style.backgroundColor);
    return this.intern(foreground, background, attributes);
  }

  #add(key: number, look: sgr.Look): StyleId {
    const id = this.#looks.push(look) - 1;
    const sameForeground = this.#ids.get(key);
    if (sameForeground === undefined) this.#ids.set(key, new Map([[look.background, id]]));
    else sameForeground.set(look.background, id);
    return id;
  }

  #substitute(look: sgr.Look): StyleId {
    const key = `${look.foreground},${look.background},${look.attributes}`;
    const known = this.#substitutes.get(key);
    if (known !== undefined) return known;
    // A text that brings endless colours must not fill memory in the place of the table.
    if (this.#substitutes.size >= STYLE_LIMIT) this.#substitutes.clear();
    const nearest = this.#nearest(look);
    this.#substitutes.set(key, nearest);
    return nearest;
  }

  #nearest(look: sgr.Look): StyleId {
    let best = DEFAULT_STYLE;
    let bestCost = Number.POSITIVE_INFINITY;
    for (const [id, candidate] of this.#looks.entries()) {
      const cost =
        (candidate.attributes === look.attributes ? 0 : ATTRIBUTE_WEIGHT) +
        colorDistance(candidate.foreground, look.foreground) +
        colorDistance(candidate.background, look.background);
      if (cost < bestCost) {
        best = id;
        bestCost = cost;
      }
    }
    return best;
  }

  #makeTransition(from: StyleId, to: StyleId): Uint8Array {
    const text = sgr.encodeTransition(this.#shownLook(from), this.#shownLook(to), this.depth);
    const bytes = Buffer.from(text, "latin1");
    if (this.#transitionCount >= TRANSITION_LIMIT) {
      this.#transitions = [];
      this.#transitionCount = 0;
    }
    const row = this.#transitions[from] ?? [];
    row[to] = bytes;
    this.#transitions[from] = row;
    this.#transitionCount++;
    return bytes;
  }
}

function colorOf(color: Color | string): Color {
  return typeof color === "string" ? parseColor(color) : color;
}
