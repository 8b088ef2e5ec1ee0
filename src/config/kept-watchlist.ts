// The watched markets between runs: as the user left them, for as long as the config file says what it said then.
import { formatMarket, type Market, readMarketName } from "../select/market.ts";
import type { KeptState } from "./kept-state.ts";
import { listMerge, type Merge, textKey } from "./merge.ts";

const WATCHLIST = "watchlist";

/** The watched markets of this run and the one before it. */
export class KeptWatchlist {
  readonly #kept: Pick<KeptState, "get" | "set"> | undefined;
  readonly #configured: readonly string[];

  /** @param configured names of the config file, as they stand there */
  constructor(kept: Pick<KeptState, "get" | "set"> | undefined, configured: readonly string[]) {
    this.#kept = kept;
    this.#configured = configured;
  }

  /** The markets to begin with. What was kept is untrusted: what is no market is left out. Never throws. */
  get markets(): readonly Market[] {
    const { configured, markets } = readKept(this.#kept?.get(WATCHLIST));
    const isCurrent = markets !== undefined && isSame(configured ?? [], this.#configured);
    return (isCurrent ? markets : this.#configured).flatMap((name) => readMarketName(name) ?? []);
  }

  /** The user watches these from now on. */
  keep(markets: readonly Market[]): void {
    const value = { configured: this.#configured, markets: markets.map(formatMarket) };
    this.#kept?.set(WATCHLIST, value, mergeWatchlists);
  }
}

const mergeMarkets = listMerge(textKey);

/** Another run's markets count where it began from the same config file. */
const mergeWatchlists: Merge = ({ base, ours, theirs }) => {
  const [{ markets: first }, now, other] = [readKept(base), readKept(ours), readKept(theirs)];
  if (!isSame(now.configured ?? [], other.configured ?? [])) return ours;
  const before = first ?? now.configured;
  return {
    ...now,
    markets: mergeMarkets({ base: before, ours: now.markets, theirs: other.markets }),
  };
};

interface Kept {
  readonly configured?: readonly string[] | undefined;
  readonly markets?: readonly string[] | undefined;
}

function readKept(value: unknown): Kept {
  if (typeof value !== "object" || value === null) return {};
  const { configured, markets } = value as Record<keyof Kept, unknown>;
  return { configured: names(configured), markets: names(markets) };
}

function names(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : undefined;
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name, i) => name === b[i]);
}
