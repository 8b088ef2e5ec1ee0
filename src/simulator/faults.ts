// The twelve faults: what a service does wrong now and then. They have a random source of their own, so that they change what
// clients receive, never what happens in the market.
import type { Clock } from "../units/clock.ts";
import type { Random } from "../units/random.ts";
import type { Orderbook } from "../wire/frames.ts";
import { parseJson } from "../wire/json.ts";
import type { Connection } from "./connection.ts";
import type { Fault } from "./scenario.ts";

export interface OutgoingFrame {
  readonly text: string;
  /** Undefined for responses. */
  readonly channel: string | undefined;
  /** True for the first update after a subscribe. */
  readonly isFirst: boolean;
  /** True for an update that carries its sequence. */
  readonly isNumbered: boolean;
}

/** What a kind does; each row has one or two of these. */
interface Effect {
  /** Frames in place of an update of a matching channel; an empty list drops it. */
  readonly replace?: (frame: OutgoingFrame, random: Random) => readonly OutgoingFrame[];
  /** Held back are the first frame of a matching channel with what follows it, or everything. */
  readonly delays?: "first" | "all";
  /** Done whenever its times begin. */
  readonly begin?: (connection: Connection, matches: (channel: string) => boolean) => void;
  /** Matching channels cannot be subscribed during its times. */
  readonly isUnavailable?: true;
  /** HTTP status in place of a WebSocket, or of a listing of a matching path. */
  readonly upgrade?: number;
  readonly listing?: number;
}

export const FAULTS = {
  "lost-connection": { begin: (connection) => connection.terminate() },
  refused: { upgrade: 503 },
  unavailable: {
    isUnavailable: true,
    begin: (connection, matches) => connection.revoke(matches, true),
  },
  // The loss of a first frame, or of one without a number, could not be noticed.
  gap: { replace: (frame) => (frame.isNumbered && !frame.isFirst ? [] : [frame]) },
  "late-first-frame": { delays: "first" },
  duplicate: { replace: (frame) => [frame, frame] },
  "bad-frame": {
    replace: (frame, random) => {
      const length = Math.floor(frame.text.length * random());
      return [{ ...frame, text: frame.text.slice(0, length) }];
    },
  },
  unsubscribed: { begin: (connection, matches) => connection.revoke(matches, false) },
  slow: { delays: "all" },
  "rest-429": { listing: 429 },
  "rest-500": { listing: 500 },
  // First frames are left alone, so that a client can mend the book.
  "crossed-book": {
    replace: (frame) => [frame.isFirst ? frame : { ...frame, text: crossed(frame.text) }],
  },
} satisfies Record<string, Effect>;
export type FaultKind = keyof typeof FAULTS;

/** An order book with a bid above an ask, which stays until the next snapshot; other frames are unchanged. */
function crossed(text: string): string {
  const update = parseJson(text) as { readonly orderbook?: Orderbook } | undefined;
  const ask = update?.orderbook?.asks.find(({ size_base_lots }) => size_base_lots !== "0");
  if (update?.orderbook === undefined || ask === undefined) return text;
  const price_ticks = String(BigInt(ask.price_ticks) + 2n);
  const others = update.orderbook.bids.filter((level) => level.price_ticks !== price_ticks);
  const bids = [{ price_ticks, size_base_lots: "7" }, ...others];
  return JSON.stringify({ ...update, orderbook: { ...update.orderbook, bids } });
}

export interface FaultContext {
  readonly clock: Clock;
  readonly random: Random;
  /** Time since the simulator went live. */
  readonly elapsedMs: () => number;
}

/** A status in place of a listing or a WebSocket. */
export interface Refusal {
  readonly status: number;
  readonly retryAfterS: number | undefined;
}

/** @param path of a listing; undefined for a WebSocket */
export function refuse(
  faults: readonly Fault[],
  context: FaultContext,
  path?: string,
): Refusal | undefined {
  for (const fault of faults) {
    const effect: Effect = FAULTS[fault.kind];
    const status = effect[path === undefined ? "upgrade" : "listing"];
    if (status === undefined || (path !== undefined && !createPattern(fault.paths)(path))) continue;
    if (strikes(fault, context)) return { status, retryAfterS: fault.retry_after_s };
  }
  return undefined;
}

