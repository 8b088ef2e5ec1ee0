// What faults can do to connections and requests, and when: during recurring times, with a probability, or at given moments;
// channels and paths are selected by patterns.
import * as z from "zod";
import type { Clock } from "../../units/clock.ts";
import type { Random } from "../../units/random.ts";
import { DAY_MS } from "../../units/time.ts";
import type { FeedContext } from "../feeds/feed.ts";
import type { Fault, FaultName } from "./fault-kinds.ts";

export interface OutgoingFrame {
  readonly type: "hello" | "update" | "unsubscribed" | "error";
  readonly text: string;
  readonly channel: string | undefined;
  /** True for an update that carries previous_sequence and sequence. */
  readonly isSequenced: boolean;
  /** True for the first update after a subscribe. */
  readonly isFirst: boolean;
  /** True for an update whose loss a client can detect: it has a number, and so had one before it in the subscription. */
  readonly isMissable: boolean;
}

export interface FaultContext {
  readonly clock: Clock;
  readonly random: Random;
  /** Time since the simulator went live. */
  readonly elapsedMs: () => number;
  readonly feeds: FeedContext;
  readonly onStrike: (kind: FaultName) => void;
}

/** One fault on one connection. Each method is optional. */
export interface StreamFault {
  /** Frames to send in place of one, in order; an empty list drops it. */
  frames?(frame: OutgoingFrame): readonly OutgoingFrame[];
  /** Error code and message for an otherwise valid subscribe. */
  refusal?(channel: string): { readonly code: number; readonly message: string } | undefined;
  subscribed?(channel: string): void;
  stop?(): void;
}

/**
 * Replacement of an HTTP response. `refuse`: a status in place of a listing or a WebSocket. `hang`: no response at all. For listings
 * only, `cut`: the connection ends within the body; `html`: a page with status 200; `slow`: a few bytes at a time.
 */
export type HttpFault =
  | {
      readonly type: "refuse";
      readonly status: number;
      readonly retryAfter: string | undefined;
    }
  | { readonly type: "hang" | "cut" | "html" }
  | { readonly type: "slow"; readonly bytesPerSecond: number };

export type FindHttpFault = (path: string) => HttpFault | undefined;

export const durationMs = z.int().min(1).max(DAY_MS);
const offsetMs = z.int().min(0).max(DAY_MS);
/** Probability of each strike: more than 0, up to 1. */
export const probability = z.number().gt(0).max(1);
/** Channels or paths; `*` matches any text. */
export const pattern = z.string().min(1).max(200).default("*");

/** Delay after going live; duration (absent: for ever); period of repetition. */
export const span = {
  after_ms: offsetMs.default(0),
  for_ms: durationMs.optional(),
  every_ms: durationMs.optional(),
};
interface Span {
  readonly after_ms: number;
  readonly for_ms?: number | undefined;
  readonly every_ms?: number | undefined;
}
export const isPlausibleSpan = ({ for_ms, every_ms }: Omit<Span, "after_ms">) =>
  every_ms === undefined || (for_ms ?? every_ms) < every_ms;
export const implausibleSpan = {
  message: "every_ms needs a for_ms that is shorter",
  path: ["every_ms"],
};

/** Times to which a fault is limited; absent: always. */
export const when = z.strictObject(span).refine(isPlausibleSpan, implausibleSpan).optional();
type When = Span | undefined;

/** Moments at which something happens: relative to going live, or repeatedly at random intervals. */
export const moments = {
  /** Mean interval; each is 0.5 to 1.5 times as long. */
  every_ms: durationMs.optional(),
  at_ms: z.array(offsetMs).max(10_000).optional(),
};
interface Moments {
  readonly every_ms?: number | undefined;
  readonly at_ms?: readonly number[] | undefined;
}
export const hasMoments = ({ every_ms, at_ms }: Moments) =>
  every_ms !== undefined || at_ms !== undefined;
