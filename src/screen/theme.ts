// The styles of the chosen theme, by meaning, and what data look like that are not current.
import { type Color, type ColorDepth, OWN, type StyleId, StyleTable } from "../terminal/style.ts";
import { THEMES, type ThemeName, TONES, type Tone } from "./themes.ts";

export interface ThemeChoice {
  readonly name: ThemeName;
  readonly colours: "usual" | "colour-blind";
  /** The colour of what rises and of what is gained. */
  readonly rising: "green" | "red";
}

export interface Theme {
  readonly styles: StyleTable;
  readonly tones: Readonly<Record<Tone, StyleId>>;
  /** Backgrounds; OWN where the theme has none. */
  readonly gainTint: Color;
  readonly lossTint: Color;
  readonly selectedTint: Color;
  /** Resting size from little to much; empty where there are no colours. */
  readonly heat: readonly Color[];
  /** The row under the cursor: visible without colours, too. */
  select(style: StyleId): StyleId;
  /** For data that are not known to be current: without the colours and the weight of live ones. */
  readonly outdated: Theme;
}

export function createTheme({ name, colours, rising }: ThemeChoice, depth: ColorDepth): Theme {
  const row = THEMES[name];
  const styles = new StyleTable(depth, row.base);
  const isBlind = colours === "colour-blind";
  const pair = isBlind ? row.colourBlind : row.usual;
  const tints = isBlind ? [row.tints.blue, row.tints.orange] : [row.tints.gain, row.tints.loss];
  const [gain, loss] = rising === "green" ? pair : [pair[1], pair[0]];
  const [gainTint = OWN, lossTint = OWN] = rising === "green" ? tints : tints.toReversed();
  const looks = { ...row.tones, plain: {}, gain, loss };
  const tones = Object.fromEntries(TONES.map((tone) => [tone, styles.id(looks[tone])])) as Record<
    Tone,
    StyleId
  >;
  const selectedTint = depth === "none" ? OWN : row.tints.selected;
  const select = (style: StyleId) =>
    selectedTint === OWN ? styles.with(style, { inverse: true }) : styles.on(style, selectedTint);
  const heat = depth === "none" ? [] : row.heat;
  const lasting = { styles, selectedTint, heat, select };
  const { dim, frame, notice, bad, stale, accent, key } = tones;
  const outdated: Theme = {
    ...lasting,
    tones: { ...allOf(dim), frame, notice, bad, stale, accent, key },
    gainTint: OWN,
    lossTint: OWN,
    get outdated() {
      return outdated;
    },
  };
  return { ...lasting, tones, gainTint, lossTint, outdated };
}

function allOf(style: StyleId): Record<Tone, StyleId> {
  return Object.fromEntries(TONES.map((tone) => [tone, style])) as Record<Tone, StyleId>;
}

/** The theme named `auto`: as the terminal's ground is; if it does not say, by whether it has exact colours. */
export function autoTheme(isDark: boolean | undefined, depth: ColorDepth): ThemeName {
  if (isDark === undefined) return depth === "truecolor" ? "dark" : "terminal";
  return isDark ? "dark" : "light";
}
