// Every look of the interface by its meaning. Panes name meanings; only themes (theme/themes.ts) name colours.
import { isCurrent, type PaneState } from "../../state/pane-state.ts";
import {
  type Color,
  type ColorDepth,
  mixColors,
  nearestOfHue,
  parseColor,
} from "../../terminal/cells/color.ts";
import type { Style, StyleId, StyleTable } from "../../terminal/cells/style-table.ts";
import type { Ground } from "../../terminal/session/background.ts";
import {
  type HeatTable,
  PALETTES,
  type PaletteName,
  THEMES,
  type ThemeTable,
  WITHOUT_HUE,
} from "./themes.ts";

/** Each in words: roles of the theme and attributes. */
const LOOKS = {
  text: "",
  strong: "bold",
  dim: "faint",
  title: "bold",
  focusTitle: "bold accent",
  frame: "line",
  focusFrame: "accent",
  bid: "rise",
  ask: "fall",
  bidStrong: "bold rise",
  askStrong: "bold fall",
  bidBar: "riseBar",
  askBar: "fallBar",
  bidTint: "riseTint",
  askTint: "fallTint",
  oldTint: "lineTint",
  up: "rise",
  down: "fall",
  flat: "flat",
  unfinished: "line",
  volume: "line",
  good: "good",
  notice: "notice",
  bad: "bad",
  badge: "bold inverse",
  alarm: "bad inverse",
  key: "accent",
  selection: "selected",
  selectionTint: "lineTint",
  stale: "stale",
  offline: "bold inverse stale",
  own: "own",
  heat1: "heat1",
  heat2: "heat2",
  heat3: "heat3",
  heat4: "heat4",
  heat5: "heat5",
  heat6: "heat6",
  heat7: "heat7",
  heat8: "heat8",
  heatGround1: "heatGround1",
  heatGround2: "heatGround2",
  heatGround3: "heatGround3",
  heatGround4: "heatGround4",
  heatGround5: "heatGround5",
  heatGround6: "heatGround6",
  heatGround7: "heatGround7",
  heatGround8: "heatGround8",
  bidGround: "riseGround",
} as const satisfies Record<string, string>;

export type StyleName = keyof typeof LOOKS;

/** What rests in the book, in so many steps from little to much: as a colour, and as a background. */
export const HEAT_STEPS = 8;
const HEAT_NUMBERS = Array.from({ length: HEAT_STEPS }, (_, i) => i + 1);
const HEAT_ROLES = HEAT_NUMBERS.flatMap((step) => [`heat${step}`, `heatGround${step}`]);

export const STYLE_NAMES = Object.keys(LOOKS) as readonly StyleName[];

export const ROLE_NAMES: readonly string[] = [
  ...Object.keys(THEMES.terminal?.roles ?? {}),
  "rise",
  "fall",
  "good",
  "own",
  "riseBar",
  "fallBar",
  "riseTint",
  "fallTint",
  "lineTint",
  "riseGround",
  ...HEAT_ROLES,
];

/** Looks of the interface itself: they are the same whatever has become of the data. */
const LASTING = new Set<StyleName>([
  "title",
  "focusTitle",
  "frame",
  "focusFrame",
  "notice",
  "stale",
  "offline",
  "bad",
  "badge",
  "alarm",
  "key",
  "selection",
  "selectionTint",
  // A picture of what was, each column of its own time.
  ...STYLE_NAMES.filter((name) => name.startsWith("heat") || name === "bidGround"),
]);

/** What stands in the place of a look in data that is not of now, besides `dim`. */
const OLD: Readonly<Partial<Record<StyleName, StyleName>>> = {
  bidBar: "unfinished",
  askBar: "unfinished",
  bidTint: "oldTint",
  askTint: "oldTint",
  oldTint: "oldTint",
};

const TINTS: readonly StyleName[] = ["bidTint", "askTint", "oldTint"];

export interface Theme extends Readonly<Record<StyleName, StyleId>> {
  /** For what is not known to be so now: without the colours and the weight of live data. */
  readonly old: Theme;
}

export function themeFor(theme: Theme, state: PaneState): Theme {
  return isCurrent(state) ? theme : theme.old;
}

