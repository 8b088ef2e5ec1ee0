// Audit by snapshot: the first frame of a subscription is a snapshot, so a second subscription, on a connection of its own,
// checks the state folded from the watched one. If that is not possible, a single resubscribe replaces it. Results go to the
// store, corrections also to recordings; feed, counts and alerts are not affected.
import type { AuditJournal } from "../state/audits.ts";
import type { Feed } from "../state/feed.ts";
import type { Store } from "../state/store.ts";
import type { OpenSocket } from "../stream/socket.ts";
import type { Clock } from "../units/clock.ts";
import type { Random } from "../units/random.ts";
import { compareUint } from "../units/uint.ts";
import type { ReceivedUpdate } from "../wire/decode.ts";
import type { Link, StreamEvent } from "../wire/stream-event.ts";
import {
  AuditConnection,
  type AuditEnd,
  getSequence,
  mayBeFirstFrame,
  SNAPSHOT_SETTLE_MS,
} from "./audit-connection.ts";

const NEVER = Number.POSITIVE_INFINITY;
/** Times since the channel became live; after the last, audits repeat at the last interval. */
const SCHEDULE_MS = [20_000, 60_000, 300_000, 900_000];
/** Share by which audits are randomly delayed, so that many clients do not audit at once. */
const JITTER = 0.1;
/** A row in question for this long brings an audit forward: until then a frame may settle it. */
const QUESTION_MS = 3000;
/** Pause before another audit is brought forward, increasing with each consecutive one that settles nothing. */
const QUIET_MS = [30_000, 60_000, 300_000, 900_000];
/** Maximum audits brought forward per period. */
const MAX_FORWARD = 8;
const FORWARD_PERIOD_MS = 600_000;
/** Audits due within this time share a connection. */
const SHARED_MS = 15_000;
/** Pause after a connection has opened. */
const LINK_STABLE_MS = 5000;
/** Further comparisons in a turn: if the first two differ, a third decides. */
const MAX_AGAIN = 2;
/** Pause before another attempt if no sequence matched, and number of attempts. */
const RETRY_MS = 10_000;
const MAX_TRIES = 3;
/** Maximum duration of an audit. */
const TRIAL_MS = 40_000;
/** If the watched connection ends this soon after the second one was opened, that is taken to be the cause. */
const DISTURBED_MS = 2000;
/** Audits are switched off after this many in a row. */
const MAX_FAILURES = 2;
/** Without a second connection: when a resubscribe replaces it, and how long the channel must have been silent. */
const STAND_IN_MS = 60_000;
const STAND_IN_IDLE_MS = 10_000;
/** The second one confirms a difference: only two that agree count. */
const MAX_STAND_INS = 2;
const MAX_CHANNELS = 200;

export interface AuditorOptions {
  /** Must not be recorded. */
  readonly openSocket: OpenSocket;
  readonly clock: Clock;
  readonly random: Random;
  readonly store: Store;
  /** Pings on the watched connection. */
  readonly ping: () => void;
  readonly resubscribe: (channel: string, reason: string) => void;
  /** An audit has corrected the state of a channel. */
  readonly onCorrected: (channel: string) => void;
  /** Called after each audit, whether or not something was compared. */
  readonly onAudit?: (() => void) | undefined;
}

/** The schedule of one channel. Times are monotonic milliseconds. */
class Watched {
  readonly channel: string;
  liveAtMs: number | undefined;
  step = 0;
  dueAtMs = 0;
  /** When an extra audit is due, because rows are in question. */
  forwardAtMs = NEVER;
  /** No audit is brought forward before this time. */
  quietUntilMs = 0;
  /** Times of the latest audits brought forward. */
  forwarded: readonly number[] = [];
  /** Consecutive audits after which no fewer rows were in question. */
  unsettled = 0;
  isForward = false;
  tries = 0;
  /** The last audit found differences: the next one, to confirm them, follows soon. */
  isAgain = false;
  agains = 0;
  /** Consecutive attempts that got no response. */
  failures = 0;
  /** Consecutive audits that broke the watched subscription, which shows only after them. */
  losses = 0;
  /** The watched subscription began with a frame that follows no other. */
  begins = false;
  off: string | undefined;
  standInAtMs = 0;
  standIns = 0;
  askedAtMs: number | undefined;

