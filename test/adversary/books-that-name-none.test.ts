// Books of which no frame names another, so that each frame may be the whole book or changes of it: small services, each with
// one way in which the two look alike. What is shown as live or quiet is there, or the book says that it is assumed.
import { describe, expect, test } from "vitest";
import { book, openChainRig, PERP } from "../support/chain-rig.ts";
import { runs } from "../support/soak.ts";
import { streamOf } from "./compose-stream.ts";
import { createRandom, hash, type Random } from "./random.ts";
import { watchBooks } from "./watch-books.ts";

type Side = "bids" | "asks";
type Level = readonly [price: number, size: number];
type Frame = Readonly<Record<Side, readonly Level[]>>;

const SIDES: readonly Side[] = ["bids", "asks"];
const SEEDS = Array.from({ length: runs(4, 200) }, (_, i) => i + 1);
const FRAMES = 120;
const FRAME_MS = 500;
const MIDDLE = 10_000;

/** What is there. Bids lie below the middle, asks above it. */
class Market {
  readonly random: Random;
  readonly sides: Record<Side, Map<number, number>> = { bids: new Map(), asks: new Map() };

  constructor(random: Random, levels: number) {
    this.random = random;
    for (const side of SIDES) for (let i = 0; i < levels; i++) this.add(side);
  }

  size(): number {
    return this.random.int(1, 5000);
  }

  /** Sets a level; size 0 removes it. @returns the change, as it would be sent */
  set(side: Side, price: number, size: number): Level {
    if (size === 0) this.sides[side].delete(price);
    else this.sides[side].set(price, size);
    return [price, size];
  }

  /** The nearest free price to the middle, or one more away. */
  add(side: Side): Level {
    const sign = side === "bids" ? -1 : 1;
    let price = MIDDLE + sign * this.random.int(1, 3);
    while (this.sides[side].has(price)) price += sign;
    return this.set(side, price, this.size());
  }

  resize(side: Side): Level {
    const price = this.random.pick([...this.sides[side].keys()]);
    return this.set(side, price, this.size());
  }

  remove(side: Side): Level {
    return this.set(side, this.random.pick([...this.sides[side].keys()]), 0);
  }

  levels(side: Side): Level[] {
    const sign = side === "bids" ? -1 : 1;
    return [...this.sides[side]].sort(([a], [b]) => (a - b) * sign);
  }

  get whole(): Frame {
    return { bids: this.levels("bids"), asks: this.levels("asks") };
  }

  /** A level of one side comes, goes or gets another size, never the last one. */
  change(most: number): Frame {
    const side = this.random.pick(SIDES);
    const { size } = this.sides[side];
    const canCome = size < most;
    const draw = this.random.int(0, 2);
    const level =
      draw === 0 && canCome
        ? this.add(side)
        : draw === 1 && size > 1
          ? this.remove(side)
          : this.resize(side);
    return only(side, [level]);
  }
}

function only(side: Side, levels: readonly Level[]): Frame {
  return { bids: [], asks: [], [side]: levels };
}

interface Service {
  /** Of a side, when it begins. */
  readonly levels: number;
  /** The next frame, behind the change that it shows. */
  next(market: Market, step: number): Frame;
}

/** Now and then the whole book, else what a change is told as. */
const amongSnapshots =
  (change: (market: Market) => Frame, share = 0.25): Service["next"] =>
  (market) => {
    const frame = change(market);
    return market.random.chance(share) ? market.whole : frame;
  };

const best = (market: Market, count: number): Frame => ({
  bids: market.levels("bids").slice(0, count),
  asks: market.levels("asks").slice(0, count),
});

/** One level of one side gets another size. */
function resized(market: Market): Frame {
  const side = market.random.pick(SIDES);
  return only(side, [market.resize(side)]);
}

