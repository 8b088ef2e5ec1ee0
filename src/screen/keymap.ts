// Names of keys as the terminal reports them and as they are shown, and the bindings in force.
import type { KeyReport } from "../terminal/session/input-sorter.ts";
import { type Action, KEYS, type KeyContext } from "./keys.ts";

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

/** The first key of an action, as shown. */
export function formatKeyOf(action: Action): string {
  return formatKey(KEYS.find((binding) => binding.action === action)?.keys[0] ?? "");
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

/**
 * Bindings in force in these contexts, in table order, each with the keys that it has there.
 * @param contexts the most specific first, which wins where two bind the same key; "global" is always in force
 */
export function bindingsIn(contexts: readonly KeyContext[]): typeof KEYS {
  return actionsIn(contexts).filter(({ keys }) => keys.length > 0);
}

/** Actions that can be performed in these contexts, in table order, with the keys in force that they have. */
export function actionsIn(contexts: readonly KeyContext[]): typeof KEYS {
  const bindings = bindingsByKey(contexts);
  const isInForce = (context: KeyContext) => context === "global" || contexts.includes(context);
  return KEYS.flatMap((binding) => {
    const keys = binding.keys.filter((key) => bindings.get(key) === binding);
    const isShadowed = keys.length === 0 && binding.keys.length > 0;
    return isShadowed || !isInForce(binding.context) ? [] : [{ ...binding, keys }];
  });
}

/** The action bound to a key in these contexts, most specific first. */
export function getAction(key: string, contexts: readonly KeyContext[]): Action | undefined {
  return bindingsByKey(contexts).get(key)?.action;
}

function bindingsByKey(contexts: readonly KeyContext[]) {
  const bindings = new Map<string, (typeof KEYS)[number]>();
  for (const context of [...contexts, "global"]) {
    for (const binding of KEYS.filter((each) => each.context === context)) {
      for (const key of binding.keys) if (!bindings.has(key)) bindings.set(key, binding);
    }
  }
  return bindings;
}
