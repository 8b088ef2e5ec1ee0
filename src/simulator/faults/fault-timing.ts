// When faults strike: within times that come back, with a probability, or at moments.
import * as z from "zod";
import type { FaultContext, FaultTarget, StreamFault } from "./fault.ts";

const DAY_MS = 86_400_000;

/** Milliseconds: up to a day. */
export const durationMs = z.int().min(1).max(DAY_MS);
const offsetMs = z.int().min(0).max(DAY_MS);
/** The chance of each time: more than 0, up to 1. */
export const probability = z.number().gt(0).max(1);
/** Channels or paths, `*` for anything. */
export const pattern = z.string().min(1).max(200).default("*");

const spanFields = {
  /** Time from going live to the first time; how long it lasts (absent: for good); how often it comes. */
  after_ms: offsetMs.default(0),
  for_ms: durationMs.optional(),
  every_ms: durationMs.optional(),
};

interface Span {
  readonly after_ms: number;
  readonly for_ms?: number | undefined;
  readonly every_ms?: number | undefined;
}

/** True unless times would begin again before they are over. Never throws. */
export const isPlausibleSpan = ({ for_ms, every_ms }: Span) =>
  every_ms === undefined || (for_ms ?? every_ms) < every_ms;
/** What is said of other times. */
export const implausibleSpan = {
  message: "every_ms needs a for_ms that is shorter",
  path: ["every_ms"],
};

/** Times to which a fault is limited; absent: always. */
export const when = z.strictObject(spanFields).refine(isPlausibleSpan, implausibleSpan).optional();
type When = z.output<typeof when>;

/** The same fields for a fault that is nothing but its times. */
export const span = spanFields;

/** Moments at which something happens: of the simulator's life, or again and again about so far apart. */
export const moments = {
  /** Half to one and a half times as long, each time. */
  every_ms: durationMs.optional(),
  at_ms: z.array(offsetMs).max(10_000).optional(),
};
interface Moments {
  readonly every_ms?: number | undefined;
  readonly at_ms?: readonly number[] | undefined;
  readonly when?: When;
}
/** True when there is a moment at all. Never throws. */
export const hasMoments = ({ every_ms, at_ms }: Moments) =>
  every_ms !== undefined || at_ms !== undefined;
/** What is said where there is none. */
export const noMoments = { message: "every_ms or at_ms is missing", path: ["every_ms"] };

/** True while the times last. Never throws. */
export function isWithin(times: Span | undefined, elapsedMs: number): boolean {
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

/** Calls back whenever the times begin, and at once when they last. Returns its undo. Never throws. */
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

/**
 * Calls back with true when the times begin (or last already) and with false when they end. Returns its undo. Never
 * throws.
 */
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

/** Says for each occasion whether the fault strikes now. Never throws. */
export function createLuck(
  { probability: chance, when: times }: { readonly probability: number; readonly when?: When },
  { random, elapsedMs }: FaultContext,
): () => boolean {
  return () => isWithin(times, elapsedMs()) && random() < chance;
}

/** Calls back at each moment that lies ahead and within the times. Returns its undo. */
function atMoments(
  { every_ms, at_ms = [], when: times }: Moments,
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

/** What a fault of a stream does at each of its moments, which counts as a strike. Never throws. */
export function atEachMoment<S extends Moments>(
  act: (target: FaultTarget, settings: S, context: FaultContext) => void,
) {
  return (settings: S, context: FaultContext, target: FaultTarget): StreamFault => ({
    stop: atMoments(settings, context, () => {
      context.strike();
      act(target, settings, context);
    }),
  });
}

/** Answers whether the times last; that they have begun counts as a strike. Never throws. */
export function createSpell(times: When, { elapsedMs, strike }: FaultContext): () => boolean {
  let wasWithin = false;
  return () => {
    const isNow = isWithin(times, elapsedMs());
    if (isNow && !wasWithin) strike();
    wasWithin = isNow;
    return isNow;
  };
}
