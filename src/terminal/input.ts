// Text from the terminal as keys, pasted text, mouse events and replies. A sequence that a slow line cuts waits for its rest;
// whatever the terminal begins and does not end, keys work again after a moment, and Ctrl+C at once.
import type { Clock } from "../units/clock.ts";

export interface PointEvent {
  readonly action: "press" | "release" | "drag" | "wheel-up" | "wheel-down";
  readonly x: number;
  readonly y: number;
}

export type Input =
  /** `name` as in the tables of keys (`a`, `ctrl+u`, `shift+tab`, `page-up`); `text` if it can be typed. */
  | { readonly kind: "key"; readonly name: string; readonly text: string }
  | { readonly kind: "paste"; readonly text: string }
  | ({ readonly kind: "mouse" } & PointEvent)
  /** What an OSC question brought (`11;rgb:1e1e/1e1e/2e2e`); empty for the terminal's identity, which comes last. */
  | { readonly kind: "reply"; readonly text: string };

const ESC = "\x1b";
const CTRL_C = "\x03";
const PASTE_START = "\x1b[200~";
const PASTE_END = "\x1b[201~";
/** Longer text is of no use here, and a lost end must not fill the memory. */
const MAX_PASTE = 65_536;
/** The rest of a sequence that a slow line cut behind its ESC comes within this time; a lone ESC is a key then. */
const AFTER_ESC_MS = 100;
/** The same inside a sequence or a paste. */
const INSIDE_MS = 500;

const MOUSE_MOVED = 32;
const MOUSE_WHEEL = 64;

/** F1 to F5 of Linux's console, and of Node on Windows, have a second bracket. */
const CSI = new RegExp(`^${ESC}\\[(?:\\[[A-E]|([<=>?]?)([\\d;:]*)[ -/]*([@-Z\\\\-~]))`);
const CSI_BEGUN = new RegExp(`^${ESC}\\[(?:\\[|[0-?]*[ -/]*)$`);
const SS3 = new RegExp(`^${ESC}O([A-Za-z])`);
const BEL = "\x07";
const ST = "\x9c";
/** OSC, DCS, APC and the like, up to BEL or ST. */
const STRING = new RegExp(`^${ESC}[\\]PX^_]([^${BEL}${ESC}${ST}]*)(?:${BEL}|${ST}|${ESC}\\\\)`);
const STRING_BEGUN = new RegExp(`^${ESC}[\\]PX^_][^${CTRL_C}${BEL}${ESC}${ST}]*${ESC}?$`);

const LETTERS: Readonly<Record<string, string>> = {
  ...{ A: "up", B: "down", C: "right", D: "left", F: "end", H: "home", Z: "shift+tab" },
  M: "enter",
};
const NUMBERS: Readonly<Record<number, string>> = {
  ...{ 1: "home", 3: "delete", 4: "end", 5: "page-up", 6: "page-down", 7: "home", 8: "end" },
};
const CONTROLS: Readonly<Record<string, string>> = {
  ...{ "\r": "enter", "\n": "enter", "\t": "tab", "\x7f": "backspace", "\b": "backspace" },
  ...{ "\x1b": "escape", "\0": "ctrl+space", " ": "space" },
};

