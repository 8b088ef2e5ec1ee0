// One channel on the connection. Functions over plain data; the session owns the socket and the clock and calls `tick`. What is
// held of a channel is not here: it stays as it is until a new first frame replaces it.

import type { Dialect } from "../dialect/dialect.ts";
import { backoffDelayMs } from "../units/backoff.ts";
import type { Random } from "../units/random.ts";
import { CHANNELS, type Kind, type Update } from "../wire/frames.ts";
import { ERROR_CODES } from "../wire/limits.ts";
import { advance, type Chain, createChain, type Judgement, judge } from "./chain.ts";
import { type ChannelStatus, createStatus, noteFrame } from "./status.ts";

/** Times are monotonic milliseconds. */
export interface Subscription {
  /** What is shown of it. */
  readonly status: ChannelStatus;
  chain: Chain;
  /** Of the last command. */
  sentAtMs: number;
  /** When a second subscribe asked whether the first one stands; 409 says so (section 7). */
  askedAtMs: number;
  isAsking: boolean;
  /** First frames name no frame before: then one that does, behind a subscribe, is of the subscription before. */
  beginsWithNull: boolean;
  /** The held sequence, which such a frame would name; null if there can be none. */
  older: string | null;
  /** It is asked for anew then, for this reason. */
  refreshAtMs: number | undefined;
  because: string;
  refreshedAtMs: number;
  /** By reason: before when it may not ask again, and for how long after that. */
  readonly doubts: Map<string, { notBeforeMs: number; delayMs: number }>;
  /** Breaks in a row: the exponent of the next delay. */
  breaks: number;
  brokeAtMs: number;
  /** When it is asked for again although nothing is wrong; undefined before the first frame, and where it is not. */
  upkeepAtMs: number | undefined;
  /** Nothing is known to have been missed before the newest first frame. */
  isContinuous: boolean;
}

/** What a subscription needs of its session. */
export interface Port {
  readonly random: Random;
  send(command: "subscribe" | "unsubscribe", channel: string): void;
  event(event: "resync" | "refresh", channel: string, detail: string): void;
}

const UNSUBSCRIBED_WITHIN_MS = 2000;
const FIRST_WITHIN_MS = 2000;
const REFRESH_EVERY_MS = 10_000;
const MAX_REFRESH_EVERY_MS = 300_000;
/** Live for so long: the next break is the first in a row. */
const SETTLED_AFTER_MS = 10_000;
const FIRST_BREAK_MS = 1000;
const MAX_BREAK_MS = 8000;
const UNAVAILABLE = { firstMs: 500, capMs: 60_000 };
/** Silent for so long, a channel is subscribed a second time: a lost subscription begins anew, one that stands is a 409. */
const ASK_AFTER_MS = 30_000;
const ASK_EVERY_MS = 300_000;
const SILENT = "silent, and then not";

export function createSubscription(channel: string, kind: Kind): Subscription {
  return {
    status: createStatus(channel, kind),
    chain: createChain(),
    sentAtMs: 0,
    askedAtMs: Number.NEGATIVE_INFINITY,
    isAsking: false,
    beginsWithNull: false,
    older: null,
    refreshAtMs: undefined,
    because: "",
    refreshedAtMs: Number.NEGATIVE_INFINITY,
    doubts: new Map(),
    breaks: 0,
    brokeAtMs: Number.NEGATIVE_INFINITY,
    upkeepAtMs: undefined,
    isContinuous: false,
  };
}

export function subscribe(sub: Subscription, port: Port, nowMs: number): void {
  sub.older = sub.beginsWithNull ? (sub.chain.sequence ?? null) : null;
  sub.chain = createChain();
  sub.status.phase = "subscribing";
  sub.sentAtMs = nowMs;
  sub.isAsking = false;
  sub.refreshAtMs = undefined;
  port.send("subscribe", sub.status.channel);
}

/** The channel was left a moment ago and is wanted again, while its unsubscribe is not answered yet. */
export function returnTo(sub: Subscription, leftAtMs: number): void {
  sub.status.phase = "ending";
  sub.sentAtMs = leftAtMs;
}

/** The connection is gone. */
export function disconnect(sub: Subscription): void {
  sub.status.phase = "closed";
  sub.chain = createChain();
  sub.refreshAtMs = undefined;
  if (sub.status.lastAtMs !== undefined) sub.status.isBroken = true;
}

const isUp = ({ status: { phase } }: Subscription) => phase === "open" || phase === "subscribing";

/** Ends the subscription, to begin it anew. */
function refresh(sub: Subscription, port: Port, nowMs: number): void {
  const { status } = sub;
  sub.refreshAtMs = undefined;
  sub.refreshedAtMs = nowMs;
  sub.sentAtMs = nowMs;
  status.phase = "ending";
  if (status.isBroken) status.counts.resyncs++;
  else status.counts.refreshes++;
  port.event(status.isBroken ? "resync" : "refresh", status.channel, sub.because);
  port.send("unsubscribe", status.channel);
}

