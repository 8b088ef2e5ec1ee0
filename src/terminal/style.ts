// Styles as numbers of 11 bits, so that a cell is one integer. What the terminal has to be told between two styles is made once.

/**
 * `OWN`: the terminal's own. 0 to 255: its palette. From `RGB` on: 24 bits of red, green and blue; above them, if given, which of
 * the sixteen colours stands for it where there are no more.
 */
export type Color = number;
export const OWN: Color = -1;
const RGB = 0x1000000;
const ANSI_SHIFT = 25;

/** @param hex six digits @param ansi 0 to 15; without it, a terminal of sixteen colours shows its own */
export function rgb(hex: string, ansi?: number): Color {
  const sixteen = ansi === undefined ? 0 : (ansi + 1) << ANSI_SHIFT;
  return sixteen | RGB | Number.parseInt(hex, 16);
}

export type ColorDepth = "none" | "16" | "256" | "truecolor";

type Environment = Readonly<Record<string, string | undefined>>;

const FORCED: Readonly<Record<string, ColorDepth>> = {
  ...{ "0": "none", false: "none", "1": "16", true: "16", "2": "256", "3": "truecolor" },
};
/** COLORTERM does not travel over SSH; these names say as much. */
const TRUECOLOR_TERMS = /^(?:xterm-(?:kitty|ghostty)|alacritty|foot(?:-extra)?|wezterm)$|-direct$/;

/** In this order: --no-color, NO_COLOR, FORCE_COLOR, then what COLORTERM and TERM say. */
export function colorDepth(env: Environment, isOff: boolean): ColorDepth {
  const { NO_COLOR, FORCE_COLOR, COLORTERM = "", TERM = "" } = env;
  if (isOff || (NO_COLOR !== undefined && NO_COLOR !== "")) return "none";
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== "") return FORCED[FORCE_COLOR] ?? "16";
  if (/^(?:truecolor|24bit)$/i.test(COLORTERM) || TRUECOLOR_TERMS.test(TERM)) return "truecolor";
  if (TERM === "dumb") return "none";
  return /256(?:color)?$/i.test(TERM) ? "256" : "16";
}

export interface Style {
  readonly color?: Color;
  readonly background?: Color;
  readonly bold?: boolean;
  readonly dim?: boolean;
  readonly underline?: boolean;
  readonly inverse?: boolean;
}

/** Index into a style table; 0 is the theme's plain text. */
export type StyleId = number;

const MAX_STYLES = 2048;
/** The terminal may be in any style. */
export const UNKNOWN_STYLE: StyleId = -1;
const SGR = { bold: 1, dim: 2, underline: 4, inverse: 7 } as const;
const ATTRIBUTES = ["bold", "dim", "underline", "inverse"] as const;

export class StyleTable {
  readonly depth: ColorDepth;
  readonly #styles: Style[];
  readonly #grounds: (Color | undefined)[];
  readonly #ids = new Map<string, StyleId>();
  readonly #tinted = new Map<number, StyleId>();
  readonly #transitions = new Map<number, string>();

  /** @param plain colours of everything that has none of its own */
  constructor(depth: ColorDepth, plain: Style = {}) {
    this.depth = depth;
    this.#styles = [plain];
    this.#grounds = [groundOf(plain)];
  }

