// Statistics, and measuring in turns: on a machine with other load, only ratios within one run are meaningful.

/** The quantile for `part` (0 to 1); NaN without values. */
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

/** Does a piece of work and returns its cost. */
export type Slice = () => number | Promise<number>;

/** Measures the milliseconds of synchronous work. */
export function timed(work: () => void): Slice {
  return () => {
    const start = performance.now();
    work();
    return performance.now() - start;
  };
}

/** Measures slices of each way in turns, reversing the order each time; if there are many, the first few are discarded. */
export async function measureInTurns(
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

/** The median of the ratios of paired slices. */
export function medianRatio(above: readonly number[], below: readonly number[]): number {
  return median(above.map((value, slice) => value / (below[slice] ?? Number.NaN)));
}
