// Owns the heatmap of the current market: filled from the past when opened, then updated with each change of the session,
// until it has not been shown for a while.

import type { MarketChannels } from "../../../select/market.ts";
import { canRegroup, Heatmap, type HeatSecond } from "../../../state/heatmap.ts";
import type { Store } from "../../../state/store.ts";
import { areSame } from "../../../units/memo.ts";
import type { PastWalk, Recording, ShownOptions } from "../../shown.ts";

const LINES_A_FRAME = 150;
const FRAME_MS = 16;
const SECONDS_A_FRAME = 240;
/** A heatmap not shown for this long is no longer updated. */
const IDLE_MS = 5000;

/** The clock of a recording runs as fast as it is played. */
type HeatSource = Pick<ShownOptions, "store" | "now" | "wall" | "past"> & {
  readonly replay?: Pick<Recording, "walk"> | undefined;
};

interface Older {
  readonly heat: Heatmap;
  next: HeatSecond;
  readonly until: HeatSecond;
}

export class HeatKeeper {
  readonly #source: HeatSource;
  #of: readonly unknown[] = [];
  #heat: Heatmap | undefined;
  /** What is still to be taken over from the previous heatmap, whose rows were narrower. */
  #older: Older | undefined;
  /** The oldest second held so far, with rows of any size. */
  #oldest: HeatSecond | undefined;
  #walk: PastWalk | undefined;
  #stop: (() => void) | undefined;
  #lookedAtMs = 0;

  constructor(source: HeatSource) {
    this.#source = source;
  }

  /** How much of the past has been read, 0 to 1. */
  get share(): number {
    return this.#older === undefined ? (this.#walk?.share ?? 1) : 0;
  }

  /** The first second that has a column, if older ones were held with other rows; else undefined. */
  get since(): HeatSecond | undefined {
    const first = this.#heat?.first;
    const isLess = first !== undefined && this.#oldest !== undefined && first > this.#oldest;
    return isLess && this.share === 1 ? first : undefined;
  }

  get isFollowing(): boolean {
    return this.#stop !== undefined && this.#walk === undefined;
  }

  /**
   * The heatmap of a market with rows of this many ticks, which is updated from now on.
   * @param repaintAfter requests another call after this many milliseconds
   */
  follow(
    channels: MarketChannels,
    rowTicks: bigint,
    repaintAfter: (afterMs: number) => void,
  ): Heatmap {
    const { orderbook, trades, bbo } = channels;
    const { now, wall } = this.#source;
    this.#lookedAtMs = now();
    const of = [orderbook, rowTicks];
    if (this.#heat === undefined || !areSame(this.#of, of)) {
      this.#drop();
      const before = this.#of[0] === orderbook ? this.#heat : undefined;
      this.#of = of;
      this.#remember(before, rowTicks);
      this.#heat = new Heatmap({ orderbook, trades }, rowTicks, wall() - now());
    }
    const heat = this.#heat;
    if (this.#older !== undefined) {
      this.#takeOver(heat, this.#older);
      repaintAfter(FRAME_MS);
      return heat;
    }
    if (this.#stop === undefined) this.#begin(heat, [orderbook, trades, bbo]);
    if (this.#walk !== undefined) this.#goOn(heat, this.#walk, repaintAfter);
    return heat;
  }

  /** Seconds older than the history buffer are regrouped if the row sizes allow it. */
  #remember(before: Heatmap | undefined, rowTicks: bigint): void {
    const { past, replay } = this.#source;
    const first = before?.first;
    this.#older = undefined;
    if (before === undefined) this.#oldest = undefined;
    if (before === undefined || first === undefined || replay?.walk !== undefined) return;
    this.#oldest = Math.min(first, this.#oldest ?? first);
    if (!canRegroup(before.rowTicks, rowTicks)) return;
    const next = before.next ?? first;
    const until = past?.walk === undefined ? next : Math.min(next, before.secondOf(past.startMs));
    if (first < until) this.#older = { heat: before, next: first, until };
  }

  #takeOver(heat: Heatmap, older: Older): void {
    const until = Math.min(older.until, older.next + SECONDS_A_FRAME);
    heat.takeOver(older.heat, older.next, until);
    older.next = until;
    if (until === older.until) this.#older = undefined;
  }

  #begin(heat: Heatmap, channels: readonly string[]): void {
    const { past, replay, store, now } = this.#source;
    const fromMs = heat.next === undefined ? Number.NEGATIVE_INFINITY : heat.startMsOf(heat.next);
    if (replay?.walk !== undefined) this.#walk = replay.walk(channels);
    else if (past?.walk !== undefined) this.#walk = past.walk(fromMs, channels);
    else {
      heat.skipTo(store, now());
      this.#follow(heat, store);
    }
    if (this.#walk === undefined) return;
    // Nothing is known from before the history buffer.
    heat.skipTo(this.#walk.store, this.#walk.startMs);
    this.#follow(heat, this.#walk.store);
  }

  #goOn(heat: Heatmap, walk: PastWalk, repaintAfter: (afterMs: number) => void): void {
    const { store } = this.#source;
    const left = walk.go(LINES_A_FRAME);
    if (left !== "more") this.#drop();
    if (left === "more" || left === "lost") {
      repaintAfter(FRAME_MS);
      return;
    }
    if (left === "failed") heat.skipTo(store, this.#source.now());
    // Nothing happens between the last line of the past and the next change of the session.
    this.#follow(heat, store);
  }

  #follow(heat: Heatmap, store: Store): void {
    const { replay, store: live } = this.#source;
    this.#stop = store.beforeChange((atMs) => {
      const isIdle = store === live && replay === undefined && atMs - this.#lookedAtMs > IDLE_MS;
      if (isIdle) this.#drop();
      else heat.advance(store, atMs);
    });
  }

  #drop(): void {
    this.#stop?.();
    this.#stop = undefined;
    this.#walk?.close?.();
    this.#walk = undefined;
  }
}