  constructor(channel: string, off: string | undefined) {
    this.channel = channel;
    this.off = off;
  }

  get nextAtMs(): number {
    return Math.min(this.dueAtMs, this.forwardAtMs);
  }
}

interface Trial {
  readonly watched: Watched;
  readonly journal: AuditJournal;
  readonly askedAtMs: number;
  /** A resubscribe of the watched channel instead of a second subscription. */
  readonly isStandIn: boolean;
  snapshot: readonly ReceivedUpdate[] | undefined;
  snapshotAtMs: number;
  position: number | undefined;
}

/** Audits the channels of one session. Its methods never throw. */
export class Auditor {
  readonly #options: AuditorOptions;
  readonly #watched = new Map<string, Watched>();
  readonly #trials = new Map<string, Trial>();
  #connection: AuditConnection | undefined;
  #channels: readonly Watched[] = [];
  #hasAnswered = false;
  #link: Link | undefined;
  #linkOpenedAtMs = 0;
  /** Everything that the service sent on the watched connection before this time has been received. */
  #upToDateMs = Number.NEGATIVE_INFINITY;
  #refusals = 0;
  #disturbances = 0;
  /** Until then, an end of the watched connection is blamed on the second one. */
  #watchUntilMs: number | undefined;

  constructor(options: AuditorOptions) {
    this.#options = options;
  }

  /** No audit is running or due. */
  get isIdle(): boolean {
    const now = this.#now;
    const isDue = [...this.#watched.values()].some(
      (each) => each.nextAtMs <= now && this.#isEligible(each),
    );
    return this.#connection === undefined && this.#trials.size === 0 && !isDue;
  }

  /** Must be called before the store applies the event. */
  observe(event: StreamEvent): void {
    if (event.type === "link") {
      this.#onLink(event.link);
      return;
    }
    const channel = "channel" in event ? event.channel : undefined;
    if (channel === undefined) return;
    if (event.type === "update") this.#onUpdate(channel, event.update, event.isFirst, event.atMs);
    else if (BREAKS.has(event.type)) this.#onBreak(channel, event);
  }