/**
 * Asks for a refresh. A burst of doubts is one refresh. A reason for which it did not help may ask again after ten seconds, then
 * after twice as long, up to five minutes.
 * @param because one of a few fixed reasons
 */
export function doubt(sub: Subscription, because: string, nowMs: number): void {
  if (!isUp(sub)) return;
  const known = sub.doubts.get(because) ?? { notBeforeMs: nowMs, delayMs: REFRESH_EVERY_MS };
  const atMs = Math.max(nowMs, known.notBeforeMs, sub.refreshedAtMs + REFRESH_EVERY_MS);
  if (sub.refreshAtMs !== undefined && sub.refreshAtMs <= atMs) return;
  // A long quiet time ends a row of refreshes that did not help.
  const isNew = nowMs > known.notBeforeMs + MAX_REFRESH_EVERY_MS;
  const delayMs = isNew ? REFRESH_EVERY_MS : known.delayMs;
  sub.because = because;
  sub.refreshAtMs = atMs;
  sub.doubts.set(because, {
    notBeforeMs: atMs + delayMs,
    delayMs: Math.min(MAX_REFRESH_EVERY_MS, delayMs * 2),
  });
}

/** Something is missing for certain: asked for again at once, then after 1, 2, 4, 8 s while it repeats. */
function lose(sub: Subscription, because: string, nowMs: number): void {
  const breaks = countBreak(sub, nowMs);
  const delayMs = breaks === 0 ? 0 : Math.min(MAX_BREAK_MS, FIRST_BREAK_MS * 2 ** (breaks - 1));
  sub.because = because;
  sub.refreshAtMs = nowMs + delayMs;
  if (sub.status.lastAtMs !== undefined) sub.status.isBroken = true;
}

/** @returns how many there were before in a row */
function countBreak(sub: Subscription, nowMs: number): number {
  const { firstAtMs } = sub.status;
  const isNew = firstAtMs !== undefined && firstAtMs > sub.brokeAtMs;
  if (isNew && nowMs - firstAtMs > SETTLED_AFTER_MS) sub.breaks = 0;
  sub.brokeAtMs = nowMs;
  return sub.breaks++;
}

function retryAt(sub: Subscription, phase: "unavailable" | "refused", atMs: number): void {
  sub.status.phase = phase;
  sub.refreshAtMs = atMs;
}

/** `behind`: of no subscription that stands, or behind a gap. */
export type Receipt = Judgement | "behind";

/** @returns where the update belongs; a `first`, `next` or `part` is to be folded, for a tape also a `gap` */
export function receive(
  sub: Subscription,
  update: Update,
  dialect: Dialect,
  nowMs: number,
): Receipt {
  const { status } = sub;
  if (isOfOlder(sub, update, nowMs)) {
    sub.older = update.sequence;
    if (status.isBroken) return "behind";
    noteFrame(status, nowMs);
    return "next";
  }
  if (isBehind(sub) || isAnswer(sub, update, dialect, nowMs)) return "behind";
  const judgement = judge(sub.chain, update, dialect);
  if (judgement === "late" || judgement === "repeat") status.counts.late++;
  else if (judgement === "gap") breakAt(sub, update, nowMs);
  else accept(sub, update, judgement, nowMs);
  return judgement;
}

/** In the time that a first frame may take, whatever a frame names; later only if it names what is held. */
function isOfOlder(sub: Subscription, { previous }: Update, nowMs: number): boolean {
  if (sub.status.phase !== "subscribing" || sub.older === null || previous === null) return false;
  return previous === sub.older || nowMs - sub.sentAtMs < FIRST_WITHIN_MS;
}

/** A trade or a fill is true whatever was missed before it. */
export function goesOn(kind: Kind): boolean {
  return kind === "trades" || kind === "account";
}

function isBehind({ status, chain }: Subscription): boolean {
  if (status.phase === "subscribing") return false;
  // A channel that was left and is wanted again holds nothing yet.
  if (status.phase === "ending" && chain.sequence === undefined) return true;
  if (status.phase !== "open" && status.phase !== "ending") return true;
  return status.isBroken && !goesOn(status.kind);
}

/**
 * A second subscribe is under way. A frame that continues the chain says nothing; another one may be the first of a new
 * subscription, as the old one was gone: the channel is asked for again, unless its numbers say that nothing was missed.
 * @returns true if the frame is not to be folded
 */
