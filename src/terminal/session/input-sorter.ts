// Separates keys, pasted text, mouse reports and terminal replies in the input that Ink reads. Whatever sequence the terminal has
// started and not ended, Ctrl+C works as a key at once, and other keys again after at most a second.
import { type Key, useStdin } from "ink";
import { useEffect } from "react";
import type { FrameTimer } from "../screen/frame-clock.ts";

export type KeyReport = Partial<Key>;

/** What the user did. Keys may be several typed at once; pasted text is complete and must not act as keys. */
export type SortedInput =
  | { readonly kind: "keys"; readonly text: string; readonly report: KeyReport }
  | { readonly kind: "paste"; readonly text: string }
  | { readonly kind: "mouse"; readonly report: MouseReport }
  /** The terminal's reply without its framing (`11;rgb:1e1e/1e1e/2e2e`); empty for its identity (DA1). */
  | { readonly kind: "answer"; readonly text: string };

const ESCAPE = "\u001b";
const CTRL_C = "\u0003";
// `readKey` strips the leading ESC of a complete sequence, but not of one that was split.
const PASTE_START = "[200~";
const PASTE_END = "[201~";
/** Starts a string sequence: OSC, DCS, SOS, PM, APC. Alt plus that letter looks the same. */
const STRING_START = new RegExp(`^${ESCAPE}[\\]PX^_]$`);
/** Ends such a string: BEL, ST, and what terminals also accept: Ctrl+C, CAN, SUB. */
const STRING_END = new RegExp(`[\u0007\u009c${CTRL_C}\u0018\u001a]|${ESCAPE}\\\\`);
const CUT_SEQUENCE = new RegExp(`^${ESCAPE}\\[[0-?]*[ -/]*$`);
const WHOLE_SEQUENCE = new RegExp(`^${ESCAPE}(\\[[0-?]*[ -/]*[@-~])(.*)$`, "s");

/** Longer text is truncated: nothing here takes more, and a missing end must not fill memory. */
const PASTE_LIMIT = 65_536;
/** A paste that receives less per second has lost its end: a held key repeats 30 times, the slowest line delivers 900. */
const PASTE_PERIOD_MS = 1000;
const MIN_PASTE_CHARS = 64;
/** A terminal sends its strings in one chunk, or nearly so. */
const STRING_PERIOD_MS = 200;
/** Longer replies are not to queries of ours. */
const ANSWER_LIMIT = 64;
/** The terminal's identity: the reply to DA1. */
const IDENTITY = new RegExp(`^${ESCAPE}\\[\\?[\\d;]*c$`);
const CUT_PERIOD_MS = 50;

interface Paste {
  readonly kind: "paste";
  text: string;
  /** Start of the period in which `came` characters were received, and the time of the last of them. */
  since: number;
  came: number;
  lastAt: number;
}

type State =
  | { readonly kind: "keys" }
  | Paste
  /** A string, or Alt and a letter: the rest of the turn decides. */
  | { readonly kind: "start"; readonly text: string; readonly report: KeyReport }
  | { readonly kind: "string"; readonly text: string; readonly until: number }
  /** A sequence whose rest has not arrived yet. */
  | { readonly kind: "cut"; readonly text: string; readonly until: number };

type StringState = Extract<State, { kind: "string" }>;

const KEYS: State = { kind: "keys" };

function stringFrom(now: number): StringState {
  return { kind: "string", text: "", until: now + STRING_PERIOD_MS };
}

/** Pass it every piece of input with what `readKey` makes of it, in order. */
export class InputSorter {
  readonly #timer: Pick<FrameTimer, "now" | "next">;
  readonly #onInput: (input: SortedInput) => void;
  /** True while a terminal query is pending: then the start of a string is not a key. */
  readonly #isAsked: () => boolean;
  #state: State = KEYS;

  constructor(
    timer: Pick<FrameTimer, "now" | "next">,
    onInput: (input: SortedInput) => void,
    isAsked: () => boolean = () => false,
  ) {
    this.#timer = timer;
    this.#onInput = onInput;
    this.#isAsked = isAsked;
  }

  /** @param raw the same input, unprocessed */
  take(input: string, report: KeyReport, raw = input): void {
    if (IDENTITY.test(raw)) {
      this.#onInput({ kind: "answer", text: "" });
      return;
    }
    const now = this.#timer.now();
    const state = this.#state;
    if (state.kind === "start") this.#state = stringFrom(now);
    if ("until" in state && now > state.until && !(state.kind === "string" && this.#isAsked()))
      this.#state = KEYS;
    if (state.kind === "paste" && isLost(state, now)) this.#state = KEYS;
    this.#sort(input, report, now);
  }

  #sort(input: string, report: KeyReport, now: number): void {
    const state = this.#state;
    const text = getText(input, report);
    if (state.kind === "paste") this.#paste(state, text, now);
    else if (state.kind === "string" && isOfString(text)) this.#string(state, text);
    else if (state.kind === "cut") this.#cut(state.text + text, input, report, now);
    else this.#keys(input, report, now);
  }

  #keys(input: string, report: KeyReport, now: number): void {
    this.#state = KEYS;
    if (input === PASTE_START) {
      this.#state = { kind: "paste", text: "", since: now, came: 0, lastAt: now };
    } else if (STRING_START.test(input)) this.#start(input.slice(1), { ...report, meta: true });
    else if (input === `${ESCAPE}\\`) this.#emitKeys("\\", { ...report, meta: true });
    else if (CUT_SEQUENCE.test(input)) {
      this.#state = { kind: "cut", text: input, until: now + CUT_PERIOD_MS };
    } else {
      const mouse = parseMouse(input);
      if (mouse === undefined) this.#emitKeys(input, report);
      else this.#onInput({ kind: "mouse", report: mouse });
    }
  }

