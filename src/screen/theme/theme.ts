// All styles of the interface by meaning. Panes name meanings; only themes (theme/themes.ts) name colours.
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
  type Colours,
  type HeatTable,
  PALETTES,
  THEMES,
  type ThemeTable,
  WITHOUT_HUE,
} from "./themes.ts";

const HEAT_NUMBERS = [1, 2, 3, 4, 5, 6, 7, 8] as const;
/** Resting size in the book, in this many steps from little to much: as text colour and as background. */
export const HEAT_STEPS = HEAT_NUMBERS.length;
type HeatStep = (typeof HEAT_NUMBERS)[number];
type HeatName = `heat${HeatStep}` | `heatGround${HeatStep}`;
const HEAT_NAMES: readonly HeatName[] = [
  ...HEAT_NUMBERS.map((step) => `heat${step}` as const),
  ...HEAT_NUMBERS.map((step) => `heatGround${step}` as const),
];

/** Each as text: roles of the theme, and attributes. */
const STYLES = {
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
  ...(Object.fromEntries(HEAT_NAMES.map((name) => [name, name])) as Record<HeatName, string>),
  bidGround: "riseGround",
};

export type StyleName = keyof typeof STYLES;

export const STYLE_NAMES = Object.keys(STYLES) as readonly StyleName[];

/** Styles of the interface itself, whatever the state of the data. */
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
  // The heatmap shows the past; each column has its own time.
  ...HEAT_NAMES,
  "bidGround",
]);

/** What replaces a style in data that is not current; `dim` for all others. */
const OLD: Readonly<Partial<Record<StyleName, StyleName>>> = {
  bidBar: "unfinished",
  askBar: "unfinished",
  bidTint: "oldTint",
  askTint: "oldTint",
  oldTint: "oldTint",
};

const TINTS: readonly StyleName[] = ["bidTint", "askTint", "oldTint"];

export interface Theme extends Readonly<Record<StyleName, StyleId>> {
  /** For data not known to be current: without the colours and weight of live data. */
  readonly outdated: Theme;
}

export function themeFor(theme: Theme, state: PaneState): Theme {
  return isCurrent(state) ? theme : theme.outdated;
}

export interface ThemeChoice {
  /** `auto` is dark or light like the terminal; the terminal's own colours until that is known. */
  readonly theme: string;
  readonly ground?: Ground | undefined;
  /** As reported by the terminal; tints that show depth are mixed with it. */
  readonly background?: Color | undefined;
  readonly colours: Colours;
  readonly isRedUp: boolean;
}

export const DEFAULT_THEME: ThemeChoice = {
  theme: "terminal",
  colours: "usual",
  isRedUp: false,
};

const AUTO = "auto";

export const THEME_NAMES: readonly string[] = [AUTO, ...Object.keys(THEMES)];

export interface ResolvedTheme {
  /** Replace the terminal's own colours, which stay where undefined. */
  readonly text: Color | undefined;
  readonly background: Color | undefined;
  readonly styles: Readonly<Record<StyleName, Style>>;
}

const SIXTEEN = 16;

/** Share of the direction's colour in a bar; the rest is background. */
const BAR_SHARE = 0.68;
/** The same for a tint behind digits, which must stay readable. */
const TINT_SHARE = 0.19;

/** Resolves a choice for this colour depth; an unknown theme falls back to the terminal's own colours. */
export function resolveTheme(choice: ThemeChoice, depth: ColorDepth = "truecolor"): ResolvedTheme {
  const base = parseStyle(builtIn(getBase(choice)).base, {}, depth);
  const text = base.color as Color | undefined;
  const background = base.backgroundColor as Color | undefined;
  const roles = resolveRoles(choice, depth, background);
  // Many terminals draw bold text in the dark eight colours as the bright eight, which are hard to see on a bright background.
  const isBoldPale = depth === "ansi16" && background !== undefined && background >= SIXTEEN / 2;
  const styles = Object.fromEntries(
    STYLE_NAMES.map((name) => {
      const style = parseStyle(STYLES[name], roles, depth);
      // A tint has a background or nothing.
      if (TINTS.includes(name) && style.backgroundColor === undefined) return [name, {}];
      return [name, isBoldPale ? { ...style, bold: false } : style];
    }),
  ) as Record<StyleName, Style>;
  return { text, background, styles };
}

