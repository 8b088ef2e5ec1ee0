// The user's key bindings: the table of keys, with those of some actions replaced.
import { textWidth } from "../terminal/cells/text-cells.ts";
import type { KeyReport } from "../terminal/session/input-sorter.ts";
import { visible } from "../terminal/visible.ts";
import { nearest } from "../units/nearest.ts";
import { type Action, canOverlap, KEYS, type KeyContext } from "./keys.ts";

/** 0x7F, which Backspace sends on most terminals, is reported as `delete`. */
const SPECIAL: readonly (readonly [keyof KeyReport, string])[] = [
  ["upArrow", "up"],
  ["downArrow", "down"],
  ["leftArrow", "left"],
  ["rightArrow", "right"],
  ["pageUp", "pageup"],
  ["pageDown", "pagedown"],
  ["home", "home"],
  ["end", "end"],
  ["return", "return"],
  ["escape", "escape"],
  ["tab", "tab"],
  ["backspace", "backspace"],
  ["delete", "backspace"],
];

const KEY_NAMES: readonly string[] = [...new Set(SPECIAL.map(([, name]) => name)), "space"];

/** Keys that arrive as characters when typed together with others. */
const CHARACTERS: Readonly<Record<string, string>> = {
  " ": "space",
  "\r": "return",
  "\n": "return",
  "\t": "tab",
  "\b": "backspace",
  "\u007f": "backspace",
  "\u001b": "escape",
};

/** Labels of keys, where they are not the capitalised name. */
const KEY_WORDS: Readonly<Record<string, string>> = {
  return: "Enter",
  escape: "Esc",
  pageup: "PgUp",
  pagedown: "PgDn",
};

const KEY_PARTS = /^(alt\+)?(ctrl\+|shift\+)?(.+)$/isu;

/** A key as shown on screen, in help and documents, labelled as on keyboards: `Ctrl+C`, `Shift+Tab`, `PgUp`, `a`. */
export function formatKey(name: string): string {
  const [, alt = "", other = "", key = ""] = KEY_PARTS.exec(name) ?? [];
  const hasCapital = KEY_NAMES.includes(key) || other === "ctrl+";
  const word = KEY_WORDS[key] ?? (hasCapital ? capitalise(key) : key);
  return `${capitalise(alt)}${capitalise(other)}${word}`;
}

const capitalise = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** The first key of an action, as shown; undefined if the user has unbound it. */
export function formatKeyOf(keymap: Keymap, action: Action): string | undefined {
  const name = keymap.find((binding) => binding.action === action)?.keys[0];
  return name === undefined ? undefined : formatKey(name);
}

/** The table's name of a key that the user has written. */
function parseKey(text: string): string {
  const [, alt = "", other = "", key = ""] = KEY_PARTS.exec(text) ?? [];
  const lower = key.toLowerCase();
  const name = KEY_NAMES.find((each) => [each, formatKey(each).toLowerCase()].includes(lower));
  const isLetter = other.toLowerCase() === "ctrl+" && key.length === 1;
  return `${alt}${other}`.toLowerCase() + (name ?? (isLetter ? lower : key));
}

/** Names of the keys in one input report: several characters may arrive together. */
export function keyNames(input: string, report: KeyReport): readonly string[] {
  const special = SPECIAL.find(([name]) => report[name] === true);
  const alt = report.meta === true && report.escape !== true ? "alt+" : "";
  if (special !== undefined) return [`${alt}${report.shift ? "shift+" : ""}${special[1]}`];
  if (report.ctrl && input !== "") return [`${alt}ctrl+${input}`];
  return [...input].map((character) => `${alt}${CHARACTERS[character] ?? withCtrl(character)}`);
}

function withCtrl(character: string): string {
  const code = character.charCodeAt(0);
  return code >= 1 && code <= 26 ? `ctrl+${String.fromCharCode(code + 0x60)}` : character;
}

export type Keymap = typeof KEYS;

