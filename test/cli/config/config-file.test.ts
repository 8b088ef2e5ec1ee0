import fc from "fast-check";
import { stringify } from "smol-toml";
import { describe, expect, test } from "vitest";
import {
  checkConfig,
  configText,
  formatProblem,
  parseConfig,
} from "../../../src/cli/config/config-file.ts";
import { CONFIG_SECTIONS } from "../../../src/cli/config/config-keys.ts";

const faults = (text: string) =>
  checkConfig(text).problems.map((problem) => formatProblem("c.toml", problem));

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
      "c.toml:1:1: ws_urll: unknown key; did you mean ws_url?",
      expect.stringMatching(/^c\.toml:2:1: interval: expected one of "1m"/),
      "c.toml:4:1: profiles.a.headers.a: expected string, received number",
      'c.toml:5:1: markets.perp/x: expected a market, such as "perp/1"',
      "c.toml:8:1: markets.perp/1.lot_size: is missing",
      'c.toml:9:3: markets.perp/1.tick_size: expected decimal text above zero, such as "0.01"',
    ]);
  });

  test("names the known keys where an unknown one is near none of them", () => {
    expect(faults("[profiles.a]\ncolour = 1")).toEqual([
      "c.toml:2:1: profiles.a.colour: unknown key; there are: ws_url, base_url, headers, rest_rate",
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
    expect(removed.map((each) => formatProblem("c.toml", each))).toEqual([
      "c.toml:1:1: money_decimals: this key is gone",
      'c.toml:3:1: red_up: this key is gone; instead: rising = "green" or "red"',
      'c.toml:4:1: palette: this key is gone; instead: colours = "usual" or "colour-blind"',
      "c.toml:6:1: words: this key is gone; instead: [dialect]",
      "c.toml:8:1: fields: this key is gone; instead: [dialect]",
      "c.toml:10:1: keys: this key is gone",
      "c.toml:12:1: themes: this key is gone; instead: theme, with a built-in one",
      "c.toml:15:1: profiles.a.audit: this key is gone",
    ]);
  });

  test("names the place where a text is no TOML", () => {
    expect(faults('a = 1\nb = "')).toEqual([expect.stringMatching(/^c\.toml:2:\d+: /)]);
  });

  test("names what only others can judge, at the place of its key", () => {
    const rule = () => [{ path: ["aliases", "b"], message: "no such thing" }];
    expect(checkConfig('[aliases]\na = "1"\nb = "2"', [rule]).problems).toEqual([
      { key: "aliases.b", message: "no such thing", at: { line: 3, column: 1 } },
    ]);
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

  test("covers every key that the check knows", () => {
    const known = faults("no_such_key_at_all = 1")[0]
      ?.replace(/.*there are: /, "")
      .split(", ");
    const text = everythingSet();
    for (const name of known ?? ["none"]) {
      expect(text).toMatch(new RegExp(`^(?:${name} = |\\[+${name}[.\\]])`, "m"));
    }
  });
});

describe("the position of a key", () => {
  const name = fc.stringMatching(/^[a-z .\x27#=]{1,8}$/);
  const leaf = fc.oneof(fc.integer(), fc.boolean(), fc.stringMatching(/^[ -~]{0,12}$/));
  const table = fc.dictionary(name, leaf, { maxKeys: 4 });
  const list = fc.array(fc.dictionary(name, leaf, { minKeys: 1 }), { minLength: 1, maxLength: 3 });
  const root = fc.dictionary(name, fc.oneof(leaf, table, list), { minKeys: 1, maxKeys: 5 });

  test("is that of a line that names it, or of the table around it", () => {
    fc.assert(
      fc.property(root, (value) => {
        const text = stringify(value);
        for (const path of leavesOf(value)) {
          const rule = () => [{ path, message: "" }];
          const { problems } = checkConfig(text, [rule]);
          const at = problems[0]?.at;
          if (at === undefined || problems[0]?.message !== "") continue;
          expect(text.split("\n")[at.line - 1]).toContain(JSON.stringify(path.at(-1)).slice(1, -1));
        }
      }),
    );
  });

  test("is not guessed where a text of several lines may look like keys", () => {
    expect(faults('a = """\nb = 1"""\nb = 2')).toEqual([
      "c.toml: a: unknown key; there are: ".concat(known()),
      "c.toml: b: unknown key; there are: ".concat(known()),
    ]);
  });
});

/** The top keys, as a message lists them. */
function known(): string {
  return faults("no_such_key_at_all = 1")[0]?.replace(/.*there are: /, "") ?? "";
}

function* leavesOf(
  value: unknown,
  path: readonly (string | number)[] = [],
): Generator<typeof path> {
  if (typeof value !== "object" || value === null) {
    yield path;
    return;
  }
  const isList = Array.isArray(value);
  for (const [key, inner] of Object.entries(value)) {
    yield* leavesOf(inner, [...path, isList ? Number(key) : key]);
  }
}