export interface CustomTheme {
  /** Name of the theme that lends what is not named; the terminal's own without it. */
  readonly base?: string | undefined;
  /** Looks by name; `base` is the text and the background of the whole screen. */
  readonly looks?: Readonly<Record<string, string>> | undefined;
}

export interface ThemeChoice {
  /** `auto` is dark or light, as the terminal is; its own until it has said so. */
  readonly theme: string;
  readonly ground?: Ground | undefined;
  /** What the terminal has said of its background: depth can be a tint of it. */
  readonly background?: Color | undefined;
  readonly palette: PaletteName;
  /** Red for rising, green for falling. */
  readonly isRedUp: boolean;
  readonly custom: Readonly<Record<string, CustomTheme>>;
}

export const DEFAULT_THEME: ThemeChoice = {
  theme: "terminal",
  palette: "usual",
  isRedUp: false,
  custom: {},
};

const AUTO = "auto";

/** Names that can be chosen: the built-in ones first. */
export function themeNames({ custom }: Pick<ThemeChoice, "custom">): readonly string[] {
  return [...new Set([AUTO, ...Object.keys(THEMES), ...Object.keys(custom)])];
}

/** The looks of a theme as styles, and the colours that stand for the terminal's own. */
export interface ResolvedTheme {
  /** Undefined where they are left to the terminal. */
  readonly text: Color | undefined;
  readonly background: Color | undefined;
  readonly looks: Readonly<Record<StyleName, Style>>;
}

const SIXTEEN = 16;

/** How much of a bar's colour is its direction's; the rest is the background. */
const BAR_SHARE = 0.68;
/** The same of a tint behind digits, which must stay easy to read. */
const TINT_SHARE = 0.19;

/** Resolves a choice for terminals of this depth; an unknown theme is the terminal's own. */
export function resolveTheme(choice: ThemeChoice, depth: ColorDepth = "truecolor"): ResolvedTheme {
  const styleOf = (text: string, roles: Roles = {}): Style => {
    const look = parseStyle(text, roles, depth);
    return "style" in look ? look.style : {};
  };
  const custom = Object.hasOwn(choice.custom, choice.theme)
    ? choice.custom[choice.theme]
    : undefined;
  const table = builtIn(getBase(choice));
  const base = styleOf(custom?.looks?.base ?? table.base);
  const text = base.color as Color | undefined;
  const background = base.backgroundColor as Color | undefined;
  const rolesOf = (from: ThemeTable): Roles => {
    const words = Object.entries(getRoleWords(from, choice));
    return Object.fromEntries(words.map(([name, text]) => [name, styleOf(text)]));
  };
  const named = rolesOf(table);
  const isOwn = isOfTerminal(choice, depth);
  const behind = background ?? (isOwn ? choice.background : undefined);
  // On the terminal's own background, tints are those of the theme that it is like.
  const tints = isOwn ? rolesOf(builtIn(choice.ground ?? "dark")) : named;
  const { heat } = isOwn && behind !== undefined ? builtIn(choice.ground ?? "dark") : table;
  const roles = {
    ...named,
    riseBar: getBar(named.rise, background, depth),
    fallBar: getBar(named.fall, background, depth),
    riseTint: getTint(tints.rise, behind, depth),
    fallTint: getTint(tints.fall, behind, depth),
    lineTint: getTint(tints.line, behind, depth),
    ...heatRoles(heat, depth),
    riseGround: heat === undefined ? {} : { backgroundColor: tints.rise?.color },
  };
  // Many terminals draw bold text of the dark eight in the bright eight, which are lost on a bright ground.
  const isBoldPale = depth === "ansi16" && background !== undefined && background >= SIXTEEN / 2;
  const looks = Object.fromEntries(
    STYLE_NAMES.map((name) => {
      const look = styleOf(custom?.looks?.[name] ?? LOOKS[name], roles);
      // A tint is a background, or nothing.
      if (TINTS.includes(name) && look.backgroundColor === undefined) return [name, {}];
      return [name, isBoldPale ? { ...look, bold: false } : look];
    }),
  ) as Record<StyleName, Style>;
  return { text, background, looks };
}

/**
 * The theme for drawing with this table: the one without colours where there are none. The table replaces the
 * terminal's own colours from now on where the theme has to.
 */