  pass(): void {
    const now = this.#now;
    if (this.#watchUntilMs !== undefined && now > this.#watchUntilMs) {
      this.#watchUntilMs = undefined;
      this.#disturbances = 0;
    }
    for (const trial of [...this.#trials.values()]) this.#check(trial);
    if (this.#connection !== undefined || this.#trials.size > 0 || !this.#isHealthy) return;
    for (const watched of this.#watched.values()) this.#bringForward(watched);
    this.#start();
    this.#standIn();
  }

  runNow(): void {
    for (const watched of this.#watched.values()) watched.dueAtMs = this.#now;
    this.#linkOpenedAtMs = Number.NEGATIVE_INFINITY;
    this.pass();
  }

  close(): void {
    this.#closeConnection();
    for (const trial of [...this.#trials.values()]) this.#drop(trial);
    this.#watched.clear();
  }

  get #now(): number {
    return this.#options.clock.now();
  }

  get #isHealthy(): boolean {
    const { state, isLate } = this.#link ?? {};
    return state === "open" && !isLate && this.#now - this.#linkOpenedAtMs >= LINK_STABLE_MS;
  }

  #onLink(link: Link): void {
    const wasOpen = this.#link?.state === "open";
    this.#link = link;
    const { aliveAtMs = Number.NEGATIVE_INFINITY, roundTripMs = 0 } = link;
    // Whatever was sent before the latest ping has arrived before its pong.
    this.#upToDateMs = aliveAtMs - roundTripMs;
    if (wasOpen === (link.state === "open")) return;
    if (!wasOpen) {
      this.#linkOpenedAtMs = this.#now;
      return;
    }
    const isDisturbed = this.#watchUntilMs !== undefined && this.#now <= this.#watchUntilMs;
    this.#watchUntilMs = undefined;
    if (isDisturbed) for (const each of this.#channels) this.#failChannel(each, "disturbed", false);
    this.#closeConnection();
    for (const trial of [...this.#trials.values()]) this.#drop(trial);
    for (const watched of this.#watched.values()) watched.liveAtMs = undefined;
    if (!isDisturbed || link.state === "closed") return;
    if (++this.#disturbances >= MAX_FAILURES) {
      this.#turnOff("the connection ends when a second one is opened");
    }
  }

  #onUpdate(channel: string, update: ReceivedUpdate, isFirst: boolean, atMs: number): void {
    const trial = this.#trials.get(channel);
    if (trial?.isStandIn === true) this.#onStandInUpdate(trial, update, isFirst, atMs);
    else if (trial !== undefined && isFirst) this.#abort(trial);
    else if (trial !== undefined) this.#check(trial, getSequence(update));
    if (isFirst) this.#onLive(channel, update, atMs);
  }

  #onLive(channel: string, update: ReceivedUpdate, atMs: number): void {
    let watched = this.#watched.get(channel);
    if (watched === undefined) {
      if (!KINDS.has(update.kind)) return;
      this.#makeRoom();
      watched = new Watched(channel, this.#options.store.audits.off);
      this.#watched.set(channel, watched);
    }
    watched.begins = mayBeFirstFrame(update);
    watched.liveAtMs = atMs;
    watched.standInAtMs = Math.max(watched.standInAtMs, atMs + STAND_IN_MS);
    const first = atMs + this.#jittered(SCHEDULE_MS[0] ?? 0);
    watched.dueAtMs = watched.step === 0 ? first : Math.max(first, watched.dueAtMs);
    watched.forwardAtMs = NEVER;
  }

  #makeRoom(): void {
    if (this.#watched.size < MAX_CHANNELS) return;
    for (const [channel, { liveAtMs }] of this.#watched) {
      if (liveAtMs !== undefined) continue;
      this.#watched.delete(channel);
      return;
    }
  }

  /** The state is interrupted: running audits of the channel cannot be completed. */
  #onBreak(channel: string, event: StreamEvent): void {
    const watched = this.#watched.get(channel);
    if (watched === undefined) return;
    const trial = this.#trials.get(channel);
    if (trial?.isStandIn === true) {
      if (event.type === "resync" || event.type === "subscribing") return;
      this.#drop(trial);
    } else if (trial !== undefined && event.type === "unsubscribed") this.#drop(trial);
    else if (trial !== undefined) {
      this.#abort(trial, event.atMs - trial.askedAtMs <= DISTURBED_MS);
    } else if (event.type === "lost" && this.#isSilentSinceAudit(watched)) {
      this.#noteLoss(watched, "the watched subscription was lost");
    }
    if (event.type !== "rejected" && event.type !== "lost") watched.liveAtMs = undefined;
  }

  /** Nothing was received since the second subscription: the service may allow only one. */
  #isSilentSinceAudit({ channel, askedAtMs }: Watched): boolean {
    const lastFrameAtMs = this.#feedOf(channel)?.lastFrameAtMs ?? Number.NEGATIVE_INFINITY;
    return askedAtMs !== undefined && lastFrameAtMs <= askedAtMs;
  }

  #isEligible({ channel, liveAtMs, off }: Watched): boolean {
    if (liveAtMs === undefined || off !== undefined) return false;
    return this.#options.store.audits.isUseful(channel) && this.#isReceived(channel);
  }

  #isReceived(channel: string): boolean {
    const { store } = this.#options;
    const slice = store.slices.find((each) => each.channel === channel);
    return slice !== undefined && /^(?:live|quiet)$/.test(store.paneState(slice, this.#now));
  }

  /** Brings the next audit forward while rows are in question. */
  #bringForward(watched: Watched): void {
    const { channel, step, isAgain, tries, forwardAtMs, quietUntilMs } = watched;
    const now = this.#now;
    // The first audit comes soon anyway, and a turn in progress is completed first.
    if (step === 0 || isAgain || tries > 0 || now < quietUntilMs) return;
    const isAsked =
      this.#isEligible(watched) && this.#options.store.audits.questionsOf(channel) > 0;
    if (!isAsked) watched.forwardAtMs = NEVER;
    else if (forwardAtMs === NEVER) watched.forwardAtMs = now + this.#jittered(QUESTION_MS);
  }

  #start(): void {
    const now = this.#now;
    const all = [...this.#watched.values()];
    for (const watched of all) {
      // Nothing to compare: skip this turn.
      const isDue = watched.dueAtMs <= now && watched.liveAtMs !== undefined;
      if (isDue && !this.#options.store.audits.isUseful(watched.channel)) this.#advance(watched);
    }
    if (!all.some((each) => each.nextAtMs <= now && this.#isEligible(each))) return;
    this.#channels = all.filter(
      (each) => each.nextAtMs <= now + SHARED_MS && this.#isEligible(each),
    );
    for (const watched of this.#channels) this.#noteTurn(watched);
    const { openSocket, clock } = this.#options;
    this.#hasAnswered = false;
    this.#watchUntilMs = now + DISTURBED_MS;
    this.#connection = new AuditConnection({
      openSocket,
      clock,
      channels: this.#channels.map(({ channel }) => channel),
      expectsFirstFrame: (channel) => this.#watched.get(channel)?.begins ?? false,
      onOpen: () => {
        this.#watchUntilMs = this.#now + DISTURBED_MS;
      },
      onSubscribing: () => {
        for (const watched of this.#channels) this.#begin(watched, false);
      },
      onSnapshot: (channel, frames) => this.#onSnapshot(channel, frames),
      onRefused: (channel, reason) => {
        this.#hasAnswered = true;
        const trial = this.#trials.get(channel);
        if (trial !== undefined) this.#drop(trial);
        const watched = this.#watched.get(channel);
        if (watched !== undefined) this.#failChannel(watched, reason, true);
      },
      onEnd: (end) => this.#onEnd(end),
    });
    this.#connection.open();
  }

  /** Notes whether the turn is a scheduled audit or one brought forward. */
  #noteTurn(watched: Watched): void {
    const now = this.#now;
    const isNew = !watched.isAgain && watched.tries === 0;
    watched.isForward = watched.dueAtMs > now + SHARED_MS;
    if (!watched.isForward) watched.forwardAtMs = NEVER;
    else if (isNew) watched.forwarded = [...watched.forwarded, now].slice(-MAX_FORWARD);
  }

  #begin(watched: Watched, isStandIn: boolean): Trial | undefined {
    const journal = this.#options.store.audits.open(watched.channel);
    if (journal === undefined || watched.liveAtMs === undefined) return undefined;
    // The subscription is older than the last audit: it survived that.
    if (watched.liveAtMs <= (watched.askedAtMs ?? Number.NEGATIVE_INFINITY)) watched.losses = 0;
    const askedAtMs = this.#now;
    const trial: Trial = {
      watched,
      journal,
      askedAtMs,
      isStandIn,
      snapshot: undefined,
      snapshotAtMs: 0,
      position: undefined,
    };
    watched.askedAtMs = askedAtMs;
    this.#trials.set(watched.channel, trial);
    return trial;
  }

  #onSnapshot(channel: string, frames: readonly ReceivedUpdate[]): void {
    this.#hasAnswered = true;
    const trial = this.#trials.get(channel);
    if (trial === undefined) return;
    trial.snapshot = frames;
    trial.snapshotAtMs = this.#now;
    this.#check(trial);
  }

  #onEnd({ failure, retryAfterMs = 0 }: AuditEnd): void {
    const asked = this.#channels;
    this.#closeConnection();
    if (failure === undefined) this.#refusals = 0;
    else this.#onEndEarly(asked, failure, retryAfterMs);
    this.#options.onAudit?.();
  }

  #onEndEarly(asked: readonly Watched[], failure: string, retryAfterMs: number): void {
    for (const watched of asked) {
      const trial = this.#trials.get(watched.channel);
      if (trial?.snapshot !== undefined) continue;
      if (trial !== undefined) this.#drop(trial);
      else if (this.#hasAnswered) continue;
      // If there was no response at all, the connection is at fault, not a channel.
      this.#failChannel(watched, failure, this.#hasAnswered);
      watched.dueAtMs = Math.max(watched.dueAtMs, this.#now + retryAfterMs);
      watched.quietUntilMs = Math.max(watched.quietUntilMs, this.#now + retryAfterMs);
    }
    if (this.#hasAnswered) this.#refusals = 0;
    else if (++this.#refusals >= MAX_FAILURES) this.#turnOff(failure);
  }

  #closeConnection(): void {
    this.#connection?.close();
    this.#connection = undefined;
    this.#channels = [];
  }

  /**
   * Compares as soon as the state at the snapshot's sequence is known.
   * @param incoming sequence of a frame of the watched channel that is about to be applied
   */
  #check(trial: Trial, incoming?: string | null): void {
    const { journal, snapshot } = trial;
    if (journal.isTooLong) this.#failTrial(trial, "too many frames were received meanwhile");
    else if (this.#now - trial.askedAtMs > TRIAL_MS) this.#failTrial(trial, "no snapshot received");
    else if (snapshot === undefined) return;
    else if (trial.isStandIn) this.#checkStandIn(trial, incoming);
    else this.#place(trial, snapshot, incoming);
  }

  /** Compares with the state at the snapshot's position, once that is known. */
  #place(
    trial: Trial,
    snapshot: readonly ReceivedUpdate[],
    incoming: string | null | undefined,
  ): void {
    const { journal, snapshotAtMs } = trial;
    const isUpToDate = this.#upToDateMs >= snapshotAtMs;
    const sequence = getSequence(snapshot[0]);
    const facts = { journal, sequence, snapshotAtMs, incoming, isUpToDate, nowMs: this.#now };
    const verdict = positionToCompare(facts);
    if (typeof verdict === "number") this.#compare(trial, verdict);
    else if (verdict !== undefined) this.#failTrial(trial, verdict);
    else if (!isUpToDate) this.#options.ping();
  }

  #compare(trial: Trial, position: number): void {
    const { watched, journal, snapshot = [] } = trial;
    this.#trials.delete(watched.channel);
    const { store } = this.#options;
    const questions = store.audits.questionsOf(watched.channel);
    const result = store.audit(journal, snapshot, position, this.#now);
    if (result?.changed !== undefined) this.#options.onCorrected(watched.channel);
    const hasFound = (result?.differences.length ?? 0) > 0;
    if (trial.isStandIn) {
      const isAgain = hasFound && watched.standIns < MAX_STAND_INS;
      watched.standInAtMs = isAgain ? this.#now + STAND_IN_MS : NEVER;
    } else {
      watched.failures = 0;
      watched.tries = 0;
      // Only two audits that agree count, so the second follows soon.
      watched.isAgain = hasFound && result?.changed === undefined && watched.agains < MAX_AGAIN;
      if (watched.isAgain) {
        watched.agains++;
        this.#again(watched);
      } else this.#settle(watched, questions);
    }
    this.#options.onAudit?.();
  }

  #settle(watched: Watched, questions: number): void {
    const left = this.#options.store.audits.questionsOf(watched.channel);
    if (left < questions) watched.unsettled = 0;
    else if (questions > 0) watched.unsettled++;
    this.#endTurn(watched);
  }

  #again(watched: Watched): void {
    const atMs = this.#now + this.#jittered(RETRY_MS);
    if (watched.isForward) watched.forwardAtMs = atMs;
    else watched.dueAtMs = atMs;
  }

  #endTurn(watched: Watched): void {
    const { unsettled, forwarded, isForward } = watched;
    const quietMs = QUIET_MS[Math.min(unsettled, QUIET_MS.length - 1)] ?? 0;
    const isMany = forwarded.length === MAX_FORWARD;
    const enoughUntilMs = isMany ? (forwarded[0] ?? 0) + FORWARD_PERIOD_MS : 0;
    watched.quietUntilMs = Math.max(this.#now + quietMs, enoughUntilMs);
    watched.forwardAtMs = NEVER;
    watched.isAgain = false;
    watched.agains = 0;
    watched.tries = 0;
    if (!isForward) this.#advance(watched);
  }

  #advance(watched: Watched): void {
    const before = SCHEDULE_MS[watched.step] ?? 0;
    const next = SCHEDULE_MS[watched.step + 1];
    if (next !== undefined) watched.step++;
    watched.tries = 0;
    watched.dueAtMs = this.#now + this.#jittered(next === undefined ? before : next - before);
  }

  #jittered(ms: number): number {
    return ms * (1 + JITTER * this.#options.random());
  }

  /** The snapshot could not be compared: retried, up to MAX_TRIES attempts in all. */
  #failTrial(trial: Trial, reason: string): void {
    const { watched } = trial;
    this.#drop(trial);
    this.#options.store.audits.noteFailure(watched.channel, reason);
    if (trial.isStandIn) return;
    if (++watched.tries < MAX_TRIES) this.#again(watched);
    else {
      watched.unsettled++;
      this.#endTurn(watched);
    }
    this.#options.onAudit?.();
  }

  /** @param isDisturbed by the second subscription */
  #abort(trial: Trial, isDisturbed = false): void {
    this.#drop(trial);
    if (isDisturbed) this.#noteLoss(trial.watched, "the watched subscription was disturbed");
  }

