// The life of one channel on the stream: subscribe, first update, chain of updates, gap, resync, refusal, unavailability,
// unsubscribe. It sends commands and tells events; it keeps no data. Reading: docs/adr/0004.

import type { Command } from "../wire/commands.ts";
import { isSequenced, type ReceivedUpdate, type SequencedReceived } from "../wire/decode.ts";
import type { ErrorFrame } from "../wire/frames.ts";
import { ERROR_CODES } from "../wire/limits.ts";
import type { UpdatePlace } from "../wire/stream-event.ts";
import type { SequencedUpdate } from "../wire/update.ts";
import { backoffDelayMs, resyncBackoff, unavailableBackoff } from "./backoff.ts";
import { FIRST_LOST, FIRST_WAIT_MS, FirstUpdate } from "./first-updates.ts";
import { Probe } from "./probe.ts";
import type { Probed } from "./prober.ts";
import { type ChainVerdict, mayBeFirst, SequenceChain } from "./sequence-chain.ts";
import type { SubscriptionContext } from "./subscription-context.ts";

// `idle`: the connection is down. `subscribing`: the command is sent, nothing has come yet. `active`: updates flow.
// `parting`: an unsubscribe is scheduled. `leaving`: it is sent. `paused`: the next try is scheduled. `refused`: for good.
type State = "idle" | "subscribing" | "active" | "parting" | "leaving" | "paused" | "refused";

/** How long an `unsubscribed` is waited for before we go on without it. */
const UNSUBSCRIBED_WAIT_MS = 2000;
/** Why a channel is fetched anew that the service ended by itself. */
const TAKEN = "the service ended the subscription, and nobody had asked for it";
/** Why a channel is fetched anew whose frames have named none before them so far. */
const UNSURE = "whether a null previous makes a frame a snapshot is not known yet";
/** Why a channel is fetched anew that was thought to be refused. */
const NOT_REFUSED = "updates come although the channel was thought to be refused";
/** A channel that was whole for this long starts a new count of resyncs. */
const CALM_AFTER_MS = 60_000;

/** The places that an update can have. */
const FIRST: UpdatePlace = { isFirst: true, isSnapshot: true, continues: false };
const LATER: UpdatePlace = { isFirst: false, isSnapshot: false, continues: false };
const SNAPSHOT: UpdatePlace = { isFirst: false, isSnapshot: true, continues: false };
const PART: UpdatePlace = { isFirst: false, isSnapshot: false, continues: true };
const PART_OF_SNAPSHOT: UpdatePlace = { isFirst: false, isSnapshot: true, continues: true };

/** One channel from its first subscribe to its last `unsubscribed`; times are monotonic. Never throws. */
export class Subscription implements Probed {
  readonly channel: string;
  readonly #context: SubscriptionContext;
  #state: State = "idle";
  #isWanted = true;
  readonly #chain: SequenceChain;
  readonly #first: FirstUpdate;
  /** Subscribe commands of this connection, those of an earlier life of the channel included. */
  #asked: number;
  #isEndedOnce = false;
  /** Unsubscribe commands of this connection that no answer has come to. */
  #owed: number;
  readonly #probe: Probe;
  #resyncs = 0;
  #resyncedAt = Number.NEGATIVE_INFINITY;
  #refusals = 0;
  /** Code of an error that named no channel, and that was taken for the answer to the last command. */
  #blamedFor: number | undefined;
  #cancelTimer = () => {};

  /**
   * @param owed when the channel was subscribed on this connection before, so that the service may still hold it: how
   * many unsubscribe commands no answer has come to
   */
  constructor(channel: string, context: SubscriptionContext, owed?: number) {
    this.channel = channel;
    this.#context = context;
    this.#probe = new Probe(context.clock);
    this.#first = new FirstUpdate(context.clock);
    this.#chain = new SequenceChain(context.numbering);
    this.#asked = owed === undefined ? 0 : 1;
    this.#owed = owed ?? 0;
  }

  /** True once nobody wants the channel and the service has let go of it (or was never asked). */
  get isOver(): boolean {
    return !this.#isWanted && (this.#state === "idle" || this.#state === "refused");
  }

