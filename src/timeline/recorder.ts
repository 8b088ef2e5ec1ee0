// Turns what happens in a live session into entries, for files and for the memory of the last minutes. Costs nothing while nobody
// takes them.
import type { Store } from "../state/store.ts";
import type { Place } from "../stream/chain.ts";
import { type Clock, every } from "../units/clock.ts";
import type { Update } from "../wire/frames.ts";
import { type ChangeFinder, createChangeFinder } from "./changes.ts";
import type { Entry, Happening, Stamp } from "./entry.ts";

export interface Taker {
  /** It changes no more. */
  entry(entry: Entry): void;
  /** Between two messages: the store is what the entries so far have made of it. */
  rest?(): void;
}

export interface Recorder {
  readonly store: Store;
  message(direction: "in" | "out", text: string, nowMs: number): void;
  /** Must come before whatever the update leads to. */
  fold(update: Update, place: Place, isContinuous: boolean): void;
  event(happening: Happening): void;
  /** A moment was printed. */
  print(form: "page" | "line", nowMs: number, wallMs: number): void;
  /** Something else than a message has changed what a channel holds. */
  noteState(channel: string): void;
  /** Hands out everything so far. @returns the present */
  settle(): Stamp;
  now(): Stamp;
  /** @returns how to take no more */
  give(taker: Taker): () => void;
}

type Folded = Pick<Entry, "place" | "isContinuous" | "changes">;

/** Of changes that no message and no event tells. */
const LOOK_EVERY_MS = 100;

export function createRecorder(store: Store, clock: Clock): Recorder {
  const takers = new Set<Taker>();
  let finder: ChangeFinder | undefined;
  let pending: Entry | undefined;
  /** Of the message whose processing may be under way. */
  let messageMs = 0;
  let lastMs = 0;
  let stop = () => {};

  function handOut(): void {
    if (pending === undefined) return;
    const entry = pending;
    pending = undefined;
    for (const taker of takers) taker.entry(entry);
  }

  function add(entry: Omit<Entry, keyof Stamp>, nowMs = clock.now(), wallMs = clock.wall()): void {
    handOut();
    lastMs = Math.max(lastMs, nowMs);
    pending = { t: lastMs, w: wallMs, ...entry };
  }

  function addChanges(): void {
    const changes = finder?.find();
    if (changes !== undefined) add({ changes });
  }

  const now = (): Stamp => ({ t: clock.now(), w: clock.wall() });

  function settle(): Stamp {
    if (takers.size > 0) addChanges();
    handOut();
    return now();
  }

  function rest(): void {
    for (const taker of takers) taker.rest?.();
  }

  function look(): void {
    settle();
    rest();
  }

  return {
    store,
    message(direction, text, nowMs) {
      if (takers.size === 0) return;
      if (direction === "out") add({ out: text }, nowMs);
      else {
        handOut();
        rest();
        add({ in: text }, nowMs);
        messageMs = nowMs;
        finder?.noteMessage(nowMs);
      }
    },
    fold({ channel }, place, isContinuous) {
      if (finder === undefined) return;
      if (!finder.isTold(channel)) addChanges();
      const folded: Folded = { place };
      if (place === "first" && isContinuous) folded.isContinuous = true;
      const changes = finder.noteFold(channel, messageMs);
      if (changes !== undefined) folded.changes = changes;
      if (pending?.in === undefined) add(folded, messageMs);
      else Object.assign(pending, folded);
    },
    event(happening) {
      if (takers.size > 0) add({ event: happening, changes: finder?.find() });
    },
    print(form, nowMs, wallMs) {
      if (takers.size > 0) add({ printed: form, changes: finder?.find() }, nowMs, wallMs);
    },
    noteState(channel) {
      const state = store.states.get(channel);
      if (takers.size === 0 || state === undefined) return;
      const states = { [channel]: structuredClone(state) };
      add({ changes: { ...finder?.find(), states } });
    },
    settle,
    now,
    give(taker) {
      if (takers.size === 0) {
        finder = createChangeFinder(store);
        stop = every(clock, LOOK_EVERY_MS, look);
      } else settle();
      takers.add(taker);
      return () => {
        if (takers.has(taker)) settle();
        takers.delete(taker);
        if (takers.size > 0) return;
        stop();
        finder = undefined;
      };
    },
  };
}