function resolveRoles(
  choice: ThemeChoice,
  depth: ColorDepth,
  background: Color | undefined,
): Roles {
  const table = builtIn(getBase(choice));
  const rolesOf = (from: ThemeTable): Roles => {
    const texts = Object.entries(getRoleTexts(from, choice));
    return Object.fromEntries(texts.map(([name, text]) => [name, parseStyle(text, {}, depth)]));
  };
  const named = rolesOf(table);
  const isOwn = isOfTerminal(choice, depth);
  const behind = background ?? (isOwn ? choice.background : undefined);
  // On the terminal's own background, tints come from the theme that resembles it.
  const like = builtIn(choice.ground ?? "dark");
  const tints = isOwn ? rolesOf(like) : named;
  const { heat } = isOwn && behind !== undefined ? like : table;
  return {
    ...named,
    riseBar: getBar(named.rise, background, depth),
    fallBar: getBar(named.fall, background, depth),
    riseTint: getTint(tints.rise, behind, depth),
    fallTint: getTint(tints.fall, behind, depth),
    lineTint: getTint(tints.line, behind, depth),
    ...heatRoles(heat, depth),
    riseGround: heat === undefined ? {} : { backgroundColor: tints.rise?.color },
  };
}

/**
 * The theme for drawing with this table: `mono` if it has no colours. Replaces the base colours of the table from now on
 * where the theme sets them.
 */
export function createTheme(table: StyleTable, choice: ThemeChoice = DEFAULT_THEME): Theme {
  const shown = table.depth === "none" ? { ...choice, theme: "mono" } : choice;
  const { text = -1, background = -1, styles } = resolveTheme(shown, table.depth);
  table.setBase({ foreground: text, background });
  const idsOf = (styleOf: (name: StyleName) => Style) =>
    Object.fromEntries(STYLE_NAMES.map((name) => [name, table.id(styleOf(name))])) as Record<
      StyleName,
      StyleId
    >;
  const outdated = idsOf(
    (name) => styles[LASTING.has(name) ? name : (OLD[name] ?? "dim")],
  ) as Theme;
  Object.assign(outdated, { outdated });
  return { ...idsOf((name) => styles[name]), outdated };
}

function getBase({ theme, ground }: ThemeChoice): string {
  return theme === AUTO ? (ground ?? DEFAULT_THEME.theme) : theme;
}

/**
 * True where the terminal's own background can be tinted: among 256 colours, the nearest would be grey or the background
 * itself.
 */
function isOfTerminal(choice: ThemeChoice, depth: ColorDepth): boolean {
  return depth === "truecolor" && builtIn(getBase(choice)).surrounding === "terminal";
}

function builtIn(name: string) {
  const table = Object.hasOwn(THEMES, name) ? THEMES[name] : THEMES.terminal;
  if (table === undefined) throw new RangeError("there is no built-in theme");
  return table;
}

/** The roles that a style can name, as text. */
function getRoleTexts(table: ThemeTable, { colours, isRedUp }: ThemeChoice) {
  const own = colours === "usual" ? table.direction : undefined;
  const { rise, fall } = own ?? PALETTES[colours][table.surrounding];
  return {
    ...table.roles,
    own: table.roles.accent,
    ...(colours === "usual" ? {} : WITHOUT_HUE),
    good: rise,
    ...(isRedUp ? { rise: fall, fall: rise } : { rise, fall }),
  };
}

