// What a subscription needs of the stream that it belongs to, and what it tells it.

import type { Clock } from "../units/clock.ts";
import type { Random } from "../units/random.ts";
import type { Command } from "../wire/commands.ts";
import type { ReceivedUpdate } from "../wire/decode.ts";
import type { UpdatePlace } from "../wire/stream-event.ts";
import type { FirstUpdates } from "./first-updates.ts";
import type { Numbering } from "./numbering.ts";

/** Handed to each subscription by its stream. */
export interface SubscriptionContext {
  readonly clock: Clock;
  readonly random: Random;
  send(command: Command): void;
  /** What was learned of how frames of the channel's kind are numbered. */
  readonly numbering: Numbering;
  /** True when this may be the first update of a subscription, as far as others have shown. */
  mayBegin: FirstUpdates["mayBegin"];
  /** True when what is missed in a gap does no harm, because each update is whole. */
  toleratesGaps(): boolean;
  /** The connection itself cannot be trusted: an unsubscribe was ignored. */
  restart(detail: string): void;
  onUpdate(update: ReceivedUpdate, place: UpdatePlace): void;
  onSubscribing(): void;
  onProbing(): void;
  onConfirmed(): void;
  /** An error that named no channel may have ended the subscription. */
  onDoubted(): void;
  /** An error that named no channel was taken for the answer to this one's command, and was not. */
  onMisblamed(code: number): void;
  /** The service did not hold the subscription any more. */
  onLost(reason: string): void;
  /** A probe was answered by nothing at all. */
  onIgnored(): void;
  /** A frame was dropped: its very text was seen, or what it brings is held already. */
  onLate(frame: ReceivedUpdate["frame"], isRepeat: boolean): void;
  onGap(held: string, previous: string, sequence: string): void;
  onResync(reason: string): void;
  onUnavailable(message: string, retryAtMs: number): void;
  onRefused(code: number, message: string): void;
  onUnsubscribed(): void;
}