export function createTheme(styles: StyleTable, choice: ThemeChoice = DEFAULT_THEME): Theme {
  const shown = styles.depth === "none" ? { ...choice, theme: "mono" } : choice;
  const { text = -1, background = -1, looks } = resolveTheme(shown, styles.depth);
  styles.setBase({ foreground: text, background });
  styles.terminalBackground = choice.background;
  const idsOf = (lookOf: (name: StyleName) => Style) =>
    Object.fromEntries(STYLE_NAMES.map((name) => [name, styles.id(lookOf(name))])) as Record<
      StyleName,
      StyleId
    >;
  const old: Record<StyleName, StyleId> & { old?: Theme } = idsOf((name) =>
    LASTING.has(name) ? looks[name] : looks[OLD[name] ?? "dim"],
  );
  old.old = old as Theme;
  return { ...idsOf((name) => looks[name]), old: old as Theme };
}

/** The built-in theme that a choice rests on. */
function getBase({ theme, custom, ground }: ThemeChoice): string {
  const name = (Object.hasOwn(custom, theme) ? custom[theme]?.base : theme) ?? DEFAULT_THEME.theme;
  return name === AUTO ? (ground ?? DEFAULT_THEME.theme) : name;
}

/** True where the terminal's own background can be tinted: nearest colours of 256 are greys, or nothing. */
function isOfTerminal(choice: ThemeChoice, depth: ColorDepth): boolean {
  return depth === "truecolor" && builtIn(getBase(choice)).surrounding === "terminal";
}

function builtIn(name: string) {
  const table = Object.hasOwn(THEMES, name) ? THEMES[name] : THEMES.terminal;
  if (table === undefined) throw new RangeError("there is no built-in theme");
  return table;
}

/** Everything that a look can name, in words. */
function getRoleWords(table: ThemeTable, { palette, isRedUp }: ThemeChoice) {
  const own = palette === "usual" ? table.direction : undefined;
  const { rise, fall } = own ?? PALETTES[palette][table.surrounding];
  return {
    ...table.roles,
    own: table.roles.accent,
    ...(palette === "usual" ? {} : WITHOUT_HUE),
    good: rise,
    ...(isRedUp ? { rise: fall, fall: rise } : { rise, fall }),
  };
}

/** Nothing where a theme has no colours of its own for them. */
function heatRoles(heat: HeatTable | undefined, depth: ColorDepth): Roles {
  const colorOf = (step: number): Color | undefined => {
    if (heat === undefined) return undefined;
    if (depth === "ansi16") return parseColor(heat.ofSixteen[step - 1] ?? "");
    const place = ((step - 1) * (heat.exact.length - 1)) / (HEAT_STEPS - 1);
    const [before, after] = [Math.floor(place), Math.ceil(place)].map((i) =>
      parseColor(heat.exact[i] ?? ""),
    ) as [Color, Color];
    return mixColors(after, before, place - Math.floor(place));
  };
  return Object.fromEntries(
    HEAT_NUMBERS.flatMap((step): (readonly [string, Style])[] => {
      const color = colorOf(step);
      const [front, ground] =
        color === undefined ? [{}, {}] : [{ color }, { backgroundColor: color }];
      return [
        [`heat${step}`, front],
        [`heatGround${step}`, ground],
      ];
    }),
  );
}

/** A bar stands behind its number: fainter than it, by the terminal's own means where the background is its own. */
function getBar(style: Style = {}, background: Color | undefined, depth: ColorDepth): Style {
  if (background === undefined || style.color === undefined) return { ...style, dim: true };
  const color = typeof style.color === "string" ? parseColor(style.color) : style.color;
  // The first eight of sixteen are the dark ones of the other eight.
  if (depth === "ansi16" && color < SIXTEEN) return { ...style, color: color % (SIXTEEN / 2) };
  return { ...style, color: mixColors(color, background, BAR_SHARE) };
}

/** A background behind digits; none where there are few colours, or the background is the terminal's own. */
function getTint({ color }: Style = {}, background: Color | undefined, depth: ColorDepth): Style {
  if (background === undefined || color === undefined || depth === "ansi16") return {};
  const front = typeof color === "string" ? parseColor(color) : color;
  const tint = mixColors(front, background, TINT_SHARE);
  return { backgroundColor: depth === "ansi256" ? nearestOfHue(tint, front) : tint };
}