  #drop(trial: Trial): void {
    const { watched, journal } = trial;
    this.#options.store.audits.close(journal);
    if (this.#trials.get(watched.channel) === trial) this.#trials.delete(watched.channel);
  }

  #noteLoss(watched: Watched, reason: string): void {
    this.#failChannel(watched, reason, false);
    if (++watched.losses < MAX_FAILURES) return;
    watched.off = reason;
    watched.standInAtMs = NEVER;
  }

  /** @param isChannels the fault is the channel's: the service responds, but not for this channel */
  #failChannel(watched: Watched, reason: string, isChannels: boolean): void {
    this.#options.store.audits.noteFailure(watched.channel, reason);
    watched.unsettled++;
    this.#endTurn(watched);
    if (isChannels && ++watched.failures >= MAX_FAILURES) watched.off = reason;
    this.#options.onAudit?.();
  }

  #turnOff(reason: string): void {
    this.#options.store.audits.off = reason;
    for (const watched of this.#watched.values()) watched.off ??= reason;
  }

  /** Resubscribes one silent channel if no second subscription is possible. */
  #standIn(): void {
    const watched = [...this.#watched.values()].find((each) => this.#needsStandIn(each));
    if (watched === undefined) return;
    watched.standIns++;
    watched.standInAtMs = NEVER;
    if (this.#begin(watched, true) === undefined) return;
    this.#options.resubscribe(watched.channel, "to compare it with a snapshot");
  }

  #needsStandIn({ channel, off, liveAtMs, standInAtMs, standIns }: Watched): boolean {
    const { store } = this.#options;
    if (off === undefined || liveAtMs === undefined || standIns >= MAX_STAND_INS) return false;
    if (this.#now < standInAtMs || !store.audits.isUseful(channel)) return false;
    const silentMs = this.#now - (this.#feedOf(channel)?.lastFrameAtMs ?? this.#now);
    return silentMs >= STAND_IN_IDLE_MS && this.#isReceived(channel);
  }

  #feedOf(channel: string): Feed | undefined {
    return this.#options.store.slices.find((each) => each.channel === channel)?.feed;
  }

  #onStandInUpdate(trial: Trial, update: ReceivedUpdate, isFirst: boolean, atMs: number): void {
    if (isFirst) {
      trial.position = trial.journal.end;
      trial.snapshot = [update];
      trial.snapshotAtMs = atMs;
      return;
    }
    const [first] = trial.snapshot ?? [];
    if (first === undefined) return;
    const sequence = getSequence(update);
    if (getSequence(first) !== sequence) this.#checkStandIn(trial, sequence);
    else if (sequence === null && !trial.snapshot?.every((part) => isApart(part, update)))
      this.#failTrial(trial, UNNUMBERED);
    else {
      trial.snapshot = [...(trial.snapshot ?? []), update];
      trial.snapshotAtMs = atMs;
    }
  }

  #checkStandIn(trial: Trial, incoming: string | null | undefined): void {
    const { snapshot = [], position = 0, journal, snapshotAtMs } = trial;
    if (incoming === undefined && this.#now - snapshotAtMs < SNAPSHOT_SETTLE_MS) return;
    const sequence = getSequence(snapshot[0]);
    const held = journal.sequenceAt(position);
    if (sequence === null || held === null || sequence === held) this.#compare(trial, position);
    else this.#failTrial(trial, "something was received between two subscriptions");
  }
}

