// The life cycle of one channel on the stream: subscribe, first update, chain of updates, gap, resync, refusal, unavailability,
// unsubscribe. It sends commands and emits events, and holds no data.

import { RetryDelays, resyncBackoff, unavailableBackoff } from "../units/backoff.ts";
import type { Clock } from "../units/clock.ts";
import type { Random } from "../units/random.ts";
import { CHANNELS, type ChannelKind } from "../wire/channels.ts";
import { type Command, encodeCommand } from "../wire/commands.ts";
import { isSequenced, type ReceivedUpdate, type SequencedReceived } from "../wire/decode.ts";
import type { ErrorFrame } from "../wire/frames.ts";
import { ERROR_CODES } from "../wire/limits.ts";
import type { ChainPosition, StreamEvent } from "../wire/stream-event.ts";
import type { SequencedUpdate } from "../wire/update.ts";
import type { Connection } from "./connection.ts";
import type { Numbering } from "./numbering.ts";
import { Probe, type ProbeResults } from "./probe.ts";
import { type ChainVerdict, mayBeFirst, SequenceChain } from "./sequence-chain.ts";
import { FIRST_LOST, FIRST_WAIT_MS, FirstUpdate, type SnapshotPolicy } from "./snapshot-policy.ts";

/**
 * `idle`: the connection is down. `subscribing`: the command is sent, nothing received yet. `active`: updates flow.
 * `ending`: an unsubscribe is scheduled. `unsubscribing`: it is sent. `paused`: the next attempt is scheduled. `refused`: final.
 */
type State = "idle" | "subscribing" | "active" | "ending" | "unsubscribing" | "paused" | "refused";

/** How long to wait for an `unsubscribed` frame before proceeding without it. */
const UNSUBSCRIBED_WAIT_MS = 2000;

/** Reasons in events: why a channel is fetched again, or is unconfirmed. */
const UNREADABLE = "an unreadable message was received before the first update";
const UNREADABLE_LATER =
  "an unreadable message may have held an update, and no number would show it";
const TAKEN = "the service ended the subscription without being asked";
const BROKEN = "the sequence chain is broken";
const UNSURE = "what the frame follows is not known yet";
const OLDER = "an older subscription was still active, and its updates were received";
const NOT_REFUSED = "updates are received although the channel was taken for refused";
const LOST = "the service had lost the subscription";
const UNNAMED = "an error named no channel";
const PAUSED = "the stream may have been unavailable for a while";
/** Maximum response time of a service that has answered such a command before. */
const PROMPT_MS = 1000;

const FIRST: ChainPosition = { isFirst: true, isSnapshot: true, continues: false };
const LATER: ChainPosition = { isFirst: false, isSnapshot: false, continues: false };
const SNAPSHOT: ChainPosition = { isFirst: false, isSnapshot: true, continues: false };
const PART: ChainPosition = { isFirst: false, isSnapshot: false, continues: true };
const PART_OF_SNAPSHOT: ChainPosition = { isFirst: false, isSnapshot: true, continues: true };

export type EventOf<T extends StreamEvent["type"]> = Omit<
  Extract<StreamEvent, { type: T }>,
  "atMs" | "type"
>;

export interface SharedParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly connection: Connection;
  readonly snapshots: SnapshotPolicy;
  readonly probes: ProbeResults;
  numberingOf(kind: ChannelKind): Numbering;
  /** True when gaps do no harm, because each update is a snapshot. */
  toleratesGaps(channel: string): boolean;
  emit<T extends StreamEvent["type"]>(type: T, event: EventOf<T>): void;
  emitUpdate(update: ReceivedUpdate, position: ChainPosition): void;
  /** An error that names no channel may concern any except `except`. */
  onAmbiguousError(code: number, except: string): void;
  /** The channel is unused, and the service has ended it. */
  onOver(channel: string): void;
}

