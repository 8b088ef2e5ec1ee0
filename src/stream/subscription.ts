// The life of one channel on the stream: subscribe, first update, chain of updates, gap, resync,
// refusal, unavailability, unsubscribe. It sends commands and tells events; it keeps no data.
// Reading: docs/adr/0004.

import type { ChannelKind } from "../protocol/channel.ts";
import type { Command } from "../protocol/commands.ts";
import type { ReceivedUpdate } from "../protocol/decode.ts";
import type { ErrorFrame } from "../protocol/frames/error.ts";
import { ERROR_CODES } from "../protocol/limits.ts";
import type { Clock } from "../units/clock.ts";
import type { Random } from "../units/random.ts";
import { backoffDelayMs, resyncBackoff, unavailableBackoff } from "./backoff.ts";
import { advanceChain, type Chain, type ChainVerdict, emptyChain } from "./sequence-chain.ts";

/**
 * `idle`: the connection is down. `subscribing`: the command is sent, nothing has come yet.
 * `active`: updates flow. `parting`: an unsubscribe is scheduled. `leaving`: it is sent. `paused`: the next try
 * is scheduled. `refused`: the service said no for good.
 */
type State = "idle" | "subscribing" | "active" | "parting" | "leaving" | "paused" | "refused";

/** How long an `unsubscribed` is waited for before we go on without it. */
const UNSUBSCRIBED_WAIT_MS = 2000;
/** A channel that was whole for this long starts a new count of resyncs. */
const CALM_AFTER_MS = 60_000;

export interface SubscriptionContext {
  readonly clock: Clock;
  readonly random: Random;
  send(command: Command): void;
  /** Counts a chain verdict; true when it is a gap and the chain rule is in force. */
  isGap(kind: ChannelKind, verdict: ChainVerdict): boolean;
  /** True when what is missed in a gap does no harm, because each update is whole. */
  toleratesGaps(): boolean;
  /** The connection itself cannot be trusted: an unsubscribe was ignored. */
  restart(detail: string): void;
  onUpdate(update: ReceivedUpdate, isFirst: boolean): void;
  onSubscribing(): void;
  onConfirmed(): void;
  onLate(): void;
  onGap(held: string, previous: string): void;
  onResync(reason: string): void;
  onUnavailable(message: string, retryAtMs: number): void;
  onRefused(code: number, message: string): void;
  onUnsubscribed(): void;
}

export class Subscription {
  readonly channel: string;
  readonly #context: SubscriptionContext;
  #state: State = "idle";
  #isWanted = true;
  #chain: Chain = emptyChain;
  /** A message that could not be read may have been the first update: the one that follows cannot be trusted. */
  #isTainted = false;
  /** Subscribe commands of this connection, those of an earlier life of the channel included. */
  #asked: number;
  #isProbed = false;
  #resyncs = 0;
  #resyncedAt = Number.NEGATIVE_INFINITY;
  #refusals = 0;
  #cancelTimer = () => {};

  /** @param wasAsked the channel was subscribed on this connection before, and the service may still hold it */
  constructor(channel: string, context: SubscriptionContext, wasAsked = false) {
    this.channel = channel;
    this.#context = context;
    this.#asked = wasAsked ? 1 : 0;
  }

  /** True once nobody wants the channel and the service has let go of it (or was never asked). */
  get isOver(): boolean {
    return !this.#isWanted && (this.#state === "idle" || this.#state === "refused");
  }

  /** A command of this channel has not been answered yet. */
  get isPending(): boolean {
    return this.#state === "subscribing" || this.#state === "leaving";
  }

