// The fair price of a base asset, relative to its start: a seeded random walk, mostly calm, sometimes brisk; a rush causes
// liquidations. Only sums, products and square roots are used, so that a seed gives the same walk on every machine.
import type { Random } from "../../units/random.ts";
import { US_PER_S } from "../../units/time.ts";

const STEP_US = 100_000;
/** The sum of four uniform numbers, minus 2, has a standard deviation lower than 1 by this factor. */
const SPREAD = Math.sqrt(3);
/** Pulls the walk back over days, so that it stays plausible for weeks. */
const MEAN_REVERSION = 2 ** -20;

/** `volatility` is relative to the market's; `move` is the whole drift of the phase as a fraction of the price. */
const CALM = { seconds: [40, 200], volatility: 1, move: [0, 0.0004] } as const;
const BRISK = { seconds: [20, 90], volatility: 1.9, move: [0.0002, 0.0012] } as const;
const RUSH = { seconds: [12, 40], volatility: 2.4, move: [0.0015, 0.0045] } as const;
/** As likely as each other. */
const PHASES = [CALM, CALM, CALM, CALM, BRISK, BRISK, RUSH];

/** Normally distributed, as far as it matters, with a standard deviation of 1. */
export function drawNormal(random: Random): number {
  return (random() + random() + random() + random() - 2) * SPREAD;
}

export function between([least, most]: readonly [number, number], random: Random): number {
  return least + random() * (most - least);
}

export interface FairPrice {
  /** Relative to the start price. */
  level: number;
  /** A step of the walk. @returns microseconds until the next one */
  act(): number;
}

export function createFairPrice(volatilityPpm: number, random: Random): FairPrice {
  const spread = (volatilityPpm / 1_000_000) * Math.sqrt(STEP_US / US_PER_S);
  let volatility = 1;
  let drift = 0;
  /** The first minute is calm. */
  let stepsLeft = 600;
  return {
    level: 1,
    act() {
      if (stepsLeft === 0) {
        const phase = PHASES[Math.floor(random() * PHASES.length)] ?? CALM;
        stepsLeft = Math.ceil((between(phase.seconds, random) * US_PER_S) / STEP_US);
        volatility = phase.volatility;
        drift = ((random() < 0.5 ? -1 : 1) * between(phase.move, random)) / stepsLeft;
      }
      stepsLeft--;
      this.level *= 1 + drawNormal(random) * spread * volatility + drift;
      this.level += (1 - this.level) * MEAN_REVERSION;
      return STEP_US;
    },
  };
}
