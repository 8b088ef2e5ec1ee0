// The user's settings of the order book: its grouping in each market, and what is drawn behind its numbers. Persisted
// between runs.

import { GROUPINGS } from "../../../select/orderbook.ts";
import { getMembers } from "../../../wire/json.ts";

/** What determines the length of the book's bars and tints. */
export const BOOK_DEPTHS = ["total", "size"] as const;
export type BookDepthKind = (typeof BOOK_DEPTHS)[number];

/** Optional columns: size stacked or pulled in the last seconds, size sold and bought at a level, and bars of the latter. */
export const BOOK_EXTRAS = ["change", "traded", "profile"] as const;
export type BookExtra = (typeof BOOK_EXTRAS)[number];

export interface BookChoices {
  /** Width of a step in ticks, by market: `perp/1`. Other markets have the default. */
  readonly groupings: Readonly<Record<string, bigint>>;
  readonly depth: BookDepthKind;
  readonly extras?: readonly BookExtra[];
}

export const DEFAULT_BOOK: BookChoices = { groupings: {}, depth: "total" };

export function toggleExtra(book: BookChoices, extra: BookExtra): BookChoices {
  const shown = book.extras ?? [];
  const isShown = (each: BookExtra) => shown.includes(each) !== (each === extra);
  return { ...book, extras: BOOK_EXTRAS.filter(isShown) };
}

/** The next of: nothing traded, sold and bought, both of these with bars, bars alone. */
export function nextTraded(book: BookChoices): BookChoices {
  const has = (extra: BookExtra) => book.extras?.includes(extra) === true;
  return toggleExtra(book, has("traded") === has("profile") ? "traded" : "profile");
}

/** Number of markets whose grouping is remembered. */
const MAX_MARKETS = 200;

/** Sets the grouping of a market; of too many markets, those grouped first are forgotten. */
export function groupBook(book: BookChoices, market: string, grouping: bigint): BookChoices {
  const { [market]: _, ...others } = book.groupings;
  const newest = Object.entries(others).slice(-(MAX_MARKETS - 1));
  return { ...book, groupings: { ...Object.fromEntries(newest), [market]: grouping } };
}

export function writeBookChoices({ groupings, depth, extras = [] }: BookChoices): unknown {
  const texts = Object.entries(groupings).map(([market, ticks]) => [market, `${ticks}`]);
  return { groupings: Object.fromEntries(texts), depth, extras };
}

/** Reads choices persisted by an earlier run, from a file that anybody may have changed: anything invalid is dropped. */
export function readBookChoices(persisted: unknown): BookChoices {
  const { groupings, depth, extras } = getMembers(persisted);
  const named: readonly unknown[] = Array.isArray(extras) ? extras : [];
  const extraColumns = BOOK_EXTRAS.filter((each) => named.includes(each));
  const known = Object.entries(getMembers(groupings)).flatMap(([market, text]) => {
    const ticks = GROUPINGS.find((each) => `${each}` === text);
    return /^(?:perp|spot)\/[0-9]{1,39}$/.test(market) && ticks !== undefined
      ? [[market, ticks] as const]
      : [];
  });
  return {
    groupings: Object.fromEntries(known.slice(-MAX_MARKETS)),
    depth: BOOK_DEPTHS.find((each) => each === depth) ?? DEFAULT_BOOK.depth,
    ...(extraColumns.length === 0 ? {} : { extras: extraColumns }),
  };
}

// The user's settings of the order flow on the chart. Persisted between runs.

export const STUDIES = ["volume", "delta", "cvd"] as const;
type Study = (typeof STUDIES)[number];

export interface ChartChoices {
  /** The study below the candles, the average price of the UTC day, and lots by price beside the candles. */
  readonly study: Study;
  readonly isVwapShown: boolean;
  readonly isProfileShown: boolean;
  /** Candles with size bought and sold at each price. */
  readonly isFootprint: boolean;
}

/** Possible values; the first is the default. */
const OPTIONS: { readonly [Name in keyof ChartChoices]: readonly ChartChoices[Name][] } = {
  study: STUDIES,
  isVwapShown: [false, true],
  isProfileShown: [false, true],
  isFootprint: [false, true],
};

export function selectChartChoices(all: ChartChoices): ChartChoices {
  const { study, isVwapShown, isProfileShown, isFootprint } = all;
  return { study, isVwapShown, isProfileShown, isFootprint };
}

/** Reads choices persisted by an earlier run, from a file that anybody may have changed: anything invalid becomes the default. */
export function readChartChoices(persisted: unknown): ChartChoices {
  const members = getMembers(persisted);
  const choices = Object.entries(OPTIONS).map(([name, options]) => {
    const all: readonly unknown[] = options;
    return [name, all.includes(members[name]) ? members[name] : all[0]];
  });
  return Object.fromEntries(choices) as ChartChoices;
}

export const DEFAULT_CHART: ChartChoices = readChartChoices(undefined);
