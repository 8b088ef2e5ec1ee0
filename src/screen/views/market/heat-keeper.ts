// Keeps the heatmap of the market that is shown: filled from the past when it is opened, then with each change of the
// session, until nobody has looked at it for a while.
import type { MarketChannels } from "../../../select/market.ts";
import { Heatmap } from "../../../state/heatmap.ts";
import type { Store } from "../../../state/store.ts";
import type { PastWalk, Recording, SessionPast } from "../../shown.ts";

/** Lines of the past that are gone through in one frame: a few milliseconds. */
const LINES_A_FRAME = 150;
const FRAME_MS = 16;
/** What nobody has looked at for so long is not kept up any more. */
const IDLE_MS = 5000;

/** Of what heatmaps are made. */
export interface HeatSource {
  readonly store: Store;
  /** Monotonic milliseconds, the clock of the store's events. */
  readonly now: () => number;
  readonly wall: () => number;
  readonly past?: SessionPast | undefined;
  /** Defined where the store is of a recording, whose clock runs as fast as it is played. */
  readonly replay?: Pick<Recording, "walk"> | undefined;
}

/** One heatmap at a time. */
export class HeatKeeper {
  readonly #source: HeatSource;
  #of: readonly unknown[] = [];
  #heat: Heatmap | undefined;
  #walk: PastWalk | undefined;
  #stop: (() => void) | undefined;
  #lookedAtMs = 0;

  constructor(source: HeatSource) {
    this.#source = source;
  }

  /** How much of the past is in it, 0 to 1. */
  get share(): number {
    return this.#walk?.share ?? 1;
  }

  /** True while each change of the session reaches it. */
  get isFollowing(): boolean {
    return this.#stop !== undefined && this.#walk === undefined;
  }

  /**
   * The heatmap of a market in rows of so many ticks, which is kept up from now on.
   * @param again asks to be asked again so many milliseconds later
   */
  look(channels: MarketChannels, rowTicks: bigint, again: (afterMs: number) => void): Heatmap {
    const { orderbook, trades, bbo } = channels;
    const { now, wall } = this.#source;
    this.#lookedAtMs = now();
    const of = [orderbook, rowTicks];
    if (this.#heat === undefined || !of.every((each, i) => each === this.#of[i])) {
      this.#drop();
      this.#of = of;
      this.#heat = new Heatmap({ orderbook, trades }, rowTicks, wall() - now());
    }
    const heat = this.#heat;
    if (this.#stop === undefined) this.#begin(heat, [orderbook, trades, bbo]);
    if (this.#walk !== undefined) this.#goOn(heat, this.#walk, again);
    return heat;
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
    // What was there before the past that is kept is of no second.
    heat.skipTo(this.#walk.store, this.#walk.startMs);
    this.#follow(heat, this.#walk.store);
  }

  #goOn(heat: Heatmap, walk: PastWalk, again: (afterMs: number) => void): void {
    const { store } = this.#source;
    const left = walk.go(LINES_A_FRAME);
    if (left === "more") {
      again(FRAME_MS);
      return;
    }
    this.#drop();
    if (left === "lost") {
      again(FRAME_MS);
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