export const noMoments = { message: "every_ms or at_ms is missing", path: ["every_ms"] };

/** A matcher for a pattern. Only `*` is special. */
export function createPattern(text: string): (name: string) => boolean {
  const literal = text.split("*").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const regex = new RegExp(`^${literal.join(".*")}$`);
  return (name) => regex.test(name);
}

/** A fault with its context, and the decisions that follow from its settings. */
export interface ActiveFault extends FaultContext {
  readonly strike: () => void;
  /** True for channels or paths that match the settings' pattern; all match without one. */
  readonly matches: (name: string) => boolean;
  readonly when: When;
  readonly isWithinTimes: () => boolean;
  /** Draws whether the fault strikes now; never outside its times. */
  readonly draws: () => boolean;
  /** `draws` for a matching channel or path; nothing is drawn for others. */
  readonly concerns: (name: string) => boolean;
  /** True during the fault's times; their beginning counts as a strike. */
  readonly isOn: () => boolean;
}

interface CommonSettings {
  readonly channels?: string;
  readonly paths?: string;
  readonly probability?: number;
}

export function activateFault(
  settings: Fault & CommonSettings,
  context: FaultContext,
): ActiveFault {
  const { kind, channels, paths, probability: chance = 1, when: times } = settings;
  const matches = createPattern(channels ?? paths ?? "*");
  const strike = () => context.onStrike(kind);
  const isWithinTimes = () => isWithin(times, context.elapsedMs());
  const draws = () => isWithinTimes() && context.random() < chance;
  let wasOn = false;
  return {
    ...context,
    strike,
    matches,
    when: times,
    isWithinTimes,
    draws,
    concerns: (name) => matches(name) && draws(),
    isOn() {
      const isNow = isWithinTimes();
      if (isNow && !wasOn) strike();
      wasOn = isNow;
      return isNow;
    },
  };
}

export function isWithin(times: When, elapsedMs: number): boolean {
  if (times === undefined) return true;
  const { for_ms = Number.POSITIVE_INFINITY, every_ms = Number.POSITIVE_INFINITY } = times;
  const since = elapsedMs - times.after_ms;
  return since >= 0 && since % every_ms < for_ms;
}

/** Calls back with true when the times begin (or have begun), and with false when they end. @returns its stop function */
export function followTimes(
  { clock, elapsedMs }: FaultContext,
  times: Span,
  callback: (isOn: boolean) => void,
): () => void {
  const {
    after_ms,
    for_ms = Number.POSITIVE_INFINITY,
    every_ms = Number.POSITIVE_INFINITY,
  } = times;
  let stop = () => {};
  let wasOn = false;
  const poll = () => {
    const since = elapsedMs() - after_ms;
    const isOn = isWithin(times, elapsedMs());
    if (isOn !== wasOn) callback(isOn);
    wasOn = isOn;
    const waitMs = since < 0 ? -since : (isOn ? for_ms : every_ms) - (since % every_ms);
    if (waitMs < Number.POSITIVE_INFINITY) stop = clock.after(waitMs, poll);
  };
  poll();
  return () => stop();
}

/** Calls back at each future moment within the fault's times. @returns its stop function */
export function atMoments(
  { every_ms, at_ms = [] }: Moments,
  { clock, random, elapsedMs, isWithinTimes }: ActiveFault,
  callback: () => void,
): () => void {
  const undo = new Set<() => void>();
  const after = (delayMs: number, next: () => void = () => {}) => {
    const cancel = clock.after(delayMs, () => {
      undo.delete(cancel);
      if (isWithinTimes()) callback();
      next();
    });
    undo.add(cancel);
  };
  const again = () => {
    if (every_ms !== undefined) after(every_ms * (0.5 + random()), again);
  };
  again();
  for (const at of at_ms) if (at >= elapsedMs()) after(at - elapsedMs());
  return () => {
    for (const cancel of undo) cancel();
  };
}
