// Plays a recording on a clock: at its own speed, quicker or slower, from any time on. Long ways are gone in many short turns, so
// that keys and frames get theirs.
import type { Clock } from "../units/clock.ts";
import type { Happening } from "./entry.ts";
import { movesIn, type Timeline } from "./timeline.ts";
import { Cursor, type Track } from "./track.ts";

const SPEEDS: readonly number[] = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
const TURN_MS = 12;
const EVERY_MS = 16;

export interface PlayerListeners {
  /** Something else is shown than before. */
  onChange(): void;
  /** Passed for the first time. */
  /** @param atMs monotonic, of the recording */
  onEvent(happening: Happening, atMs: number): void;
  /** A line is damaged: it stands before it. */
  onError(error: unknown): void;
}

export interface Player extends Timeline {
  readonly playing: NonNullable<Timeline["playing"]>;
  play(listeners: PlayerListeners): void;
  stop(): void;
}

export function createPlayer(track: Track, clock: Clock): Player {
  const cursor = new Cursor(track);
  let on: PlayerListeners | undefined;
  /** Events up to there were told before it went back. */
  let toldMs = Number.NEGATIVE_INFINITY;
  cursor.onEntry = ({ t, event }) => {
    if (event !== undefined && t > toldMs) on?.onEvent(event, t);
  };
  let speed = 1;
  let isPaused = false;
  /** Where it is to be: since when, from where on. */
  let placeMs = track.startMs;
  let placedAtMs = clock.now();
  let cancel = () => {};

  const dueMs = () =>
    Math.min(track.endMs, isPaused ? placeMs : placeMs + (clock.now() - placedAtMs) * speed);

  function place(ms: number): void {
    toldMs = Math.max(toldMs, cursor.moment.nowMs);
    placeMs = Math.max(track.startMs, Math.min(ms, track.endMs));
    placedAtMs = clock.now();
    cancel();
    cancel = clock.soon(turn);
  }

  function turn(): void {
    const ms = dueMs();
    let hasArrived = true;
    try {
      const untilMs = clock.now() + TURN_MS;
      hasArrived = cursor.goTo(ms, () => clock.now() >= untilMs);
    } catch (error) {
      isPaused = true;
      placeMs = cursor.moment.nowMs;
      on?.onError(error);
      return;
    } finally {
      on?.onChange();
    }
    // It is not fast enough for its speed: it does not run after it.
    if (!hasArrived && !isPaused && speed > 1) {
      placeMs = Math.max(placeMs, cursor.moment.nowMs);
      placedAtMs = clock.now();
    }
    if (!hasArrived) cancel = clock.soon(turn);
    else if (!isPaused && ms < track.endMs) cancel = clock.after(EVERY_MS, turn);
  }

  /** Goes on otherwise, from where it stands. */
  function change(make: () => void): void {
    const { nowMs } = cursor.moment;
    make();
    place(nowMs);
  }

  const moves = movesIn(track, () => cursor.moment.nowMs, place);
  return {
    startMs: track.startMs,
    endMs: track.endMs,
    get moment() {
      return cursor.moment;
    },
    goTo: place,
    jump: moves.jump,
    step(by, channels) {
      change(() => {
        isPaused = true;
      });
      moves.step(by, channels);
    },
    playing: {
      get isPaused() {
        return isPaused;
      },
      get isOver() {
        return cursor.moment.nowMs >= track.endMs;
      },
      get speed() {
        return speed;
      },
      togglePause: () =>
        change(() => {
          isPaused = !isPaused;
        }),
      changeSpeed: (by) =>
        change(() => {
          const at = SPEEDS.indexOf(speed) + by;
          speed = SPEEDS[at] ?? speed;
        }),
    },
    play(listeners) {
      on = listeners;
      place(track.startMs);
    },
    stop: () => cancel(),
  };
}
