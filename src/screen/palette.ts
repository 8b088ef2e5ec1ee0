// `:` finds everything by words that a person would type: markets first, then views and what the keys in force do. What was
// chosen last stands first.

import { formatKey } from "./key-names.ts";
import { openMenu } from "./overlays.ts";
import type { Key } from "./pane.ts";
import type { MenuItem, Ui } from "./ui.ts";

const MAX_ITEMS = 200;

/** Lower is nearer: the beginning of the text, of a word, anywhere; infinite if a sought word is missing. */
function distanceOf(text: string, words: readonly string[]): number {
  return words.reduce((sum, word) => {
    const at = text.indexOf(word);
    if (at <= 0) return at < 0 ? Number.POSITIVE_INFINITY : sum;
    return sum + (/[a-z0-9]/.test(text.charAt(at - 1)) ? 2 : 1);
  }, 0);
}

/** Of those that are as near, in the order given. */
function findItems(
  items: readonly (MenuItem & { readonly lower: string })[],
  sought: string,
): readonly MenuItem[] {
  const words = sought.toLowerCase().split(" ").filter(Boolean);
  return items
    .map((item) => ({ item, distance: distanceOf(item.lower, words) }))
    .filter(({ distance }) => distance < Number.POSITIVE_INFINITY)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, MAX_ITEMS)
    .map(({ item }) => item);
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