const mixed: Readonly<Record<string, Service>> = {
  "changes of one level among snapshots": {
    levels: 2,
    next: amongSnapshots((market) => market.change(3)),
  },
  "sizes of one level among snapshots": { levels: 2, next: amongSnapshots(resized) },
  "changes among snapshots of one level a side": { levels: 1, next: amongSnapshots(resized) },
  "changes among snapshots of a market whose sides empty": {
    levels: 1,
    next: amongSnapshots((market) => {
      const side = market.random.pick(SIDES);
      const { size } = market.sides[side];
      return only(side, [size === 0 ? market.add(side) : market.remove(side)]);
    }),
  },
  "changes that hold both sides, among snapshots": {
    levels: 2,
    next: amongSnapshots((market) => ({
      bids: [market.resize("bids")],
      asks: [market.resize("asks")],
    })),
  },
  "the best of both sides, changed or not, among snapshots": {
    levels: 2,
    next: amongSnapshots((market) => {
      const side = market.random.pick(SIDES);
      const [price = 0] = market.levels(side)[0] ?? [];
      market.set(side, price, market.size());
      return best(market, 1);
    }),
  },
  "the best three of both sides of many, changed or not, among snapshots": {
    levels: 12,
    next: amongSnapshots((market) => {
      const side = market.random.pick(SIDES);
      const [price] = market.random.pick(market.levels(side).slice(0, 3));
      market.set(side, price, market.size());
      return best(market, 3);
    }, 0.1),
  },
  "empty changes between snapshots": {
    levels: 3,
    next: (market) => {
      if (!market.random.chance(0.25)) return { bids: [], asks: [] };
      market.change(4);
      return market.whole;
    },
  },
  "changes that remove what is not there, among snapshots": {
    levels: 2,
    next: amongSnapshots((market) => {
      const { bids, asks } = market.change(3);
      return { bids, asks: market.random.chance(0.3) ? [...asks, [MIDDLE + 900, 0]] : asks };
    }),
  },
  "changes that name a level again as it is, among snapshots": {
    levels: 3,
    next: amongSnapshots((market) => {
      const side = market.random.pick(SIDES);
      const [same] = market.levels(side);
      const changed = market.change(4);
      const isAvailable = same !== undefined && market.sides[side].get(same[0]) === same[1];
      return isAvailable ? { ...changed, [side]: [same, ...changed[side]] } : changed;
    }),
  },
  "changes, and a snapshot where everything has changed": {
    levels: 8,
    next: (market, step) => {
      if (step % 30 < 29) return market.change(12);
      for (const side of SIDES) {
        const { size } = market.sides[side];
        market.sides[side].clear();
        for (let i = 0; i < size; i++) market.add(side);
      }
      return market.whole;
    },
  },
  "changes, and a snapshot where the larger side has gone": {
    levels: 8,
    next: (market, step) => {
      const isGone = step % 30 === 29;
      if (isGone) market.sides.asks.clear();
      else while (market.sides.asks.size < 8) market.add("asks");
      if (isGone || step % 30 === 0) return market.whole;
      return only("bids", [step < 5 ? market.remove("bids") : market.resize("bids")]);
    },
  },
  "runs of snapshots, and runs of changes": {
    levels: 2,
    next: (market, step) => {
      const change = market.change(3);
      return step % 40 < 20 ? market.whole : change;
    },
  },
};

const honest: Readonly<Record<string, Service>> = {
  "whole books of few levels": {
    levels: 2,
    next: (market) => {
      market.change(3);
      return market.whole;
    },
  },
  "whole books of many levels, of which most are swept now and then": {
    levels: 8,
    next: (market, step) => {
      if (step % 30 === 29)
        for (const [price] of market.levels("asks").slice(0, -1)) market.set("asks", price, 0);
      else market.change(10);
      return market.whole;
    },
  },
  "changes of many levels": { levels: 8, next: (market) => market.change(10) },
  "changes of few levels": { levels: 2, next: (market) => market.change(3) },
};
/** Of the first minute, at the most, that a service of one kind is assumed to be it: where changes are few, they show it late. */
const MAX_ASSUMED = { many: 0.25, few: 0.8 };

/** When the best bid and offer are published, beside a book frame. */
const QUOTES = {
  "no best bid and offer": () => false,
  "the best bid and offer where it changes": () => true,
  "a best bid and offer seldom": (step: number) => step % 8 === 0,
} as const;