function isAnswer(sub: Subscription, update: Update, dialect: Dialect, nowMs: number): boolean {
  const { status, chain } = sub;
  const { sequence } = chain;
  if (!sub.isAsking || (update.previous === sequence && sequence !== null)) return false;
  sub.isAsking = false;
  const isCounted = sequence !== null && update.sequence !== null && dialect.chain.value !== "none";
  if (!isCounted && CHANNELS[status.kind].isNumbered) doubt(sub, SILENT, nowMs);
  if (isCounted && update.sequence !== sequence) {
    status.counts.gaps++;
    lose(sub, SILENT, nowMs);
  }
  return isCounted;
}

function breakAt(sub: Subscription, update: Update, nowMs: number): void {
  const { status, chain } = sub;
  status.counts.gaps++;
  const because = `previous_sequence ${update.previous} instead of ${chain.sequence}`;
  if (status.phase === "ending") status.isBroken = true;
  else if (!status.isBroken || sub.refreshAtMs === undefined) lose(sub, because, nowMs);
  if (goesOn(status.kind)) accept(sub, update, "gap", nowMs);
}

function accept(sub: Subscription, update: Update, judgement: Judgement, nowMs: number): void {
  const { status } = sub;
  advance(sub.chain, update);
  noteFrame(status, nowMs);
  if (judgement !== "first") return;
  sub.isContinuous = !status.isBroken && status.firstAtMs !== undefined;
  if (status.phase !== "subscribing") return;
  status.firstAtMs = nowMs;
  status.phase = "open";
  status.isBroken = false;
  status.error = undefined;
  sub.older = null;
  sub.beginsWithNull = update.previous === null && update.sequence !== null;
}

export function receiveUnsubscribed(sub: Subscription, port: Port, nowMs: number): void {
  const { status } = sub;
  // While subscribing, it is the late answer to an earlier refresh.
  if (status.phase === "ending") subscribe(sub, port, nowMs);
  else if (status.phase === "open") {
    // Nobody asked: the service took the subscription away.
    status.counts.gaps++;
    lose(sub, "the service ended the subscription", nowMs);
    status.phase = "unavailable";
  }
}

/** A market or an account may come to be. */
const REFUSED_AGAIN_MS = 300_000;
/** Of those that HTTP calls transient. */
const isTransient = (code: number) => code === 408 || code === 425 || code === 429 || code >= 500;

export function receiveError(
  sub: Subscription,
  error: { readonly code: number; readonly message: string },
  port: Port,
  nowMs: number,
): void {
  const { status } = sub;
  const { code } = error;
  if (code === ERROR_CODES.duplicateSubscription) {
    standsStill(sub, nowMs);
    return;
  }
  status.error = error;
  if (status.phase === "ending") {
    // There is no subscription to end, as asked for.
    if (code === ERROR_CODES.unknownResource || code === ERROR_CODES.invalid)
      subscribe(sub, port, nowMs);
  } else if (isTransient(code)) {
    const failures = countBreak(sub, nowMs) + 1;
    if (status.lastAtMs !== undefined) status.isBroken = true;
    retryAt(sub, "unavailable", nowMs + backoffDelayMs(UNAVAILABLE, failures, port.random));
  } else if (status.phase === "subscribing") retryAt(sub, "refused", nowMs + REFUSED_AGAIN_MS);
  else if (status.phase === "open") doubt(sub, "an error about the channel", nowMs);
}

/** 409. While asking, that is the answer; after a refresh the older subscription still stands, and no first frame will come. */
function standsStill(sub: Subscription, nowMs: number): void {
  const { isAsking, status } = sub;
  sub.isAsking = false;
  if (isAsking || status.phase !== "subscribing" || status.firstAtMs === undefined) return;
  status.phase = "open";
  lose(sub, "409: the older subscription still stands", nowMs);
}

/** Does whatever is due. */
export function tick(sub: Subscription, port: Port, nowMs: number): void {
  const { phase } = sub.status;
  if (phase === "ending") {
    if (nowMs - sub.sentAtMs < UNSUBSCRIBED_WITHIN_MS) return;
    subscribe(sub, port, nowMs);
  } else if (sub.refreshAtMs !== undefined && nowMs >= sub.refreshAtMs) {
    if (isUp(sub)) refresh(sub, port, nowMs);
    else subscribe(sub, port, nowMs);
  } else if (isUp(sub)) askIfSilent(sub, port, nowMs);
}

function askIfSilent(sub: Subscription, port: Port, nowMs: number): void {
  const silentMs = nowMs - Math.max(sub.sentAtMs, sub.status.lastAtMs ?? sub.sentAtMs);
  if (silentMs < ASK_AFTER_MS || nowMs - sub.askedAtMs < ASK_EVERY_MS) return;
  sub.askedAtMs = nowMs;
  sub.isAsking = sub.status.phase === "open";
  port.send("subscribe", sub.status.channel);
}
