// Who must draw again, and when: after what the user has chosen, after news of a channel, and every second.

import { useSyncExternalStore } from "react";
import type { Store } from "../state/store.ts";
import { areSame } from "../units/remembered.ts";

/** Gets the panes that alone show what has been chosen; undefined where anything may. */
type ChoiceListener = (panes?: readonly object[]) => void;

/** Stands among the panes for the line that sums up what is shown, with the keys that are in force. */
export const SUM: object = {};

/** A pane's canvas listens to all three, React only to what the user has chosen. */
export class Changes {
  readonly #store: Store;
  readonly #isFrozen: () => boolean;
  readonly #listeners = new Set<ChoiceListener>();
  readonly #everySecond = new Set<() => void>();
  readonly #onState = new Set<() => void>();
  readonly #states = new WeakMap<object, string>();

  constructor(store: Store, isFrozen: () => boolean) {
    this.#store = store;
    this.#isFrozen = isFrozen;
  }

  /** Calls back after every `notify`. Returns its undo. */
  readonly subscribe = (listener: ChoiceListener): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Something that the user has chosen is different now. @param panes those that alone show it */
  notify(panes?: readonly object[]): void {
    for (const listener of this.#listeners) listener(panes);
  }

  /** A second has passed: ages have grown. */
  tick(): void {
    for (const listener of this.#everySecond) listener();
  }

  /** Something is drawn as of this state. What sums states up is drawn again where it is another one than before. */
  noteState(of: object, state: string): void {
    if (this.#states.get(of) === state) return;
    this.#states.set(of, state);
    for (const listener of this.#onState) listener();
  }

  /** When something that sums states up must be drawn again: after another one, after every `notify`, and every second. */
  stateSource(channels: () => readonly string[]): (onChange: () => void) => () => void {
    const source = this.source(channels, SUM);
    return (onChange) => {
      const undo = source(onChange);
      this.#onState.add(onChange);
      return () => {
        this.#onState.delete(onChange);
        undo();
      };
    };
  }

  /**
   * When something that reads these channels must be drawn again: after a change of one of them (but not while the
   * screen is frozen), after every `notify`, and every second.
   * @param pane what is drawn, where it shows nothing of what other panes alone do
   */
  source(channels: () => readonly string[], pane?: object): (onChange: () => void) => () => void {
    return (onChange) => {
      const onFeed = () => {
        if (!this.#isFrozen()) onChange();
      };
      let names: readonly string[] = [];
      let undo: readonly (() => void)[] = [];
      const stop = () => {
        for (const each of undo) each();
      };
      const listen = () => {
        const next = channels();
        if (areSame(names, next)) return;
        stop();
        names = next;
        undo = next.map((channel) => this.#store.subscribe(channel, onFeed));
      };
      listen();
      const unsubscribe = this.subscribe((panes) => {
        if (pane !== undefined && panes?.includes(pane) === false) return;
        listen();
        onChange();
      });
      this.#everySecond.add(onChange);
      return () => {
        stop();
        unsubscribe();
        this.#everySecond.delete(onChange);
      };
    };
  }
}

/** What React draws of the user's choices: it renders again only when `select` answers another value. */
export function useSelected<T>(changes: Changes, select: () => T): T {
  return useSyncExternalStore(changes.subscribe, select);
}