  /** Unsubscribe commands that may still be answered. */
  get owed(): number {
    return this.#owed;
  }

  get isProbing(): boolean {
    return this.#probe.isOpen;
  }

  isOpenAt(nowMs: number): boolean {
    const isAsked = this.isProbing || this.#state === "subscribing" || this.#state === "leaving";
    return isAsked && this.#probe.isAnswerableAt(nowMs);
  }

  /** True while a subscribe may still be answered, by 409 among others. */
  isSubscribeOpenAt(nowMs: number): boolean {
    return this.#state !== "leaving" && this.isOpenAt(nowMs);
  }

  probeDueAtMs(nowMs: number, isDoubted: boolean): number | undefined {
    const isHeard = this.#state === "active";
    if (!isHeard && this.#state !== "subscribing") return undefined;
    return this.#probe.dueAtMs(isHeard, isDoubted, nowMs);
  }

  /** Asks whether the subscription stands by asking for it again. Reading: docs/adr/0020. */
  probe(): void {
    this.#probe.open(() => this.#onProbeUnanswered());
    this.#context.onProbing();
    this.#command("subscribe");
  }

  /** An error came that may have answered this channel's command or ended its subscription, or another's: find out. */
  onAmbiguousError(code: number): void {
    const isOpen = this.isOpenAt(this.#context.clock.now());
    if (isOpen) this.#probe.allowSoon();
    // 409 never says that something has ended, and only 503 comes unasked.
    if (this.#state !== "active" || code === ERROR_CODES.duplicateSubscription) return;
    if (code === ERROR_CODES.streamUnavailable || isOpen) this.#context.onDoubted();
  }

  /** An error that names no channel, while no other command than this channel's is unanswered. */
  onUnnamedError(frame: ErrorFrame): void {
    this.onError(frame);
    if (this.#state === "paused" || this.#state === "refused") this.#blamedFor = frame.code;
  }

  onConnectionOpen(): void {
    if (this.#isWanted && this.#state !== "refused") this.#subscribe();
  }

  onConnectionDown(): void {
    this.#cancelAll();
    this.#probe.allowSoon();
    this.#chain.reset();
    this.#asked = 0;
    this.#blamedFor = undefined;
    this.#owed = 0;
    this.#isEndedOnce = false;
    if (this.#state === "refused") return;
    this.#state = "idle";
    if (!this.#isWanted) this.#context.onUnsubscribed();
  }

  /** Somebody wants the channel again, after `leave`. A refused channel is tried once more. */
  want(isConnected: boolean): void {
    this.#isWanted = true;
    if (isConnected && (this.#state === "idle" || this.#state === "refused")) this.#subscribe();
  }

  /** Nobody wants the channel any more. */
  leave(): void {
    this.#isWanted = false;
    if (this.#state === "paused" || this.#state === "idle") this.#settle();
    else if (this.#state !== "leaving" && this.#state !== "refused") this.#unsubscribe();
  }

  /** Forgets everything without a word: the stream is closed. */
  close(): void {
    this.#cancelAll();
    this.#isWanted = false;
    this.#state = "idle";
  }

  /** Gets the whole state again: unsubscribe, wait, subscribe; later each time when it repeats. */
  resync(reason: string): void {
    this.#replace(reason, "parting", () => this.#unsubscribe());
  }

  /** A message that nobody could read has come; it may have belonged to any channel. */
  onUnreadable(): void {
    if (this.#state === "subscribing") this.#first.noteUnreadable();
  }

  onUpdate(update: ReceivedUpdate): void {
    this.#probe.noteUpdate();
    if (this.#state === "subscribing") this.#onFirst(update);
    else if (this.#state === "active") this.#onNext(update);
    else this.#onAside(update);
  }

  /** An update while none is waited for. */
  #onAside(update: ReceivedUpdate): void {
    if (isSequenced(update)) this.#chain.passOver(update.frame, update.message);
    if (this.#blamedFor === undefined) return;
    // The command was honoured, or the subscription stands.
    this.#refuteBlame();
    if (this.#state !== "refused") return;
    this.#context.onResync(NOT_REFUSED);
    this.#retryLater();
  }

  #refuteBlame(): void {
    const code = this.#blamedFor;
    this.#blamedFor = undefined;
    if (code !== undefined) this.#context.onMisblamed(code);
  }

  onUnsubscribed(): void {
    const wasOwed = this.#owed > 0;
    if (wasOwed) this.#owed--;
    if (this.#state === "leaving") this.#left();
    else if (this.#state === "active") this.#onTaken(wasOwed);
    // Where the channel was ended before on this connection, this is a late answer to that: what tells is whether a first
    // update comes.
    else if (this.#state === "subscribing" && this.#asked === 1) this.#onTaken(false);
  }

  onError(frame: ErrorFrame): void {
    if (frame.code !== ERROR_CODES.duplicateSubscription) this.#blamedFor = undefined;
    if (this.#state === "leaving") {
      // An error that answers the unsubscribe: the service does not hold the subscription.
      if (frame.code !== ERROR_CODES.duplicateSubscription) {
        this.#owed = Math.max(0, this.#owed - 1);
        this.#left();
      }
      return;
    }
    // An answer to a command of before: the service's last word will be the answer to our last command.
    if (this.#state === "idle" || this.#state === "parting") return;
    if (frame.code === ERROR_CODES.duplicateSubscription) this.#onDuplicate();
    else if (frame.code === ERROR_CODES.streamUnavailable) this.#pause(frame.message);
    else {
      this.#cancelAll();
      this.#state = "refused";
      this.#context.onRefused(frame.code, frame.message);
    }
  }

  /** Shows nothing of the channel until it is whole again, and acts after a while that grows when it repeats. */
  #replace(reason: string, state: State, act: () => void): void {
    if (this.#state !== "active" && this.#state !== "subscribing") return;
    const { clock, random } = this.#context;
    if (clock.now() - this.#resyncedAt > CALM_AFTER_MS) this.#resyncs = 0;
    this.#resyncedAt = clock.now();
    const delay = backoffDelayMs(resyncBackoff, this.#resyncs++, random);
    this.#context.onResync(reason);
    this.#chain.restart();
    this.#state = state;
    this.#cancelAll();
    this.#cancelTimer = clock.after(delay, act);
  }

  /**
   * The service ended a subscription that is in use. Behind an unsubscribe that was never answered, this may be its answer, and
   * what was taken for the first update one of before: then it must be ended for sure.
   */
  #onTaken(isAmbiguous: boolean): void {
    this.#context.onLost(TAKEN);
    this.#probe.allowSoon();
    if (isAmbiguous) this.resync(TAKEN);
    else this.#replace(TAKEN, "paused", () => this.#subscribe());
  }

  #command(type: Command["type"]): void {
    this.#probe.noteCommand();
    this.#context.send({ type, channel: this.channel });
  }

  #cancelAll(): void {
    this.#cancelTimer();
    this.#probe.end();
  }

  #onProbeUnanswered(): void {
    if (!this.#probe.hasSpoken) this.#context.onIgnored();
    if (this.#state === "active") this.#lose("the service had lost the subscription");
  }

  /** The second subscribe was honoured, so the first one had not stood: updates may have been missed. */
  #lose(reason: string): void {
    this.#context.onLost(reason);
    this.#probe.allowSoon();
    this.resync(reason);
  }

  #subscribe(): void {
    this.#cancelAll();
    this.#probe.noteSubscribe();
    this.#state = "subscribing";
    this.#first.begin();
    this.#asked++;
    this.#context.onSubscribing();
    this.#command("subscribe");
  }

  #unsubscribe(): void {
    this.#cancelAll();
    this.#state = "leaving";
    this.#owed++;
    this.#cancelTimer = this.#context.clock.after(UNSUBSCRIBED_WAIT_MS, () => this.#left());
    this.#command("unsubscribe");
  }

  #left(): void {
    this.#settle();
    if (this.#isWanted) this.#subscribe();
  }

  #settle(): void {
    this.#cancelAll();
    this.#chain.restart();
    this.#state = "idle";
    if (!this.#isWanted) this.#context.onUnsubscribed();
  }

  #onFirst(update: ReceivedUpdate): void {
    const doubt = this.#first.doubt(update, this.#context.mayBegin);
    if (doubt !== undefined && isSequenced(update)) {
      this.#chain.passOver(update.frame, update.message);
    }
    if (doubt === "wait") {
      this.#cancelTimer = this.#context.clock.after(FIRST_WAIT_MS, () => this.resync(FIRST_LOST));
      return;
    }
    this.#cancelAll();
    this.#state = "active";
    this.#refusals = 0;
    this.#blamedFor = undefined;
    this.#isEndedOnce = false;
    if (doubt !== undefined) {
      this.resync(doubt);
      return;
    }
    if (isSequenced(update)) this.#chain.begin(update.frame, update.message);
    this.#context.onUpdate(update, FIRST);
  }

  #onNext(update: ReceivedUpdate): void {
    if (!isSequenced(update)) {
      this.#context.onUpdate(update, LATER);
      return;
    }
    const { frame, message } = update;
    const held = this.#chain.held ?? "";
    const verdict = this.#chain.advance(frame, message);
    if (this.isProbing && mayBeFirst(verdict, frame)) {
      this.#lose("the service had lost the subscription");
      return;
    }
    if (verdict === "next") this.#probe.end();
    if (verdict === "repeat" || verdict === "late") {
      this.#context.onLate(frame, verdict === "repeat");
    } else if (verdict === "unsure") this.#onUnsure(update, held);
    else if (!this.#isBroken(frame, verdict, held)) {
      this.#context.onUpdate(update, this.#placeOf(verdict));
    }
  }

  /** A frame that may be a snapshot or a change: everything is fetched anew. */
  #onUnsure(update: SequencedReceived, held: string): void {
    const { kind, frame } = update;
    // Trades that come once more cannot be told from others.
    if (kind === "trades") this.#context.onGap(held, "null", frame.sequence ?? "null");
    else this.#context.onUpdate(update, SNAPSHOT);
    this.resync(UNSURE);
  }

  /** True when a frame breaks the chain, and everything is fetched anew. */
  #isBroken(frame: SequencedUpdate, verdict: ChainVerdict, held: string): boolean {
    if (verdict !== "gap" && verdict !== "stray") return false;
    this.#context.onGap(held, frame.previous_sequence ?? "null", frame.sequence ?? "null");
    if (verdict === "gap" && this.#context.toleratesGaps()) return false;
    this.resync("the sequence chain is broken");
    return true;
  }

  #placeOf(verdict: ChainVerdict): UpdatePlace {
    if (verdict === "part") return this.#chain.isWhole ? PART_OF_SNAPSHOT : PART;
    return verdict === "start" && this.#chain.isWhole ? SNAPSHOT : LATER;
  }

  /** 409: the subscription stands. When it is an old one, no whole state will come: it must end first. */
  #onDuplicate(): void {
    this.#refuteBlame();
    this.#probe.noteAnswer();
    if (this.isProbing) {
      this.#probe.end();
      this.#context.onConfirmed();
      return;
    }
    if (this.#state !== "subscribing") return;
    if (this.#asked === 1) this.#context.onConfirmed();
    else if (this.#isEndedOnce) this.#context.restart("the service does not end a subscription");
    else {
      this.#isEndedOnce = true;
      this.#unsubscribe();
    }
  }

  #pause(message: string): void {
    const delay = this.#retryLater();
    this.#context.onUnavailable(message, this.#context.clock.now() + delay);
  }

  /** Answers after how many milliseconds the channel is subscribed again: later each time. */
  #retryLater(): number {
    const { clock, random } = this.#context;
    const delay = backoffDelayMs(unavailableBackoff, ++this.#refusals, random);
    this.#cancelAll();
    this.#chain.restart();
    this.#state = "paused";
    this.#cancelTimer = clock.after(delay, () => this.#subscribe());
    return delay;
  }
}
