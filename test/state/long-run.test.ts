// A day of one market, its time compressed: what the store holds of it does not grow with its age.
import { expect, test } from "vitest";
import { MAX_CANDLES_KEPT } from "../../src/state/candles.ts";
import { MAX_FLOW_MINUTES } from "../../src/state/flow.ts";
import { createRandom } from "../../src/units/random.ts";
import { collect } from "../support/collect.ts";
import { CHANNELS, MarketFeed } from "../support/market-feed.ts";

const STEP_MS = 4000;
const STEPS_PER_HOUR = 900;
/** Steps after which every list is full: the last one is that of a day of minutes, which is filled by then. */
const FULL_AFTER_STEPS = 12_000;
/**
 * The tape grows by 2000 trades, one a step, and is cut back: so many steps later it is as long as it was, and so is
 * everything else.
 */
const STEPS = 10_000;
/** A sixth of what the trades of these steps alone would take (1.2 MB); 31 to 92 KB were measured. */
const MAX_GROWTH_BYTES = 200_000;

function heapBytes(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

/** A market that never repeats a price, a trade or a minute, with a doubt and a broken connection now and then. */
class Day {
  readonly feed = new MarketFeed();
  readonly #random = createRandom(24);
  #price = 1_000_000n;
  #sequence = 1;
  #steps = 0;

  constructor() {
    this.#connect();
    // A day of minutes is kept, so it is there from the start, each as large as those that come.
    for (let minute = -MAX_CANDLES_KEPT; minute < 0; minute++) this.#candle(minute);
    for (let ms = 0; ms < MAX_FLOW_MINUTES * 60_000; ms += STEP_MS) {
      this.feed.advance(STEP_MS);
      this.#trade();
    }
    this.#book(true);
  }

  #connect(): void {
    this.feed.link("open");
    for (const channel of Object.values(CHANNELS)) this.feed.say({ type: "subscribing", channel });
  }

  #trade(): void {
    this.#price += BigInt(Math.floor(this.#random() * 9) - 3);
    this.feed.trade(this.#price, 1 + Math.floor(this.#random() * 1e6));
  }

  run(steps: number): void {
    for (let i = 0; i < steps; i++) {
      this.#step();
      if (++this.#steps % STEPS_PER_HOUR === 0) this.#reconnect();
    }
  }

  #reconnect(): void {
    this.feed.link("waiting");
    this.#connect();
    this.#book(true);
  }

  #step(): void {
    const { feed } = this;
    feed.advance(STEP_MS);
    this.#trade();
    feed.bbo(this.#price - 1n, this.#price + 1n, 1 + Math.floor(this.#random() * 1e6));
    this.#book(false);
    this.#candle(Math.floor(feed.nowMs / 60_000));
    feed.update(CHANNELS.stats, {
      previous_sequence: null,
      sequence: null,
      market_stats: [{ market_id: 1, mark_price: `${this.#price}` }],
    });
    feed.store.advance(feed.nowMs);
    feed.store.settle();
  }

  #candle(minute: number): void {
    this.feed.candle(minute, "1", "2", "1", (1 + this.#random()).toFixed(15));
  }

  /** A whole book around the price: levels far from it come and go. */
  #book(isFirst: boolean): void {
    const side = (direction: bigint): [bigint, number][] =>
      Array.from({ length: 10 }, (_, i) => [this.#price + direction * BigInt(i + 1), i + 1]);
    this.feed.book(side(-1n), side(1n), this.#sequence++, isFirst);
  }
}

test("a day of updates leaves the heap as large as half a day does", () => {
  const day = new Day();
  day.run(FULL_AFTER_STEPS);
  const before = heapBytes();
  day.run(STEPS);
  const growth = heapBytes() - before;
  expect(growth).toBeLessThan(MAX_GROWTH_BYTES);
  const { store } = day.feed;
  expect(store.slice("trades", CHANNELS.trades).data.size).toBeGreaterThan(0);
  expect(store.slice("candles", CHANNELS.candles).data.candles).toHaveLength(MAX_CANDLES_KEPT);
});
