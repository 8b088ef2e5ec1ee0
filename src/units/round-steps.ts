// Round steps of any size: 1, 2, 5, 10, 20 …

/** The first of them. */
export function listRoundSteps(count: number): readonly bigint[] {
  const factors = [1n, 2n, 5n];
  return Array.from(
    { length: count },
    (_, i) => (factors[i % 3] ?? 1n) * 10n ** BigInt(Math.floor(i / 3)),
  );
}

/** The first that is not below. @param least 1 or more */
export function roundStep(least: bigint): bigint {
  const power = 10n ** BigInt(least.toString().length - 1);
  for (const factor of [1n, 2n, 5n]) if (factor * power >= least) return factor * power;
  return 10n * power;
}
