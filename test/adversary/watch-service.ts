// One composed service, watched by a live session on virtual time: what a pane that says live or quiet shows is there, once
// and whole, unless it is marked.

import type { Store } from "../../src/state/store.ts";
import { stringifyExact } from "../../src/wire/exact-numbers.ts";
import { type ComposedSession, openComposed, STEP_MS } from "../support/composed-session.ts";
import { type ComposedStream, composeStream } from "./compose-stream.ts";
import type { ChannelTruth } from "./stream-channels.ts";
import { CanonicalTexts, type Finding, isClaim } from "./truth-check.ts";

/** Looked at although nothing has come and nothing has happened: time alone may change what is marked. */
const STEPS_TO_LOOK = 60;
/** Nothing is remembered of rows that were read before: a row may have been changed in place. */
const STEPS_TO_READ_ANEW = 240;

/** What came of watching one service. */
export interface Watched {
  /** The first untrue things that were shown, in words; empty where there were none. */
  readonly untrue: string;
  readonly audits: number;
  /** Looks at the channel that the service is watched for; those with a mark, and those at a pane that claims nothing. */
  readonly looks: number;
  readonly marked: number;
  readonly dimmed: number;
}

export interface LookedAt {
  readonly store: Store;
  readonly channel: string;
  readonly state: string;
  readonly truth: ChannelTruth;
  keyOf(record: object): string;
  keysOf(texts: readonly string[]): string[];
}

export interface Watch {
  /** The first is the one that the service is watched for. */
  readonly channels: readonly string[];
  /** A channel of thousands of rows, which is only looked at now and then. */
  readonly long?: string | undefined;
  /** How long it is watched; sixteen minutes where nothing is said. */
  readonly seconds?: number;
  /** True when the first channel says itself that something in it may be wrong. */
  isMarked(store: Store): boolean;
  /** Told of each look whether the pane claims to be true. */
  onLook?(channel: string, isClaim: boolean): void;
  /** What is untrue, and is not marked. */
  find(at: LookedAt): readonly Finding[];
}

/**
 * True where a frame that is left out can be known: where every `previous_sequence` is its `sequence` less one, nothing tells
 * it from a transaction of another channel.
 */
export function showsLosses({ facts }: ComposedStream): boolean {
  const { account, catalogue, book, trades, markets, delivery } = facts;
  const { foreignTransactions, sequenceStep, lossShare, outageShare, afterOutage } = delivery;
  if (lossShare === 0 && (outageShare === 0 || afterOutage !== "gap")) return true;
  const sources = [account, catalogue, book, trades, markets].filter((each) => each !== undefined);
  return sources.length > 1 || foreignTransactions > 0 || sequenceStep > 1;
}

/** Watches until the time is over or something untrue is shown. @param seed of the client's own chance */
export function watchService(composed: ComposedStream, seed: number, watch: Watch): Watched {
  const session = openComposed(composed, seed);
  for (const channel of watch.channels) session.stream.subscribe(channel);
  const looker = new Looker(session, composed, watch);
  const steps = ((watch.seconds ?? 16 * 60) * 1000) / STEP_MS;
  try {
    for (let step = 0; step < steps && looker.findings.length === 0; step++) {
      session.step();
      looker.look(step);
    }
  } finally {
    session.close();
  }
  const { looks, marked, dimmed, findings } = looker;
  const [first, ...others] = findings;
  const audits = watch.channels.reduce((sum, each) => sum + session.store.audits.of(each).count, 0);
  const left = session.clock.pending;
  const words = [
    first === undefined ? "" : `${JSON.stringify(first)} and ${others.length} more`,
    left === 0 ? "" : `${left} timers are left behind`,
  ].join("");
  const at = `seed ${seed} at ${session.clock.now()} ms`;
  const untrue = words === "" ? "" : `${at}: ${words}; ${composed.describe}`;
  return { untrue, audits, looks, marked, dimmed };
}

