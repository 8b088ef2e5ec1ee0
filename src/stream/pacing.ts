// When a socket is read: not for too long in one turn of the event loop, so that keys and frames get their turn, and not too often
// under constant traffic, since each turn costs as much as ten short messages. Nothing is dropped; messages wait in the socket.
import type { Clock } from "../units/clock.ts";

const TURN_BUDGET_MS = 6;
/** Turns that begin closer together than this are constant traffic. */
const FREQUENT_MS = 12;
/** Less than a frame of the screen, so that each has new data. */
const REST_MS = 14;
/** A turn that took this long has more to read: a rest would only delay it. */
const LONG_TURN_MS = 3;

interface Pausable {
  pause(): void;
  resume(): void;
}

export interface Pacing {
  /** After each message. */
  note(): void;
  /** While a pong is awaited, whose time is measured, there are no rests. */
  awaitPong(isAwaited: boolean): void;
  /** While held, nothing is read. */
  hold(isHeld: boolean): void;
  end(): void;
}

export function createPacing(
  clock: Pick<Clock, "now" | "after" | "soon">,
  socket: Pausable,
): Pacing {
  let turnAtMs: number | undefined;
  let lastTurnAtMs = Number.NEGATIVE_INFINITY;
  let messages = 0;
  let isBehindRest = false;
  let isPaused = false;
  let isAwaited = false;
  let isHeld = false;
  let cancel = () => {};

  function pause(): void {
    if (!isPaused) socket.pause();
    isPaused = true;
  }

  function resume(): void {
    cancel();
    if (isHeld) return;
    if (isPaused) socket.resume();
    isPaused = false;
  }

  function endTurn(startedAtMs: number): void {
    const isFrequent = startedAtMs - lastTurnAtMs < FREQUENT_MS || (isBehindRest && messages > 1);
    const isLong = clock.now() - startedAtMs > LONG_TURN_MS;
    messages = 0;
    isBehindRest = isFrequent && !isAwaited && !isLong;
    turnAtMs = undefined;
    lastTurnAtMs = startedAtMs;
    if (isBehindRest) {
      pause();
      cancel = clock.after(REST_MS, resume);
    } else resume();
  }

  return {
    note() {
      const now = clock.now();
      messages++;
      if (turnAtMs === undefined) {
        turnAtMs = now;
        // Messages that were read before a rest began may arrive during it.
        cancel();
        cancel = clock.soon(() => endTurn(now));
      } else if (now - turnAtMs > TURN_BUDGET_MS) pause();
    },
    awaitPong(isPongAwaited) {
      isAwaited = isPongAwaited;
      if (isAwaited && turnAtMs === undefined) resume();
    },
    hold(isHeldNow) {
      isHeld = isHeldNow;
      if (isHeld) pause();
      else if (turnAtMs === undefined) resume();
    },
    end: () => cancel(),
  };
}
