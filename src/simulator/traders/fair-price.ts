// What a market is worth to the world outside: a seeded random walk with moods, in whole sixteenths of a
// tick. Only additions, products and square roots are used, so that one seed gives the same walk on every machine.
import type { Random } from "../../units/random.ts";
import type { Actor } from "../exchange/schedule.ts";
import { between } from "./luck.ts";

const FRACTION = 16;
const US_PER_S = 1_000_000;
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

/** Mostly calm, sometimes brisk; a rush is what liquidates people. */
const MOODS: readonly Mood[] = [
  { share: 0.55, seconds: [40, 200], wildness: 1, journey: [0, 0.0004] },
  { share: 0.33, seconds: [20, 90], wildness: 1.9, journey: [0.0002, 0.0012] },
  { share: 0.12, seconds: [12, 40], wildness: 2.4, journey: [0.0015, 0.0045] },
];

/** What a walk begins with, and how wild it is. */
export interface FairPriceSetup {
  readonly startTicks: number;
  readonly volatilityPpm: number;
  readonly stepUs: number;
  /** A market of the same base asset whose price this one tracks. */
  readonly leader: FairPrice | undefined;
  readonly random: Random;
}

/** Takes one step each time that it acts. */
export class FairPrice implements Actor {
  readonly #setup: FairPriceSetup;
  readonly #noise: number;
  #sixteenths: number;
  #mood: Mood | undefined;
  #stepsLeft = 0;
  #drift = 0;

  constructor(setup: FairPriceSetup) {
    this.#setup = setup;
    this.#sixteenths = setup.startTicks * FRACTION;
    const perStep = Math.sqrt(setup.stepUs / US_PER_S);
    this.#noise = (setup.startTicks * FRACTION * setup.volatilityPpm * perStep * SPREAD) / US_PER_S;
  }

  /** The price, to the nearest tick. */
  get ticks(): number {
    return Math.round(this.#sixteenths / FRACTION);
  }

  act(): number {
    const { leader, startTicks, stepUs } = this.#setup;
    if (leader === undefined) this.#wander(startTicks * FRACTION);
    else this.#follow(leader.#relative() * startTicks * FRACTION);
    this.#sixteenths = Math.max(FRACTION, this.#sixteenths);
    return stepUs;
  }

  #relative(): number {
    return this.#sixteenths / (this.#setup.startTicks * FRACTION);
  }

  #wander(home: number): void {
    if (this.#stepsLeft === 0) this.#changeMood();
    this.#stepsLeft--;
    const pull = (home - this.#sixteenths) * HOMESICKNESS;
    const noise = this.#normal() * this.#noise * (this.#mood?.wildness ?? 1);
    this.#sixteenths += Math.round(noise + this.#drift + pull);
  }

  #follow(target: number): void {
    const step = (target - this.#sixteenths) * FOLLOWING + this.#normal() * this.#noise * FOLLOWING;
    this.#sixteenths += Math.round(step);
  }

  #changeMood(): void {
    const { random, stepUs } = this.#setup;
    let luck = random();
    this.#mood = MOODS.find(({ share }) => {
      luck -= share;
      return luck < 0;
    });
    const { seconds, journey } = this.#mood ?? { seconds: [60, 60], journey: [0, 0] };
    this.#stepsLeft = Math.max(1, Math.round((between(random, seconds) * US_PER_S) / stepUs));
    const way = between(random, journey) * (random() < 0.5 ? -1 : 1);
    this.#drift = (way * this.#sixteenths) / this.#stepsLeft;
  }

  /** About normal: the sum of four uniform numbers. */
  #normal(): number {
    const { random } = this.#setup;
    return random() + random() + random() + random() - 2;
  }
}