/** Kinds whose first frame is compared. */
const KINDS: ReadonlySet<string> = new Set(["account", "markets", "orderbook"]);

/** After these events the state no longer continues the watched subscription without interruption. */
const BREAKS: ReadonlySet<StreamEvent["type"]> = new Set<StreamEvent["type"]>([
  "subscribing",
  "lost",
  "resync",
  "unavailable",
  "refused",
  "unsubscribed",
  "rejected",
]);

const HEADER: ReadonlySet<string> = new Set([
  "type",
  "channel",
  "timestamp_ns",
  "previous_sequence",
  "sequence",
]);

/**
 * Two unnumbered frames may be parts of one snapshot. One with the same time may also be a delta, certainly if it repeats a field.
 */
function isApart({ frame: part }: ReceivedUpdate, { frame }: ReceivedUpdate): boolean {
  if (part.timestamp_ns !== frame.timestamp_ns) return false;
  return !Object.keys(frame).some((name) => !HEADER.has(name) && Object.hasOwn(part, name));
}

// Selects the held state with which a snapshot is compared.

/** How far the watched channel may lag behind the snapshot. */
const CATCH_UP_MS = 10_000;
/** Without sequences: required silence of the watched channel after the snapshot. */
const IDLE_MS = 2000;
/** The same if only the snapshot has a sequence, which may be that of the newest transaction of any channel. */
const IDLE_OTHER_MS = 5000;

