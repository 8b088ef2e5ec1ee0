// From a symbol to a market, by the service's own list of markets.

import { type Market, parseMarketRecords, selectStat } from "../select/market.ts";
import type { Aliases } from "../state/aliases.ts";
import type { Store } from "../state/store.ts";
import type { Clock } from "../units/clock.ts";
import { ServiceError, UsageError } from "../units/monitor-error.ts";
import type { OpenRecord } from "../wire/update.ts";

/**
 * Looks a symbol up, whatever the case of its letters.
 * @returns undefined while the list has not come
 * @throws {UsageError} when the list has come and does not hold the symbol, or holds it twice; {ServiceError} when
 *   the list is longer than what is held of it
 */
export function findSymbol(store: Store, symbol: string): Market | undefined {
  const { feed, data } = store.slice("markets", "markets");
  if (feed.frames === 0) return undefined;
  const wanted = symbol.toLowerCase();
  const named = parseMarketRecords(data.records, store.aliases);
  const markets = data.records.flatMap((record, i) => {
    const isWanted = selectStat(record, "symbol", store.aliases)?.toLowerCase() === wanted;
    return (isWanted ? named[i] : undefined) ?? [];
  });
  const [market, other] = markets;
  if (market !== undefined && other === undefined) return market;
  if (other === undefined && data.isCut) {
    throw new ServiceError(
      "list-cut",
      `${symbol} is not among the ${data.records.length} markets that are held, and the service lists more`,
      { advice: "name the market by type and id: perp/1" },
    );
  }
  throw new UsageError(
    other === undefined
      ? `the service lists no market ${symbol}`
      : `${symbol} names several markets`,
    `expected: perp/1, spot/2, or a symbol of its list${formatList(data.records, store.aliases)}`,
  );
}

/** How long a symbol is waited for that the frames of the list so far do not have. */
export const REST_OF_LIST_MS = 1000;

/** Of a list that comes in several frames: what is missing in the first may be in the next. */
export class RestOfList {
  readonly #clock: Clock;
  readonly #again: () => void;
  #cancel: (() => void) | undefined;
  #isOver = false;

  /** @param again looks for the symbols once more, for the last time */
  constructor(clock: Clock, again: () => void) {
    this.#clock = clock;
    this.#again = again;
  }

  /** A symbol is not there. @returns the error once nothing more is waited for */
  fail(error: unknown): unknown {
    if (this.#isOver) return error;
    this.#cancel ??= this.#clock.after(REST_OF_LIST_MS, () => {
      this.#isOver = true;
      this.#again();
    });
    return undefined;
  }

  stop(): void {
    this.#cancel?.();
  }
}

const MAX_LISTED = 8;

function formatList(records: readonly OpenRecord[], aliases: Aliases): string {
  const symbols = records.flatMap((record) => selectStat(record, "symbol", aliases) ?? []);
  if (symbols.length === 0) return "";
  const more = symbols.length > MAX_LISTED ? " …" : "";
  return `: ${symbols.slice(0, MAX_LISTED).join(", ")}${more}`;
}
