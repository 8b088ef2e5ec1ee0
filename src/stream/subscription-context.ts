// What a subscription needs of the stream that it belongs to, and what it tells it.
import type { ChannelKind } from "../protocol/channel.ts";
import type { Command } from "../protocol/commands.ts";
import type { ReceivedUpdate } from "../protocol/decode.ts";
import type { Clock } from "../units/clock.ts";
import type { Random } from "../units/random.ts";
import type { FirstUpdates } from "./first-updates.ts";
import type { ChainVerdict } from "./sequence-chain.ts";

/** Handed to each subscription by its stream. */
export interface SubscriptionContext {
  readonly clock: Clock;
  readonly random: Random;
  send(command: Command): void;
  /** Counts a chain verdict; true when it is a gap and the chain rule is in force. */
  isGap(kind: ChannelKind, verdict: ChainVerdict): boolean;
  /** True when this may be the first update of a subscription, as far as others have shown. */
  mayBegin: FirstUpdates["mayBegin"];
  /** True when what is missed in a gap does no harm, because each update is whole. */
  toleratesGaps(): boolean;
  /** The connection itself cannot be trusted: an unsubscribe was ignored. */
  restart(detail: string): void;
  onUpdate(update: ReceivedUpdate, isFirst: boolean): void;
  onSubscribing(): void;
  onProbing(): void;
  onConfirmed(): void;
  /** The service did not hold the subscription any more. */
  onLost(): void;
  /** A probe was answered by nothing at all. */
  onIgnored(): void;
  onLate(): void;
  onGap(held: string, previous: string): void;
  onResync(reason: string): void;
  onUnavailable(message: string, retryAtMs: number): void;
  onRefused(code: number, message: string): void;
  onUnsubscribed(): void;
}
