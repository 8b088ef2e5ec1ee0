// What the user wants to see of the order flow on the chart. Persisted between runs.

/** What stands below the candles. */
export const STUDIES = ["volume", "delta", "cvd"] as const;
type Study = (typeof STUDIES)[number];

/** From when on the average price is: the UTC day, the time of the crosshair, the own entry. */
export const VWAPS = ["off", "day", "cursor", "entry"] as const;
type VwapAnchor = (typeof VWAPS)[number];

/** What the user has chosen on the chart. */
export interface ChartChoices {
  /** What stands below the candles, from when on their VWAP is, and whether lots by price stand beside them. */
  readonly study: Study;
  readonly vwap: VwapAnchor;
  readonly isProfileShown: boolean;
  /** Candles with what was bought and sold at each price. */
  readonly isFootprint: boolean;
}

/** What there is to choose from; the first is the usual one. */
const OPTIONS: { readonly [Name in keyof ChartChoices]: readonly ChartChoices[Name][] } = {
  study: STUDIES,
  vwap: VWAPS,
  isProfileShown: [false, true],
  isFootprint: [false, true],
};

/** Only what is persisted. */
export function selectChartChoices(all: ChartChoices): ChartChoices {
  const { study, vwap, isProfileShown, isFootprint } = all;
  return { study, vwap, isProfileShown, isFootprint };
}

/** Reads what an earlier run persisted, from a file that anybody may have changed: what is none of it is the usual. */
export function readChartChoices(persisted: unknown): ChartChoices {
  const members: Readonly<Record<string, unknown>> =
    typeof persisted === "object" && persisted !== null ? { ...persisted } : {};
  const choices = Object.entries(OPTIONS).map(([name, options]) => {
    const all: readonly unknown[] = options;
    return [name, all.includes(members[name]) ? members[name] : all[0]];
  });
  return Object.fromEntries(choices) as ChartChoices;
}

export const DEFAULT_CHART: ChartChoices = readChartChoices(undefined);