/** One channel from its first subscribe to its last `unsubscribed`; times are monotonic. */
export class Subscription {
  readonly channel: string;
  readonly #parts: SharedParts;
  #state: State = "idle";
  #refCount = 0;
  /** Frames of this kind have a field for their number, which may be null. */
  readonly #isNumbered: boolean;
  readonly #chain: SequenceChain;
  readonly #first: FirstUpdate;
  readonly #probe: Probe;
  /** Subscribe commands on this connection, including earlier lives of the channel. */
  #subscribes: number;
  /** The end of the last subscription was never confirmed (`#mayBeOlder`: nor that of the one before it). */
  #mayStand: boolean;
  #mayBeOlder = false;
  /** An error may have been the response to the unsubscribe. */
  #mayHaveFailed = false;
  #isEndedOnce = false;
  /** Unsubscribe commands that may still be answered. */
  unanswered: number;
  readonly #resyncDelays = new RetryDelays(resyncBackoff);
  readonly #refusalDelays = new RetryDelays(unavailableBackoff);
  /** Time of the first update since the last subscribe; undefined while none is expected. */
  #receivedSinceMs: number | undefined;
  #isUnavailable = false;
  /** Code of an error without a channel that was taken as the response to the last command. */
  #blamedFor: number | undefined;
  /** A 503 without a channel may have concerned this one, and no frame has followed the previous one since. */
  #mayHavePaused = false;
  #cancelTimer = () => {};

  /**
   * @param unanswered if the channel was subscribed on this connection before, so that the service may still hold it: the number
   * of unanswered unsubscribe commands
   */
  constructor(channel: string, kind: ChannelKind, parts: SharedParts, unanswered?: number) {
    this.channel = channel;
    this.#parts = parts;
    this.#probe = new Probe(parts.clock);
    this.#first = new FirstUpdate(parts.clock, parts.snapshots);
    this.#isNumbered = CHANNELS[kind].isSequenced;
    this.#chain = new SequenceChain(parts.numberingOf(kind));
    this.#subscribes = unanswered === undefined ? 0 : 1;
    this.#mayStand = unanswered !== undefined;
    this.unanswered = unanswered ?? 0;
  }

  /** True once the channel is unused and the service has ended it (or it was never subscribed). */
  get isOver(): boolean {
    return this.#refCount === 0 && (this.#state === "idle" || this.#state === "refused");
  }

  /** True when a 503 is expected: the service sent one before, and responds so at once to another attempt. */
  expectsUnavailableAt(nowMs: number): boolean {
    const isAskedAgain = this.#isUnavailable && this.#state === "subscribing";
    return isAskedAgain && this.#probe.isAnswerableAt(nowMs, PROMPT_MS);
  }

