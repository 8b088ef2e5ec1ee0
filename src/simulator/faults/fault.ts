// What a fault can do to a connection or a request, and what it is given to do it with: within times that come back, with a
// probability, or at moments; channels and paths by patterns.
import * as z from "zod";
import type { Clock } from "../../units/clock.ts";
import type { Random } from "../../units/random.ts";
import { DAY_MS } from "../../units/time.ts";
import type { Interpretations } from "../scenarios/interpretations.ts";

/** A frame on its way to one client. */
export interface OutgoingFrame {
  readonly type: "hello" | "update" | "unsubscribed" | "error";
  readonly text: string;
  readonly channel: string | undefined;
  /** True for an update that carries previous_sequence and sequence. */
  readonly isSequenced: boolean;
  /** True for the first update after a subscribe. */
  readonly isFirst: boolean;
}

/** What a fault may do to the connection that it is made for. */
export interface FaultTarget {
  /** Sends a frame that a fault held back; no other fault sees it. */
  send(frame: OutgoingFrame): void;
  /** Sends a message that is no frame of the service: text, a binary message, or text that is no UTF-8. */
  insert(message: string | Buffer, form: "text" | "binary"): void;
  /** Closes with a code, as a service does that says goodbye. */
  close(code: number, reason: string): void;
  /** Cuts the connection without a word. */
  terminate(): void;
  /** Ends the subscriptions of matching channels with an error frame each. */
  revoke(matches: (channel: string) => boolean, code: number, message: string): void;
  /** Sends an error frame; without a channel where none is given. */
  refuse(code: number, message: string, channel?: string): void;
  /** Answers no ping from now on, or again. */
  setPongs(isOn: boolean): void;
  /** Nothing more leaves the socket and nothing is received, but the connection stays. */
  freeze(): void;
  /** Lets bytes leave only this fast; undefined: as fast as they can. */
  limitBytesPerSecond(limit: number | undefined): void;
  /** Lets the next bytes leave only in part, then cuts the connection. */
  cutNextWrite(): void;
}

/** `elapsedMs` is the time since the simulator went live; timers come from `clock`. */
export interface FaultContext {
  readonly clock: Clock;
  readonly random: Random;
  readonly elapsedMs: () => number;
  readonly interpretations: Interpretations;
  readonly strike: () => void;
}

/** One fault on one connection. Each part is optional. */
export interface StreamFault {
  /** Frames to send in place of one, in order; none drops it. */
  frames?(frame: OutgoingFrame): readonly OutgoingFrame[];
  /** Error code and message for a subscribe that nothing else speaks against. */
  refusal?(channel: string): { readonly code: number; readonly message: string } | undefined;
  /** A subscribe has been obeyed. */
  subscribed?(channel: string): void;
  /** Ends its timers. */
  stop?(): void;
}

/**
 * What an answer over HTTP turns into. `refuse`: a status in place of a listing or a WebSocket. `hang`: nothing ever comes. Of listings
 * only, `cut`: the connection ends within the body; `html`: a page with status 200; `slow`: a few bytes at a time.
 */
export type Trouble =
  | {
      readonly type: "refuse";
      readonly status: number;
      readonly retryAfter: string | undefined;
    }
  | { readonly type: "hang" | "cut" | "html" }
  | { readonly type: "slow"; readonly bytesPerSecond: number };

export type TroubleOf = (path: string) => Trouble | undefined;

export const durationMs = z.int().min(1).max(DAY_MS);
const offsetMs = z.int().min(0).max(DAY_MS);
/** The chance of each time: more than 0, up to 1. */
export const probability = z.number().gt(0).max(1);
/** Channels or paths, `*` for anything. */
export const pattern = z.string().min(1).max(200).default("*");

/** Time from going live to the first time; how long it lasts (absent: for good); how often it comes. */
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

