// Round steps without an upper limit: 1, 2, 5, 10, 20 …

/** The smallest step not below `least`. @param least 1 or more */
function roundStep(least: bigint): bigint {
  const power = 10n ** BigInt(least.toString().length - 1);
  for (const factor of [1n, 2n, 5n]) if (factor * power >= least) return factor * power;
  return 10n * power;
}

/** Steps of the book's rows that suit its prices: a row for about each hundredth of a percent, and its neighbours. */
export function groupingSteps(bestTicks: bigint, count = 8): readonly bigint[] {
  const usual = roundStep(bestTicks / 50_000n > 1n ? bestTicks / 50_000n : 1n);
  const steps: bigint[] = [1n];
  for (
    let step = roundStep(usual / 5n > 1n ? usual / 5n : 1n);
    steps.length < count;
    step = roundStep(step + 1n)
  )
    if (step > 1n) steps.push(step);
  return steps;
}