/**
 * Bindings in force in these contexts, in table order, each with the keys that it has there.
 * @param contexts the most specific first, which wins where two bind the same key; "global" is always in force
 */
export function bindingsIn(contexts: readonly KeyContext[], keymap: Keymap = KEYS): Keymap {
  const bindings = bindingsByKey(contexts, keymap);
  return keymap.flatMap((binding) => {
    const keys = binding.keys.filter((key) => bindings.get(key) === binding);
    return keys.length === 0 ? [] : [{ ...binding, keys }];
  });
}

/** The action bound to a key in these contexts, most specific first. */
export function getAction(
  key: string,
  contexts: readonly KeyContext[],
  keymap: Keymap = KEYS,
): Action | undefined {
  return bindingsByKey(contexts, keymap).get(key)?.action;
}

function bindingsByKey(contexts: readonly KeyContext[], keymap: Keymap) {
  const bindings = new Map<string, Keymap[number]>();
  for (const context of [...contexts, "global"]) {
    for (const binding of keymap.filter((each) => each.context === context)) {
      for (const key of binding.keys) if (!bindings.has(key)) bindings.set(key, binding);
    }
  }
  return bindings;
}

/** Keys by action; an empty list unbinds it. */
export type KeyOverrides = Readonly<Record<string, readonly string[]>>;

export interface KeyFault {
  readonly action: string;
  readonly message: string;
}

/** The table with these overrides applied; unknown actions are ignored. */
export function remapKeys(overrides: KeyOverrides): Keymap {
  return KEYS.map((binding) => {
    const keys = Object.hasOwn(overrides, binding.action) ? overrides[binding.action] : undefined;
    return keys === undefined ? binding : { ...binding, keys: keys.map(parseKey) };
  });
}

/** Unknown actions, invalid keys, keys with two meanings at once, and a missing key to quit. */
export function keyFaults(overrides: KeyOverrides): readonly KeyFault[] {
  const keymap = remapKeys(overrides);
  return Object.entries(overrides).flatMap(([action, keys]) => {
    const messages = [
      ...actionFaults(action),
      ...keys
        .map(parseKey)
        .flatMap((key) => [...formFaults(key), ...conflicts(keymap, action, key)]),
      ...(action === "quit" && keys.length === 0 ? ["there must be a key to leave"] : []),
    ];
    return messages.map((message) => ({ action, message }));
  });
}

function actionFaults(action: string): string[] {
  const names: readonly string[] = KEYS.map((binding) => binding.action);
  if (names.includes(action)) return [];
  const guess = nearest(action, names);
  const advice = guess === undefined ? "docs/keys.md lists all" : `did you mean ${guess}?`;
  return [`unknown action; ${advice}`];
}

function formFaults(key: string): string[] {
  const bare = key.replace(/^(?:alt\+)?(?:(?:ctrl|shift)\+)?/, "");
  const isCharacter = textWidth(bare) === 1 && visible(bare) === bare && bare !== " ";
  if (isCharacter ? !/^(?:alt\+)?shift\+./.test(key) : KEY_NAMES.includes(bare)) return [];
  const names = KEY_NAMES.map(formatKey).join(", ");
  return [`${key} is no key; keys are characters, ctrl+a, alt+a …, ${names}`];
}

function conflicts(keymap: Keymap, action: string, key: string): string[] {
  const mine = keymap.filter((binding) => binding.action === action);
  const others = keymap.filter(
    (other) =>
      other.action !== action &&
      other.keys.includes(key) &&
      mine.some((one) => canOverlap(one.context, other.context) && !areDefault(one, other, key)),
  );
  return others.map(
    (other) =>
      `${formatKey(key)} means ${action} and ${other.action} (${other.description}) at once; give one of them another key`,
  );
}

/** True if the default table gives the key both meanings: then the more specific context wins. */
function areDefault(one: Keymap[number], other: Keymap[number], key: string): boolean {
  return [one, other].every(({ action, context }) =>
    KEYS.some(
      (binding) =>
        binding.action === action && binding.context === context && binding.keys.includes(key),
    ),
  );
}
