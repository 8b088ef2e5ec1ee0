import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkConfig, configText, parseConfig } from "../../../src/cli/config/config-file.ts";
import { CONFIG_SECTIONS } from "../../../src/cli/config/config-keys.ts";

const faults = (text: string) => checkConfig(text).problems;

/** The file with every key set to its example. */
const everythingSet = () => configText().replaceAll(/^#(?=[^# ])/gm, "");

describe("config check", () => {
  test("names every problem by its key", () => {
    const text = [
      'ws_urll = "x"',
      "interval = 5",
      "[profiles.a]",
      'headers = { a = 1, b = "x" }',
      '[markets."perp/x"]',
      'tick_size = "1"',
      'lot_size = "1"',
      "[markets.'perp/1']",
      '  tick_size = "1e-2"',
    ].join("\n");
    expect(faults(text)).toEqual([
      "interval: expected string, received number",
      "profiles.a.headers.a: expected string, received number",
      'markets.perp/x: expected a market, such as "perp/1"',
      'markets.perp/1.tick_size: expected decimal text above zero, such as "0.01"',
      "markets.perp/1.lot_size: is missing",
      "ws_urll: unknown key; did you mean ws_url?",
    ]);
  });

  test("names the place where a text is no TOML", () => {
    expect(faults('a = 1\nb = "')).toEqual([expect.stringMatching(/^2:\d+: /)]);
  });

  test.each([
    ['theme = "drak"', "theme: expected one of "],
    ['time_zone = "Mars"', "time_zone: expected local, UTC, or"],
    ['[[alerts]]\nwhen = "perp/1 lats > 5"', "alerts.0.when: "],
    ['[dialect]\nlists = { ordesr = "whole" }', "dialect.lists.ordesr: unknown key"],
    ['[dialect]\ncursor.trades = "id"', "dialect.cursor.trades: expected one of "],
    ['[dialect.names]\norderSizes = ["sz"]', "dialect.names.orderSizes: "],
  ])("%j is no config", (text, problem) => {
    expect(faults(text)).toEqual([expect.stringContaining(problem)]);
  });

  test("is a config or problems, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 80 }), (text) => {
        const { config, problems } = checkConfig(text);
        expect(config === undefined).toBe(problems.length > 0);
      }),
    );
  });

  test("stops a run with the first problem, and says how to see the others", () => {
    expect(() => parseConfig("a = 1\nb = 2", "c.toml")).toThrow(/^c\.toml: a: unknown key/);
  });
});

describe("config print", () => {
  test("writes a file in which nothing is set", () => {
    expect(checkConfig(configText())).toEqual({ config: {}, problems: [] });
  });

  test("writes every key with an example that is right", () => {
    const text = everythingSet();
    expect(faults(text)).toEqual([]);
    for (const { options } of CONFIG_SECTIONS) {
      for (const name of Object.keys(options)) expect(text).toContain(`\n${name} = `);
    }
  });
});
