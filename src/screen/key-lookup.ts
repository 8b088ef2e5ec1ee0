// What a key means where the user is.
import type { KeyContext } from "./key-contexts.ts";
import { type Action, KEYS } from "./keys.ts";

/**
 * What the keys do in these contexts, in the order of the table; each with the keys that have it there. Never throws.
 * @param contexts the most specific first: where two bind one key, the first has it. "global" is always in force.
 * @param keymap the user's own table
 */
export function bindingsIn(contexts: readonly KeyContext[], keymap = KEYS): typeof KEYS {
  const name = contexts.join(" ");
  const known = found.get(keymap) ?? new Map<string, typeof KEYS>();
  found.set(keymap, known);
  const bindings = known.get(name) ?? findBindings(contexts, keymap);
  known.set(name, bindings);
  return bindings;
}

/** What was found of each table, by contexts, of which there are few: the status line asks for it with every key. */
const found = new WeakMap<typeof KEYS, Map<string, typeof KEYS>>();

function findBindings(contexts: readonly KeyContext[], keymap: typeof KEYS): typeof KEYS {
  const inForce = [...contexts, "global"];
  return keymap.flatMap((binding) => {
    if (!inForce.includes(binding.context)) return [];
    const keys = binding.keys.filter((key) => bindingOf(key, contexts, keymap) === binding);
    return keys.length === 0 ? [] : [{ ...binding, keys }];
  });
}

/** The action that a key is bound to in these contexts, the most specific first. Never throws. */
export function actionOf(
  key: string,
  contexts: readonly KeyContext[],
  keymap = KEYS,
): Action | undefined {
  return bindingOf(key, contexts, keymap)?.action;
}

function bindingOf(
  key: string,
  contexts: readonly KeyContext[],
  keymap: typeof KEYS,
): (typeof KEYS)[number] | undefined {
  for (const context of [...contexts, "global"]) {
    const found = keymap.find(
      (binding) => binding.context === context && binding.keys.includes(key),
    );
    if (found !== undefined) return found;
  }
  return undefined;
}
