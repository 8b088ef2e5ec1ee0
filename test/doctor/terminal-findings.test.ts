// What the doctor says of a terminal, and what of it the dashboard does by itself.
import { describe, expect, test } from "vitest";
import type { Context } from "../../src/args/context.ts";
import { resolvePreferences } from "../../src/commands/preferences.ts";
import { terminalFindings } from "../../src/doctor/findings.ts";

function findings(env: Context["env"]) {
  const stdout = { isTTY: true, columns: 120, rows: 40 };
  const found = terminalFindings({ stdout, env, options: {} } as unknown as Context);
  return Object.fromEntries(found.map(({ id, verdict, fact }) => [id, `${verdict} ${fact}`]));
}

describe("the doctor", () => {
  test.each([
    [
      { TERM: "xterm" },
      "warn ansi16 (TERM xterm, COLORTERM not set): a terminal that has more says so by TERM=xterm-256color or COLORTERM=truecolor",
    ],
    [
      { TERM: "xterm-256color" },
      "ok ansi256 (TERM xterm-256color, COLORTERM not set): a terminal that has more says so by COLORTERM=truecolor",
    ],
    [
      { TERM: "xterm-256color", COLORTERM: "truecolor" },
      "ok truecolor (TERM xterm-256color, COLORTERM truecolor)",
    ],
    [
      { TERM: "tmux-256color", TMUX: "x" },
      "ok ansi256 (TERM tmux-256color, COLORTERM not set): a terminal that has more says so by COLORTERM=truecolor, and `set -as terminal-features ',*:RGB'` in tmux",
    ],
    [
      { TERM: "screen" },
      "warn ansi16 (TERM screen, COLORTERM not set): a terminal that has more says so by TERM=screen-256color or COLORTERM=truecolor",
    ],
    [
      { TERM: "xterm", NO_COLOR: "1" },
      "ok none (TERM xterm, COLORTERM not set): NO_COLOR asks for that",
    ],
    [
      { TERM: "", FORCE_COLOR: "1" },
      "ok ansi16 (TERM not set, COLORTERM not set): FORCE_COLOR asks for that",
    ],
  ])("says how a terminal of %j shows more colours", (env, finding) => {
    expect(findings(env)["terminal.colors"]).toBe(finding);
  });

  test.each([
    [{ TMUX: "x" }, /^warn .*no terminal confirms: in tmux with `set -g set-clipboard on`/],
    [{ VTE_VERSION: "7006" }, /^warn .*VTE/],
    [{ TERM: "xterm", XTERM_VERSION: "XTerm(379)" }, /^warn .*disallowedWindowOps/],
    [{ TERM: "xterm-kitty" }, /^unknown sent by OSC 52, which no terminal confirms$/],
  ])("says what is in the way of the clipboard: %j", (env, pattern) => {
    expect(findings(env)["terminal.clipboard"]).toMatch(pattern);
  });
});

describe("a locale", () => {
  test.each([
    [{ LC_ALL: "C" }, true],
    [{ LC_ALL: "POSIX", LANG: "en_US.UTF-8" }, true],
    [{ LANG: "de_DE.ISO-8859-1" }, true],
    [{ LC_CTYPE: "C", LC_ALL: "en_US.utf8" }, false],
    [{ LANG: "C.UTF-8" }, false],
    [{}, false],
  ])(
    "that is not UTF-8 has the screen drawn in ASCII by itself, and says so: %j",
    (env, isAscii) => {
      const preferences = resolvePreferences({ options: {}, env }, {});
      expect(preferences.isAscii).toBe(isAscii);
      expect(preferences.asciiReason !== "").toBe(isAscii);
      expect(findings(env)["terminal.text"]?.startsWith("warn")).toBe(isAscii);
    },
  );

  test("counts less than what the user has chosen", () => {
    const env = { LC_ALL: "C" };
    const chosen = resolvePreferences({ options: {}, env }, { ascii: false });
    expect([chosen.isAscii, chosen.asciiReason]).toEqual([false, ""]);
    expect(resolvePreferences({ options: {}, env }, { ascii: true }).asciiReason).toBe("");
  });
});
