// The way of a message: decoded, placed in its subscription, folded into the store; and what follows from it: refreshes, and what
// was learned. One connection, one store, one dialect.

import { createDialect, type Finding, learn, type Pinned, type Point } from "../dialect/dialect.ts";
import { readLearned, writeLearned } from "../dialect/learned-file.ts";
import type { OwnNames } from "../dialect/names.ts";
import { checkNumbers, createNumberCheck } from "../dialect/number-check.ts";
import { createStore, forgetGaps, reduce, type Store } from "../state/store.ts";
import type { Judgement, Place } from "../stream/chain.ts";
import { createConnection } from "../stream/connection.ts";
import type { OpenSocket } from "../stream/socket.ts";
import * as subscriptions from "../stream/subscription.ts";
import { goesOn, type Subscription } from "../stream/subscription.ts";
import { createRecorder, type Recorder } from "../timeline/recorder.ts";
import { type Clock, every } from "../units/clock.ts";
import type { Random } from "../units/random.ts";
import { formatIsoMs } from "../units/time.ts";
import { kindOf } from "../wire/channels.ts";
import { decode } from "../wire/decode.ts";
import type { Frame, ServiceErrorFrame, Update } from "../wire/frames.ts";
import { ERROR_CODES, PROTOCOL_VERSION } from "../wire/limits.ts";
import { createBookWatch } from "./book-watch.ts";
import { scheduleUpkeep, tickUpkeep } from "./upkeep.ts";

export interface SessionEvent {
  readonly event:
    | "connected"
    | "disconnected"
    | "gap"
    | "resync"
    | "refresh"
    | "rejected"
    | "refused"
    | "late"
    | "repeat"
    | "learned"
    | "contradiction"
    /** The service speaks another version of the interface. */
    | "version";
  readonly channel: string | undefined;
  /** May hold text of the service. */
  readonly detail: string;
}

export interface SessionOptions {
  /** Of the stream; what is learned is kept under it. */
  readonly url: string;
  readonly openSocket: OpenSocket;
  readonly clock: Clock;
  readonly random: Random;
  readonly channels: readonly string[];
  /** Where what was learned is kept between runs; undefined: nowhere. */
  readonly learnedPath: string | undefined;
  readonly pinned?: Pinned;
  readonly names?: OwnNames;
  /** Replaces secrets in each message. */
  readonly redact?: ((text: string) => string) | undefined;
  /** An accepted update, already folded; what it leads to comes later. @param isContinuous as its fold was told */
  onUpdate?(update: Update, place: Place, isContinuous: boolean): void;
  onEvent?(event: SessionEvent): void;
}

export interface Session {
  /** Changes with each message. */
  readonly store: Store;
  /** Subscribes what is new and leaves what is no longer wanted. */
  setChannels(channels: readonly string[]): void;
  /** Measures the round trip, and finds out sooner whether the link lives. */
  ping(): void;
  /** While held, nothing is read: for a reader of ours that is slower. */
  hold(isHeld: boolean): void;
  close(): void;
}

const TICK_MS = 100;
/** A service that sends no hello costs this once; it is not waited for again. */
const HELLO_WITHIN_MS = 1000;
const LEAVE_WITHIN_MS = 2000;
const MAX_DRIFTS = 100;
/** So that no two values of a point take turns at every frame. */
const LEARN_EVERY_MS = 10_000;
const UNREADABLE = "a message could not be read";

