import { describe, expect, test } from "vitest";
import { CONFIG_RULES } from "../../src/commands/config-rules.ts";
import { checkConfig } from "../../src/config/config-file.ts";
import { parseAliases } from "../../src/config/settings.ts";

const check = (text: string) => checkConfig(text, CONFIG_RULES);

describe("[fields] of the config file", () => {
  test("adds names that come before the usual ones", () => {
    const { config } = check('[fields]\nequity = ["net.nav"]\nsize = ["menge"]\n');
    const aliases = parseAliases(config ?? {});
    expect(aliases.text({ net: { nav: "10.50" }, equity: "1" }, "equity")).toBe("10.50");
    expect(aliases.text({ menge: "2", size: "3" }, "size")).toBe("2");
    expect(aliases.text({ size: "3" }, "size")).toBe("3");
  });

  test("names the meaning that was meant where there is no such one", () => {
    const { problems } = check('[fields]\nsize = ["a"]\nequty = ["nav"]\n');
    expect(problems).toEqual([
      {
        key: "fields.equty",
        message: "no such meaning; did you mean equity?",
        at: { line: 3, column: 1 },
      },
    ]);
  });

  test("takes words of a status, too", () => {
    const { config } = check('[words]\nended = ["zonk_out"]\nstanding = ["killed"]\n');
    const aliases = parseAliases(config ?? {});
    expect(aliases.standingOf({ status: "zonkOut" })).toBe("ended");
    expect(aliases.standingOf({ status: "KILLED" })).toBe("stands");
    expect(check('[words]\nended = "x"\n').problems).toHaveLength(1);
    expect(check('[words]\nendd = ["x"]\n').problems[0]?.message).toContain("did you mean ended");
  });

  test("takes lists of names only", () => {
    expect(check('[fields]\nequity = "nav"\n').problems).toHaveLength(1);
    expect(check("[fields]\nequity = []\n").problems).toHaveLength(1);
  });
});