interface Outcome {
  readonly untrue: readonly string[];
  readonly assumed: number;
}

function play(service: Service, isQuoted: (step: number) => boolean, seed: number): Outcome {
  const market = new Market(createRandom(hash(seed, service.levels)), service.levels);
  const rig = openChainRig([PERP.bbo, PERP.book]);
  const say = ({ bids, asks }: Frame) => rig.say(PERP.book, [null, null], book(bids, asks));
  let quoted = "";
  const quote = (step: number) => {
    const { bids, asks } = book(market.levels("bids"), market.levels("asks")).orderbook;
    const bbo = { bid: bids[0] ?? null, ask: asks[0] ?? null };
    if (!isQuoted(step) || JSON.stringify(bbo) === quoted) return;
    quoted = JSON.stringify(bbo);
    const timestamp_ns = `${BigInt(Math.floor(rig.clock.wall())) * 1_000_000n}`;
    rig.service.last.send(JSON.stringify({ type: "update", channel: PERP.bbo, timestamp_ns, bbo }));
  };
  const untrue: string[] = [];
  let assumed = 0;
  const look = (step: number) => {
    const { data } = rig.slice("orderbook", PERP.book);
    if (data.isOpen) assumed++;
    if (data.isOpen || !/live|quiet/.test(rig.state(PERP.book))) return;
    const { bids, asks } = market.whole;
    const [shown, there] = [data.depth(), book(bids, asks).orderbook].map((each) =>
      JSON.stringify(each),
    );
    if (shown !== there) untrue.push(`seed ${seed}, frame ${step}: ${shown} is ${there}`);
  };
  say(market.whole);
  quote(0);
  for (let step = 1; step <= FRAMES; step++) {
    rig.clock.advance(FRAME_MS);
    if (rig.service.last.takeCommands().includes(`unsubscribe ${PERP.book}`)) {
      rig.service.last.unsubscribed(PERP.book);
      say(market.whole);
    }
    say(service.next(market, step));
    quote(step);
    look(step);
  }
  return { untrue, assumed: assumed / FRAMES };
}

describe.each(Object.entries(QUOTES))("beside %s", (_, isQuoted) => {
  const playAll = (service: Service) => SEEDS.map((seed) => play(service, isQuoted, seed));

  test.each(Object.entries(mixed))(
    "%s: nothing else is shown as live or quiet than what is there",
    (_name, service) => {
      expect(playAll(service).flatMap(({ untrue }) => untrue)).toEqual([]);
    },
  );

  test.each(Object.entries(honest))(
    "%s: nothing else is shown either, and it is found out what they are",
    (name, service) => {
      const all = playAll(service);
      expect(all.flatMap(({ untrue }) => untrue)).toEqual([]);
      const assumed = all.reduce((sum, each) => sum + each.assumed, 0) / all.length;
      expect(assumed).toBeLessThan(MAX_ASSUMED[name === "changes of few levels" ? "few" : "many"]);
    },
  );
});

// Two snapshots, of which the best bid and offer confirmed one, spoke for whole books; between them came single levels.
test("what decides for some frames says nothing of those between them", () => {
  const seed = 786_010_114;
  const composed = streamOf(
    {
      seed,
      hello: "late",
      firstSequenceOf: "service",
      unsubscribeUnknown: "400",
      numbering: "null",
      hasNullSequences: true,
      resnapshotShare: 0.2,
      lifeSeconds: 600,
    },
    { book: { levels: 2, isShuffled: true, rate: 0.5 } },
  );
  expect(watchBooks(composed, seed).untrue).toBe("");
});

// A snapshot left a level out before the best bid and offer, which says nothing of deep levels, decided for changes.
test("what looked like the book before a decision for changes is in question behind it", () => {
  const seed = 20_215;
  const composed = streamOf(
    { seed, numbering: "null", resnapshotShare: 0.2 },
    { book: { scheme: "deltas-and-snapshots", depth: 2, rate: 2 } },
  );
  expect(watchBooks(composed, seed).untrue).toBe("");
});
