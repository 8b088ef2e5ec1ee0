// Completion in a real bash; the scripts of the other shells by what they must name.
import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { COMMANDS } from "../../src/cli/commands.ts";
import { bashCompletion } from "../../src/cli/completion/bash.ts";
import { fishCompletion } from "../../src/cli/completion/fish.ts";
import { zshCompletion } from "../../src/cli/completion/zsh.ts";
import { OPTIONS } from "../../src/cli/options.ts";

/** What bash offers for the last word of the line, with a monitor that knows one market and one profile. */
function offers(line: string): string[] {
  const words = ["monitor", ...line.split(" ")];
  const script = [
    'monitor() { case "$2" in markets) echo "BTC perp/1";; profiles) echo testnet;; esac; }',
    bashCompletion(),
    `COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")})`,
    `COMP_CWORD=${words.length - 1}`,
    "_monitor",
    `printf '%s\\n' "\${COMPREPLY[@]}"`,
  ].join("\n");
  const { stdout, stderr } = spawnSync("bash", ["-c", script], { encoding: "utf8" });
  expect(stderr).toBe("");
  return stdout.split("\n").filter(Boolean);
}

describe("completion in bash", () => {
  test("offers commands and markets for the first word", () => {
    expect(offers("")).toEqual(
      expect.arrayContaining(["demo", "config", "completion", "BTC", "perp/1"]),
    );
    expect(offers("dem")).toEqual(["demo"]);
    expect(offers("p")).toEqual(["perp/1"]);
  });

  test("offers the options of the command, and of the market view before there is one", () => {
    expect(offers("demo --sc")).toEqual(["--scenario"]);
    expect(offers("demo --ws")).toEqual([]);
    expect(offers("--ws")).toEqual(["--ws-url"]);
    expect(offers("perp/1 --on")).toEqual(["--once"]);
  });

  test("offers what a value can be, and takes no value for a command", () => {
    expect(offers("perp/1 --interval 1")).toEqual(["1m", "15m", "1h", "1d"]);
    expect(offers("--profile ")).toEqual(["testnet"]);
    expect(offers("--interval 1m dem")).toEqual(["demo"]);
  });

  test("offers the words and the markets that are arguments", () => {
    expect(offers("config p")).toEqual(["path", "print"]);
    expect(offers("completion ")).toEqual(["bash", "zsh", "fish"]);
    expect(offers("demo B")).toEqual(["BTC"]);
  });
});

describe.each([
  ["bash", bashCompletion, "--"],
  ["zsh", zshCompletion, "--"],
  ["fish", fishCompletion, "-l "],
])("completion for %s", (_, script, dashes) => {
  test("names every command and every option that one takes", () => {
    const text = script();
    for (const { name, options } of COMMANDS) {
      expect(text).toContain(name);
      for (const key of options) expect(text).toContain(`${dashes}${OPTIONS[key].name}`);
    }
  });

  test("asks the program itself for markets and profiles", () => {
    expect(script()).toContain("monitor completion markets");
    expect(script()).toContain("monitor completion profiles");
  });
});
