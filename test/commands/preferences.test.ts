import { describe, expect, test } from "vitest";
import type { Options } from "../../src/args/context.ts";
import { CONFIG_RULES } from "../../src/commands/config-rules.ts";
import { resolvePreferences } from "../../src/commands/preferences.ts";
import { type Config, checkConfig } from "../../src/config/config-file.ts";

const settle = (options: Options, config: Config) =>
  resolvePreferences({ options, env: {} }, config);

const faults = (text: string) =>
  checkConfig(text, CONFIG_RULES).problems.map(
    ({ at, key, message }) => `${at?.line}:${at?.column} ${key}: ${message}`,
  );

describe("preferences", () => {
  test("come from the option before the config file", () => {
    const config = { theme: "light", palette: "tritanopia", ascii: true, red_up: true } as const;
    expect(settle({}, {})).toMatchObject({
      theme: { theme: "terminal", palette: "usual", isRedUp: false },
      isAscii: false,
    });
    expect(settle({}, config)).toMatchObject({
      theme: { theme: "light", palette: "tritanopia", isRedUp: true },
      isAscii: true,
    });
    expect(settle({ theme: "dark", palette: "usual" }, config).theme).toMatchObject({
      theme: "dark",
      palette: "usual",
    });
  });

  test("know the themes of the config file, and name all that there are", () => {
    expect(settle({ theme: "mine" }, { themes: { mine: {} } }).theme.theme).toBe("mine");
    expect(() => settle({ theme: "drak" }, {})).toThrow('--theme cannot be "drak"');
    expect(() => settle({ palette: "x" }, {})).toThrow("--palette cannot be");
  });
});

describe("a theme in the config file", () => {
  test("can have a palette that there is, as --palette can", () => {
    expect(faults('palette = "protanopia"')).toEqual([]);
    expect(faults('palette = "x"')).toEqual([
      "1:1 palette: unknown palette; there are: usual, deuteranopia, protanopia, tritanopia",
    ]);
  });

  test("is refused where it names what does not exist, at its place", () => {
    const text = [
      'theme = "darkk"',
      "[themes.mine]",
      'base = "lihgt"',
      'looks = { bid = "bold #12345", bidd = "red", ask = "inverse fall", base = "1 on 2" }',
    ].join("\n");
    expect(faults(text)).toEqual([
      "1:1 theme: unknown theme; did you mean dark?",
      "3:1 themes.mine.base: unknown built-in theme; did you mean light?",
      expect.stringMatching(/^4:1 themes\.mine\.looks\.bid: #12345 is no colour/),
      "4:1 themes.mine.looks.bidd: unknown look; did you mean bid?",
    ]);
  });
});
