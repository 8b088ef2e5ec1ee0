// Rows of an account whose market is not known by the name they call it: said once, since their marks are missing elsewhere.

import { read } from "../dialect/fields.ts";
import { type MarketIndex, marketOf } from "../dialect/markets.ts";
import { selectMarkets } from "../state/select-market.ts";
import type { Store } from "../state/store.ts";
import type { OpenRecord, Update } from "../wire/frames.ts";

const MAX_SAID = 100;

/** @param say called once for each name */
export function createUnknownMarkets(store: Store, say: (word: string) => void) {
  const said = new Set<string>();

  function look(row: OpenRecord, index: MarketIndex): void {
    const { names } = store.dialect;
    if (marketOf(row, index, names) !== "unknown") return;
    const word = read(row, "market", names) ?? "";
    if (said.has(word) || said.size >= MAX_SAID) return;
    said.add(word);
    say(word);
  }

  return {
    note({ body }: Update<"account">): void {
      const index = selectMarkets(store);
      if (index.entries.length === 0) return;
      for (const row of [...(body.positions ?? []), ...(body.orders ?? [])]) look(row, index);
    },
  };
}
