// The fair price of a market: a seeded random walk with regimes, in whole sixteenths of a tick. Only additions, products and
// square roots are used, so that a seed gives the same walk on every machine.
import type { Random } from "../../units/random.ts";
import type { MarketSpec } from "../scenario.ts";

const FRACTION = 16;
const US_PER_S = 1_000_000;
const STEP_US = 100_000;
/** The sum of four uniform numbers, minus 2, has a standard deviation lower than 1 by this factor. */
const SPREAD = Math.sqrt(3);
/** Pulls the walk back over days, so that it stays plausible for weeks. */
const MEAN_REVERSION = 2 ** -20;
/** A follower closes this part of the distance to its leader at each step. */
const FOLLOWING = 0.25;

/** A phase of the walk. `volatility` is relative to the market's; `totalMove` is its whole drift as a fraction of the price. */
interface Regime {
  readonly share: number;
  readonly seconds: readonly [number, number];
  readonly volatility: number;
  readonly totalMove: readonly [number, number];
}
const NO_REGIME: Regime = { share: 0, seconds: [60, 60], volatility: 1, totalMove: [0, 0] };

/** Mostly calm, sometimes brisk; a rush causes liquidations. */
const REGIMES: readonly Regime[] = [
  { share: 0.55, seconds: [40, 200], volatility: 1, totalMove: [0, 0.0004] },
  { share: 0.33, seconds: [20, 90], volatility: 1.9, totalMove: [0.0002, 0.0012] },
  { share: 0.12, seconds: [12, 40], volatility: 2.4, totalMove: [0.0015, 0.0045] },
];

export interface FairPrice {
  readonly ticks: number;
  /** Relative to the start price. */
  readonly level: number;
  act(): number;
}

/** @param leader a market of the same base asset whose price this one tracks */
export function createFairPrice(
  { startTicks, volatilityPpm }: MarketSpec,
  random: Random,
  leader: FairPrice | undefined,
): FairPrice {
  const start = startTicks * FRACTION;
  const spread = (start * volatilityPpm * Math.sqrt(STEP_US / US_PER_S) * SPREAD) / US_PER_S;
  let sixteenths = start;
  let regime = NO_REGIME;
  let stepsLeft = 0;
  let drift = 0;
  const between = ([low, high]: readonly [number, number]) => low + random() * (high - low);
  const noise = () => (random() + random() + random() + random() - 2) * spread;

  const changeRegime = () => {
    let draw = random();
    regime =
      REGIMES.find(({ share }) => {
        draw -= share;
        return draw < 0;
      }) ?? NO_REGIME;
    stepsLeft = Math.max(1, Math.round((between(regime.seconds) * US_PER_S) / STEP_US));
    const way = between(regime.totalMove) * (random() < 0.5 ? -1 : 1);
    drift = (way * sixteenths) / stepsLeft;
  };
  const wander = () => {
    if (stepsLeft === 0) changeRegime();
    stepsLeft--;
    const pull = (start - sixteenths) * MEAN_REVERSION;
    return noise() * regime.volatility + drift + pull;
  };
  const follow = (target: number) => (target - sixteenths) * FOLLOWING + noise() * FOLLOWING;

  return {
    get ticks() {
      return Math.round(sixteenths / FRACTION);
    },
    get level() {
      return sixteenths / start;
    },
    act() {
      const step = leader === undefined ? wander() : follow(leader.level * start);
      sixteenths = Math.max(FRACTION, sixteenths + Math.round(step));
      return STEP_US;
    },
  };
}
