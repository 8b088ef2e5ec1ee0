// What a bench answers, and how it measures: both sides in turn in one run, because no machine is quiet and only ratios count.

/** Of our own figure, or of its ratio. */
export type Goal = readonly [of: "ours" | "ratio", is: "≤" | "≥", bound: number];

export interface Row {
  readonly what: string;
  readonly unit: string;
  readonly ours: number;
  readonly goal?: Goal;
  readonly other?: { readonly name: string; readonly value: number } | undefined;
  readonly ratio?: number | undefined;
}

export function isMet({ ours, ratio, goal: [of, is, bound] = ["ours", "≥", 0] }: Row): boolean {
  const value = (of === "ours" ? ours : ratio) ?? Number.NaN;
  return is === "≤" ? value <= bound : value >= bound;
}

/** @param share 0 to 1 */
export function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** @param is `≤`: ours over the other's; `≥`: how many times the other's is ours. Ratios are those of pairs. */
export function compare(
  what: string,
  unit: string,
  [ours = [], others = []]: readonly (readonly number[])[],
  [name, is, bound]: readonly [name: string, is: Goal[1], bound: number],
): Row {
  const ratios = ours.map((value, i) => value / (others[i] ?? Number.NaN));
  const ratio = is === "≤" ? median(ratios) : 1 / median(ratios);
  const other = { name, value: median(others) };
  return { what, unit, ours: median(ours), other, ratio, goal: ["ratio", is, bound] };
}

export const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms));

/** Milliseconds of this process on a CPU so far. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** What each side answers, one a turn; the order is reversed each turn, and the first turns do not count. */
export async function inTurns(
  turns: number,
  sides: readonly (() => number | Promise<number>)[],
  uncounted = 2,
): Promise<number[][]> {
  const costs: number[][] = sides.map(() => []);
  for (let turn = -uncounted; turn < turns; turn++) {
    const order = [...sides.entries()];
    if (turn % 2 !== 0) order.reverse();
    for (const [at, side] of order) {
      const cost = await side();
      if (turn >= 0) costs[at]?.push(cost);
    }
  }
  return costs;
}