  /** A split key is dropped if unknown: its letters must not be taken for other keys. */
  #cut(all: string, input: string, report: KeyReport, now: number): void {
    const [, sequence = "", rest = ""] = WHOLE_SEQUENCE.exec(all) ?? [];
    if (sequence === "") {
      this.#keys(CUT_SEQUENCE.test(all) ? all : input, report, now);
      return;
    }
    const isKnown = sequence === PASTE_START || parseMouse(sequence) !== undefined;
    this.#keys(isKnown ? sequence : "", {}, now);
    if (rest !== "") this.take(rest, {});
  }

  /** A key, unless more input arrives in the same turn. */
  #start(text: string, report: KeyReport): void {
    if (this.#isAsked()) {
      this.#state = stringFrom(this.#timer.now());
      return;
    }
    const start: State = { kind: "start", text, report };
    this.#state = start;
    this.#timer.next(() => {
      if (this.#state !== start) return;
      this.#state = KEYS;
      this.#emitKeys(text, report);
    });
  }

  #string({ text: before, until }: StringState, text: string): void {
    const end = STRING_END.exec(text);
    const whole = before + text.slice(0, end?.index);
    if (end === null) {
      this.#state = { kind: "string", text: whole.slice(0, ANSWER_LIMIT + 1), until };
      return;
    }
    this.#state = KEYS;
    if (end[0] === CTRL_C) this.#emitInterrupt();
    else if (whole.length <= ANSWER_LIMIT) this.#onInput({ kind: "answer", text: whole });
    const rest = text.slice(end.index + end[0].length);
    if (rest !== "") this.#emitKeys(rest, {});
  }

  #paste(paste: Paste, text: string, now: number): void {
    // An end that was split still has its ESC, and possibly keys after it.
    const all = paste.text + (text === PASTE_END ? ESCAPE + PASTE_END : text);
    const end = all.indexOf(ESCAPE + PASTE_END, paste.text.length - PASTE_END.length);
    if (end >= 0) {
      this.#state = KEYS;
      this.#onInput({ kind: "paste", text: all.slice(0, Math.min(end, PASTE_LIMIT)) });
      const rest = all.slice(end + 1 + PASTE_END.length);
      if (rest !== "") this.#emitKeys(rest, {});
      return;
    }
    // The beginning of a split end may lie beyond the limit.
    paste.text = all.slice(0, PASTE_LIMIT) + all.slice(PASTE_LIMIT).slice(-PASTE_END.length);
    paste.came += text.length;
    paste.lastAt = now;
    if (text.endsWith(CTRL_C)) this.#interrupt(paste);
  }

  /** A typed Ctrl+C comes last; a paste that contains one continues in the same turn. */
  #interrupt(paste: Paste): void {
    const { came } = paste;
    this.#timer.next(() => {
      if (this.#state !== paste || paste.came !== came) return;
      this.#state = KEYS;
      this.#emitInterrupt();
    });
  }

  #emitInterrupt(): void {
    this.#emitKeys("c", { ctrl: true });
  }

  #emitKeys(text: string, report: KeyReport): void {
    this.#onInput({ kind: "keys", text, report });
  }
}

/** True when a paste has lost its end: further input is typed. Starts its next period when one is over. */
function isLost(paste: Paste, now: number): boolean {
  if (now - paste.since <= PASTE_PERIOD_MS) return false;
  if (paste.came < MIN_PASTE_CHARS || now - paste.lastAt > PASTE_PERIOD_MS) return true;
  paste.since = now;
  paste.came = 0;
  return false;
}

/** The characters received: `readKey` replaces some by key names. */
function getText(input: string, report: KeyReport): string {
  if (report.ctrl && /^[a-z]$/.test(input)) return String.fromCharCode(input.charCodeAt(0) & 0x1f);
  return report.escape && input === "" ? ESCAPE : input;
}

/** Another sequence ends a string without an end. */
function isOfString(text: string): boolean {
  return text !== "" && text !== PASTE_START && parseMouse(text) === undefined;
}

const WHEEL_ACTIONS = ["wheel-up", "wheel-down", "wheel-left", "wheel-right"] as const;

