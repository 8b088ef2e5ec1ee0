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

export class FairPrice {
  readonly #random: Random;
  readonly #leader: FairPrice | undefined;
  readonly #start: number;
  readonly #noise: number;
  #sixteenths: number;
  #mood = NO_MOOD;
  #stepsLeft = 0;
  #drift = 0;

  /** @param leader a market of the same base asset whose price this one tracks */
  constructor(
    { startTicks, volatilityPpm }: MarketSpec,
    random: Random,
    leader: FairPrice | undefined,
  ) {
    this.#random = random;
    this.#leader = leader;
    this.#start = startTicks * FRACTION;
    this.#sixteenths = this.#start;
    this.#noise = (this.#start * volatilityPpm * Math.sqrt(STEP_US / US_PER_S) * SPREAD) / US_PER_S;
  }

  /** The price, to the nearest tick. */
  get ticks(): number {
    return Math.round(this.#sixteenths / FRACTION);
  }

  /** Takes one step. @returns microseconds until the next */
  act(): number {
    if (this.#leader === undefined) this.#wander();
    else this.#follow((this.#leader.#sixteenths / this.#leader.#start) * this.#start);
    this.#sixteenths = Math.max(FRACTION, this.#sixteenths);
    return STEP_US;
  }

  #wander(): void {
    if (this.#stepsLeft === 0) this.#changeMood();
    this.#stepsLeft--;
    const pull = (this.#start - this.#sixteenths) * HOMESICKNESS;
    const noise = this.#normal() * this.#noise * this.#mood.wildness;
    this.#sixteenths += Math.round(noise + this.#drift + pull);
  }

  #follow(target: number): void {
    const step = (target - this.#sixteenths) * FOLLOWING + this.#normal() * this.#noise * FOLLOWING;
    this.#sixteenths += Math.round(step);
  }

  #changeMood(): void {
    let luck = this.#random();
    this.#mood =
      MOODS.find(({ share }) => {
        luck -= share;
        return luck < 0;
      }) ?? NO_MOOD;
    const { seconds, journey } = this.#mood;
    this.#stepsLeft = Math.max(1, Math.round((this.#between(seconds) * US_PER_S) / STEP_US));
    const way = this.#between(journey) * (this.#random() < 0.5 ? -1 : 1);
    this.#drift = (way * this.#sixteenths) / this.#stepsLeft;
  }

  #between([low, high]: readonly [number, number]): number {
    return low + this.#random() * (high - low);
  }

  /** About normal: the sum of four uniform numbers. */
  #normal(): number {
    const random = this.#random;
    return random() + random() + random() + random() - 2;
  }
}