/** A matcher for a pattern. Only `*` is special. */
function createPattern(text: string): (name: string) => boolean {
  const literal = text.split("*").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const regex = new RegExp(`^${literal.join(".*")}$`);
  return (name) => regex.test(name);
}

function isWithin(fault: Fault, { elapsedMs }: FaultContext): boolean {
  const {
    after_ms,
    for_ms = Number.POSITIVE_INFINITY,
    every_ms = Number.POSITIVE_INFINITY,
  } = fault;
  const since = elapsedMs() - after_ms;
  return since >= 0 && since % every_ms < for_ms;
}

/** Draws whether the fault strikes now; nothing is drawn outside its times. */
function strikes(fault: Fault, context: FaultContext): boolean {
  return isWithin(fault, context) && context.random() < fault.probability;
}

/** One fault on one connection. */
export class StreamFault {
  readonly #fault: Fault;
  readonly #effect: Effect;
  readonly #context: FaultContext;
  readonly #connection: Connection;
  readonly #matches: (channel: string) => boolean;
  /** When frames held back are sent, by channel; by "" where everything is. */
  readonly #due = new Map<string, number>();
  readonly #cancels = new Set<() => void>();

  constructor(fault: Fault, context: FaultContext, connection: Connection) {
    this.#fault = fault;
    this.#effect = FAULTS[fault.kind];
    this.#context = context;
    this.#connection = connection;
    this.#matches = createPattern(fault.channels);
    if (this.#effect.begin !== undefined) this.#awaitBegin();
  }

  /** Frames to send in place of one, in order. */
  frames(frame: OutgoingFrame): readonly OutgoingFrame[] {
    const { replace, delays } = this.#effect;
    if (delays === "all") return this.#delay("", isWithin(this.#fault, this.#context), frame);
    const { channel } = frame;
    if (channel === undefined || !this.#matches(channel)) return [frame];
    if (delays === "first") {
      return this.#delay(channel, frame.isFirst && strikes(this.#fault, this.#context), frame);
    }
    if (replace === undefined || !strikes(this.#fault, this.#context)) return [frame];
    return replace(frame, this.#context.random);
  }

  /** True if the channel cannot be subscribed now. */
  refuses(channel: string): boolean {
    const { isUnavailable = false } = this.#effect;
    return isUnavailable && isWithin(this.#fault, this.#context) && this.#matches(channel);
  }

  stop(): void {
    for (const cancel of this.#cancels) cancel();
  }

  /** What comes while frames are held back waits behind them. */
  #delay(key: string, isStruck: boolean, frame: OutgoingFrame): readonly OutgoingFrame[] {
    const nowMs = this.#context.clock.now();
    if (isStruck) this.#due.set(key, nowMs + this.#fault.delay_ms);
    const waitMs = (this.#due.get(key) ?? 0) - nowMs;
    if (waitMs <= 0) return [frame];
    this.#after(waitMs, () => this.#connection.send(frame.text));
    return [];
  }

  #awaitBegin(): void {
    const { after_ms, every_ms = Number.POSITIVE_INFINITY } = this.#fault;
    const elapsedMs = this.#context.elapsedMs();
    const since = elapsedMs - after_ms;
    const nextMs = since < 0 ? after_ms : after_ms + (Math.floor(since / every_ms) + 1) * every_ms;
    if (!Number.isFinite(nextMs)) return;
    this.#after(nextMs - elapsedMs, () => {
      this.#awaitBegin();
      this.#effect.begin?.(this.#connection, this.#matches);
    });
  }

  #after(delayMs: number, callback: () => void): void {
    const cancel = this.#context.clock.after(delayMs, () => {
      this.#cancels.delete(cancel);
      callback();
    });
    this.#cancels.add(cancel);
  }
}
