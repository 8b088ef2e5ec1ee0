// Colours by measure: every pair that a theme draws, on every depth, and for eyes that tell fewer colours apart.
import { describe, expect, test } from "vitest";
import {
  createTheme,
  resolveTheme,
  STYLE_NAMES,
  type StyleName,
  type ThemeChoice,
  USUAL_THEME,
} from "../../../src/screen/theme/theme.ts";
import { THEMES } from "../../../src/screen/theme/themes.ts";
import {
  type Color,
  DEFAULT_COLOR,
  parseColor,
  reduceColors,
  toRgb,
} from "../../../src/terminal/cells/color.ts";
import { type Style, StyleTable } from "../../../src/terminal/cells/style-table.ts";
import { contrast, type Deficiency, seenDistance } from "../../support/color/contrast.ts";
import { TERMINAL_PALETTES } from "../../support/color/terminal-palettes.ts";

const palettes = ["usual", "deuteranopia", "protanopia", "tritanopia"] as const;
const own = Object.keys(THEMES).filter((name) => THEMES[name]?.base !== "");
const choices: ThemeChoice[] = own.flatMap((theme) =>
  palettes.flatMap((palette) =>
    [false, true].map((isRedUp) => ({ ...USUAL_THEME, theme, palette, isRedUp })),
  ),
);

/** What is drawn, not written: 3 is enough for it. */
const GRAPHICS: readonly StyleName[] = [
  "frame",
  "focusFrame",
  "bidBar",
  "askBar",
  "volume",
  "unfinished",
];

/** Green and red of the terminal: their meaning is told by a sign, a word or a place, too. */
const OF_DIRECTION: readonly StyleName[] = [
  ...(["bid", "ask", "bidStrong", "askStrong", "bidBar", "askBar", "up", "down", "good"] as const),
];

const colorOf = (color: Style["color"]): Color =>
  color === undefined ? DEFAULT_COLOR : typeof color === "string" ? parseColor(color) : color;

/** Text and background of a look as the terminal draws them. */
function drawn(choice: ThemeChoice, name: StyleName, depth: "truecolor" | "ansi256" | "ansi16") {
  const { text = 0, background = 0, looks } = resolveTheme(choice);
  const style = looks[name];
  const front = style.color === undefined ? text : colorOf(style.color);
  const back = style.backgroundColor === undefined ? background : colorOf(style.backgroundColor);
  const pair = reduceColors(front, back, depth).map(toRgb);
  return style.inverse ? pair.reverse() : pair;
}

/** Looks that are harder to read than they may be. */
function tooWeak(choice: ThemeChoice, depth: "truecolor" | "ansi256" | "ansi16"): string[] {
  const text = choice.theme === "high-contrast" && choice.palette === "usual" ? 7 : 4.5;
  return STYLE_NAMES.flatMap((name) => {
    const [front = 0, back = 0] = drawn(choice, name, depth);
    // Of sixteen colours one is a gray that is read on white: labels have no other.
    const isOnlyGray = depth === "ansi16" && name === "dim";
    const least = GRAPHICS.includes(name) || isOnlyGray ? 3 : text;
    return contrast(front, back) < least ? [`${name}: ${contrast(front, back).toFixed(2)}`] : [];
  });
}

describe("themes with colours of their own", () => {
  test.each(choices)(
    "$theme, $palette, red up: $isRedUp: every look is read on its background",
    (choice) => {
      expect(tooWeak(choice, "truecolor")).toEqual([]);
      expect(tooWeak(choice, "ansi256")).toEqual([]);
      expect(tooWeak(choice, "ansi16")).toEqual([]);
    },
  );

  test.each(["dark", "high-contrast"])(
    "%s: what rises is green where there are sixteen colours",
    (theme) => {
      const choice = { ...USUAL_THEME, theme };
      for (const name of ["bid", "up", "good", "bidBar"] as const)
        expect([toRgb(2), toRgb(10)]).toContain(drawn(choice, name, "ansi16")[0]);
      const [bid, ask] = (["bid", "ask"] as const).map((name) => drawn(choice, name, "ansi16")[0]);
      expect(bid).not.toBe(ask);
    },
  );

  test.each(["dark", "light"])("%s: what falls is red where there are sixteen colours", (theme) => {
    for (const name of ["ask", "down", "bad", "askBar"] as const)
      expect([toRgb(1), toRgb(9)]).toContain(drawn({ ...USUAL_THEME, theme }, name, "ansi16")[0]);
  });

  test.each(choices)(
    "$theme, $palette, red up: $isRedUp: no look is dimmed by means that cannot be measured",
    (choice) => {
      for (const style of Object.values(resolveTheme(choice).looks))
        expect(style.dim).not.toBe(true);
    },
  );
});