type MouseAction = "press" | "release" | "move" | (typeof WHEEL_ACTIONS)[number];

export interface MouseReport {
  readonly action: MouseAction;
  /** 0 left, 1 middle, 2 right; 3 none; 8 to 11 side buttons. Meaningless for the wheel. */
  readonly button: number;
  readonly x: number;
  readonly y: number;
  readonly shift: boolean;
  readonly alt: boolean;
  readonly ctrl: boolean;
}

const SGR_REPORT = /^\[<(\d{1,4});(\d{1,5});(\d{1,5})([Mm])$/;
const SHIFT = 4;
const ALT = 8;
const CTRL = 16;
const MOVE = 32;
const WHEEL = 64;
const SIDE = 128;
const FIRST_SIDE_BUTTON = 8;

/** Parses a mouse report without its leading ESC. @returns undefined if it is not one */
export function parseMouse(input: string): MouseReport | undefined {
  const parts = SGR_REPORT.exec(input);
  if (parts === null) return undefined;
  const code = Number(parts[1]);
  return {
    action: getAction(code, parts[4] === "m"),
    button: (code & 3) + (code & SIDE ? FIRST_SIDE_BUTTON : 0),
    x: Math.max(0, Number(parts[2]) - 1),
    y: Math.max(0, Number(parts[3]) - 1),
    shift: (code & SHIFT) !== 0,
    alt: (code & ALT) !== 0,
    ctrl: (code & CTRL) !== 0,
  };
}

function getAction(code: number, isRelease: boolean): MouseAction {
  if (code & WHEEL) return WHEEL_ACTIONS[code & 3] ?? "move";
  if (code & MOVE) return "move";
  return isRelease ? "release" : "press";
}

/** A sequence that more may follow, or the start or end of a string: it keeps its ESC. */
const PART = new RegExp(`^${ESCAPE}(?:[\\]PX^_\\\\]|\\[[0-?]*[ -/]*)$`);
const NAMED = new RegExp(`^${ESCAPE}{1,2}[[O](\\d*)(?:;(\\d+))?([A-Z~])$`);
const SEQUENCE = new RegExp(`^${ESCAPE}+(?:\\[|O.)`);

const LETTERS: Readonly<Record<string, KeyReport>> = {
  A: { upArrow: true },
  B: { downArrow: true },
  C: { rightArrow: true },
  D: { leftArrow: true },
  F: { end: true },
  H: { home: true },
  Z: { tab: true, shift: true },
};

const NUMBERS: Readonly<Record<string, KeyReport>> = {
  1: { home: true },
  3: { delete: true },
  4: { end: true },
  5: { pageUp: true },
  6: { pageDown: true },
  7: { home: true },
  8: { end: true },
};

const CONTROLS: Readonly<Record<string, KeyReport>> = {
  "\r": { return: true },
  "\t": { tab: true },
  "\b": { backspace: true },
  "\u007f": { backspace: true },
  [ESCAPE]: { escape: true },
};

/**
 * What a piece of input says: typed characters, a key with a name, or a sequence without its ESC. Empty for keys without a name
 * here, such as Ctrl+F1: Ink's own `useInput` throws for some of them and takes the letters of others for typed ones.
 */
function readKey(raw: string): readonly [input: string, report: KeyReport] {
  if (PART.test(raw)) return [raw, {}];
  const sequence = raw.slice(1);
  if (raw.startsWith(`${ESCAPE}[<`) || sequence === PASTE_START || sequence === PASTE_END)
    return [sequence, {}];
  const [, number = "", modifiers = "1", final = ""] = NAMED.exec(raw) ?? [];
  const named = final === "~" ? NUMBERS[number] : LETTERS[final];
  if (named !== undefined) {
    // xterm's number is 1 plus a bit for each.
    const bits = Number(modifiers) - 1;
    return ["", { ...named, ...(bits & 1 && { shift: true }), ...(bits & 2 && { meta: true }) }];
  }
  return SEQUENCE.test(raw) ? ["", {}] : readTyped(raw);
}

function readTyped(raw: string): readonly [input: string, report: KeyReport] {
  const text = raw.length > 1 && raw.startsWith(ESCAPE) ? raw.slice(1) : raw;
  // Ctrl+C ends the program even with Alt.
  const alt: KeyReport = text === raw || text === CTRL_C ? {} : { meta: true };
  const control = CONTROLS[text];
  if (control !== undefined) return ["", { ...control, ...alt }];
  const code = text.charCodeAt(0);
  return text.length === 1 && code >= 1 && code <= 26
    ? [String.fromCharCode(code + 0x60), { ctrl: true, ...alt }]
    : [text, alt];
}

export function useSortedInput(sorter: InputSorter): void {
  const { internal_eventEmitter: raw } = useStdin();
  useEffect(() => {
    const take = (text: string) => sorter.take(...readKey(text), text);
    raw.on("input", take);
    return () => {
      raw.removeListener("input", take);
    };
  }, [raw, sorter]);
}