  /** Adds a user of the channel. A refused channel is tried again. */
  subscribe(isConnected: boolean): void {
    this.#refCount++;
    if (isConnected && (this.#state === "idle" || this.#state === "refused")) this.#subscribe();
  }

  /** Removes a user; the last one unsubscribes the channel. */
  unsubscribe(): void {
    this.#refCount--;
    if (this.#refCount > 0) return;
    if (this.#state === "paused" || this.#state === "idle") this.#settle();
    else if (this.#state !== "unsubscribing" && this.#state !== "refused") this.#unsubscribe();
  }

  /** Resets without sending or emitting anything: the stream is closed. */
  close(): void {
    this.#cancelAll();
    this.#refCount = 0;
    this.#state = "idle";
  }

  /** Gets a snapshot: unsubscribe, wait, subscribe; with increasing delays when repeated. */
  resync(reason: string): void {
    this.#replace(reason, "ending", () => this.#unsubscribe());
  }

  /** `previous_sequence` of this kind was misinterpreted: updates may have been missed long ago, so the channel is fetched again. */
  onRefuted(): void {
    const { held, isRefuted } = this.#chain;
    if (this.#state !== "active" || !isRefuted || held === undefined) return;
    this.#emitGap({ previous_sequence: null, sequence: held }, held);
    this.resync(BROKEN);
  }

  onConnectionOpen(): void {
    if (this.#refCount > 0 && this.#state !== "refused") this.#subscribe();
  }

  onConnectionDown(): void {
    this.#cancelAll();
    this.#probe.allowSoon();
    this.#chain.reset();
    this.#subscribes = 0;
    this.#mayStand = false;
    this.#mayBeOlder = false;
    this.#blamedFor = undefined;
    this.unanswered = 0;
    this.#isEndedOnce = false;
    if (this.#state === "refused") return;
    this.#state = "idle";
    if (this.#refCount === 0) this.#over();
  }

  /** True while a command may still be answered. */
  isOpenAt(nowMs: number): boolean {
    const { isOpen } = this.#probe;
    const isAsked =
      isOpen ||
      this.#state === "subscribing" ||
      this.#state === "unsubscribing" ||
      (this.#state === "active" && this.#mayBeOlder);
    return isAsked && this.#probe.isAnswerableAt(nowMs);
  }

  /** True while a subscribe may still be answered by 409. */
  isSubscribeOpenAt(nowMs: number): boolean {
    return this.#state !== "unsubscribing" && this.isOpenAt(nowMs);
  }

  get isProbing(): boolean {
    return this.#probe.isOpen;
  }

  /** Time since which a probe is due; undefined if it is not. */
  probeDueAtMs(nowMs: number): number | undefined {
    const isActive = this.#state === "active";
    if (!isActive && this.#state !== "subscribing") return undefined;
    return this.#probe.dueAtMs(isActive, this.#parts.probes.isSuspect(this.channel), nowMs);
  }

  /** Checks whether the subscription stands by subscribing again. */
  probe(): void {
    if (this.#state === "active") this.#mayBeOlder = false;
    this.#probe.open(() => {
      if (!this.#probe.hasReceived) this.#parts.probes.onIgnored();
      if (this.#state === "active") this.#lose(LOST);
    });
    this.#emit("probing", {});
    this.#command("subscribe");
  }

  /** An unreadable message was received; it may have belonged to any channel. */
  onUnreadable(): void {
    if (this.#state === "subscribing") this.#first.taint(UNREADABLE);
    const wouldShow = !this.#isNumbered || this.#chain.showsGaps;
    if (this.#state !== "active" || wouldShow || this.#parts.toleratesGaps(this.channel)) return;
    this.resync(UNREADABLE_LATER);
  }

  /** @param atMs arrival time, monotonic */
  onUpdate(update: ReceivedUpdate, atMs: number): void {
    this.#probe.noteUpdate(atMs);
    if (this.#state === "active") this.#onNext(update);
    else if (this.#state === "subscribing") this.#onFirst(update);
    else this.#onAside(update);
  }

  onUnsubscribed(): void {
    const wasUnanswered = this.unanswered > 0;
    if (wasUnanswered) this.unanswered--;
    if (this.unanswered === 0) this.#mayStand = false;
    this.#isUnavailable = false;
    if (this.#state === "unsubscribing" || (this.#state === "ending" && wasUnanswered))
      this.#ended();
    else if (this.#state === "active") this.#onTaken(wasUnanswered);
    // If the channel was ended before on this connection, this is a late response to that; what matters is whether a first update
    // follows.
    else if (this.#state === "subscribing" && this.#subscribes === 1) this.#onTaken(false);
  }

  // Errors: responses to commands, or news from the service.

  onError(frame: ErrorFrame): void {
    const isDuplicate = frame.code === ERROR_CODES.duplicateSubscription;
    if (!isDuplicate) this.#blamedFor = undefined;
    if (this.#state === "unsubscribing") {
      if (isDuplicate) return;
      this.unanswered = Math.max(0, this.unanswered - 1);
      this.#onNotUnsubscribed(frame);
      return;
    }
    // The response to an earlier command: the service's final state will be its response to our last command.
    if (this.#state === "idle" || this.#state === "ending") return;
    const { code, message } = frame;
    if (isDuplicate) this.#onDuplicate();
    else if (code === ERROR_CODES.streamUnavailable) {
      this.#retryLater(message, "paused", () => this.#subscribe());
    } else {
      this.#cancelAll();
      this.#state = "refused";
      this.#emit("refused", { code, message });
    }
  }

  /** An error in response to the unsubscribe: the service does not hold the subscription, or cannot end it now. */
  #onNotUnsubscribed({ code, message }: ErrorFrame): void {
    if (code === ERROR_CODES.streamUnavailable && this.#refCount > 0) {
      this.#retryLater(message, "ending", () => this.#unsubscribe());
    } else {
      this.#mayStand = false;
      this.#ended();
    }
  }

  /** An error without a channel, while only this channel's command is unanswered. */
  onUnnamedError(frame: ErrorFrame): void {
    this.onError(frame);
    if (this.#state === "paused" || this.#state === "refused") this.#blamedFor = frame.code;
  }

  /** An error that may concern this channel's command or subscription, or another's: find out. */
  onAmbiguousError(code: number): void {
    const isOpen = this.isOpenAt(this.#parts.clock.now());
    if (isOpen) this.#probe.allowSoon();
    if (isOpen && this.#mayRejoin(code)) return;
    // A 409 never means that something has ended, and only a 503 is sent unsolicited.
    if (this.#state !== "active" || code === ERROR_CODES.duplicateSubscription) return;
    if (code !== ERROR_CODES.streamUnavailable && !isOpen) return;
    this.#mayHavePaused ||= code === ERROR_CODES.streamUnavailable;
    this.#parts.probes.onSuspect(this.channel);
    this.#emit("doubted", { reason: UNNAMED });
  }

  /** An older subscription may stand, so that the next update is not a snapshot: it must end first. */
  #mayRejoin(code: number): boolean {
    const isDuplicate = code === ERROR_CODES.duplicateSubscription;
    if (this.#state === "active") {
      if (isDuplicate) this.#onOlder();
      return isDuplicate;
    }
    if (this.#state === "subscribing" && isDuplicate && this.#subscribes > 1) {
      this.#refuteBlame();
      this.#unsubscribe();
      return true;
    }
    if (isDuplicate) return false;
    if (this.#state === "unsubscribing") this.#mayHaveFailed = true;
    else if (this.#mayBeOlder) this.#first.taint(OLDER);
    return false;
  }

  // Updates.

  #onFirst(update: ReceivedUpdate): void {
    this.#isUnavailable = false;
    const { clock, toleratesGaps } = this.#parts;
    const suspicion = this.#first.check(update, toleratesGaps(this.channel));
    if (suspicion !== undefined && isSequenced(update)) {
      this.#chain.raiseFloor(update.frame, update.message);
    }
    if (suspicion === "wait") {
      this.#cancelTimer = clock.after(FIRST_WAIT_MS, () => this.resync(FIRST_LOST));
      return;
    }
    this.#cancelAll();
    this.#state = "active";
    this.#mayHavePaused = false;
    this.#receivedSinceMs ??= clock.now();
    this.#blamedFor = undefined;
    this.#isEndedOnce = false;
    if (suspicion !== undefined) {
      this.resync(suspicion);
      return;
    }
    if (isSequenced(update)) this.#chain.begin(update.frame, update.message);
    this.#parts.emitUpdate(update, FIRST);
  }

  #onNext(update: ReceivedUpdate): void {
    if (!isSequenced(update)) {
      this.#mayHavePaused = false;
      this.#parts.emitUpdate(update, LATER);
      return;
    }
    const { frame, message } = update;
    const held = this.#chain.held ?? "";
    const verdict = this.#chain.advance(frame, message);
    if (this.#probe.isOpen && mayBeFirst(verdict, frame)) {
      this.#lose(LOST);
      return;
    }
    if (verdict === "next") this.#probe.end();
    if (verdict === "repeat" || verdict === "late") {
      this.#emit("late", { sequence: frame.sequence, isRepeat: verdict === "repeat" });
    } else if (verdict === "unsure") this.#onUnsure(update, held);
    else if (!this.#isBroken(frame, verdict, held)) {
      this.#mayHavePaused = false;
      this.#parts.emitUpdate(update, this.#positionOf(verdict));
    }
  }

  /** A frame that may be a snapshot or a delta is not used; the channel is fetched again. */
  #onUnsure({ kind, frame }: SequencedReceived, held: string): void {
    // Missed trades are not sent again.
    if (kind === "trades") this.#emitGap(frame, held);
    this.resync(UNSURE);
  }

  /** True when a frame breaks the chain, and the channel is fetched again. */
  #isBroken(frame: SequencedUpdate, verdict: ChainVerdict, held: string): boolean {
    if (verdict !== "gap" && verdict !== "stray") return false;
    this.#emitGap(frame, held);
    if (verdict === "gap" && this.#parts.toleratesGaps(this.channel)) return false;
    this.resync(BROKEN);
    return true;
  }

  #emitGap(
    { previous_sequence, sequence }: Pick<SequencedUpdate, "previous_sequence" | "sequence">,
    held: string,
  ): void {
    this.#emit("gap", {
      held,
      previous: previous_sequence ?? "null",
      sequence: sequence ?? "null",
    });
  }

  #positionOf(verdict: ChainVerdict): ChainPosition {
    if (verdict === "part") return this.#chain.isWhole ? PART_OF_SNAPSHOT : PART;
    return verdict === "start" && this.#chain.isWhole ? SNAPSHOT : LATER;
  }

  /** An update while none is expected. */
  #onAside(update: ReceivedUpdate): void {
    const isOfEnding = this.#state === "ending" || this.#state === "unsubscribing";
    if (isSequenced(update) && isOfEnding)
      this.#chain.noteWhileEnding(update.frame, update.message);
    else if (isSequenced(update)) this.#chain.raiseFloor(update.frame, update.message);
    if (this.#blamedFor === undefined) return;
    // The command succeeded, or the subscription stands.
    this.#refuteBlame();
    if (this.#state !== "refused") return;
    this.#emit("resync", { reason: NOT_REFUSED });
    this.#pause("paused", () => this.#subscribe());
  }

  // Findings about the channel: it stands, is an older one, was ended or is lost.

  #refuteBlame(): void {
    const code = this.#blamedFor;
    this.#blamedFor = undefined;
    if (code !== undefined) this.#parts.onAmbiguousError(code, this.channel);
  }

  /** 409: the subscription stands. If it is an older one, no snapshot will be sent: it must end first. */
  #onDuplicate(): void {
    this.#refuteBlame();
    this.#probe.noteAnswer();
    const isProbed = this.#probe.isOpen;
    this.#probe.end();
    if (isProbed && !this.#mayBeOlder) {
      // That it stands now does not mean that nothing was missed meanwhile.
      if (this.#mayHavePaused) this.resync(PAUSED);
      else this.#confirm();
      return;
    }
    this.#onOlder();
    if (this.#state !== "subscribing") return;
    if (this.#subscribes === 1) this.#confirm();
    else if (this.#isEndedOnce) {
      this.#parts.connection.restart("the service does not end a subscription");
    } else {
      this.#isEndedOnce = true;
      this.#unsubscribe();
    }
  }

  /** 409 after a first update: that update belonged to an older subscription, and is not a snapshot. */
  #onOlder(): void {
    if (this.#state === "active" && this.#mayBeOlder) this.resync(OLDER);
  }

  #confirm(): void {
    this.#parts.probes.onConfirmed(this.channel, this.#parts.clock.now());
    this.#emit("confirmed", {});
  }

  /**
   * The service ended a subscription in use. After an unanswered unsubscribe this may be its response, and the supposed first
   * update may belong to the earlier subscription: then it must be ended for certain.
   */
  #onTaken(isAmbiguous: boolean): void {
    this.#noteLost(TAKEN);
    if (isAmbiguous) this.resync(TAKEN);
    else this.#replace(TAKEN, "paused", () => this.#subscribe());
  }

  /** The second subscribe succeeded, so the first one did not stand: updates may have been missed. */
  #lose(reason: string): void {
    this.#noteLost(reason);
    // The next update may be the first of the second subscription.
    this.#chain.restart();
    this.resync(reason);
  }

  #noteLost(reason: string): void {
    this.#parts.probes.onLost(this.channel);
    this.#emit("lost", { reason });
    this.#probe.allowSoon();
  }

  // Actions, immediate or delayed.

  /** Marks the channel as resyncing until there is a snapshot, and acts after a delay that increases when repeated. */
  #replace(reason: string, state: State, act: () => void): void {
    if (this.#state !== "active" && this.#state !== "subscribing") return;
    const delay = this.#resyncDelays.next(this.#receivedMs, this.#parts.random);
    this.#emit("resync", { reason });
    this.#schedule(delay, state, act);
  }

  #retryLater(message: string, state: State, act: () => void): void {
    const delay = this.#pause(state, act);
    this.#isUnavailable = true;
    this.#emit("unavailable", { message, retryAtMs: this.#parts.clock.now() + delay });
  }

  /** Acts after a delay that increases when repeated. @returns milliseconds */
  #pause(state: State, act: () => void): number {
    const delay = this.#refusalDelays.next(this.#receivedMs, this.#parts.random);
    this.#schedule(delay, state, act);
    return delay;
  }

  /** How long the channel has been received since it was last subscribed; undefined if it was not. */
  get #receivedMs(): number | undefined {
    const since = this.#receivedSinceMs;
    return since === undefined ? undefined : this.#parts.clock.now() - since;
  }

  #schedule(delayMs: number, state: State, act: () => void): void {
    this.#cancelAll();
    this.#receivedSinceMs = undefined;
    this.#chain.restart();
    this.#state = state;
    this.#cancelTimer = this.#parts.clock.after(delayMs, act);
  }

  #subscribe(): void {
    this.#cancelAll();
    this.#probe.noteSubscribe();
    this.#state = "subscribing";
    this.#first.begin();
    this.#receivedSinceMs = undefined;
    this.#subscribes++;
    this.#mayBeOlder = this.#mayStand;
    this.#mayStand = true;
    this.#emit("subscribing", {});
    this.#command("subscribe");
  }

  #unsubscribe(): void {
    this.#cancelAll();
    this.#state = "unsubscribing";
    this.unanswered++;
    this.#mayHaveFailed = false;
    this.#cancelTimer = this.#parts.clock.after(UNSUBSCRIBED_WAIT_MS, () => {
      if (this.#mayHaveFailed && this.#refCount > 0) {
        this.#pause("ending", () => this.#unsubscribe());
      } else this.#ended();
    });
    this.#command("unsubscribe");
  }

  #ended(): void {
    this.#settle();
    if (this.#refCount > 0) this.#subscribe();
  }

  #settle(): void {
    this.#cancelAll();
    this.#chain.restart();
    this.#state = "idle";
    if (this.#refCount === 0) this.#over();
  }

  #over(): void {
    this.#emit("unsubscribed", {});
    this.#parts.onOver(this.channel);
  }

  #command(type: Command["type"]): void {
    this.#probe.noteCommand();
    this.#parts.connection.send(encodeCommand({ type, channel: this.channel }));
  }

  #cancelAll(): void {
    this.#cancelTimer();
    this.#probe.end();
  }

  #emit<T extends ChannelEvent>(type: T, event: Omit<EventOf<T>, "channel">): void {
    this.#parts.emit(type, { channel: this.channel, ...event } as unknown as EventOf<T>);
  }
}

type ChannelEvent = Extract<StreamEvent, { channel: string }>["type"];
