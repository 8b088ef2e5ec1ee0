// Keys as the user has them: the table of keys with the keys of some actions replaced.
import { textWidth } from "../terminal/cells/text-cells.ts";
import { visible } from "../terminal/visible.ts";
import { nearest } from "../units/nearest.ts";
import { doMeet } from "./key-contexts.ts";
import { KEY_NAMES } from "./key-names.ts";
import { KEYS } from "./keys.ts";

/** Keys by action; an empty list takes the action's keys away. */
export type KeyOverrides = Readonly<Record<string, readonly string[]>>;

/** The table of keys in force. */
export type Keymap = typeof KEYS;

/** What is wrong with an override. */
export interface KeyFault {
  readonly action: string;
  readonly message: string;
}

/** The table with these keys in it; overrides of unknown actions change nothing. Never throws. */
export function remapKeys(overrides: KeyOverrides): Keymap {
  return KEYS.map((binding) => {
    const keys = Object.hasOwn(overrides, binding.action) ? overrides[binding.action] : undefined;
    return keys === undefined ? binding : { ...binding, keys };
  });
}

/** Unknown actions, keys that do not exist, and keys that would mean two things at once. Never throws. */
export function keyFaults(overrides: KeyOverrides): readonly KeyFault[] {
  const keymap = remapKeys(overrides);
  return Object.entries(overrides).flatMap(([action, keys]) => [
    ...nameFaults(action),
    ...keys.flatMap((key) => [...formFaults(action, key), ...conflicts(keymap, action, key)]),
    ...(keymap.some((binding) => binding.action === "quit" && binding.keys.length > 0) ||
    action !== "quit"
      ? []
      : [{ action, message: "there must be a key to leave" }]),
  ]);
}

function nameFaults(action: string): KeyFault[] {
  const names: readonly string[] = KEYS.map((binding) => binding.action);
  if (names.includes(action)) return [];
  const guess = nearest(action, names);
  const advice = guess === undefined ? "docs/keys.md lists all" : `did you mean ${guess}?`;
  return [{ action, message: `unknown action; ${advice}` }];
}

function formFaults(action: string, key: string): KeyFault[] {
  const bare = key.replace(/^(?:ctrl|shift)\+/, "");
  const isCharacter = textWidth(bare) === 1 && visible(bare) === bare && bare !== " ";
  if (isCharacter ? !key.startsWith("shift+") || bare === key : KEY_NAMES.includes(bare)) return [];
  return [
    { action, message: `${key} is no key; keys are characters, ctrl+a …, ${KEY_NAMES.join(", ")}` },
  ];
}

function conflicts(keymap: Keymap, action: string, key: string): KeyFault[] {
  const mine = keymap.filter((binding) => binding.action === action);
  const others = keymap.filter(
    (other) =>
      other.action !== action &&
      other.keys.includes(key) &&
      mine.some((one) => doMeet(one.context, other.context) && !areUsual(one, other, key)),
  );
  return others.map((other) => ({
    action,
    message: `${key} means ${action} and ${other.action} (${other.words}) at once; give one of them another key`,
  }));
}

/** Where the table itself gives a key two meanings, the more specific context has it. */
function areUsual(one: Keymap[number], other: Keymap[number], key: string): boolean {
  return [one, other].every(({ action, context }) =>
    KEYS.some(
      (binding) =>
        binding.action === action && binding.context === context && binding.keys.includes(key),
    ),
  );
}
