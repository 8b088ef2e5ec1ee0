// Symbols of the service as the last run saw them, for completion in the shell: nothing is asked while the user types.

import { selectStat } from "../select/market.ts";
import type { Store } from "../state/store.ts";
import type { KeptState } from "./kept-state.ts";

const SYMBOLS = "symbols";
/** More than any exchange lists; a service that lists more must not fill the disk. */
const MAX_SYMBOLS = 2000;
/** What no shell takes apart: the text is the service's, and goes into one. */
const SAFE = /^[\w./-]{1,40}$/;

/** Keeps the symbols of the list of markets, if one has come. Never throws. */
export function keepSymbols(kept: KeptState | undefined, store: Store): void {
  const { records } = store.slice("markets", "markets").data;
  const symbols = records.flatMap((record) => {
    const symbol = selectStat(record, "symbol", store.aliases) ?? "";
    return SAFE.test(symbol) ? [symbol] : [];
  });
  if (symbols.length > 0) kept?.set(SYMBOLS, [...new Set(symbols)].slice(0, MAX_SYMBOLS));
}

/** What was kept, from a file that anybody may have changed. Never throws. */
export function readSymbols(kept: Pick<KeptState, "get">): readonly string[] {
  const symbols = kept.get(SYMBOLS);
  if (!Array.isArray(symbols)) return [];
  return symbols
    .filter((symbol): symbol is string => typeof symbol === "string" && SAFE.test(symbol))
    .slice(0, MAX_SYMBOLS);
}
