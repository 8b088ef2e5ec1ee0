// Round steps without an upper limit: 1, 2, 5, 10, 20 …

/** The smallest step not below `least`. @param least 1 or more */
export function roundStep(least: bigint): bigint {
  const power = 10n ** BigInt(least.toString().length - 1);
  for (const factor of [1n, 2n, 5n]) if (factor * power >= least) return factor * power;
  return 10n * power;
}
