// The twelve faults: what a service does wrong now and then. They have a random source of their own, so that they change what
// clients receive, never what happens in the market.
import * as z from "zod";
import type { Clock } from "../../units/clock.ts";
import type { Random } from "../../units/random.ts";
import { DAY_MS } from "../../units/time.ts";
import type { Orderbook } from "../../wire/frames.ts";
import { parseJson } from "../../wire/json.ts";
import type { Connection } from "../server/connection.ts";

const durationMs = z.int().min(1).max(DAY_MS);
const probability = z.number().gt(0).max(1).default(1);
/** Channels or paths; `*` matches any text. */
const pattern = z.string().min(1).max(200).default("*");

/** Delay after going live; duration (absent: for ever); period of repetition (absent: once). */
const times = {
  after_ms: z.int().min(0).max(DAY_MS).default(0),
  for_ms: durationMs.optional(),
  every_ms: durationMs.optional(),
};
const moments = { after_ms: times.after_ms, every_ms: times.every_ms };
const byChance = { channels: pattern, probability, ...times };
/** Seconds, sent as Retry-After. */
const retry_after_s = z.int().min(0).max(3600).optional();

const kind = <Name extends string, Fields extends z.ZodRawShape>(name: Name, fields: Fields) =>
  z.strictObject({ kind: z.literal(name), ...fields });

export const fault = z.discriminatedUnion("kind", [
  kind("gap", byChance),
  kind("duplicate", byChance),
  kind("bad-frame", byChance),
  kind("crossed-book", byChance),
  kind("late-first-frame", { delay_ms: durationMs, ...byChance }),
  kind("slow", { delay_ms: durationMs, ...times }),
  kind("unavailable", { channels: pattern, ...times }),
  kind("unsubscribed", { channels: pattern, ...moments }),
  kind("lost-connection", moments),
  kind("refused", { probability, retry_after_s, ...times }),
  kind("rest-429", { paths: pattern, probability, retry_after_s, ...times }),
  kind("rest-500", { paths: pattern, probability, ...times }),
]);

/** The checked settings of one fault. */
export type Fault = z.output<typeof fault>;

type FaultOf<Kind extends Fault["kind"]> = Extract<Fault, { readonly kind: Kind }>;

export interface FaultContext {
  readonly clock: Clock;
  readonly random: Random;
  /** Time since the simulator went live. */
  readonly elapsedMs: () => number;
}

export interface OutgoingFrame {
  readonly text: string;
  /** Undefined for responses. */
  readonly channel: string | undefined;
  /** True for the first update after a subscribe. */
  readonly isFirst: boolean;
  /** True for an update that carries its sequence. */
  readonly isNumbered: boolean;
}

/** One fault on one connection. */
export interface StreamFault {
  /** Frames to send in place of one, in order; an empty list drops it. */
  frames?(frame: OutgoingFrame): readonly OutgoingFrame[];
  /** True if the channel cannot be subscribed now. */
  refuses?(channel: string): boolean;
  stop?(): void;
}

/** Starts a fault on a connection; those of HTTP do nothing to it. */
export function startFault(
  settings: Fault,
  context: FaultContext,
  connection: Connection,
): StreamFault {
  switch (settings.kind) {
    // The loss of a first frame, or of one without a number, could not be noticed.
    case "gap":
      return replacing(settings, context, (frame) =>
        frame.isNumbered && !frame.isFirst ? [] : [frame],
      );
    case "duplicate":
      return replacing(settings, context, (frame) => [frame, frame]);
    case "bad-frame":
      return replacing(settings, context, (frame) => {
        const length = Math.floor(frame.text.length * context.random());
        return [{ ...frame, text: frame.text.slice(0, length) }];
      });
    case "crossed-book":
      return replacing(settings, context, (frame) =>
        frame.isFirst ? [frame] : [{ ...frame, text: crossed(frame.text) }],
      );
    case "late-first-frame":
      return delayFirstFrames(settings, context, connection);
    case "slow":
      return delayAll(settings, context, connection);
    case "unavailable": {
      const matches = createPattern(settings.channels);
      return {
        refuses: (channel) => isWithin(settings, context) && matches(channel),
        stop: atEachBegin(settings, context, () => connection.revoke(matches, true)),
      };
    }
    case "unsubscribed": {
      const matches = createPattern(settings.channels);
      return { stop: atEachBegin(settings, context, () => connection.revoke(matches, false)) };
    }
    case "lost-connection":
      return { stop: atEachBegin(settings, context, () => connection.terminate()) };
    default:
      return {};
  }
}

/** A status in place of a listing or a WebSocket. */
export interface Refusal {
  readonly status: number;
  readonly retryAfterS?: number | undefined;
}

export function refuseUpgrade(
  faults: readonly Fault[],
  context: FaultContext,
): Refusal | undefined {
  for (const each of faults) {
    if (each.kind === "refused" && strikes(each, context)) {
      return { status: 503, retryAfterS: each.retry_after_s };
    }
  }
  return undefined;
}