  onConnectionOpen(): void {
    if (this.#isWanted && this.#state !== "refused") this.#subscribe();
  }

  onConnectionDown(): void {
    this.#cancelTimer();
    this.#chain = emptyChain;
    this.#asked = 0;
    this.#isProbed = false;
    if (this.#state !== "refused") this.#state = "idle";
  }

  /** Somebody wants the channel again, after `leave`. A refused channel is tried once more. */
  want(isConnected: boolean): void {
    this.#isWanted = true;
    if (isConnected && (this.#state === "idle" || this.#state === "refused")) this.#subscribe();
  }

  /** Nobody wants the channel any more. */
  leave(): void {
    this.#isWanted = false;
    if (this.#state === "paused") this.#settle();
    const isHeld = this.#state === "subscribing" || this.#state === "active";
    if (isHeld || this.#state === "parting") this.#unsubscribe();
  }

  /** Forgets everything without a word: the stream is closed. */
  close(): void {
    this.#cancelTimer();
    this.#isWanted = false;
    this.#state = "idle";
  }

  /** Gets the whole state again: unsubscribe, wait, subscribe; later each time when it repeats. */
  resync(reason: string): void {
    if (this.#state !== "active" && this.#state !== "subscribing") return;
    const { clock, random } = this.#context;
    if (clock.now() - this.#resyncedAt > CALM_AFTER_MS) this.#resyncs = 0;
    this.#resyncedAt = clock.now();
    const delay = backoffDelayMs(resyncBackoff, this.#resyncs++, random);
    this.#context.onResync(reason);
    this.#chain = emptyChain;
    this.#state = "parting";
    this.#cancelTimer();
    this.#cancelTimer = clock.after(delay, () => this.#unsubscribe());
  }

  /** A message that nobody could read has come; it may have belonged to any channel. */
  onUnreadable(): void {
    if (this.#state === "subscribing") this.#isTainted = true;
  }

  onUpdate(update: ReceivedUpdate): void {
    if (this.#state === "subscribing") this.#onFirst(update);
    else if (this.#state === "active") this.#onNext(update);
  }

  onUnsubscribed(): void {
    if (this.#state === "leaving") this.#left();
  }

  onError(frame: ErrorFrame): void {
    if (this.#state === "leaving") {
      // An error that answers the unsubscribe: the service does not hold the subscription.
      if (frame.code !== ERROR_CODES.duplicateSubscription) this.#left();
      return;
    }
    // An answer to a command of before: the service's last word will be the answer to our last command.
    if (this.#state === "idle" || this.#state === "parting") return;
    if (frame.code === ERROR_CODES.duplicateSubscription) this.#onDuplicate();
    else if (frame.code === ERROR_CODES.streamUnavailable) this.#pause(frame.message);
    else this.#onRefused(frame);
  }

  #subscribe(): void {
    this.#cancelTimer();
    this.#state = "subscribing";
    this.#isTainted = false;
    this.#asked++;
    this.#context.onSubscribing();
    this.#context.send({ type: "subscribe", channel: this.channel });
  }

  #unsubscribe(): void {
    this.#cancelTimer();
    this.#state = "leaving";
    this.#context.send({ type: "unsubscribe", channel: this.channel });
    this.#cancelTimer = this.#context.clock.after(UNSUBSCRIBED_WAIT_MS, () => this.#left());
  }

  #left(): void {
    this.#cancelTimer();
    this.#settle();
    if (this.#isWanted) this.#subscribe();
  }

  #settle(): void {
    this.#cancelTimer();
    this.#chain = emptyChain;
    this.#state = "idle";
    if (!this.#isWanted) this.#context.onUnsubscribed();
  }

  #onFirst(update: ReceivedUpdate): void {
    this.#state = "active";
    this.#refusals = 0;
    this.#isProbed = false;
    if (this.#isTainted) {
      this.resync("an unreadable message came before the first update");
      return;
    }
    if ("sequence" in update.frame) {
      this.#chain = advanceChain(emptyChain, update.frame).chain;
    }
    this.#context.onUpdate(update, true);
  }

  #onNext(update: ReceivedUpdate): void {
    if (!("sequence" in update.frame)) {
      this.#context.onUpdate(update, false);
      return;
    }
    const held = this.#chain.held ?? "";
    const { chain, verdict } = advanceChain(this.#chain, update.frame);
    this.#chain = chain;
    if (this.#context.isGap(update.kind, verdict)) {
      this.#context.onGap(held, update.frame.previous_sequence ?? "null");
      if (!this.#context.toleratesGaps()) {
        this.resync("the sequence chain is broken");
        return;
      }
    }
    if (verdict === "late") this.#context.onLate();
    else this.#context.onUpdate(update, false);
  }

  /** 409: the subscription stands. When it is an old one, no whole state will come: it must end first. */
  #onDuplicate(): void {
    if (this.#state !== "subscribing") return;
    if (this.#asked === 1) this.#context.onConfirmed();
    else if (this.#isProbed) this.#context.restart("the service does not end a subscription");
    else {
      this.#isProbed = true;
      this.#unsubscribe();
    }
  }

  #pause(message: string): void {
    const { clock, random } = this.#context;
    const delay = backoffDelayMs(unavailableBackoff, ++this.#refusals, random);
    this.#cancelTimer();
    this.#chain = emptyChain;
    this.#state = "paused";
    this.#context.onUnavailable(message, clock.now() + delay);
    this.#cancelTimer = clock.after(delay, () => this.#subscribe());
  }

  #onRefused({ code, message }: ErrorFrame): void {
    this.#cancelTimer();
    this.#state = "refused";
    this.#context.onRefused(code, message);
  }
}
