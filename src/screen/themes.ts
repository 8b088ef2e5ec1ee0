// The built-in themes: a look for each meaning. Nothing else in the program names a colour.
import { type Color, OWN, rgb, type Style } from "../terminal/style.ts";

/** What a text means. */
export const TONES = [
  "plain",
  "dim",
  "bright",
  "gain",
  "loss",
  "accent",
  "key",
  "notice",
  "bad",
  "frame",
  "stale",
  "own",
] as const;
export type Tone = (typeof TONES)[number];

export interface ThemeRow {
  /** Of everything that has no look of its own. */
  readonly base: Style;
  readonly tones: Readonly<Record<Exclude<Tone, "plain" | "gain" | "loss">, Style>>;
  /** `gain` and `loss`: the usual pair, and one for eyes that do not tell green from red. */
  readonly usual: readonly [gain: Style, loss: Style];
  readonly colourBlind: readonly [gain: Style, loss: Style];
  /** Behind text of that tone; OWN where the theme has none. */
  readonly tints: Readonly<Record<"gain" | "loss" | "blue" | "orange" | "selected", Color>>;
  /** Resting size from little to much, in eight steps. */
  readonly heat: readonly Color[];
}

const color = (hex: string, ansi: number, more: Style = {}): Style => ({
  color: rgb(hex, ansi),
  ...more,
});
const ANSI = {
  ...{ black: 0, red: 1, green: 2, yellow: 3, blue: 4, magenta: 5, cyan: 6, white: 7, grey: 8 },
  ...{ brightRed: 9, brightGreen: 10, brightYellow: 11, brightBlue: 12, brightMagenta: 13 },
  ...{ brightCyan: 14, brightWhite: 15 },
};
const NO_TINTS = { gain: OWN, loss: OWN, blue: OWN, orange: OWN, selected: OWN };
/** On sixteen colours, each further from the background than the one before. */
const ANSI_HEAT = [4, 12, 5, 8, 13, 6, 7, 15];

function heat(hexes: string, ansi: readonly number[]): readonly Color[] {
  return hexes.split(" ").map((hex, i) => rgb(hex, ansi[i]));
}

/** The terminal's own colours on an unknown ground: all but gain, loss and bad is told by weight, underline and reverse. */
const terminal: ThemeRow = {
  base: {},
  tones: {
    dim: { dim: true },
    bright: { bold: true },
    accent: { bold: true },
    key: { bold: true },
    notice: { bold: true, underline: true },
    bad: { color: ANSI.brightRed, bold: true },
    frame: { dim: true },
    stale: { inverse: true },
    own: { bold: true },
  },
  usual: [{ color: ANSI.green }, { color: ANSI.red }],
  colourBlind: [{ color: ANSI.blue }, { color: ANSI.yellow }],
  tints: NO_TINTS,
  heat: ANSI_HEAT,
};

const dark: ThemeRow = {
  base: { color: rgb("d8dce4", ANSI.white), background: rgb("15181e", ANSI.black) },
  tones: {
    dim: color("949ba8", ANSI.grey),
    bright: color("f4f6fa", ANSI.brightWhite, { bold: true }),
    accent: color("7cc4ff", ANSI.brightCyan),
    key: color("7cc4ff", ANSI.brightCyan),
    notice: color("e8b65a", ANSI.brightYellow),
    bad: color("ff8585", ANSI.brightRed, { bold: true }),
    frame: color("59616d", ANSI.grey),
    stale: color("e8b65a", ANSI.brightYellow, { inverse: true }),
    own: color("ffffff", ANSI.brightWhite, { bold: true }),
  },
  usual: [color("4cc38a", ANSI.green), color("ff7b7b", ANSI.red)],
  colourBlind: [color("5aa9ff", ANSI.brightBlue), color("f0a202", ANSI.yellow)],
  tints: {
    gain: rgb("123a2a"),
    loss: rgb("43202a"),
    blue: rgb("13325a"),
    orange: rgb("452f08"),
    selected: rgb("2c3a4c", ANSI.grey),
  },
  heat: heat("2c2848 3d3864 4f4a80 67619c 7f7cb8 9d9acd bab6e2 f8f6ff", ANSI_HEAT),
};

const light: ThemeRow = {
  base: { color: rgb("1e2227", ANSI.black), background: rgb("ffffff", ANSI.brightWhite) },
  tones: {
    dim: color("5b6069", ANSI.grey),
    bright: color("000000", ANSI.black, { bold: true }),
    accent: color("00579c", ANSI.blue),
    key: color("00579c", ANSI.blue),
    notice: color("835200", ANSI.blue, { bold: true }),
    bad: color("b3122a", ANSI.red, { bold: true }),
    frame: color("a3a9b2", ANSI.grey),
    stale: color("835200", ANSI.black, { inverse: true }),
    own: color("000000", ANSI.black, { bold: true }),
  },
  usual: [color("0a7a45", ANSI.green), color("c01c2e", ANSI.red)],
  colourBlind: [color("0b5cad", ANSI.blue), color("9a5b00", ANSI.magenta)],
  tints: {
    gain: rgb("d3f0e0"),
    loss: rgb("fbdcdc"),
    blue: rgb("d6e6fa"),
    orange: rgb("fbe8c8"),
    selected: rgb("d5dfec", ANSI.white),
  },
  heat: heat("e9e6f6 d6d2ec c2bde2 a8a2d1 8d87c0 726bac 574f98 1d1748", [7, 6, 13, 8, 5, 12, 4, 0]),
};

const highContrast: ThemeRow = {
  base: { color: rgb("ffffff", ANSI.brightWhite), background: rgb("000000", ANSI.black) },
  tones: {
    dim: color("d0d0d0", ANSI.white),
    bright: color("ffffff", ANSI.brightWhite, { bold: true }),
    accent: color("5cf2ff", ANSI.brightCyan, { bold: true }),
    key: color("5cf2ff", ANSI.brightCyan, { bold: true }),
    notice: color("ffe14d", ANSI.brightYellow),
    bad: color("ff9c9c", ANSI.brightRed, { bold: true }),
    frame: color("b8b8b8", ANSI.white),
    stale: color("ffe14d", ANSI.brightYellow, { inverse: true }),
    own: color("ffffff", ANSI.brightWhite, { bold: true }),
  },
  usual: [color("5dff8f", ANSI.brightGreen), color("ff9c9c", ANSI.brightRed)],
  colourBlind: [color("7cc4ff", ANSI.brightBlue), color("ffc14d", ANSI.brightYellow)],
  tints: {
    gain: rgb("004d22"),
    loss: rgb("661a1a"),
    blue: rgb("00366b"),
    orange: rgb("5c3d00"),
    selected: rgb("404040", ANSI.grey),
  },
  heat: heat("2b2468 433990 5a4ec8 786edc 978cf0 b3aaf8 cfc8ff ffffff", ANSI_HEAT),
};

/** No colours at all: gain and loss have their signs and glyphs. */
const mono: ThemeRow = {
  ...terminal,
  tones: { ...terminal.tones, notice: { underline: true }, bad: { bold: true, underline: true } },
  usual: [{ bold: true }, {}],
  colourBlind: [{ bold: true }, {}],
  heat: [],
};

export const THEMES = { dark, light, "high-contrast": highContrast, terminal, mono } as const;
export type ThemeName = keyof typeof THEMES;