/** Holds what the user has chosen, and the theme that follows from it. */
export class Appearance {
  /** Everything that is on the screen must be drawn again, because the terminal's own colours are others now. */
  onChange: (() => void) | undefined;
  /** Whether the terminal is dark or light is to be known. */
  onAsk: (() => void) | undefined;
  readonly #styles: StyleTable;
  readonly #listeners = new Set<() => void>();
  choice: ThemeChoice;
  theme: Theme;

  constructor(styles: StyleTable, choice: ThemeChoice) {
    this.#styles = styles;
    this.choice = choice;
    this.theme = createTheme(styles, choice);
  }

  /** Calls back after every change. Returns its undo. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  change(part: Partial<ThemeChoice>): void {
    const { theme } = this.choice;
    const { base } = this.#styles;
    this.choice = { ...this.choice, ...part };
    this.theme = createTheme(this.#styles, this.choice);
    for (const listener of this.#listeners) listener();
    const { foreground, background } = this.#styles.base;
    if (foreground !== base.foreground || background !== base.background) this.onChange?.();
    if (this.choice.theme !== theme) this.askForBackground();
  }

  /** The terminal is asked where the theme follows it. */
  askForBackground(): void {
    const { theme } = this.choice;
    if (theme === AUTO || isOfTerminal(this.choice, this.#styles.depth)) this.onAsk?.();
  }
}

// A look in words, as themes are written: `bold`, `dim cyan`, `#ffaf00 on #202020`, `inverse bad`. Behind a slash, what is
// drawn instead where there are sixteen colours: `#ffaf00 / bold yellow`.

const ATTRIBUTES = ["bold", "dim", "italic", "underline", "inverse"] as const;
const NAMES =
  /^(?:(?:black|red|green|yellow|blue|magenta|cyan|white)(?:Bright)?|gr[ae]y|#(?:[0-9a-f]{3}){1,2})$/i;

/** What words other than colours and attributes mean: roles of the theme. */
type Roles = Readonly<Record<string, Style>>;

type Parsed = { readonly style: Style } | { readonly unknown: string };

/**
 * Reads a look: attributes, roles and at most two colours, the second one after `on`; of two looks, the one for this depth.
 * @returns the look, or the first word that means nothing, of whichever of the two.
 */
export function parseStyle(
  text: string,
  roles: Roles = {},
  depth: ColorDepth = "truecolor",
): Parsed {
  const [exact = "", ofSixteen, another] = text.split("/");
  if (another !== undefined) return { unknown: "/" };
  const looks = [exact, ...(ofSixteen === undefined ? [] : [ofSixteen])].map((look) =>
    parseWords(look, roles),
  );
  const wrong = looks.find((look) => "unknown" in look);
  const look = depth === "ansi16" ? looks.at(-1) : looks[0];
  return wrong ?? look ?? { style: {} };
}

function parseWords(text: string, roles: Roles): Parsed {
  let style: Style = {};
  let isBackground = false;
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const part = isBackground ? parseBackgroundWord(word) : parseStyleWord(word, roles);
    if (word === "on" && !isBackground) isBackground = true;
    else if (part === undefined) return { unknown: word };
    else {
      style = { ...style, ...part };
      isBackground = false;
    }
  }
  return isBackground ? { unknown: "on" } : { style };
}

function parseStyleWord(word: string, roles: Roles): Style | undefined {
  const attribute = ATTRIBUTES.find((name) => name === word);
  if (attribute !== undefined) return { [attribute]: true };
  if (Object.hasOwn(roles, word)) return roles[word];
  const color = parseColorWord(word);
  return color === undefined ? undefined : { color };
}

function parseBackgroundWord(word: string): Style | undefined {
  const color = parseColorWord(word);
  return color === undefined ? undefined : { backgroundColor: color };
}

function parseColorWord(word: string): number | undefined {
  if (NAMES.test(word)) return parseColor(word);
  return /^\d{1,3}$/.test(word) && Number(word) < 256 ? Number(word) : undefined;
}
