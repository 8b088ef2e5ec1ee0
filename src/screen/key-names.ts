// The names of keys, as the table of keys has them, from what Ink reports.

import type { KeyReport } from "../terminal/session/input-sorter.ts";

/** 0x7F, the key that takes a letter back on most terminals, is reported as `delete`. */
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

/** Names of the keys that are no character. */
export const KEY_NAMES: readonly string[] = [...new Set(SPECIAL.map(([, name]) => name)), "space"];

/** Keys that arrive as characters when they are typed together with others. */
const CHARACTERS: Readonly<Record<string, string>> = {
  " ": "space",
  "\r": "return",
  "\n": "return",
  "\t": "tab",
  "\b": "backspace",
  "\u007f": "backspace",
  "\u001b": "escape",
};

/** The names of the keys in one report: several characters may arrive together. Never throws. */
export function keyNames(input: string, report: KeyReport): readonly string[] {
  const special = SPECIAL.find(([name]) => report[name] === true);
  if (special !== undefined) return [report.shift ? `shift+${special[1]}` : special[1]];
  if (report.ctrl && input !== "") return [`ctrl+${input}`];
  return [...input].map((character) => CHARACTERS[character] ?? withCtrl(character));
}

/** Ctrl and a letter are one control character. */
function withCtrl(character: string): string {
  const code = character.charCodeAt(0);
  return code >= 1 && code <= 26 ? `ctrl+${String.fromCharCode(code + 0x60)}` : character;
}
