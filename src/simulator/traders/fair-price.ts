// The outside price of a base asset: a seeded random walk, mostly calm, sometimes brisk; a rush causes liquidations. Only sums,
// products and square roots are used, so that a seed gives the same walk on every machine.
import type { Random } from "../../units/random.ts";
import { US_PER_S } from "../../units/time.ts";
import type { Act } from "../exchange/exchange.ts";
import type { Market } from "../exchange/market.ts";

const STEP_US = 100_000;
/** The sum of four uniform numbers, minus 2, has a standard deviation lower than 1 by this factor. */
const SPREAD = Math.sqrt(3);
/** Pulls the walk back over days, so that it stays plausible for weeks. */
const MEAN_REVERSION = 2 ** -20;
/** Length of a phase, of which the first is calm, and the most that the price drifts in it, as a fraction. */
const PHASE_S = [40, 200] as const;
const MOST_DRIFT = 0.0045;

/** Normally distributed, as far as it matters, with a standard deviation of 1. */
export function drawNormal(random: Random): number {
  return (random() + random() + random() + random() - 2) * SPREAD;
}

export function between([least, most]: readonly [number, number], random: Random): number {
  return least + random() * (most - least);
}

/** Moves the fair prices of the markets of one asset together. */
export function moveFairPrices(markets: readonly Market[], random: Random): Act {
  const volatility = (markets[0]?.spec.volatilityPpm ?? 0) / 1_000_000;
  const spread = volatility * Math.sqrt(STEP_US / US_PER_S);
  /** Relative to the start price. */
  let level = 1;
  let rush = 0;
  let drift = 0;
  let stepsLeft = (PHASE_S[0] * US_PER_S) / STEP_US;
  return () => {
    if (stepsLeft === 0) {
      // Mostly near 0; a rush, near 1, is short.
      rush = random() ** 4;
      stepsLeft = Math.ceil((between(PHASE_S, random) * (1 - 0.8 * rush) * US_PER_S) / STEP_US);
      drift = ((random() * 2 - 1) * (0.1 + rush) * MOST_DRIFT) / stepsLeft;
    }
    stepsLeft--;
    level *= 1 + drawNormal(random) * spread * (1 + 1.5 * rush) + drift;
    level += (1 - level) * MEAN_REVERSION;
    for (const market of markets) market.fairTicks = Math.round(level * market.spec.startTicks);
    return STEP_US;
  };
}