  /** Once all numbers are given, further styles look plain. */
  id(style: Style): StyleId {
    const full = { ...this.#styles[0], ...style };
    const key = [full.color, full.background, ...ATTRIBUTES.map((name) => full[name])].join();
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    if (this.#styles.length >= MAX_STYLES) return 0;
    const id = this.#styles.push(full) - 1;
    this.#grounds.push(groundOf(full));
    this.#ids.set(key, id);
    return id;
  }

  /** The same style with something else. */
  with(id: StyleId, change: Style): StyleId {
    return this.id({ ...this.#styles[id], ...change });
  }

  /** The same style on another background, where the terminal can show it. */
  on(id: StyleId, background: Color): StyleId {
    const key = id * 0x100000000 + background + 1;
    let tinted = this.#tinted.get(key);
    if (tinted === undefined) {
      const isShown = reduce(background, this.depth) !== OWN;
      tinted = isShown ? this.with(id, { background }) : id;
      this.#tinted.set(key, tinted);
    }
    return tinted;
  }

  /** Does a space look the same in both? */
  hasSameGround(a: StyleId, b: StyleId): boolean {
    return a === b || (this.#grounds[a] !== undefined && this.#grounds[a] === this.#grounds[b]);
  }

  /** What turns one style into another; from `UNKNOWN_STYLE`, sets all of it. */
  transition(from: StyleId, to: StyleId): string {
    if (from === to) return "";
    const key = (from + 1) * MAX_STYLES + to;
    let made = this.#transitions.get(key);
    if (made === undefined) {
      made = this.#make(this.#styles[from], this.#styles[to] ?? {});
      this.#transitions.set(key, made);
    }
    return made;
  }

  #make(from: Style | undefined, to: Style): string {
    // Bold and dim share what turns them off, so whatever goes is a reset.
    const isReset = from === undefined || ATTRIBUTES.some((name) => from[name] && !to[name]);
    const before: Style = isReset ? {} : from;
    const added = ATTRIBUTES.filter((name) => to[name] && !before[name]);
    const parameters = [
      ...(isReset ? [""] : []),
      ...added.map((name) => SGR[name]),
      ...this.#colorChange(before.color, to.color, 30),
      ...this.#colorChange(before.background, to.background, 40),
    ];
    return parameters.length === 0 ? "" : `\x1b[${parameters.join(";")}m`;
  }

  #colorChange(from: Color | undefined, to: Color | undefined, base: 30 | 40): readonly string[] {
    const color = reduce(to ?? OWN, this.depth);
    return color === reduce(from ?? OWN, this.depth) ? [] : [colorParameters(color, base)];
  }
}

/** Undefined where a space shows more than its background. */
function groundOf({ background = OWN, underline, inverse }: Style): Color | undefined {
  return underline || inverse ? undefined : background;
}

function colorParameters(color: Color, base: 30 | 40): string {
  if (color < 0) return `${base + 9}`;
  if (color < 8) return `${base + color}`;
  if (color < 16) return `${base + 52 + color}`;
  if (color < 256) return `${base + 8};5;${color}`;
  return `${base + 8};2;${(color >> 16) & 255};${(color >> 8) & 255};${color & 255}`;
}

const CUBE = [0, 95, 135, 175, 215, 255];

/** What a terminal of this depth shows. Of 256, the first sixteen are not used: users redefine them. */
function reduce(color: Color, depth: ColorDepth): Color {
  if (color < 0 || depth === "none") return OWN;
  if (color < RGB) return depth === "16" && color > 15 ? OWN : color;
  if (depth === "truecolor") return RGB | (color & 0xffffff);
  if (depth === "16") return (color >> ANSI_SHIFT) - 1;
  const parts = [(color >> 16) & 255, (color >> 8) & 255, color & 255];
  const steps = parts.map((part) => nearest(CUBE, part));
  const grey = Math.max(
    0,
    Math.min(23, Math.round((parts.reduce((a, b) => a + b, 0) / 3 - 8) / 10)),
  );
  const distance = (of: readonly number[]) =>
    of.reduce((sum, each, i) => sum + (each - (parts[i] ?? 0)) ** 2, 0);
  const inCube = distance(steps.map((step) => CUBE[step] ?? 0));
  const inGreys = distance(parts.map(() => 8 + 10 * grey));
  const [red = 0, green = 0, blue = 0] = steps;
  return inGreys < inCube ? 232 + grey : 16 + 36 * red + 6 * green + blue;
}

function nearest(steps: readonly number[], value: number): number {
  return steps.reduce(
    (best, step, i) => (Math.abs(step - value) < Math.abs((steps[best] ?? 0) - value) ? i : best),
    0,
  );
}