/** Moments at which something happens: of the simulator's life, or again and again about so far apart. */
export const moments = {
  /** Half to one and a half times as long, each time. */
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

/** Makes a test for a pattern. Everything but `*` stands for itself. */
export function createPattern(text: string): (name: string) => boolean {
  const literal = text.split("*").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const form = new RegExp(`^${literal.join(".*")}$`);
  return (name) => form.test(name);
}

/** What a fault is given: its context, and what its settings say of whom it concerns, when and how often. */
export interface Prelude extends FaultContext {
  /** True for a channel or path that matches the settings' pattern; all do where they have none. */
  readonly matches: (name: string) => boolean;
  /** Decides by luck whether the fault strikes now; it has no luck outside its times. */
  readonly hasLuck: () => boolean;
  /** `hasLuck`, for a channel or path that matches; draws no luck for others. */
  readonly concerns: (name: string) => boolean;
  /** True while the times last; that they have begun counts as a strike. */
  readonly isOn: () => boolean;
}

interface Settings {
  readonly channels?: string;
  readonly paths?: string;
  readonly probability?: number;
  readonly when?: When;
}

export function createPrelude(settings: object, context: FaultContext): Prelude {
  const { channels, paths, probability: chance = 1, when: times } = settings as Settings;
  const matches = createPattern(channels ?? paths ?? "*");
  const hasLuck = () => isWithin(times, context.elapsedMs()) && context.random() < chance;
  let wasOn = false;
  return {
    ...context,
    matches,
    hasLuck,
    concerns: (name) => matches(name) && hasLuck(),
    isOn() {
      const isNow = isWithin(times, context.elapsedMs());
      if (isNow && !wasOn) context.strike();
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

/** Milliseconds until the times begin next; infinite when they do not any more. */
function untilBegin({ after_ms, every_ms }: Span, elapsedMs: number): number {
  const since = elapsedMs - after_ms;
  if (since < 0) return -since;
  return every_ms === undefined ? Number.POSITIVE_INFINITY : every_ms - (since % every_ms);
}

/** Milliseconds until the times are over that last now; infinite when they last for good. */
function untilEnd({ after_ms, for_ms, every_ms }: Span, elapsedMs: number): number {
  if (for_ms === undefined) return Number.POSITIVE_INFINITY;
  const since = elapsedMs - after_ms;
  return for_ms - (every_ms === undefined ? since : since % every_ms);
}

/** Calls back whenever the times begin, and at once when they last. Returns its undo. */
export function atEachBegin(
  { clock, elapsedMs }: FaultContext,
  times: Span,
  callback: () => void,
): () => void {
  let stop = () => {};
  const arm = () => {
    const delayMs = untilBegin(times, elapsedMs());
    if (delayMs === Number.POSITIVE_INFINITY) return;
    stop = clock.after(delayMs, () => {
      callback();
      arm();
    });
  };
  if (isWithin(times, elapsedMs())) callback();
  arm();
  return () => stop();
}

/** Calls back with true when the times begin (or last already) and with false when they end. Returns its undo. */
export function duringTimes(
  context: FaultContext,
  times: When,
  callback: (isOn: boolean) => void,
): () => void {
  const { clock, elapsedMs } = context;
  let stopEnd = () => {};
  const stopBegin = atEachBegin(context, times ?? { after_ms: 0 }, () => {
    callback(true);
    const leftMs = times === undefined ? Number.POSITIVE_INFINITY : untilEnd(times, elapsedMs());
    stopEnd();
    if (leftMs < Number.POSITIVE_INFINITY) stopEnd = clock.after(leftMs, () => callback(false));
  });
  return () => {
    stopBegin();
    stopEnd();
  };
}

/** Calls back at each moment that lies ahead and within the times. Returns its undo. */
export function atMoments(
  { every_ms, at_ms = [], when: times }: Moments & { readonly when?: When },
  { clock, random, elapsedMs }: FaultContext,
  callback: () => void,
): () => void {
  const undo = new Set<() => void>();
  const after = (delayMs: number, act: () => void) => {
    const cancel = clock.after(delayMs, () => {
      undo.delete(cancel);
      if (isWithin(times, elapsedMs())) callback();
      act();
    });
    undo.add(cancel);
  };
  const again = () => {
    if (every_ms !== undefined) after(every_ms * (0.5 + random()), again);
  };
  again();
  for (const at of at_ms) if (at >= elapsedMs()) after(at - elapsedMs(), () => {});
  return () => {
    for (const cancel of undo) cancel();
  };
}
