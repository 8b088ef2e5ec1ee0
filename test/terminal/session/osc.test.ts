// Every command to the terminal comes from one function, and none of them ends where a text of others wants it to.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type OscCommand, oscSequence, remoteLabel } from "../../../src/terminal/session/osc.ts";
import { terminalTraits } from "../../../src/terminal/session/terminal-traits.ts";
import { anyCharacter } from "../../support/any-character.ts";

const plain = terminalTraits({ TERM: "xterm-256color" });
const inTmux = terminalTraits({ TERM: "tmux-256color", TMUX: "/tmp/tmux-0/default,1,0" });

describe("commands to the terminal", () => {
  test.each([
    [{ TERM: "xterm-256color" }, "\x1b]9;monitor: hello\x07"],
    [{ TERM: "xterm-kitty" }, "\x1b]99;;monitor: hello\x1b\\"],
    [{ TERM: "xterm-256color", KITTY_WINDOW_ID: "1" }, "\x1b]99;;monitor: hello\x1b\\"],
    [{ TERM: "foot" }, "\x1b]777;notify;monitor;hello\x07"],
    [{ TERM: "rxvt-unicode-256color" }, "\x1b]777;notify;monitor;hello\x07"],
    [{ TERM: "xterm-256color", VTE_VERSION: "7006" }, "\x1b]777;notify;monitor;hello\x07"],
    [{ TERM: "xterm-256color", TERM_PROGRAM: "WezTerm" }, "\x1b]9;monitor: hello\x07"],
    [{ TERM: "tmux-256color", TMUX: "x" }, "\x1bPtmux;\x1b\x1b]9;monitor: hello\x07\x1b\\"],
    [
      { TERM: "tmux-256color", TMUX: "x", KITTY_WINDOW_ID: "1" },
      "\x1bPtmux;\x1b\x1b]99;;monitor: hello\x1b\x1b\\\x1b\\",
    ],
  ])("notify once, by the protocol that the terminal knows: %j", (env, sequence) => {
    expect(oscSequence({ kind: "notification", text: "hello" }, terminalTraits(env))).toBe(
      sequence,
    );
  });

  test("name the title, and fill the clipboard, in tmux by both of its ways", () => {
    expect(oscSequence({ kind: "title", text: "▲1,000 A" }, inTmux)).toBe("\x1b]2;▲1,000 A\x07");
    const copied: OscCommand = { kind: "clipboard", text: "a" };
    expect(oscSequence(copied, plain)).toBe("\x1b]52;c;YQ==\x07");
    expect(oscSequence(copied, inTmux)).toBe(
      "\x1b]52;c;YQ==\x07\x1bPtmux;\x1b\x1b]52;c;YQ==\x07\x1b\\",
    );
  });

  test("have no title where it could be drawn as text", () => {
    for (const TERM of ["xterm", "screen-256color", "tmux-256color", "alacritty", "xterm-kitty"])
      expect(terminalTraits({ TERM }).hasTitle).toBe(true);
    for (const TERM of ["", "dumb", "linux", "vt100"])
      expect(terminalTraits({ TERM }).hasTitle).toBe(false);
  });

  test("hold one command each, whatever the text is", () => {
    const texts = fc.string({ unit: anyCharacter, maxLength: 300 });
    const kinds = fc.constantFrom("title", "notification", "clipboard");
    fc.assert(
      fc.property(kinds, texts, fc.constantFrom(plain, inTmux), (kind, text, traits) => {
        const sequence = oscSequence({ kind, text } as OscCommand, traits);
        const empty = oscSequence({ kind, text: "" } as OscCommand, traits);
        const count = (of: string, mark: RegExp) => [...of.matchAll(mark)].length;
        // biome-ignore lint/suspicious/noControlCharactersInRegex: controls are what is counted
        for (const mark of [/\x1b/g, /\x07/g, /;/g, /[\x00-\x06\x08-\x1a\x1c-\x1f\x7f-\x9f]/g])
          expect(count(sequence, mark)).toBe(count(empty, mark));
      }),
    );
  });

  test("hold a word from outside in letters, digits and -/._, 24 at most", () => {
    expect(remoteLabel("BTC-PERP")).toBe("BTC-PERP");
    expect(remoteLabel("a\u001b]52;c;eA==\u0007b")).toBe("a_52_c_eA_b");
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        expect(remoteLabel(text)).toMatch(/^[A-Za-z0-9\-/._]{0,24}$/);
      }),
    );
  });
});
