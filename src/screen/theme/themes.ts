// The built-in themes and palettes: what each role looks like. Looks by meaning are in theme.ts.

/** Roles that looks are made of, each a look in words. Other words in them are colours and attributes. */
export interface RoleTable {
  /** What is focused or can be pressed. */
  readonly accent: string;
  /** Labels and what counts less. */
  readonly faint: string;
  /** Frames and rules. */
  readonly line: string;
  readonly good: string;
  readonly notice: string;
  readonly bad: string;
  /** A price that has not moved. */
  readonly flat: string;
  /** What is selected: it must be seen without colours, too. */
  readonly selected: string;
}

/** Buy and sell, up and down. */
export interface Direction {
  readonly rise: string;
  readonly fall: string;
}

/** What text stands on. */
export type Surrounding = "terminal" | "dark" | "light" | "mono";

/** A theme as it is written. */
export interface ThemeTable {
  /** `text on background` where the theme brings its own; empty leaves both to the terminal. */
  readonly base: string;
  /** Which colours of a palette are seen on it. */
  readonly surrounding: Surrounding;
  readonly roles: RoleTable;
  /** Instead of the palette's. */
  readonly direction?: Direction;
}

/** By whom its colours are told apart. */
export type PaletteName = "usual" | "deuteranopia" | "protanopia" | "tritanopia";

/**
 * The terminal's own colours on whatever background the user has chosen. Yellow and cyan are pale on white in most
 * palettes, so all that is not buy or sell, good or bad is told by weight and underline.
 */
const terminal: ThemeTable = {
  base: "",
  surrounding: "terminal",
  roles: {
    accent: "bold",
    faint: "dim",
    line: "dim",
    good: "green",
    notice: "bold underline",
    bad: "bold red",
    flat: "",
    selected: "inverse",
  },
};

const dark: ThemeTable = {
  base: "#d8dce4 on #15181e",
  surrounding: "dark",
  roles: {
    accent: "#7cc4ff",
    faint: "#949ba8",
    line: "#6b7380",
    good: "#62d78b",
    notice: "#e8b65a",
    bad: "bold #ff8585",
    flat: "#e8b65a",
    selected: "bold inverse",
  },
};

const light: ThemeTable = {
  base: "#1e2227 on #ffffff",
  surrounding: "light",
  roles: {
    accent: "#00579c",
    faint: "#5b6069",
    line: "#858b94",
    good: "#086b31",
    notice: "#835200",
    bad: "bold #b3122a",
    flat: "#835200",
    selected: "bold inverse",
  },
};

const highContrast: ThemeTable = {
  base: "#ffffff on #000000",
  surrounding: "dark",
  roles: {
    accent: "bold #5cf2ff",
    faint: "#d0d0d0",
    line: "#b8b8b8",
    good: "#5dff8f",
    notice: "#ffe14d",
    bad: "bold #ff9c9c",
    flat: "#ffe14d",
    selected: "bold inverse",
  },
  direction: { rise: "#5dff8f", fall: "#ff9c9c" },
};

const mono: ThemeTable = {
  base: "",
  surrounding: "mono",
  roles: {
    accent: "bold",
    faint: "dim",
    line: "dim",
    good: "",
    notice: "underline",
    bad: "bold underline",
    flat: "",
    selected: "inverse",
  },
};

/** By name; the first is the usual one. */
export const THEMES: Readonly<Record<string, ThemeTable>> = {
  terminal,
  dark,
  light,
  "high-contrast": highContrast,
  mono,
};

/** Green and red, and pairs that stay apart for eyes that do not tell these two, or blue and yellow, apart. */
export const PALETTES: Readonly<Record<PaletteName, Readonly<Record<Surrounding, Direction>>>> = {
  usual: palette(["green", "red"], ["#62d78b", "#ff8585"], ["#086b31", "#b3122a"]),
  deuteranopia: palette(["cyan", "yellow"], ["#5cc8ff", "#ffb000"], ["#00509e", "#8f5200"]),
  protanopia: palette(["cyan", "yellow"], ["#5cc8ff", "#ffd000"], ["#00509e", "#805c00"]),
  tritanopia: palette(["cyan", "red"], ["#4fd6d0", "#ff8585"], ["#006a6a", "#b3122a"]),
};

/** Colours of rise and fall in each surrounding; without colours there are none. */
function palette(
  terminal: Pair,
  dark: Pair,
  light: Pair,
): Readonly<Record<Surrounding, Direction>> {
  const of = ([rise, fall]: Pair): Direction => ({ rise, fall });
  return { terminal: of(terminal), dark: of(dark), light: of(light), mono: of(["", ""]) };
}

type Pair = readonly [rise: string, fall: string];