describe("palettes", () => {
  const deficiencies: readonly Deficiency[] = ["deuteranopia", "protanopia", "tritanopia"];

  test.each(
    deficiencies.flatMap((deficiency) =>
      ["terminal", "dark", "light", "high-contrast"].map((theme) => [deficiency, theme] as const),
    ),
  )("for %s keep buy and sell apart in %s", (deficiency, theme) => {
    const { looks } = resolveTheme({ ...USUAL_THEME, theme, palette: deficiency });
    const [bid, ask] = [looks.bid.color, looks.ask.color].map((each) => toRgb(colorOf(each)));
    expect(seenDistance(bid ?? 0, ask ?? 0, deficiency)).toBeGreaterThan(40);
  });

  test("are needed: the usual green and red come close for eyes without red or green", () => {
    const { looks } = resolveTheme({ ...USUAL_THEME, theme: "light" });
    const [bid, ask] = [looks.bid.color, looks.ask.color].map((each) => toRgb(colorOf(each)));
    const near = Math.min(
      seenDistance(bid ?? 0, ask ?? 0, "deuteranopia"),
      seenDistance(bid ?? 0, ask ?? 0, "protanopia"),
    );
    expect(near).toBeLessThan(40);
  });

  test("change sides where red is up", () => {
    for (const palette of palettes) {
      const green = resolveTheme({ ...USUAL_THEME, palette }).looks;
      const red = resolveTheme({ ...USUAL_THEME, palette, isRedUp: true }).looks;
      expect([red.bid, red.up, red.ask]).toEqual([green.ask, green.down, green.bid]);
    }
  });
});

describe("the terminal's own theme", () => {
  test("names only the terminal's colours, and no background but by inversion", () => {
    const { text, background, looks } = resolveTheme(USUAL_THEME);
    expect([text, background]).toEqual([undefined, undefined]);
    for (const style of Object.values(looks)) {
      expect(style.backgroundColor).toBeUndefined();
      expect(colorOf(style.color)).toBeLessThan(16);
    }
  });

  test.each(
    TERMINAL_PALETTES.flatMap((palette) =>
      [0x000000, 0xffffff].map((background) => [palette.name, background, palette] as const),
    ),
  )(
    "is read on %s's colours on %i, but for green and red of directions as they are there",
    (...row) => {
      const [, background, { usual, bright }] = row;
      const tooPale = STYLE_NAMES.filter((name) => !OF_DIRECTION.includes(name)).flatMap((name) => {
        const { color, bold } = resolveTheme(USUAL_THEME).looks[name];
        // The terminal's own text is as readable as its user has made it.
        if (color === undefined) return [];
        const measured = contrast(
          (bold ? bright : usual)[colorOf(color) - 1] ?? background,
          background,
        );
        return measured < 3 ? [`${name}: ${measured.toFixed(2)}`] : [];
      });
      expect(tooPale).toEqual([]);
    },
  );

  test("has no colour but green and red: yellow and cyan are pale on white", () => {
    const colors = Object.values(resolveTheme(USUAL_THEME).looks).map(({ color }) =>
      colorOf(color),
    );
    const known = [DEFAULT_COLOR, parseColor("green"), parseColor("red")];
    expect(colors.filter((color) => !known.includes(color))).toEqual([]);
  });

  test("tells what is focused, and to be noted from other text without colours", () => {
    const { looks } = resolveTheme(USUAL_THEME);
    expect(looks.focusFrame).not.toEqual(looks.frame);
    const marks = (["text", "notice", "key", "dim"] as const).map((name) => {
      const { color: _, ...attributes } = looks[name];
      return JSON.stringify(attributes);
    });
    expect(new Set(marks).size).toBe(marks.length);
  });

  test("uses neither black, white nor blue, which vanish on one background or the other", () => {
    const vanishing = ["black", "white", "blue", "blackBright", "whiteBright"].map(parseColor);
    for (const style of Object.values(resolveTheme(USUAL_THEME).looks)) {
      expect(vanishing).not.toContain(colorOf(style.color));
    }
  });
});

describe("the theme without colours", () => {
  test("has none, and tells every state that must be told by other means", () => {
    const { looks } = resolveTheme({ ...USUAL_THEME, theme: "mono" });
    for (const style of Object.values(looks)) expect(style.color).toBeUndefined();
    for (const name of ["selection", "badge", "alarm"] as const) {
      expect(looks[name].inverse).toBe(true);
    }
  });
});

describe("a theme of the user's own", () => {
  const custom = {
    mine: { base: "dark", looks: { bid: "bold #ffaa00", base: "#eeeeee on #000020" } },
  };

  test("takes from its base what it does not name", () => {
    const mine = resolveTheme({ ...USUAL_THEME, theme: "mine", custom });
    const { looks } = resolveTheme({ ...USUAL_THEME, theme: "dark" });
    expect(mine.looks.bid).toEqual({ bold: true, color: parseColor("#ffaa00") });
    expect(mine.looks.notice).toEqual(looks.notice);
    expect(mine.background).toBe(parseColor("#000020"));
  });

  test("that does not exist is the terminal's own", () => {
    const styles = new StyleTable();
    expect(createTheme(styles, { ...USUAL_THEME, theme: "constructor" })).toEqual(
      createTheme(styles),
    );
    expect(styles.hasBase).toBe(false);
  });
});
