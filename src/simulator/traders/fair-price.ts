// What a market is worth to the world outside: a seeded random walk with moods, in whole sixteenths of a
// tick. Only additions, products and square roots are used, so that one seed gives the same walk on every machine.
import type { Random } from "../../units/random.ts";
import type { MarketSpec } from "../scenarios/market-spec.ts";

const FRACTION = 16;
const US_PER_S = 1_000_000;
/** The fair price moves ten times a second. */
const STEP_US = 100_000;
/** Four uniform numbers less 2 have this much less spread than a standard normal one. */
const SPREAD = Math.sqrt(3);
/** Pulls the walk home over days, so that weeks of it stay within reason. */
const HOMESICKNESS = 2 ** -20;
/** A follower closes this part of the distance to its leader at each step. */
const FOLLOWING = 0.25;

/** How the walk goes for a while: how wild, and how far it wants to go in all, in parts of the price. */
interface Mood {
  readonly share: number;
  readonly seconds: readonly [number, number];
  readonly wildness: number;
  readonly journey: readonly [number, number];
}
const NO_MOOD: Mood = { share: 0, seconds: [60, 60], wildness: 1, journey: [0, 0] };

/** Mostly calm, sometimes brisk; a rush is what liquidates people. */
const MOODS: readonly Mood[] = [
  { share: 0.55, seconds: [40, 200], wildness: 1, journey: [0, 0.0004] },
  { share: 0.33, seconds: [20, 90], wildness: 1.9, journey: [0.0002, 0.0012] },
  { share: 0.12, seconds: [12, 40], wildness: 2.4, journey: [0.0015, 0.0045] },
];

export interface FairPrice {
  readonly ticks: number;
  /** As a part of where it began. */
  readonly level: number;
  /** Takes one step. @returns microseconds until the next */
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
  let mood = NO_MOOD;
  let stepsLeft = 0;
  let drift = 0;
  const between = ([low, high]: readonly [number, number]) => low + random() * (high - low);
  /** About normal: the sum of four uniform numbers. */
  const noise = () => (random() + random() + random() + random() - 2) * spread;

  const changeMood = () => {
    let luck = random();
    mood =
      MOODS.find(({ share }) => {
        luck -= share;
        return luck < 0;
      }) ?? NO_MOOD;
    stepsLeft = Math.max(1, Math.round((between(mood.seconds) * US_PER_S) / STEP_US));
    const way = between(mood.journey) * (random() < 0.5 ? -1 : 1);
    drift = (way * sixteenths) / stepsLeft;
  };
  const wander = () => {
    if (stepsLeft === 0) changeMood();
    stepsLeft--;
    const pull = (start - sixteenths) * HOMESICKNESS;
    return noise() * mood.wildness + drift + pull;
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
