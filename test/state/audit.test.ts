// A snapshot is compared with what was held at its own sequence, and what has come since is not lost by it.
import { describe, expect, test } from "vitest";
import { Store } from "../../src/state/store.ts";
import { createRandom } from "../../src/units/random.ts";
import type { ReceivedUpdate } from "../../src/wire/decode.ts";
import { received } from "../support/market-feed.ts";
import { runs, SEED } from "../support/soak.ts";

const BOOK = "orderbook/perp/1";
type Name = typeof BOOK | "markets";

/** A book and a list of markets that change by absolute values, each with a sequence of its own. */
class Truth {
  readonly #levels = new Map<string, number>();
  readonly #markets = new Map<number, string>();
  readonly #pick: (n: number) => number;
  #sequence = 100;
  #last = { [BOOK]: 100, markets: 100 };

  constructor(seed: number) {
    const random = createRandom(seed);
    this.#pick = (n) => Math.floor(random() * n);
    for (let i = 1; i <= 12; i++) {
      this.#levels.set(`b${100 - i}`, i);
      this.#levels.set(`a${100 + i}`, i);
      this.#markets.set(i, "0");
    }
  }

  snapshot(channel: Name): ReceivedUpdate {
    const payload =
      channel === BOOK
        ? this.#book([...this.#levels])
        : { markets: [...this.#markets].map(([market_id, fee]) => ({ market_id, fee })) };
    return this.#frame(channel, null, payload);
  }

  change(channel: Name): ReceivedUpdate {
    const previous = this.#last[channel];
    this.#sequence += 1 + this.#pick(3);
    this.#last[channel] = this.#sequence;
    if (channel === "markets") {
      const market_id = 1 + this.#pick(12);
      const fee = `${this.#pick(100)}`;
      this.#markets.set(market_id, fee);
      return this.#frame(channel, previous, { markets: [{ market_id, fee }] });
    }
    const i = 1 + this.#pick(12);
    const name = this.#pick(2) === 0 ? `b${100 - i}` : `a${100 + i}`;
    const size = this.#pick(4);
    if (size === 0) this.#levels.delete(name);
    else this.#levels.set(name, size);
    return this.#frame(channel, previous, this.#book([[name, size]]));
  }

  #book(levels: readonly (readonly [string, number])[]) {
    const side = (letter: string) =>
      levels
        .filter(([name]) => name.startsWith(letter))
        .map(([name, size]) => ({ price_ticks: name.slice(1), size_base_lots: `${size}` }));
    return { orderbook: { bids: side("b"), asks: side("a") } };
  }

  #frame(channel: Name, previous: number | null, payload: object) {
    return received({
      type: "update",
      channel,
      timestamp_ns: "1",
      previous_sequence: previous === null ? null : `${previous}`,
      sequence: `${this.#last[channel]}`,
      ...payload,
    });
  }
}

function openStore() {
  const store = new Store();
  const link = { state: "open", reconnects: 0 } as never;
  store.dispatch({ atMs: 0, type: "link", link });
  for (const channel of [BOOK, "markets"])
    store.dispatch({ atMs: 0, type: "subscribing", channel });
  return store;
}

/** Takes what has come at some moment, and when. */
function dispatch(store: Store, channel: Name, update: ReceivedUpdate, isFirst = false, atMs = 1) {
  const position = { isFirst, isSnapshot: isFirst, continues: false };
  store.dispatch({ atMs, type: "update", channel, update, ...position });
}

const heldOf = (store: Store) => {
  const { data: book, feed } = store.slice("orderbook", BOOK);
  const { data: markets } = store.slice("markets", "markets");
  return JSON.stringify([book.depth(), markets.records, feed, store.counts, store.faults]);
};

/** Two stores that are told the same, of which one is audited. */
class Pair {
  readonly audited = openStore();
  readonly plain = openStore();
  readonly truth: Truth;
  readonly #random: () => number;
  #atMs = 0;

