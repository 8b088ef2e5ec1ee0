// Colours by measure: every pair that a theme draws, on every depth, and for eyes that tell fewer colours apart.
import { describe, expect, test } from "vitest";
import {
  Appearance,
  createTheme,
  DEFAULT_THEME,
  resolveTheme as resolveAnew,
  STYLE_NAMES,
  type StyleName,
  type ThemeChoice,
} from "../../../src/screen/theme/theme.ts";
import { THEMES } from "../../../src/screen/theme/themes.ts";
import {
  type Color,
  DEFAULT_COLOR,
  parseColor,
  reduceColors,
  rgb,
  toRgb,
} from "../../../src/terminal/cells/color.ts";
import { type Style, StyleTable } from "../../../src/terminal/cells/style-table.ts";
import { contrast, type Deficiency, seenDistance } from "../../support/color/contrast.ts";
import {
  SOLARIZED,
  TERMINAL_PALETTES,
  type TerminalPalette,
} from "../../support/color/terminal-palettes.ts";

/** A picture, of which nothing is read: its steps have a test of their own. */
const HEAT = STYLE_NAMES.filter((name) => name.startsWith("heat") || name === "bidGround");

/** Each choice is looked at in many ways. */
type Resolved = ReturnType<typeof resolveAnew>;
const resolved = new WeakMap<ThemeChoice, Map<Depth, Resolved>>();
function resolveTheme(choice: ThemeChoice, depth: Depth = "truecolor"): Resolved {
  const depths = resolved.get(choice) ?? new Map<Depth, Resolved>();
  resolved.set(choice, depths);
  const found = depths.get(depth) ?? resolveAnew(choice, depth);
  depths.set(depth, found);
  return found;
}

