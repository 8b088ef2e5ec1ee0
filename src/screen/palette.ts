// `:` finds everything by words that a person would type: markets first, then views and what the keys in force do. What was
// chosen last stands first.

import { formatKey } from "./key-names.ts";
import { openMenu } from "./overlays.ts";
import type { Key } from "./pane.ts";
import type { MenuItem, Ui } from "./ui.ts";

const MAX_ITEMS = 200;

/** Lower is nearer: the beginning of the text, of a word, anywhere; undefined if a sought word is missing. */
function distanceOf(text: string, words: readonly string[]): number | undefined {
  let sum = 0;
  for (const word of words) {
    const at = text.indexOf(word);
    if (at < 0) return undefined;
    const isWord = at === 0 || !/[a-z0-9]/.test(text.charAt(at - 1));
    sum += at === 0 ? 0 : isWord ? 1 : 2;
  }
  return sum;
}

function findItems(
  items: readonly (MenuItem & { readonly lower: string })[],
  sought: string,
): readonly MenuItem[] {
  const words = sought.toLowerCase().split(" ").filter(Boolean);
  if (words.length === 0) return items.slice(0, MAX_ITEMS);
  // By nearness without a sort of all: three lists, each in the order given.
  const byDistance: MenuItem[][] = [];
  for (const item of items) {
    const distance = distanceOf(item.lower, words);
    if (distance === undefined) continue;
    const list = byDistance[distance] ?? [];
    byDistance[distance] = list;
    list.push(item);
  }
  return byDistance.flat().slice(0, MAX_ITEMS);
}

/** @param keys those in force */
export function openPalette(ui: Ui, keys: readonly Key[]): void {
  const actions = keys.map(
    ({ key, says, run }): MenuItem => ({
      text: says,
      note: formatKey(key.split(" ")[0] ?? ""),
      run: (to) => {
        remember(to, says);
        run(to);
      },
    }),
  );
  const recent = ui.recentActions;
  const rank = ({ text }: MenuItem) => {
    const at = recent.indexOf(text);
    return at < 0 ? recent.length : at;
  };
  const items = [
    ...ui.services.menuItems(ui),
    ...actions.toSorted((a, b) => rank(a) - rank(b)),
    ...ui.services.settings(),
  ].map((item) => ({ ...item, lower: item.text.toLowerCase() }));
  openMenu(ui, ":", { title: "Go to", items: (sought) => findItems(items, sought) });
}

function remember(ui: Ui, says: string): void {
  ui.recentActions = [says, ...ui.recentActions.filter((each) => each !== says)].slice(0, 10);
}