export function refuseRequest(
  faults: readonly Fault[],
  context: FaultContext,
  path: string,
): Refusal | undefined {
  for (const each of faults) {
    if (each.kind !== "rest-429" && each.kind !== "rest-500") continue;
    if (!createPattern(each.paths)(path) || !strikes(each, context)) continue;
    if (each.kind === "rest-500") return { status: 500 };
    return { status: 429, retryAfterS: each.retry_after_s };
  }
  return undefined;
}

/** A matcher for a pattern. Only `*` is special. */
function createPattern(text: string): (name: string) => boolean {
  const literal = text.split("*").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const regex = new RegExp(`^${literal.join(".*")}$`);
  return (name) => regex.test(name);
}

interface Times {
  readonly after_ms: number;
  readonly for_ms?: number | undefined;
  readonly every_ms?: number | undefined;
}

function isWithin(
  { after_ms, for_ms = Number.POSITIVE_INFINITY, every_ms = Number.POSITIVE_INFINITY }: Times,
  { elapsedMs }: FaultContext,
): boolean {
  const since = elapsedMs() - after_ms;
  return since >= 0 && since % every_ms < for_ms;
}

/** Draws whether the fault strikes now; nothing is drawn outside its times. */
function strikes(
  settings: Times & { readonly probability: number },
  context: FaultContext,
): boolean {
  return isWithin(settings, context) && context.random() < settings.probability;
}

/** Calls back whenever the fault's times begin from now on. @returns its stop function */
function atEachBegin(
  { after_ms, every_ms = Number.POSITIVE_INFINITY }: Times,
  { clock, elapsedMs }: FaultContext,
  callback: () => void,
): () => void {
  let stop = () => {};
  const wait = (atMs: number) => {
    if (atMs === Number.POSITIVE_INFINITY) return;
    stop = clock.after(atMs - elapsedMs(), () => {
      wait(atMs + every_ms);
      callback();
    });
  };
  const since = elapsedMs() - after_ms;
  wait(since < 0 ? after_ms : after_ms + (Math.floor(since / every_ms) + 1) * every_ms);
  return () => stop();
}

/** Replaces updates of matching channels by chance. */
function replacing(
  settings: FaultOf<"gap" | "duplicate" | "bad-frame" | "crossed-book">,
  context: FaultContext,
  replace: (frame: OutgoingFrame) => readonly OutgoingFrame[],
): StreamFault {
  const matches = createPattern(settings.channels);
  return {
    frames: (frame) =>
      frame.channel !== undefined && matches(frame.channel) && strikes(settings, context)
        ? replace(frame)
        : [frame],
  };
}

/** An order book with a bid above an ask, which stays until the next snapshot. */
function crossed(text: string): string {
  const update = parseJson(text) as { readonly orderbook?: Orderbook } | undefined;
  const ask = update?.orderbook?.asks.find(({ size_base_lots }) => size_base_lots !== "0");
  if (update?.orderbook === undefined || ask === undefined) return text;
  const price_ticks = String(BigInt(ask.price_ticks) + 2n);
  const others = update.orderbook.bids.filter((level) => level.price_ticks !== price_ticks);
  const bids = [{ price_ticks, size_base_lots: "7" }, ...others];
  return JSON.stringify({ ...update, orderbook: { ...update.orderbook, bids } });
}

/** Holds a first frame back, and what follows it on its channel. */
function delayFirstFrames(
  settings: FaultOf<"late-first-frame">,
  context: FaultContext,
  connection: Connection,
): StreamFault {
  const matches = createPattern(settings.channels);
  const timers = createTimers(context.clock);
  const held = new Map<string, OutgoingFrame[]>();
  const hold = (channel: string) => {
    const frames: OutgoingFrame[] = [];
    held.set(channel, frames);
    timers.after(settings.delay_ms, () => {
      // The subscription may have ended, and another one begun.
      if (held.get(channel) !== frames) return;
      held.delete(channel);
      for (const each of frames) connection.send(each.text);
    });
  };
  return {
    frames(frame) {
      const { channel, isFirst } = frame;
      if (channel === undefined || !matches(channel)) return [frame];
      if (isFirst) held.delete(channel);
      if (isFirst && strikes(settings, context)) hold(channel);
      const frames = held.get(channel);
      frames?.push(frame);
      return frames === undefined ? [frame] : [];
    },
    stop: timers.stop,
  };
}

/** Holds everything back by the same time, so that it stays in order, also behind what was held before. */
function delayAll(
  settings: FaultOf<"slow">,
  context: FaultContext,
  connection: Connection,
): StreamFault {
  const { clock } = context;
  const timers = createTimers(clock);
  let dueMs = 0;
  return {
    frames({ text, ...frame }) {
      if (isWithin(settings, context)) dueMs = clock.now() + settings.delay_ms;
      else if (timers.waiting.size === 0) return [{ text, ...frame }];
      timers.after(dueMs - clock.now(), () => connection.send(text));
      return [];
    },
    stop: timers.stop,
  };
}

/** Timers that end with their connection. */
function createTimers(clock: Clock) {
  /** Their cancel functions. */
  const waiting = new Set<() => void>();
  return {
    waiting,
    after(delayMs: number, callback: () => void): void {
      const cancel = clock.after(delayMs, () => {
        waiting.delete(cancel);
        callback();
      });
      waiting.add(cancel);
    },
    stop(): void {
      for (const cancel of waiting) cancel();
    },
  };
}