const palettes = ["usual", "colour-blind"] as const;
const own = Object.keys(THEMES).filter((name) => THEMES[name]?.base !== "");
const choices: ThemeChoice[] = own.flatMap((theme) =>
  palettes.flatMap((colours) =>
    [false, true].map((isRedUp) => ({ ...DEFAULT_THEME, theme, colours, isRedUp })),
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

const DEPTHS = ["truecolor", "ansi256", "ansi16"] as const;
type Depth = (typeof DEPTHS)[number];

/** The terminal's green, which is pale on white: its meaning is told by a sign, a word or a place, too. */
const GREENS: readonly StyleName[] = ["bid", "bidStrong", "bidBar", "up", "good"];

const colorOf = (color: Style["color"]): Color =>
  color === undefined ? DEFAULT_COLOR : typeof color === "string" ? parseColor(color) : color;

/**
 * Text and background of a look as a terminal of this palette draws them.
 * @param isBoldBright bold text of the dark eight is drawn in the bright eight, as many do
 */
function drawn(
  choice: ThemeChoice,
  name: StyleName,
  depth: Depth,
  { colors }: Pick<TerminalPalette, "colors"> = { colors: [] },
  isBoldBright = false,
) {
  const { text: usual = 0, background = 0, styles } = resolveTheme(choice, depth);
  const style = styles[name];
  const front = style.color === undefined ? usual : colorOf(style.color);
  const back = style.backgroundColor === undefined ? background : colorOf(style.backgroundColor);
  const [text, ground] = reduceColors(front, back, depth);
  const shown = isBoldBright && style.bold === true && text < 8 ? text + 8 : text;
  const pair = [shown, ground].map((color) => colors[color] ?? toRgb(color));
  return style.inverse ? pair.reverse() : pair;
}

/** Looks that are harder to read than they may be. */
function tooWeak(
  choice: ThemeChoice,
  depth: Depth,
  leastOf: (name: StyleName) => number,
  palette?: TerminalPalette,
): string[] {
  return STYLE_NAMES.filter((name) => !HEAT.includes(name)).flatMap((name) => {
    const measured = Math.min(
      ...[false, true].map((isBoldBright) => {
        const [front = 0, back = 0] = drawn(choice, name, depth, palette, isBoldBright);
        return contrast(front, back);
      }),
    );
    return measured < leastOf(name) ? [`${name}: ${measured.toFixed(2)}`] : [];
  });
}

/** Of sixteen colours only one is a gray, and green on white is as pale as its terminal has made it. */
function leastOfSixteen({ theme, isRedUp }: ThemeChoice, name: StyleName): number {
  const greens = isRedUp ? ["ask", "askStrong", "askBar", "down", "good"] : GREENS;
  if (theme === "light" && greens.includes(name)) return 2.1;
  return name === "dim" || GRAPHICS.includes(name) ? 2.7 : 4.3;
}

describe("the steps of the heatmap", () => {
  const steps = HEAT.filter((name) => name.startsWith("heat") && !name.startsWith("heatGround"));
  /** From the background on, by how far each is from it. */
  const contrasts = (choice: ThemeChoice, depth: Depth) =>
    steps.map((name) => {
      const [front = 0, back = 0] = drawn(choice, name, depth);
      return contrast(front, back);
    });

  test.each(choices)(
    "$theme, $colours, red up: $isRedUp: each is further from the background than the one before",
    (choice) => {
      for (const depth of ["truecolor", "ansi256"] as const) {
        const found = contrasts(choice, depth);
        expect([depth, ...found]).toEqual([depth, ...[...found].sort((a, b) => a - b)]);
        expect(found[0]).toBeGreaterThan(1.05);
        expect(found.at(-1)).toBeGreaterThan(10);
      }
      expect(new Set(contrasts(choice, "truecolor")).size).toBe(8);
    },
  );

  test.each(own)("%s: of sixteen colours are eight, and none of buy and sell", (theme) => {
    const { styles } = resolveTheme({ ...DEFAULT_THEME, theme }, "ansi16");
    const colors = steps.map((name) => styles[name].color);
    expect(new Set(colors).size).toBe(8);
    expect(colors).not.toContain(styles.bid.color);
    expect(colors).not.toContain(styles.ask.color);
  });

  test("are backgrounds in the same colours", () => {
    const { styles } = resolveTheme({ ...DEFAULT_THEME, theme: "dark" });
    expect(styles.heatGround3).toEqual({ backgroundColor: styles.heat3.color });
    expect(resolveTheme({ ...DEFAULT_THEME, theme: "mono" }).styles.heat3).toEqual({});
  });
});

describe("themes with colours of their own", () => {
  test.each(choices)(
    "$theme, $colours, red up: $isRedUp: every look is read on its background, and dimmed by colour alone",
    (choice) => {
      const text = choice.theme === "high-contrast" && choice.colours === "usual" ? 7 : 4.5;
      const leastOf = (name: StyleName) => (GRAPHICS.includes(name) ? 3 : text);
      expect(tooWeak(choice, "truecolor", leastOf)).toEqual([]);
      expect(tooWeak(choice, "ansi256", leastOf)).toEqual([]);
      // How a terminal dims cannot be measured.
      for (const { dim } of Object.values(resolveTheme(choice).styles)) expect(dim).not.toBe(true);
    },
  );

  test.each(TERMINAL_PALETTES.slice(0, 4))(
    "are read in the sixteen colours of $name",
    (palette) => {
      for (const choice of choices) {
        const weak = tooWeak(choice, "ansi16", (name) => leastOfSixteen(choice, name), palette);
        expect(weak, JSON.stringify(choice)).toEqual([]);
      }
    },
  );

  test.each(own)("%s names the colour of sixteen for each of its styles itself", (theme) => {
    for (const choice of choices.filter((each) => each.theme === theme)) {
      const { text, background, styles } = resolveTheme(choice, "ansi16");
      const named = [text, background, ...Object.values(styles).map(({ color }) => colorOf(color))];
      for (const color of named) expect(color).toBeLessThan(16);
    }
  });

  test("keep their hue among 256: the dark green of light is no teal", () => {
    const [bid] = drawn({ ...DEFAULT_THEME, theme: "light" }, "bid", "ansi256");
    expect(bid).toBe(0x005f00);
  });

  test.each(own)("%s: what rises is green and what falls red in sixteen colours", (theme) => {
    const choice = { ...DEFAULT_THEME, theme };
    for (const name of ["bid", "up", "good", "bidBar"] as const)
      expect([toRgb(2), toRgb(10)]).toContain(drawn(choice, name, "ansi16")[0]);
    for (const name of ["ask", "down", "bad", "askBar"] as const)
      expect([toRgb(1), toRgb(9)]).toContain(drawn(choice, name, "ansi16")[0]);
  });
});

/** Hue in degrees; undefined of a gray, and of what is told by reverse, which is no hue. */
function hueOf(choice: ThemeChoice, name: StyleName, depth: Depth, palette: TerminalPalette) {
  if (resolveTheme(choice, depth).styles[name].inverse === true) return undefined;
  const [front = 0, back = 0] = drawn(choice, name, depth, palette);
  // Text on a coloured ground has the hue of that.
  return hueOfRgb(front) ?? hueOfRgb(back);
}

function hueOfRgb(rgb: number): number | undefined {
  const [red = 0, green = 0, blue = 0] = [rgb >> 16, (rgb >> 8) & 255, rgb & 255];
  const [most, least] = [Math.max(red, green, blue), Math.min(red, green, blue)];
  if (most - least < 48) return undefined;
  const span = most - least;
  let sixth = (green - blue) / span;
  if (most === green) sixth = 2 + (blue - red) / span;
  else if (most === blue) sixth = 4 + (red - green) / span;
  return (sixth * 60 + 360) % 360;
}

describe("tints behind digits", () => {
  const OVER = {
    bidTint: ["bid", "bidStrong", "text", "strong", "dim"],
    askTint: ["ask", "askStrong", "text", "strong", "dim"],
    oldTint: ["dim"],
  } as const satisfies Partial<Record<StyleName, readonly StyleName[]>>;
  const tints = Object.keys(OVER) as (keyof typeof OVER)[];

  /** Contrast of each look on each tint, and of the tint and the usual background. */
  const onTints = (choice: ThemeChoice, depth: "truecolor" | "ansi256") => {
    const { text = 0, background = 0, styles } = resolveTheme(choice, depth);
    return tints.flatMap((tint) =>
      OVER[tint].map((name) => {
        const under = colorOf(styles[tint].backgroundColor);
        const front = styles[name].color === undefined ? text : colorOf(styles[name].color);
        const [shown, ground] = reduceColors(front, under, depth);
        const isSeen = ground !== reduceColors(text, background, depth)[1];
        return {
          name: `${depth} ${name} on ${tint}`,
          isSeen,
          of: contrast(toRgb(shown), toRgb(ground)),
        };
      }),
    );
  };

  test.each(choices)(
    "$theme, $colours, red up: $isRedUp: are seen, and every digit on them is read",
    (choice) => {
      const all = [...onTints(choice, "truecolor"), ...onTints(choice, "ansi256")];
      expect(all.filter(({ isSeen, of }) => !isSeen || of < 3.9)).toEqual([]);
    },
  );

  /** Buy, sell and old, as they are drawn. */
  const tonesOf = (choice: ThemeChoice, depth: Depth = "truecolor") => {
    const { styles } = resolveTheme(choice, depth);
    return tints.map((tint) => {
      const [, shown] = reduceColors(0, colorOf(styles[tint].backgroundColor), depth);
      return toRgb(shown);
    });
  };
  const redLessGreen = (color: number) => (color >> 16) - ((color >> 8) & 255);

  test("are of the sides of the book, and grey where data are not of now", () => {
    for (const choice of choices.filter(({ colours }) => colours === "usual")) {
      const [bid = 0, ask = 0, old = 0] = tonesOf(choice);
      expect(seenDistance(bid, ask, undefined)).toBeGreaterThan(15);
      expect(seenDistance(bid, old, undefined)).toBeGreaterThan(6);
      expect(seenDistance(ask, old, undefined)).toBeGreaterThan(6);
    }
  });

  test("are green and red, not grey, with 256 colours, too", () => {
    for (const theme of own) {
      const tones = tonesOf({ ...DEFAULT_THEME, theme }, "ansi256").map(redLessGreen);
      expect(tones.map(Math.sign), theme).toEqual([-1, 1, 0]);
    }
  });

  test.each([
    ["dark", rgb(0, 0, 0), false],
    ["dark", rgb(30, 30, 46), true],
    ["light", rgb(255, 255, 255), true],
    ["light", rgb(253, 246, 227), false],
  ] as const)(
    "are of the terminal's own background as soon as it has said what that is: %s, %i, red up: %s",
    (ground, background, isRedUp) => {
      const choice = { ...DEFAULT_THEME, isRedUp, ground, background };
      const { styles } = resolveTheme(choice);
      const tones = tonesOf(choice);
      const [bid = 0, ask = 0] = tones.map(redLessGreen);
      expect(Math.sign(ask - bid)).toBe(isRedUp ? -1 : 1);
      // Seen, and nearly as easy to read on as the background itself.
      for (const tone of tones) {
        expect(contrast(tone, toRgb(background))).toBeLessThan(1.6);
        expect(contrast(tone, toRgb(background))).toBeGreaterThan(1.05);
      }
      // Text, bars and all else stay the terminal's own.
      const { styles: before } = resolveTheme({ ...DEFAULT_THEME, isRedUp });
      const others = STYLE_NAMES.filter((name) => !name.endsWith("Tint") && !HEAT.includes(name));
      expect(others.map((name) => styles[name])).toEqual(others.map((name) => before[name]));
      expect(styles.heat8).toEqual(resolveTheme({ ...choice, theme: ground }).styles.heat8);
      expect(before.heat8).toEqual({});
      expect(resolveTheme(choice, "ansi256").styles.bidTint).toEqual({});
      expect(resolveTheme({ ...choice, theme: "mono" }).styles.bidTint).toEqual({});
    },
  );

  test.each(["terminal", "mono"])("are none in %s, and none in sixteen colours", (theme) => {
    for (const tint of tints) {
      expect(resolveTheme({ ...DEFAULT_THEME, theme }).styles[tint]).toEqual({});
      expect(resolveTheme({ ...DEFAULT_THEME, theme: "dark" }, "ansi16").styles[tint]).toEqual({});
    }
  });
});

describe("what must not be confused stays apart by hue", () => {
  const PAIRS: readonly (readonly [StyleName, StyleName])[] = [
    ["bid", "ask"],
    ["up", "down"],
    ["bidBar", "askBar"],
    ["good", "stale"],
    ["good", "offline"],
    ["own", "bid"],
    ["own", "ask"],
    // A sign of old data never has a colour of buy or sell.
    ["stale", "bid"],
    ["stale", "ask"],
    ["offline", "bid"],
    ["offline", "ask"],
  ];
  const everyTheme = [
    ...choices,
    ...palettes.map((colours) => ({ ...DEFAULT_THEME, colours })),
  ].flatMap((choice) => DEPTHS.map((depth) => ({ ...choice, depth })));

  test.each(everyTheme)("in $theme, $colours, red up: $isRedUp, $depth", ({ depth, ...choice }) => {
    for (const palette of TERMINAL_PALETTES.slice(0, 4)) {
      const near = PAIRS.flatMap(([one, other]) => {
        const hues = [one, other].map((name) => hueOf(choice, name, depth, palette));
        const [a, b] = hues;
        // A hue and none are apart; two without one must differ by reverse.
        if ((a === undefined) !== (b === undefined)) return [];
        const turn = Math.abs((a ?? 0) - (b ?? 0));
        return Math.min(turn, 360 - turn) >= 25
          ? []
          : [`${one}, ${other}: ${hues} ${palette.name}`];
      });
      expect(near).toEqual([]);
    }
  });
});

/** Buy and sell, as far apart as they are seen. */
function sidesApart(choice: Partial<ThemeChoice>, deficiency: Deficiency): number {
  const { bid, ask } = resolveTheme({ ...DEFAULT_THEME, ...choice }).styles;
  const [bought, sold] = [bid, ask].map(({ color }) => toRgb(colorOf(color)));
  return seenDistance(bought ?? 0, sold ?? 0, deficiency);
}

describe("colours for the colour-blind", () => {
  const deficiencies: readonly Deficiency[] = ["deuteranopia", "protanopia", "tritanopia"];

  test.each(
    deficiencies.flatMap((deficiency) =>
      ["terminal", "dark", "light", "high-contrast"].map((theme) => [deficiency, theme] as const),
    ),
  )("for eyes with %s keep buy and sell apart in %s", (deficiency, theme) => {
    expect(sidesApart({ theme, colours: "colour-blind" }, deficiency)).toBeGreaterThan(40);
  });

  test("are needed: the usual green and red come close for eyes without red or green", () => {
    const near = Math.min(
      sidesApart({ theme: "light" }, "deuteranopia"),
      sidesApart({ theme: "light" }, "protanopia"),
    );
    expect(near).toBeLessThan(40);
  });

  test("change sides where red is up", () => {
    for (const colours of palettes) {
      const green = resolveTheme({ ...DEFAULT_THEME, colours }).styles;
      const red = resolveTheme({ ...DEFAULT_THEME, colours, isRedUp: true }).styles;
      expect([red.bid, red.up, red.ask]).toEqual([green.ask, green.down, green.bid]);
    }
  });
});

describe("the terminal's own theme", () => {
  test("names green and red only, yellow and cyan being pale on white, and no background but by inversion", () => {
    const { text, background, styles } = resolveTheme(DEFAULT_THEME);
    expect([text, background]).toEqual([undefined, undefined]);
    const known = [DEFAULT_COLOR, parseColor("green"), parseColor("redBright")];
    for (const style of Object.values(styles)) {
      expect(style.backgroundColor).toBeUndefined();
      expect(known).toContain(colorOf(style.color));
    }
  });

  test.each(
    [...TERMINAL_PALETTES, SOLARIZED].flatMap((palette) =>
      [0x000000, 0xffffff].map((background) => [palette.name, background, palette] as const),
    ),
  )("is read on %s's colours on %i, red on black too, but for green as it is there", (...row) => {
    const [, background, { colors }] = row;
    const tooPale = STYLE_NAMES.filter((name) => !GREENS.includes(name)).flatMap((name) => {
      const { color, bold } = resolveTheme(DEFAULT_THEME).styles[name];
      // The terminal's own text is as readable as its user has made it.
      if (color === undefined) return [];
      const shown = bold ? (colorOf(color) % 8) + 8 : colorOf(color);
      const measured = contrast(colors[shown] ?? background, background);
      return measured < 3 ? [`${name}: ${measured.toFixed(2)}`] : [];
    });
    expect(tooPale).toEqual([]);
  });

  test("sets what is focused, and to be noted, apart from other text without colours", () => {
    const { styles } = resolveTheme(DEFAULT_THEME);
    expect(styles.focusFrame).not.toEqual(styles.frame);
    const marks = (["text", "notice", "key", "dim"] as const).map((name) => {
      const { color: _, ...attributes } = styles[name];
      return JSON.stringify(attributes);
    });
    expect(new Set(marks).size).toBe(marks.length);
  });
});

describe("the theme auto", () => {
  test("is the terminal's own until it has said what it is, then dark or light", () => {
    const auto = { ...DEFAULT_THEME, theme: "auto" };
    expect(resolveTheme(auto)).toEqual(resolveTheme(DEFAULT_THEME));
    for (const ground of ["dark", "light"] as const)
      expect(resolveTheme({ ...auto, ground })).toEqual(
        resolveTheme({ ...DEFAULT_THEME, theme: ground }),
      );
  });

  test("is dark where the terminal has exact colours and does not say what it is", () => {
    const auto = { ...DEFAULT_THEME, theme: "auto" };
    const silent = (depth: Depth) => {
      const appearance = new Appearance(new StyleTable(depth), auto);
      appearance.assumeDark();
      return appearance.choice.ground;
    };
    expect(DEPTHS.map(silent)).toEqual(["dark", undefined, undefined]);
  });

  test("asks the terminal when it is chosen, and not again for its answer", () => {
    const appearance = new Appearance(new StyleTable(), DEFAULT_THEME);
    let asked = 0;
    appearance.onAsk = () => asked++;
    // Its own theme tints its background.
    appearance.askForBackground();
    appearance.change({ theme: "auto" });
    expect(asked).toBe(2);
    appearance.change({ ground: "light", background: rgb(250, 250, 250) });
    appearance.change({ theme: "dark" });
    expect(asked).toBe(2);
  });
});

describe("the theme without colours", () => {
  test("has none, and tells every state that must be told by other means", () => {
    const { styles } = resolveTheme({ ...DEFAULT_THEME, theme: "mono" });
    for (const style of Object.values(styles)) expect(style.color).toBeUndefined();
    for (const name of ["selection", "badge", "alarm"] as const) {
      expect(styles[name].inverse).toBe(true);
    }
  });
});

test("a theme that does not exist is the terminal's own", () => {
  const styles = new StyleTable();
  expect(createTheme(styles, { ...DEFAULT_THEME, theme: "constructor" })).toEqual(
    createTheme(styles),
  );
  expect(styles.hasBase).toBe(false);
});