/** With the recorder of all that happens in it, which hears of everything first. */
export function openSession(options: SessionOptions): Session & { readonly recorder: Recorder } {
  const { clock, random, url, learnedPath } = options;
  const learned = learnedPath === undefined ? {} : readLearned(learnedPath, url);
  const store = createStore(createDialect(learned, options.pinned, options.names));
  const { dialect, link } = store;
  const recorder = createRecorder(store, clock);
  const subs = new Map<string, Subscription>();
  /** Channels that were left: when the unsubscribe was sent that is not answered yet. */
  const leaving = new Map<string, number>();
  const numbers = createNumberCheck();
  const learnedAtMs = new Map<Point, number>();
  let isReady = false;
  let helloWithinMs = HELLO_WITHIN_MS;
  let openedAtMs = 0;
  let isHeld = false;
  /** Of the message that is received: so long as it is worked on, time stands. */
  let receivedAtMs: number | undefined;

  function event(name: SessionEvent["event"], channel: string | undefined, detail: string): void {
    const happening = { event: name, channel, detail };
    recorder.event(happening, receivedAtMs);
    options.onEvent?.(happening);
  }
  const port: subscriptions.Port = {
    random,
    send(type, channel) {
      const text = JSON.stringify({ type, channel });
      recorder.message("out", text, clock.now());
      connection.send(text);
    },
    event,
  };
  const connection = createConnection({
    openSocket: options.openSocket,
    ...{ clock, random, link },
    spacingMs: Number(dialect.spacing.value),
    onOpen() {
      openedAtMs = clock.now();
      event("connected", undefined, "");
      if (helloWithinMs === 0) begin(openedAtMs);
    },
    onMessage: (message, nowMs) => receive(options.redact?.(message) ?? message, nowMs),
    onBinary: (length, nowMs) => reject(undefined, `${length} bytes that are no text`, nowMs),
    onDown(fault) {
      isReady = false;
      leaving.clear();
      for (const sub of subs.values()) subscriptions.disconnect(sub);
      books.forget();
      event("disconnected", undefined, options.redact?.(fault) ?? fault);
    },
    onSpacing: (spacingMs) =>
      take("spacing", String(spacingMs), `closed ${spacingMs === 0 ? "without" : "after"} a burst`),
  });
  const books = createBookWatch({ store, subs, event, take });

  /** Takes what the service has shown into the dialect, and keeps it for the next run. */
  function take(point: Point, value: string, because: string): void {
    const nowMs = clock.now();
    const isSoon = nowMs - (learnedAtMs.get(point) ?? Number.NEGATIVE_INFINITY) < LEARN_EVERY_MS;
    const day = formatIsoMs(clock.wall()).slice(0, 10);
    if (isSoon || !learn(dialect, point, value, day)) return;
    learnedAtMs.set(point, nowMs);
    if (learnedPath !== undefined) writeLearned(learnedPath, url, { [point]: dialect[point] });
    event("learned", undefined, `${point} = ${value}: ${because}`);
    if (point === "chain" && value === "none") forgetGaps(store);
  }

  function begin(nowMs: number): void {
    isReady = true;
    for (const sub of subs.values()) subscriptions.subscribe(sub, port, nowMs);
  }

  function receive(text: string, nowMs: number): void {
    receivedAtMs = nowMs;
    const frame = decode(text);
    const sub = frame.type === "hello" ? undefined : subs.get(frame.channel ?? "");
    const isFolded = frame.type === "update" && receiveUpdate(frame, sub, nowMs);
    if (frame.type !== "update") receiveOther(frame, sub, nowMs);
    if (!isFolded) recorder.message("in", text, nowMs);
    receivedAtMs = undefined;
  }

  function receiveOther(
    frame: Exclude<Frame, Update>,
    sub: Subscription | undefined,
    nowMs: number,
  ): void {
    switch (frame.type) {
      case "hello":
        connection.setHello(frame.protocolVersion, frame.keepaliveMs);
        if (frame.protocolVersion !== PROTOCOL_VERSION)
          event("version", undefined, `${frame.protocolVersion}, not ${PROTOCOL_VERSION}`);
        if (!isReady) begin(nowMs);
        return;
      case "error":
        receiveError(frame, sub, nowMs);
        return;
      case "rejected":
        reject(sub, frame.reason, nowMs);
        return;
      default:
        leaving.delete(frame.channel);
        if (sub !== undefined) subscriptions.receiveUnsubscribed(sub, port, nowMs);
    }
  }

  function reject(sub: Subscription | undefined, reason: string, nowMs: number): void {
    event("rejected", sub?.status.channel, reason);
    if (sub === undefined) doubtAll(UNREADABLE, nowMs);
    else {
      sub.status.counts.rejected++;
      subscriptions.doubt(sub, UNREADABLE, nowMs);
    }
  }

  function receiveError(
    { code, message, channel }: ServiceErrorFrame,
    sub: Subscription | undefined,
    nowMs: number,
  ): void {
    // 409 confirms what was asked.
    if (code !== ERROR_CODES.duplicateSubscription) event("refused", channel, `${code} ${message}`);
    if (channel !== undefined) leaving.delete(channel);
    const answered = channel === undefined ? onlyPending() : sub;
    if (answered !== undefined)
      subscriptions.receiveError(answered, { code, message }, port, nowMs);
    else if (channel === undefined) doubtAll("an error named no channel", nowMs);
  }

  function doubtAll(because: string, nowMs: number): void {
    for (const sub of subs.values()) subscriptions.doubt(sub, because, nowMs);
  }

  /** An error without channel answers the only command that is open, if it is the first of its channel. */
  function onlyPending(): Subscription | undefined {
    const pending = [...subs.values()].filter(
      ({ status: { phase } }) => phase === "subscribing" || phase === "ending",
    );
    const [only] = pending;
    return pending.length === 1 && only?.status.firstAtMs === undefined ? only : undefined;
  }

  /** @returns true if it was folded */
  function receiveUpdate(update: Update, sub: Subscription | undefined, nowMs: number): boolean {
    connection.noteFrame(update.timestampNs, nowMs);
    if (sub === undefined) return false;
    noteDrift(store, update);
    const { sequence: held, frames, isNaming } = sub.chain;
    const isMidStream = sub.status.phase === "open" && !sub.isAsking && !sub.status.isBroken;
    const place = subscriptions.receive(sub, update, dialect, nowMs);
    if (place === "behind") return false;
    if (isMidStream && typeof held === "string" && place !== "late" && place !== "repeat") {
      const before = { held, frames, isNaming };
      follow(checkNumbers(numbers, dialect, update, before, place === "gap"), sub, nowMs);
    }
    const isFolded = foldOrDrop(sub, update, place, nowMs);
    // What is due at once does not wait for the next tick.
    if (sub.refreshAtMs !== undefined) subscriptions.tick(sub, port, nowMs);
    return isFolded;
  }

  function foldOrDrop(sub: Subscription, update: Update, place: Judgement, nowMs: number): boolean {
    if (place === "late" || place === "repeat") {
      event(place, sub.status.channel, `sequence ${update.sequence}`);
      return false;
    }
    if (place === "gap") event(place, sub.status.channel, sub.because);
    if (place === "gap" && !goesOn(update.kind)) return false;
    fold(sub, update, place, nowMs);
    return true;
  }

  function fold(sub: Subscription, update: Update, place: Place, nowMs: number): void {
    const { isContinuous } = sub;
    const findings = reduce(store, update, { dialect, place, isContinuous, nowMs });
    if (update.kind === "orderbook" || update.kind === "bbo") books.note(update, place, nowMs);
    recorder.fold(update, place, isContinuous);
    options.onUpdate?.(update, place, isContinuous);
    if (place === "first") scheduleUpkeep(sub, isWatched(update.channel), nowMs);
    follow(findings, sub, nowMs);
  }

  /** The bbo shows what is wrong with its book. */
  function isWatched(channel: string): boolean {
    return channel.startsWith("orderbook/") && subs.has(channel.replace("orderbook", "bbo"));
  }

  function follow(findings: readonly Finding[], sub: Subscription, nowMs: number): void {
    for (const finding of findings) {
      if (finding.kind === "doubt") subscriptions.doubt(sub, finding.because, nowMs);
      else take(finding.point, finding.value, finding.because);
    }
  }

  function tick(): void {
    const nowMs = clock.now();
    if (link.state !== "open" || isHeld) return;
    if (!isReady && nowMs - openedAtMs >= helloWithinMs) {
      helloWithinMs = 0;
      begin(nowMs);
    }
    if (isReady) tickChannels(nowMs);
  }

  function tickChannels(nowMs: number): void {
    for (const [channel, atMs] of leaving)
      if (nowMs - atMs >= LEAVE_WITHIN_MS) leaving.delete(channel);
    books.tick(nowMs);
    for (const sub of subs.values()) {
      tickUpkeep(sub, nowMs);
      subscriptions.tick(sub, port, nowMs);
    }
  }

  function add(channel: string): void {
    const kind = kindOf(channel);
    if (kind === undefined || subs.has(channel)) return;
    const sub = subscriptions.createSubscription(channel, kind);
    subs.set(channel, sub);
    store.channels.set(channel, sub.status);
    if (!isReady) return;
    const leftAtMs = leaving.get(channel);
    if (leftAtMs === undefined) subscriptions.subscribe(sub, port, clock.now());
    else subscriptions.returnTo(sub, leftAtMs);
  }

  function leave(channel: string, sub: Subscription): void {
    subs.delete(channel);
    store.channels.delete(channel);
    store.states.delete(channel);
    const { phase } = sub.status;
    if (!isReady || (phase !== "open" && phase !== "subscribing" && phase !== "ending")) return;
    // Of one that is ending, the unsubscribe is under way.
    if (phase !== "ending") port.send("unsubscribe", channel);
    leaving.set(channel, clock.now());
  }

  function setChannels(channels: readonly string[]): void {
    const wanted = new Set(channels);
    for (const [channel, sub] of [...subs]) if (!wanted.has(channel)) leave(channel, sub);
    for (const channel of wanted) add(channel);
  }

  setChannels(options.channels);
  const stop = every(clock, TICK_MS, tick);
  connection.open();
  return {
    ...{ store, recorder, setChannels },
    ping: () => connection.ping(),
    hold(isHeldNow) {
      isHeld = isHeldNow;
      connection.hold(isHeld);
    },
    close() {
      stop();
      connection.close();
    },
  };
}

function noteDrift({ drift: known }: Store, { drift }: Update): void {
  if (drift !== undefined && (known.has(drift) || known.size < MAX_DRIFTS))
    known.set(drift, (known.get(drift) ?? 0) + 1);
}
