import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkConfig, configText, parseConfig } from "../../../src/cli/config/config-file.ts";
import { CONFIG_SECTIONS } from "../../../src/cli/config/config-keys.ts";

const faults = (text: string) => checkConfig(text).problems;

/** The file with every key set to its example. */
const everythingSet = () => configText().replaceAll(/^#(?=[^# ])/gm, "");

describe("config check", () => {
  test("names every problem by line, column and key, in the order of the file", () => {
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
      "1:1: ws_urll: unknown key; did you mean ws_url?",
      expect.stringMatching(/^2:1: interval: expected one of "1m"/),
      "4:1: profiles.a.headers.a: expected string, received number",
      '5:1: markets.perp/x: expected a market, such as "perp/1"',
      "8:1: markets.perp/1.lot_size: is missing",
      '9:3: markets.perp/1.tick_size: expected decimal text above zero, such as "0.01"',
    ]);
  });

  test("ignores the keys of earlier versions, and says what to use instead", () => {
    const text = [
      "money_decimals = 3",
      'theme = "mine"',
      "red_up = true",
      'palette = "tritanopia"',
      "numbers = 'plain'",
      "[words]",
      'ended = ["zonk"]',
      "[fields]",
      "equity = 1",
      "[keys]",
      'interval = "I"',
      "[themes.mine]",
      'base = "dark"',
      "[profiles.a]",
      "audit = false",
      'ws_url = "wss://a.example"',
    ].join("\n");
    const { config, problems, removed } = checkConfig(text);
    expect(config).toEqual({
      numbers: "plain",
      profiles: { a: { ws_url: "wss://a.example" } },
    });
    expect(problems).toEqual([]);
    expect(removed).toEqual([
      "1:1: money_decimals: this key is gone",
      '3:1: red_up: this key is gone; instead: rising = "green" or "red"',
      '4:1: palette: this key is gone; instead: colours = "usual" or "colour-blind"',
      "6:1: words: this key is gone; instead: [dialect]",
      "8:1: fields: this key is gone; instead: [dialect]",
      "10:1: keys: this key is gone",
      "12:1: themes: this key is gone; instead: theme, with a built-in one",
      "15:1: profiles.a.audit: this key is gone",
    ]);
  });

  test("names the place where a text is no TOML", () => {
    expect(faults('a = 1\nb = "')).toEqual([expect.stringMatching(/^2:\d+: /)]);
  });

  test.each([
    ['ws_url = "http://x"', "1:1: ws_url: not such an address: http://x; expected: "],
    ['base_url = "https://x?a=1"', "1:1: base_url: has a query; expected: "],
    ['[headers]\n"X Y" = "1"', '2:1: headers.X Y: not of the form Name = "value"'],
    ['theme = "drak"', "1:1: theme: expected one of "],
    ['time_zone = "Mars"', "1:1: time_zone: no such time zone"],
    ['[[alerts]]\nwhen = "perp/1 lats > 5"', "2:1: alerts.0.when: "],
    ['[dialect]\nlists = { ordesr = "whole" }', "2:1: dialect.lists.ordesr: unknown key"],
    ['[dialect]\ncursor.trades = "id"', "2:1: dialect.cursor.trades: expected one of "],
    ['[dialect.names]\norderSizes = ["sz"]', "2:1: dialect.names.orderSizes: "],
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
    expect(() => parseConfig("a = 1\nb = 2", "c.toml")).toThrow(/^c\.toml:1:1: a: unknown key/);
  });
});

describe("config print", () => {
  test("writes a file in which nothing is set", () => {
    expect(checkConfig(configText())).toEqual({ config: {}, problems: [], removed: [] });
  });

  test("writes every key with an example that is right", () => {
    const text = everythingSet();
    expect(faults(text)).toEqual([]);
    for (const { options } of CONFIG_SECTIONS) {
      for (const name of Object.keys(options)) expect(text).toContain(`\n${name} = `);
    }
  });
});

test("a line of a text of several lines that looks like a key is none", () => {
  expect(faults('a = """\nb = 1"""\nb = 2')).toEqual([
    "1:1: a: unknown key; see monitor config print",
    "3:1: b: unknown key; see monitor config print",
  ]);
});
