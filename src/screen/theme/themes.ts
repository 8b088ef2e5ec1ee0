// The themes and palettes: the look of each role. Styles by meaning are in theme.ts.

/**
 * Roles that styles are made of, each as text: colours and attributes. Exact colours name a substitute for sixteen colours:
 * the nearest of these would lose the hue, and with it the meaning.
 */
interface RoleTable {
  /** Focused items, and keys. */
  readonly accent: string;
  /** Labels and less important text. */
  readonly faint: string;
  readonly line: string;
  readonly notice: string;
  /** Outdated data: yellow or reverse, never a buy or sell colour. */
  readonly stale: string;
  readonly bad: string;
  /** A price that has not changed. */
  readonly flat: string;
  /** The selection, which must be visible without colours, too. */
  readonly selected: string;
}

/** Buy and sell, up and down. */
interface Direction {
  readonly rise: string;
  readonly fall: string;
}

/** The background that text is on. */
type Surrounding = "terminal" | "dark" | "light" | "mono";

export interface ThemeTable {
  /** `text on background` if the theme sets them; empty leaves both to the terminal. */
  readonly base: string;
  /** Which colours of a palette are readable on it. */
  readonly surrounding: Surrounding;
  readonly roles: RoleTable;
  /** Overrides the palette. */
  readonly direction?: Direction;
  /** Resting size in the book, from little to much; without it, shades of buy and sell are used. */
  readonly heat?: HeatTable;
}

/**
 * From little to much, each colour is further from the background, so that everybody sees the order, whatever hues they
 * distinguish; violet is no buy or sell colour in any palette. `exact` is interpolated; `ofSixteen` has one colour for each
 * of the eight steps.
 */
export interface HeatTable {
  readonly exact: readonly string[];
  readonly ofSixteen: readonly string[];
}

export type Colours = "usual" | "colour-blind";

const HEAT_ON_BLACK: readonly string[] = [
  "blue",
  "blueBright",
  "magenta",
  "blackBright",
  "magentaBright",
  "cyan",
  "white",
  "whiteBright",
];

/**
 * The terminal's own colours on an unknown background. Yellow and cyan are pale on white in most palettes, and dark red is
 * lost on black, so everything but buy, sell and bad is shown by weight, underline and reverse.
 */
const terminal: ThemeTable = {
  base: "",
  surrounding: "terminal",
  roles: {
    accent: "bold",
    faint: "dim",
    line: "dim",
    notice: "bold underline",
    stale: "inverse",
    bad: "bold redBright",
    flat: "",
    selected: "inverse",
  },
};

const dark: ThemeTable = {
  base: "#d8dce4 on #15181e / white on black",
  surrounding: "dark",
  roles: {
    accent: "#7cc4ff / cyanBright",
    faint: "#949ba8 / blackBright",
    line: "#6b7380 / blackBright",
    notice: "#e8b65a / yellowBright",
    stale: "#e8b65a / yellowBright",
    bad: "bold #ff8585 / bold redBright",
    flat: "#e8b65a / yellowBright",
    selected: "bold inverse",
  },
  heat: {
    exact: ["#2c2848", "#4f4a80", "#7f7cb8", "#bab6e2", "#f8f6ff"],
    ofSixteen: HEAT_ON_BLACK,
  },
};

const light: ThemeTable = {
  base: "#1e2227 on #ffffff / black on whiteBright",
  surrounding: "light",
  roles: {
    accent: "#00579c / blue",
    faint: "#5b6069 / blackBright",
    line: "#858b94 / blackBright",
    notice: "#835200 / bold underline",
    stale: "#835200 / black on yellow",
    bad: "bold #b3122a / bold red",
    flat: "#835200 / black",
    selected: "bold inverse",
  },
  heat: {
    exact: ["#e9e6f6", "#c2bde2", "#8d87c0", "#574f98", "#1d1748"],
    ofSixteen: [
      "white",
      "cyan",
      "magentaBright",
      "blackBright",
      "magenta",
      "blueBright",
      "blue",
      "black",
    ],
  },
};

const highContrast: ThemeTable = {
  base: "#ffffff on #000000 / whiteBright on black",
  surrounding: "dark",
  roles: {
    accent: "bold #5cf2ff / bold cyanBright",
    faint: "#d0d0d0 / white",
    line: "#b8b8b8 / white",
    notice: "#ffe14d / yellowBright",
    stale: "#ffe14d / yellowBright",
    bad: "bold #ff9c9c / bold redBright",
    flat: "#ffe14d / yellowBright",
    selected: "bold inverse",
  },
  direction: { rise: "#5dff8f / greenBright", fall: "#ff9c9c / redBright" },
  heat: {
    exact: ["#2b2468", "#5a4ec8", "#978cf0", "#cfc8ff", "#ffffff"],
    ofSixteen: HEAT_ON_BLACK,
  },
};

const mono: ThemeTable = {
  base: "",
  surrounding: "mono",
  roles: {
    accent: "bold",
    faint: "dim",
    line: "dim",
    notice: "underline",
    stale: "inverse",
    bad: "bold underline",
    flat: "",
    selected: "inverse",
  },
};

/** By name; the first is the default. */
export const THEMES: Readonly<Record<string, ThemeTable>> = {
  terminal,
  dark,
  light,
  "high-contrast": highContrast,
  mono,
};

/** Green and red, and a pair that users with any colour deficiency tell apart. */
export const PALETTES: Readonly<Record<Colours, Readonly<Record<Surrounding, Direction>>>> = {
  usual: palette(
    ["green", "redBright"],
    ["#62d78b / greenBright", "#ff8585 / redBright"],
    ["#086b31 / green", "#b3122a / red"],
  ),
  "colour-blind": palette(
    ["cyan", "yellow"],
    ["#5cc8ff / cyanBright", "#ffb000 / yellowBright"],
    ["#00509e / blue", "#8f5200 / red"],
  ),
};

/**
 * Replaces roles with hues close to buy or sell, in the colour-blind palette: users who distinguish fewer hues already need
 * two for buy and sell.
 */
export const WITHOUT_HUE = { own: "bold", stale: "inverse" } as const;

/** Colours of rise and fall for each background; none without colours. */
function palette(
  terminal: Pair,
  dark: Pair,
  light: Pair,
): Readonly<Record<Surrounding, Direction>> {
  const of = ([rise, fall]: Pair): Direction => ({ rise, fall });
  return { terminal: of(terminal), dark: of(dark), light: of(light), mono: of(["", ""]) };
}

type Pair = readonly [rise: string, fall: string];
