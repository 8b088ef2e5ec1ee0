// The kinds of faults: one row each, with what a scenario may set and what the fault does. A new kind is
// a new row.
import * as z from "zod";
import { ERROR_CODES } from "../../protocol/limits.ts";
import { createPattern } from "./channel-pattern.ts";
import type { FaultContext, FaultTarget, OutgoingFrame, RestFault, StreamFault } from "./fault.ts";

const pattern = z.string().min(1).max(200).default("*");
const probability = z.number().gt(0).max(1);
const ms = z.int().min(1).max(86_400_000);

/** Codes that a close frame may carry (RFC 6455, 7.4). */
const closeCode = z.union([
  z.int().min(1000).max(1003),
  z.int().min(1007).max(1014),
  z.int().min(3000).max(4999),
]);

/** Frames of chained channels are lost, never the first after a subscribe: the client sees a gap. */
const dropFrame = z.strictObject({
  kind: z.literal("drop-frame"),
  /** Channels concerned, `*` for anything. */
  channels: pattern,
  probability,
});

/** Updates come twice. */
const duplicateFrame = z.strictObject({
  kind: z.literal("duplicate-frame"),
  channels: pattern,
  probability,
});

/** Updates come late, all by the same time, so that their order stays. */
const delayFrames = z.strictObject({
  kind: z.literal("delay-frames"),
  channels: pattern,
  delay_ms: ms,
});

/** The connection ends about every so many milliseconds (half to one and a half times), with a close code. */
const close = z.strictObject({
  kind: z.literal("close"),
  every_ms: ms,
  code: closeCode.default(1001),
});

/** The connection is cut about every so many milliseconds, without a close frame. */
const terminate = z.strictObject({ kind: z.literal("terminate"), every_ms: ms });

/**
 * Streams are unavailable: a subscribe is answered by 503, and where the time begins on a subscribed
 * channel, the subscription ends with 503.
 */
const unavailable = z
  .strictObject({
    kind: z.literal("unavailable"),
    channels: pattern,
    /** Time from going live to the first time; how long it lasts (absent: for good); how often it comes. */
    after_ms: z.int().min(0).max(86_400_000).default(0),
    for_ms: ms.optional(),
    every_ms: ms.optional(),
  })
  .refine(({ for_ms, every_ms }) => every_ms === undefined || (for_ms ?? every_ms) < every_ms, {
    message: "every_ms needs a for_ms that is shorter",
    path: ["every_ms"],
  });

/** REST requests are refused with a status. */
const restError = z.strictObject({
  kind: z.literal("rest-error"),
  /** Paths concerned, without the prefix, `*` for anything. */
  paths: pattern,
  probability,
  status: z.int().min(400).max(599).default(503),
  /** Sent as Retry-After, in seconds. */
  retry_after_s: z.int().min(0).max(3600).optional(),
});

export const fault = z.discriminatedUnion("kind", [
  dropFrame,
  duplicateFrame,
  delayFrames,
  close,
  terminate,
  unavailable,
  restError,
]);
export type Fault = z.infer<typeof fault>;

type Settings<K extends Fault["kind"]> = Extract<Fault, { kind: K }>;

interface FaultKind<S> {
  /** What it does to each connection. */
  readonly stream?: (settings: S, context: FaultContext, target: FaultTarget) => StreamFault;
  /** What it does to REST. */
  readonly rest?: (settings: S, context: FaultContext) => RestFault;
}

export const FAULT_KINDS: { readonly [K in Fault["kind"]]: FaultKind<Settings<K>> } = {
  "drop-frame": {
    stream: ({ channels, probability: chance }, { random }) => {
      const isConcerned = updatesOf(channels);
      return {
        frames(frame) {
          const isSpared = !frame.isChained || frame.isFirst || !isConcerned(frame);
          return isSpared || random() >= chance ? [frame] : [];
        },
      };
    },
  },
  "duplicate-frame": {
    stream: ({ channels, probability: chance }, { random }) => {
      const isConcerned = updatesOf(channels);
      return {
        frames: (frame) => (isConcerned(frame) && random() < chance ? [frame, frame] : [frame]),
      };
    },
  },
  "delay-frames": { stream: delay },
  close: {
    stream: ({ every_ms, code }, context, target) =>
      cut(every_ms, context, () => target.close(code, "the simulator's closing fault")),
  },
  terminate: {
    stream: ({ every_ms }, context, target) => cut(every_ms, context, () => target.terminate()),
  },
  unavailable: { stream: withdraw },
  "rest-error": {
    rest: ({ paths, probability: chance, status, retry_after_s }, { random }) => {
      const matches = createPattern(paths);
      const headers: Record<string, string> =
        retry_after_s === undefined ? {} : { "retry-after": String(retry_after_s) };
      const refusal = { status, headers, message: "the simulator's REST fault" };
      return { refusal: (path) => (matches(path) && random() < chance ? refusal : undefined) };
    },
  },
};

/** Makes a test for updates of matching channels. */
function updatesOf(channels: string): (frame: OutgoingFrame) => boolean {
  const matches = createPattern(channels);
  return ({ channel }) => channel !== undefined && matches(channel);
}

function delay(
  { channels, delay_ms }: Settings<"delay-frames">,
  { clock }: FaultContext,
  target: FaultTarget,
): StreamFault {
  const isConcerned = updatesOf(channels);
  const timers = new Set<() => void>();
  return {
    frames(frame) {
      if (!isConcerned(frame)) return [frame];
      const undo = clock.after(delay_ms, () => {
        timers.delete(undo);
        target.send(frame);
      });
      timers.add(undo);
      return [];
    },
    stop() {
      for (const undo of timers) undo();
    },
  };
}

function cut(everyMs: number, { clock, random }: FaultContext, end: () => void): StreamFault {
  return { stop: clock.after(everyMs * (0.5 + random()), end) };
}

function withdraw(
  settings: Settings<"unavailable">,
  { clock, elapsedMs }: FaultContext,
  target: FaultTarget,
): StreamFault {
  const { after_ms: afterMs, for_ms: forMs = Number.POSITIVE_INFINITY, every_ms } = settings;
  const everyMs = every_ms ?? Number.POSITIVE_INFINITY;
  const matches = createPattern(settings.channels);
  const code = ERROR_CODES.streamUnavailable;
  const message = "stream unavailable";
  const isAway = () => {
    const since = elapsedMs() - afterMs;
    return since >= 0 && since % everyMs < forMs;
  };
  const untilNext = () => {
    const since = elapsedMs() - afterMs;
    return since < 0 ? -since : everyMs - (since % everyMs);
  };

  let stop = () => {};
  const arm = () => {
    const delayMs = untilNext();
    if (delayMs === Number.POSITIVE_INFINITY) return;
    stop = clock.after(delayMs, () => {
      target.revoke(matches, code, message);
      arm();
    });
  };
  arm();
  return {
    refusal: (channel) => (isAway() && matches(channel) ? { code, message } : undefined),
    stop: () => stop(),
  };
}
