// Medians and ways that take turns: on a machine that others use too, only ratios within one run mean anything.

/** The value below which this part (0 to 1) of them lies; NaN when there are none. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * part)] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** CPU milliseconds of this process so far, user and system. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Does a piece of work, and answers what it took. */
export type Slice = () => number | Promise<number>;

/** The time that a synchronous piece of work takes, in milliseconds. */
export function timed(work: () => void): Slice {
  return () => {
    const start = performance.now();
    work();
    return performance.now() - start;
  };
}

/** Slices of each way, in turns, in an order that is reversed every time; of many, the first few are not counted. */
export async function takeTurns(
  ways: readonly Slice[],
  count: number,
  uncounted = count > 1 ? 3 : 0,
): Promise<number[][]> {
  const taken: number[][] = ways.map(() => []);
  for (let turn = -uncounted; turn < count; turn++) {
    const order = [...ways.entries()];
    if (turn & 1) order.reverse();
    for (const [way, slice] of order) {
      const value = await slice();
      if (turn >= 0) taken[way]?.push(value);
    }
  }
  return taken;
}

/** The median of what each slice took, over what the slice beside it took. */
export function medianRatio(above: readonly number[], below: readonly number[]): number {
  return median(above.map((value, slice) => value / (below[slice] ?? Number.NaN)));
}
