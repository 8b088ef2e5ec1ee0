// The heatmap of a recording: opened anywhere in it, it holds what the live session's held of the same seconds.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { getRecording } from "../../src/commands/replay/replay-dashboard.ts";
import { ReplayedSession } from "../../src/commands/replay/session.ts";
import { HeatKeeper } from "../../src/screen/views/market/heat-keeper.ts";
import { marketChannels } from "../../src/select/market.ts";
import { Heatmap } from "../../src/state/heatmap.ts";
import { Store } from "../../src/state/store.ts";
import type { Entry } from "../../src/timeline/entry.ts";
import { Player } from "../../src/timeline/player.ts";
import { RecordingWalk } from "../../src/timeline/replay.ts";
import { CHANNELS, MarketFeed } from "../support/market-feed.ts";
import { entryOf } from "../support/recorded-entry.ts";
import { SETTINGS } from "../support/recording-settings.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const OFFSET_MS = 1_800_000_000_300;
const ROW_TICKS = 2n;

type Act = { kind: "book" | "trade" | "time" | "lost" | "resync"; ms: number; size: number };

const act: fc.Arbitrary<Act> = fc.record({
  kind: fc.constantFrom("book", "book", "trade", "trade", "time", "lost", "resync"),
  ms: fc.integer({ min: 0, max: 1700 }),
  size: fc.integer({ min: 1, max: 500 }),
});

/** A live session with its heatmap, and the lines of its recording. */
class Live {
  readonly feed = new MarketFeed();
  readonly heat = new Heatmap(CHANNELS, ROW_TICKS, OFFSET_MS);
  readonly entries: Entry[] = [];
  #sequence = 0;

  constructor(acts: readonly Act[]) {
    const { feed, heat, entries } = this;
    heat.skipTo(feed.store, 0);
    feed.store.beforeChange((atMs) => heat.advance(feed.store, atMs));
    feed.historyBuffer = { event: (event) => entries.push(entryOf(event, OFFSET_MS)) };
    this.connect();
    for (const each of acts) this.#act(each);
    feed.link("open");
  }

  connect(): void {
    this.feed.link("open");
    // Of what else was recorded the heatmap needs nothing.
    this.feed.subscribe("orderbook/perp/2", ...Object.values(CHANNELS));
    this.book(1);
  }

  book(size: number): void {
    const levels = (direction: number): [number, number][] =>
      Array.from({ length: 9 }, (_, i) => [1000 + direction * (i + 1), size + i]);
    this.feed.book(levels(-1), levels(1), ++this.#sequence, true);
    this.feed.bbo(999, 1001, size);
  }

  #act({ kind, ms, size }: Act): void {
    if (kind === "lost") this.feed.link("waiting");
    this.feed.advance(ms);
    if (kind === "lost") this.connect();
    else if (kind === "book") this.book(size);
    else if (kind === "trade") this.feed.trade(1001, size);
    else if (kind === "resync") {
      this.feed.say({ type: "resync", channel: CHANNELS.orderbook, reason: "test" });
      this.book(size);
    } else this.feed.link("open");
  }
}

/** The same session played, with the heatmap of its screen. */
function replay(entries: readonly Entry[], open = async () => read(entries)) {
  const clock = createVirtualClock();
  const session = new ReplayedSession(SETTINGS, { t: 0, w: OFFSET_MS });
  const player = new Player({
    clock,
    startMs: 0,
    onChange: () => {},
    open: async () => read(entries),
    apply: (entry) => session.apply(entry),
    onRestart: () => session.restart(),
  });
  const wall = () => player.placeMs + OFFSET_MS;
  const keeper = new HeatKeeper({
    store: session.store,
    now: () => player.placeMs,
    wall,
    replay: getRecording(player, {
      store: session.store,
      startMs: 0,
      wall,
      walk: (channels) =>
        new RecordingWalk({
          store: new Store(),
          startMs: 0,
          channels,
          open,
          applied: () => player.applied,
        }),
    }),
  });
  const channels = marketChannels({ type: "perp", id: "1" }, "1m");
  const turn = async () => {
    for (let i = 0; i < 10; i++) await new Promise((resolve) => setImmediate(resolve));
    clock.advance(0);
  };
  player.run();
  return {
    player,
    keeper,
    async goTo(ms: number) {
      player.goTo(ms);
      for (let before = -1; before !== player.applied; ) {
        before = player.applied;
        await turn();
      }
    },
    /** Paints until nothing is left to be filled. */
    async look(): Promise<Heatmap> {
      let isAsked = true;
      const look = () => keeper.follow(channels, ROW_TICKS, () => (isAsked = true));
      for (let heat = look(); ; heat = look()) {
        if (!isAsked) return heat;
        isAsked = false;
        await turn();
      }
    },
  };
}

async function* read(entries: readonly Entry[]): AsyncGenerator<Entry> {
  yield* entries;
}

/** All that a heatmap knows of the seconds before a moment. */
function known(heat: Heatmap, untilMs: number) {
  const [first, end] = [Math.floor(OFFSET_MS / 1000), heat.secondOf(untilMs)];
  return Array.from({ length: end - first }, (_, i) => ({
    state: heat.stateOf(first + i),
    isBroken: heat.isBroken(first + i),
    rows: heat.rowsAt(first + i),
  }));
}

describe("the heatmap of a replay", () => {
  test("equals that of the live session wherever it is opened, and after going back and on", async () => {
    const acts = fc.array(act, { minLength: 5, maxLength: 60 });
    const places = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), {
      minLength: 1,
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(acts, places, async (each, parts) => {
        const live = new Live(each);
        const endMs = live.feed.nowMs;
        const played = replay(live.entries);
        for (const part of [...parts, 1]) {
          await played.goTo(Math.floor(endMs * part));
          const heat = await played.look();
          const untilMs = Math.min(
            played.player.placeMs,
            live.entries[played.player.applied - 1]?.t ?? 0,
          );
          expect(known(heat, untilMs)).toEqual(known(live.heat, untilMs));
        }
        played.player.stop();
      }),
      { numRuns: 40 },
    );
  });

  test("goes on from where it is played when the recording cannot be read again, and knows nothing of before", async () => {
    const live = new Live(
      Array.from({ length: 20 }, (_, i) => ({ kind: "book", ms: 1000, size: i + 1 })),
    );
    const played = replay(live.entries, async () => {
      throw new Error("the file is gone");
    });
    await played.goTo(10_500);
    const heat = await played.look();
    expect(played.keeper.isFollowing).toBe(true);
    await played.goTo(20_000);
    await played.look();
    const first = heat.secondOf(0);
    expect([3, 9, 12, 18].map((second) => heat.stateOf(first + second))).toEqual([
      "absent",
      "absent",
      "held",
      "held",
    ]);
    played.player.stop();
  });
});