/** Their order is unknown. */
const UNNUMBERED = "frames without a sequence were received meanwhile";

interface PositionFacts {
  readonly journal: Pick<AuditJournal, "end" | "sequenceAt" | "positionOf" | "lastAtMs">;
  /** Digit text without leading zeros, or null. */
  readonly sequence: string | null;
  readonly snapshotAtMs: number;
  /** Sequence of a frame of the watched channel that is about to be applied. */
  readonly incoming: string | null | undefined;
  /** There was a sign of life since the snapshot, so everything sent earlier on the watched connection has arrived. */
  readonly isUpToDate: boolean;
  readonly nowMs: number;
}

/** The position to compare with; a string: why there is none; undefined while it is not known yet. */
function positionToCompare(facts: PositionFacts): number | string | undefined {
  const { journal, sequence, snapshotAtMs, incoming, nowMs } = facts;
  const held = journal.sequenceAt(journal.end);
  const isIdle = journal.end === 0 && incoming === undefined;
  if (sequence === null || held === null)
    return isIdle ? silentPosition(facts, IDLE_MS) : UNNUMBERED;
  const position = journal.positionOf(sequence);
  if (position !== undefined) return finalPosition(facts, sequence, position);
  if (compareUint(held, sequence) > 0) return "no frame of the watched channel had its sequence";
  if (isIdle) return silentPosition(facts, IDLE_OTHER_MS);
  const isLate = nowMs - snapshotAtMs >= CATCH_UP_MS;
  return isLate ? "the watched channel did not reach its sequence" : undefined;
}

/** A position is final once a frame of another transaction follows it, or nothing does for a while. */
function finalPosition(
  facts: PositionFacts,
  sequence: string,
  position: number,
): number | string | undefined {
  const { journal, incoming } = facts;
  const next = position < journal.end ? journal.sequenceAt(position + 1) : incoming;
  if (next === null) return UNNUMBERED;
  if (next === undefined) return isSilent(facts, SNAPSHOT_SETTLE_MS) ? position : undefined;
  return next === sequence ? undefined : position;
}

/** The first position, once nothing was received for this long on a connection that is alive. */
function silentPosition(facts: PositionFacts, idleMs: number): number | undefined {
  return facts.isUpToDate && isSilent(facts, idleMs) ? 0 : undefined;
}

function isSilent({ journal, snapshotAtMs, nowMs }: PositionFacts, idleMs: number): boolean {
  return nowMs - Math.max(snapshotAtMs, journal.lastAtMs ?? 0) >= idleMs;
}