  constructor(seed: number) {
    this.truth = new Truth(seed);
    this.#random = createRandom(seed);
    for (const channel of [BOOK, "markets"] as const) {
      this.#dispatch(channel, this.truth.snapshot(channel), true);
    }
  }

  /** Some frames, with a snapshot of the moment before one of them, compared at its sequence. */
  audit() {
    const channel = this.#random() < 0.5 ? BOOK : "markets";
    const journal = this.audited.audits.open(channel);
    const frames = Math.floor(this.#random() * 12);
    const at = Math.floor(this.#random() * (frames + 1));
    let snapshot = this.truth.snapshot(channel);
    for (let i = 0; i < frames; i++) {
      if (i === at) snapshot = this.truth.snapshot(channel);
      this.#change(channel);
    }
    if (at === frames) snapshot = this.truth.snapshot(channel);
    const { sequence } = snapshot.frame as { sequence: string };
    const place = journal?.positionOf(sequence);
    if (journal === undefined || place === undefined) throw new Error("no place");
    return this.audited.audit(journal, [snapshot], place, this.#atMs);
  }

  #change(channel: Name): void {
    const other = channel === BOOK ? "markets" : BOOK;
    const changed = this.#random() < 0.7 ? channel : other;
    this.#atMs += 10;
    this.#dispatch(changed, this.truth.change(changed));
  }

  #dispatch(channel: Name, update: ReceivedUpdate, isFirst = false): void {
    for (const store of [this.audited, this.plain]) {
      dispatch(store, channel, update, isFirst, this.#atMs);
    }
  }
}

describe("a store that is audited", () => {
  test("holds what one holds that is not, whatever the sequence of the snapshots", () => {
    for (let run = 0; run < runs(60, 200); run++) {
      const seed = SEED * 1000 + run;
      const pair = new Pair(seed);
      for (let round = 0; round < 8; round++) {
        expect(pair.audit(), `seed ${seed}`).toMatchObject({ differences: [] });
        expect(heldOf(pair.audited), `seed ${seed}`).toBe(heldOf(pair.plain));
      }
    }
  });

  test("finds at each place what was wrong there, and nothing else", () => {
    for (let run = 0; run < runs(30, 100); run++) {
      const seed = SEED * 1000 + run;
      const truth = new Truth(seed);
      const store = openStore();
      dispatch(store, BOOK, truth.snapshot(BOOK), true);
      const journal = store.audits.open(BOOK);
      if (journal === undefined) throw new Error("no journal");
      // One change never comes; each frame is compared with what it should have led to.
      truth.change(BOOK);
      dispatch(store, BOOK, truth.change(BOOK));
      const snapshot = truth.snapshot(BOOK);
      dispatch(store, BOOK, truth.change(BOOK));
      const result = store.audit(journal, [snapshot], 1, 1);
      const book = store.slice("orderbook", BOOK).data.depth();
      expect(result?.differences.length, `seed ${seed}`).toBeLessThanOrEqual(1);
      expect(book.bids.length + book.asks.length).toBeGreaterThan(0);
    }
  });

  test("forgets a journal whose channel was forgotten, or that has grown too long", () => {
    const store = openStore();
    const truth = new Truth(SEED);
    dispatch(store, "markets", truth.snapshot("markets"), true);
    const forgotten = store.audits.open("markets");
    store.forget("markets");
    store.dispatch({ atMs: 1, type: "subscribing", channel: "markets" });
    if (forgotten === undefined) throw new Error("no journal");
    expect(store.audit(forgotten, [truth.snapshot("markets")], 0, 1)).toBeUndefined();
    dispatch(store, "markets", truth.snapshot("markets"), true);
    const long = store.audits.open("markets");
    for (let i = 0; i <= 10_000; i++) dispatch(store, "markets", truth.change("markets"));
    expect(long).toMatchObject({ isTooLong: true, end: 10_000 });
  });
});
