// Turns what happens in a live session into lines, for files and for the memory of the last minutes. Costs nothing while nobody
// takes them.
import type { Store } from "../state/store.ts";
import type { Place } from "../stream/chain.ts";
import { type Clock, every } from "../units/clock.ts";
import type { Update } from "../wire/frames.ts";
import { type ChangeFinder, createChangeFinder } from "./changes.ts";
import { type Content, encodeEntry, encodeFolded, type Happening, type Stamp } from "./entry.ts";

export interface Taker {
  /** @param message what of the line comes behind `line`, for the many that were folded @param t of its stamp, which never goes back */
  line(line: string, message: string, t: number, place?: Place): void;
  /** Some times a second, between two messages: the store is what the lines so far have made of it. */
  rest?(): void;
}

export interface Recorder {
  readonly store: Store;
  /** A command as it goes, or a message that was not folded, once everything is made of it. */
  message(direction: "in" | "out", text: string, nowMs: number): void;
  /** A message has been folded. Must come before whatever that leads to. */
  fold(update: Update, place: Place, isContinuous: boolean): void;
  /** @param nowMs of the message that led to it */
  event(happening: Happening, nowMs?: number): void;
  /** A moment was printed. */
  print(form: "page" | "line", nowMs: number, wallMs: number): void;
  /** Something else than a message has changed what a channel holds. */
  noteState(channel: string): void;
  /** Hands out everything so far. @returns the present */
  settle(): Stamp;
  /** @returns how to take no more */
  give(taker: Taker): () => void;
}

/** Of changes that no message and no event tells. */
const LOOK_EVERY_MS = 100;
/** Of what channels hold, unless somebody asks: all of it is copied. */
const STATES_EVERY_MS = 5000;

export function createRecorder(store: Store, clock: Clock): Recorder {
  const takers = new Set<Taker>();
  /** While somebody takes. */
  let finder: ChangeFinder | undefined;
  let lastMs = 0;
  let stop = () => {};
  /** Channels whose state is to be told. */
  const noted = new Set<string>();
  let notedFromMs = 0;

  function stampOf(nowMs = clock.now(), w = clock.wall()): Stamp {
    lastMs = Math.max(lastMs, nowMs);
    return { t: lastMs, w };
  }

  function hand(line: string, message = "", place?: Place): void {
    for (const taker of takers) taker.line(line, message, lastMs, place);
  }

  function add(content: Content, nowMs?: number, wallMs?: number): void {
    if (finder !== undefined) hand(encodeEntry(stampOf(nowMs, wallMs), content));
  }

  /** Behind all that has changed before it. */
  function addAfterChanges(content: Content, nowMs?: number, wallMs?: number): void {
    addChanges(nowMs);
    add(content, nowMs, wallMs);
  }

  function addChanges(nowMs?: number): void {
    const changes = finder?.find();
    if (changes !== undefined) add({ changes }, nowMs);
  }

  function addStates(nowMs?: number, wallMs?: number): void {
    const states = [...noted].flatMap((channel) => {
      const state = store.states.get(channel);
      return state === undefined ? [] : [[channel, state] as const];
    });
    const changes = { states: Object.fromEntries(states) };
    if (states.length > 0) addAfterChanges({ changes }, nowMs, wallMs);
    noted.clear();
    notedFromMs = clock.now() + STATES_EVERY_MS;
  }

  function settle(): Stamp {
    addStates();
    addChanges();
    return stampOf();
  }

  function look(): void {
    if (clock.now() < notedFromMs) addChanges();
    else settle();
    for (const taker of takers) taker.rest?.();
  }

  return {
    store,
    message: (direction, text, nowMs) => add({ [direction]: text }, nowMs),
    fold({ channel, text }, place, isContinuous) {
      if (finder === undefined) return;
      const nowMs = store.channels.get(channel)?.lastAtMs;
      if (!finder.isTold(channel)) addChanges(nowMs);
      // A line has no line break.
      const message = text.includes("\n") ? JSON.stringify(text) : text;
      const head = encodeFolded(stampOf(nowMs), place, place === "first" && isContinuous);
      hand(head, `${message}}`, place);
    },
    event: (event, nowMs) => addAfterChanges({ event }, nowMs),
    print(printed, nowMs, wallMs) {
      addStates(nowMs, wallMs);
      addAfterChanges({ printed }, nowMs, wallMs);
    },
    noteState: (channel) => noted.add(channel),
    settle,
    give(taker) {
      if (finder === undefined) {
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