/** Empty styles if the theme has no heat colours. */
function heatRoles(heat: HeatTable | undefined, depth: ColorDepth): Roles {
  if (heat === undefined) return Object.fromEntries(HEAT_NAMES.map((name) => [name, {}]));
  const { exact, ofSixteen } = heat;
  const colorOf = (step: number): Color => {
    if (depth === "ansi16") return parseColor(ofSixteen[step - 1] ?? "");
    const place = ((step - 1) * (exact.length - 1)) / (HEAT_STEPS - 1);
    const [before, after] = [exact[Math.floor(place)], exact[Math.ceil(place)]];
    return mixColors(parseColor(after ?? ""), parseColor(before ?? ""), place % 1);
  };
  return Object.fromEntries(
    HEAT_NUMBERS.flatMap((step): [HeatName, Style][] => [
      [`heat${step}`, { color: colorOf(step) }],
      [`heatGround${step}`, { backgroundColor: colorOf(step) }],
    ]),
  );
}

/** A bar stands behind its number, so it is fainter: mixed with the theme's background, or dim on the terminal's own. */
function getBar(style: Style = {}, background: Color | undefined, depth: ColorDepth): Style {
  if (background === undefined || style.color === undefined) return { ...style, dim: true };
  const color = typeof style.color === "string" ? parseColor(style.color) : style.color;
  // The first eight of sixteen colours are the dark versions of the others.
  if (depth === "ansi16" && color < SIXTEEN) return { ...style, color: color % (SIXTEEN / 2) };
  return { ...style, color: mixColors(color, background, BAR_SHARE) };
}

/** A background behind digits; none with sixteen colours, or if the background is the terminal's own. */
function getTint({ color }: Style = {}, background: Color | undefined, depth: ColorDepth): Style {
  if (background === undefined || color === undefined || depth === "ansi16") return {};
  const front = typeof color === "string" ? parseColor(color) : color;
  const tint = mixColors(front, background, TINT_SHARE);
  return { backgroundColor: depth === "ansi256" ? nearestOfHue(tint, front) : tint };
}

/** The user's choice of theme, and the theme resulting from it. */
export class Appearance {
  /** Called when the whole screen must be redrawn because its base colours have changed. */
  onChange: (() => void) | undefined;
  /** Asks the terminal for its background. */
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

  /** The terminal does not say what its background is: with exact colours it is taken for dark. */
  assumeDark(): void {
    if (this.choice.ground === undefined && this.#styles.depth === "truecolor")
      this.change({ ground: "dark" });
  }

  /** Asks only if the theme depends on it. */
  askForBackground(): void {
    const { theme } = this.choice;
    if (theme === AUTO || isOfTerminal(this.choice, this.#styles.depth)) this.onAsk?.();
  }
}

// A style as text: `bold`, `dim cyan`, `#ffaf00 on #202020`, `inverse bad`. A slash precedes the alternative for sixteen
// colours: `#ffaf00 / bold yellow`.

const ATTRIBUTES: ReadonlySet<string> = new Set(["bold", "dim", "italic", "underline", "inverse"]);

type Roles = Readonly<Record<string, Style>>;

/**
 * Parses a style: attributes, roles and at most two colours, the second after `on`. Of two alternatives, returns the one
 * for this depth.
 */
function parseStyle(text: string, roles: Roles, depth: ColorDepth): Style {
  const [exact = "", ofSixteen = exact] = text.split("/");
  let style: Style = {};
  let isBackground = false;
  const words = (depth === "ansi16" ? ofSixteen : exact).split(" ").filter(Boolean);
  for (const word of words) {
    if (isBackground) style = { ...style, backgroundColor: parseColor(word) };
    else if (ATTRIBUTES.has(word)) style = { ...style, [word]: true };
    else if (Object.hasOwn(roles, word)) style = { ...style, ...roles[word] };
    else if (word !== "on") style = { ...style, color: parseColor(word) };
    isBackground = word === "on";
  }
  return style;
}
