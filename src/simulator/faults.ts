// The twelve faults: what a service does wrong now and then. They have a random source of their own, so that they change what
// clients receive, never what happens in the market.
import type { Random } from "../units/random.ts";
import type { Orderbook } from "../wire/frames.ts";
import { parseJson } from "../wire/json.ts";
import type { Fault } from "./scenario.ts";

/** A frame of the service. */
export interface OutgoingFrame {
  readonly text: string;
  /** Empty for responses. */
  readonly channel: string;
  /** True for the first update after a subscribe. */
  readonly isFirst: boolean;
  /** True for an update that carries its sequence. */
  readonly isNumbered: boolean;
}

/** What a kind does; each row has one or two of these. */
interface Effect {
  /** Texts in place of an update of a matching channel; an empty list drops it. */
  readonly replace?: (frame: OutgoingFrame, random: Random) => readonly string[];
  /** Held back are the first frame of a matching channel with what follows it, or everything. */
  readonly delays?: "first" | "all";
  /** Whenever its times begin, the connection is lost, or matching subscriptions end with such a frame. */
  readonly ends?: "connection" | "error" | "unsubscribed";
  /** Matching channels cannot be subscribed during its times. */
  readonly isUnavailable?: true;
  /** HTTP status in place of a WebSocket, or of a listing of a matching path. */
  readonly upgrade?: number;
  readonly listing?: number;
}

export const FAULTS = {
  "lost-connection": { ends: "connection" },
  refused: { upgrade: 503 },
  unavailable: { isUnavailable: true, ends: "error" },
  // The loss of a first frame, or of one without a number, could not be noticed.
  gap: { replace: ({ text, isFirst, isNumbered }) => (isNumbered && !isFirst ? [] : [text]) },
  "late-first-frame": { delays: "first" },
  duplicate: { replace: ({ text }) => [text, text] },
  "bad-frame": { replace: ({ text }, random) => [text.slice(0, text.length * random())] },
  unsubscribed: { ends: "unsubscribed" },
  slow: { delays: "all" },
  "rest-429": { listing: 429 },
  "rest-500": { listing: 500 },
  // First frames are left alone, so that a client can mend the book.
  "crossed-book": { replace: ({ text, isFirst }) => [isFirst ? text : crossed(text)] },
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

const NEVER = Number.POSITIVE_INFINITY;

export type LiveFault = ReturnType<typeof openFault>;

/** A fault as it happens on one connection, or to requests. @param elapsedMs time since the simulator went live */
export function openFault(fault: Fault, random: Random, elapsedMs: () => number) {
  const { after_ms, for_ms = NEVER, every_ms = NEVER } = fault;
  const effect: Effect = FAULTS[fault.kind];
  // Only `*` is special.
  const escaped = fault.on.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*");
  const pattern = new RegExp(`^${escaped}$`);
  const isMeant = (name: string) => pattern.test(name);
  /** True during its times. */
  const isOn = () => {
    const sinceMs = elapsedMs() - after_ms;
    return sinceMs >= 0 && sinceMs % every_ms < for_ms;
  };
  /** Draws whether it strikes a channel or path now; nothing is drawn outside its times. */
  const strikes = (name: string) => isMeant(name) && isOn() && random() < fault.probability;
  return {
    ...{ effect, delayMs: fault.delay_ms, isMeant, isOn, strikes },
    /** True if this frame, and what follows it on its channel or on all, has to wait. */
    holdsBack({ channel, isFirst }: OutgoingFrame): boolean {
      return effect.delays === "all"
        ? isOn()
        : effect.delays === "first" && isFirst && strikes(channel);
    },
    /** The texts in place of a frame's. */
    replaced(frame: OutgoingFrame): readonly string[] {
      const { replace } = effect;
      const isStruck = replace !== undefined && frame.channel !== "" && strikes(frame.channel);
      return isStruck ? replace(frame, random) : [frame.text];
    },
    /** Until its times begin again; Infinity if they do not. */
    untilBeginMs(): number {
      const sinceMs = elapsedMs() - after_ms;
      return sinceMs < 0 ? -sinceMs : every_ms - (sinceMs % every_ms);
    },
  };
}