export class InputParser {
  readonly #clock: Clock;
  readonly #onInput: (input: Input) => void;
  #rest = "";
  #paste: string | undefined;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, onInput: (input: Input) => void) {
    this.#clock = clock;
    this.#onInput = onInput;
  }

  take(chunk: string): void {
    this.#cancel?.();
    this.#rest += chunk;
    while (this.#rest !== "") {
      const used =
        this.#paste === undefined ? this.#next(this.#rest) : this.#pasted(this.#rest, this.#paste);
      if (used === 0) break;
      this.#rest = this.#rest.slice(used);
    }
    if (this.#rest === "" && this.#paste === undefined) return;
    this.#cancel = this.#clock.after(this.#rest === ESC ? AFTER_ESC_MS : INSIDE_MS, () =>
      this.#giveUp(),
    );
  }

  /** What was begun is not continued: a lone ESC is a key, ESC and a character is Alt; anything else is dropped. */
  #giveUp(): void {
    const rest = this.#rest;
    this.#rest = "";
    if (this.#paste !== undefined) this.#endPaste(this.#paste + rest);
    else if (rest === ESC) this.#key("escape");
    else if (rest.length === 2) this.#key(`alt+${rest.charAt(1)}`);
  }

  /** @returns how much of the text was used; 0 if its rest has to come first */
  #next(text: string): number {
    if (!text.startsWith(ESC)) return this.#typed(text, "");
    const csi = CSI.exec(text);
    if (csi !== null) return this.#sequence(csi);
    const [whole, letter = ""] = SS3.exec(text) ?? [];
    if (whole !== undefined) {
      this.#key(LETTERS[letter]);
      return whole.length;
    }
    const string = STRING.exec(text);
    if (string !== null) {
      if (text.charAt(1) === "]") this.#onInput({ kind: "reply", text: string[1] ?? "" });
      return string[0].length;
    }
    return this.#begun(text);
  }

  /** ESC, and nothing whole behind it. */
  #begun(text: string): number {
    if (text === ESC || text === `${ESC}O` || CSI_BEGUN.test(text) || STRING_BEGUN.test(text))
      return 0;
    const interrupt = text.indexOf(CTRL_C);
    if (interrupt > 1) return interrupt;
    // Two in a row: the first was the key.
    if (text.charAt(1) === ESC) return this.#typed(text, "");
    return 1 + this.#typed(text.slice(1), "alt+");
  }

  #typed(text: string, prefix: string): number {
    const character = String.fromCodePoint(text.codePointAt(0) ?? 0);
    const code = character.charCodeAt(0);
    const named = CONTROLS[character];
    if (named !== undefined)
      this.#key(prefix + named, prefix === "" && named === "space" ? " " : "");
    else if (code < 0x20) this.#key(`${prefix}ctrl+${String.fromCharCode(code + 0x60)}`);
    else this.#key(prefix + character, prefix === "" ? character : "");
    return character.length;
  }

  #sequence([all, mark, parameters = "", final = ""]: RegExpExecArray): number {
    const [first = 0, second = 1, third = 1] = parameters.split(/[;:]/).map(Number);
    if (all === PASTE_START) this.#paste = "";
    else if (mark === "?" && final === "c") this.#onInput({ kind: "reply", text: "" });
    else if (mark === "<") this.#mouse(first, second, third, final);
    else if (mark === "" && final === "u") this.#typedByNumber(first, second);
    else if (mark === "") {
      const name = final === "~" ? NUMBERS[first] : LETTERS[final];
      if (name !== undefined) this.#key(modifiers(second) + name);
    }
    return all.length;
  }

  /** A key of the extended keyboard protocols: its code point. */
  #typedByNumber(codePoint: number, modifier: number): void {
    if (codePoint < 1 || codePoint > 0x10ffff) return;
    const prefix = modifiers(modifier);
    const character = String.fromCodePoint(codePoint);
    if (prefix === "" || prefix === "shift+") this.#typed(character, "");
    else this.#key(prefix + (CONTROLS[character] ?? character));
  }

  #mouse(code: number, column: number, row: number, final: string): void {
    const wheel = code & 1 ? "wheel-down" : "wheel-up";
    const button = final === "m" ? "release" : code & MOUSE_MOVED ? "drag" : "press";
    const action = code & MOUSE_WHEEL ? wheel : button;
    this.#onInput({ kind: "mouse", action, x: Math.max(0, column - 1), y: Math.max(0, row - 1) });
  }

  #pasted(text: string, before: string): number {
    const end = text.indexOf(PASTE_END);
    if (end >= 0) {
      this.#endPaste(before + text.slice(0, end));
      return end + PASTE_END.length;
    }
    // The end may be cut anywhere: what could be its beginning waits.
    const lastEsc = text.lastIndexOf(ESC);
    const sure = lastEsc > text.length - PASTE_END.length ? lastEsc : text.length;
    this.#paste = (before + text.slice(0, Math.max(0, sure))).slice(0, MAX_PASTE);
    return Math.max(0, sure);
  }

  #endPaste(text: string): void {
    this.#paste = undefined;
    this.#onInput({ kind: "paste", text: text.slice(0, MAX_PASTE) });
  }

  #key(name: string | undefined, text = ""): void {
    if (name !== undefined) this.#onInput({ kind: "key", name, text });
  }
}

/** xterm's number is 1 plus a bit for each. */
function modifiers(number: number): string {
  const bits = number - 1;
  return `${bits & 4 ? "ctrl+" : ""}${bits & 2 ? "alt+" : ""}${bits & 1 ? "shift+" : ""}`;
}
