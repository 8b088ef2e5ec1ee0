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
    expect(settle({}, {})).toMatchObject({
      theme: { theme: "auto", colours: "usual", isRedUp: false },
      isAscii: false,
      hasMouse: true,
    });
    const config = {
      theme: "light",
      colours: "colour-blind",
      rising: "red",
      ascii: true,
      mouse: false,
    } as const;
    const { theme, ...rest } = settle({}, config);
    expect(theme).toMatchObject({ theme: "light", colours: "colour-blind", isRedUp: true });
    expect(rest).toMatchObject({ isAscii: true, hasMouse: false });
    expect(settle({ theme: "dark" }, config).theme.theme).toBe("dark");
  });

  test("name all themes that there are", () => {
    expect(() => settle({ theme: "drak" }, {})).toThrow('--theme cannot be "drak"');
    expect(faults('theme = "darkk"')).toEqual(["1:1 theme: unknown theme; did you mean dark?"]);
  });
});