/** What came of watching many, in all. */
export interface WatchedMany extends Omit<Watched, "untrue"> {
  readonly untrue: readonly string[];
  /** The counts, for a report. */
  readonly words: string;
}

const COUNTS = ["looks", "marked", "dimmed", "audits"] as const;

/** Watches so many services of a kind: the first ones from a seed on. */
export function watchMany(
  firstSeed: number,
  count: number,
  isOfKind: (composed: ComposedStream) => boolean,
  watch: (composed: ComposedStream, seed: number) => Watched,
): WatchedMany {
  const all: Watched[] = [];
  let seed = firstSeed;
  for (; all.length < count; seed++) {
    const composed = composeStream(seed);
    if (isOfKind(composed)) all.push(watch(composed, seed));
  }
  const untrue = all.map((each) => each.untrue).filter((text) => text !== "");
  const sums = sumsOf(all);
  const counts = COUNTS.map((name) => `${sums[name]} ${name}`).join(", ");
  const words = `${count} services, seeds ${firstSeed} to ${seed - 1}: ${counts}, ${untrue.length} untrue`;
  return { untrue, ...sums, words };
}

/** Sums of what was counted. */
export function sumsOf(all: readonly Omit<Watched, "untrue">[]): Omit<Watched, "untrue"> {
  const sums = { looks: 0, marked: 0, dimmed: 0, audits: 0 };
  for (const each of all) for (const name of COUNTS) sums[name] += each[name];
  return sums;
}

interface Versions {
  readonly shown: number;
  readonly there: number;
}

class Looker {
  looks = 0;
  marked = 0;
  dimmed = 0;
  findings: readonly Finding[] = [];
  readonly #session: ComposedSession;
  readonly #composed: ComposedStream;
  readonly #watch: Watch;
  /** For each channel, the versions of both sides that were found to agree. */
  readonly #agreed = new Map<string, Versions>();
  readonly #texts = new CanonicalTexts();

  constructor(session: ComposedSession, composed: ComposedStream, watch: Watch) {
    this.#session = session;
    this.#composed = composed;
    this.#watch = watch;
  }

  look(step: number): void {
    if (step % STEPS_TO_LOOK === 0) this.#agreed.clear();
    if (step % STEPS_TO_READ_ANEW === 0) this.#texts.forgetRecords();
    for (const channel of this.#watch.channels) {
      const state = this.#stateOf(channel);
      if (channel === this.#watch.channels[0]) this.#count(state);
      this.#watch.onLook?.(channel, isClaim(state));
      const isDue = channel !== this.#watch.long || step % STEPS_TO_LOOK === 0;
      if (isDue && isClaim(state)) this.#compare(channel, state);
    }
  }

  #count(state: string): void {
    this.looks++;
    if (!isClaim(state)) this.dimmed++;
    else if (this.#watch.isMarked(this.#session.store)) this.marked++;
  }

  #stateOf(channel: string): string {
    const { store, clock } = this.#session;
    const slice = store.slices.find((each) => each.channel === channel);
    return slice === undefined ? "waiting" : store.paneState(slice, clock.now());
  }

  #compare(channel: string, state: string): void {
    const { service } = this.#composed;
    const { store } = this.#session;
    const [shown, there] = [store.versionOf(channel), service.changesOf(channel)];
    const agreed = this.#agreed.get(channel);
    if (agreed?.shown === shown && agreed.there === there) return;
    if (!this.#session.isHeard || !service.hasShownAll(channel)) return;
    const texts = this.#texts;
    const found = this.#watch.find({
      store,
      channel,
      state,
      truth: service.truth(channel),
      keyOf: (record) => texts.ofRecord(record, stringifyExact),
      keysOf: (wire) => wire.map((text) => texts.of(text)),
    });
    if (found.length === 0) this.#agreed.set(channel, { shown, there });
    this.findings = [...this.findings, ...found];
  }
}
