// What is kept by changes, and held to nothing else, is asked for again from time to time: whatever went wrong unseen is wrong for
// at most so long.
import { doubt, type Subscription } from "../stream/subscription.ts";
import type { Kind } from "../wire/frames.ts";

const KINDS: ReadonlySet<Kind> = new Set<Kind>(["account", "accounts", "markets", "orderbook"]);
const FIRST_AFTER_MS = 30_000;
const EVERY_MS = 900_000;

/** After each first frame. @param isWatched another channel would show what is wrong */
export function scheduleUpkeep(sub: Subscription, isWatched: boolean, nowMs: number): void {
  if (!KINDS.has(sub.status.kind)) return;
  // A refresh for another reason does not put off what is due soon.
  if (sub.isContinuous && sub.upkeepAtMs !== undefined && sub.upkeepAtMs > nowMs) return;
  sub.upkeepAtMs = nowMs + (sub.isContinuous || isWatched ? EVERY_MS : FIRST_AFTER_MS);
}

export function tickUpkeep(sub: Subscription, nowMs: number): void {
  if (nowMs >= (sub.upkeepAtMs ?? nowMs + 1) && sub.status.phase === "open")
    doubt(sub, "upkeep", nowMs);
}
