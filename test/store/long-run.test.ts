// A day of one market, its time compressed: what the store holds of it does not grow with its age.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { MAX_CANDLES_KEPT } from "../../src/store/candles.ts";
import { createRandom } from "../../src/units/random.ts";
import { CHANNELS, MarketFeed } from "../support/market-feed.ts";

const HOUR_MS = 3_600_000;
const STEP_MS = 4000;
/** Hours after which every list is full: the last one is that of a day of minutes, which is filled by then. */
const FULL_AFTER_HOURS = 12;
/** Less than half of what twelve hours of trades alone would take (1.3 MB); code that is compiled late takes some. */
const MAX_GROWTH_BYTES = 500_000;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

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

  constructor() {
    this.feed.link("open");
    for (const channel of Object.values(CHANNELS)) this.feed.say({ type: "subscribing", channel });
    // A day of minutes is kept, so it is there from the start: what grows afterwards should not.
    for (let minute = -MAX_CANDLES_KEPT; minute < 0; minute++) {
      this.feed.candle(minute, "1", "2", "1", "2");
    }
    this.#book(true);
  }

  hour(): void {
    for (let passed = 0; passed < HOUR_MS; passed += STEP_MS) this.#step();
    this.feed.link("waiting");
    this.feed.link("open");
    for (const channel of Object.values(CHANNELS)) this.feed.say({ type: "subscribing", channel });
    this.#book(true);
  }

  #step(): void {
    const { feed } = this;
    feed.advance(STEP_MS);
    this.#price += BigInt(Math.floor(this.#random() * 9) - 3);
    feed.bbo(this.#price - 1n, this.#price + 1n, 1 + Math.floor(this.#random() * 1e6));
    this.#book(false);
    feed.trade(this.#price, 1 + Math.floor(this.#random() * 1e6));
    const minute = Math.floor(feed.nowMs / 60_000);
    feed.candle(minute, "1", "2", "1", `${1 + this.#random()}`);
    feed.update(CHANNELS.stats, {
      previous_sequence: null,
      sequence: null,
      market_stats: [{ market_id: 1, mark_price: `${this.#price}` }],
    });
    feed.store.pass(feed.nowMs);
    feed.store.settle();
  }

  /** A whole book around the price: levels far from it come and go. */
  #book(isFirst: boolean): void {
    const side = (direction: bigint): [bigint, number][] =>
      Array.from({ length: 10 }, (_, i) => [this.#price + direction * BigInt(i + 1), i + 1]);
    this.feed.book(side(-1n), side(1n), this.#sequence++, isFirst);
  }
}

test("a day of updates leaves the heap as large as half a day does", { timeout: 180_000 }, () => {
  const day = new Day();
  for (let hour = 0; hour < FULL_AFTER_HOURS; hour++) day.hour();
  const before = heapBytes();
  for (let hour = FULL_AFTER_HOURS; hour < 24; hour++) day.hour();
  const growth = heapBytes() - before;
  expect(growth).toBeLessThan(MAX_GROWTH_BYTES);
  const { store } = day.feed;
  expect(store.slice("trades", CHANNELS.trades).data.size).toBeGreaterThan(0);
  expect(store.slice("candles", CHANNELS.candles).data.candles).toHaveLength(MAX_CANDLES_KEPT);
});
