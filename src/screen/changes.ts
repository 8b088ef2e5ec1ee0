// Who must draw again, and when: after a choice of the user, after a change of a channel, and every second.
import { useSyncExternalStore } from "react";
import type { Store } from "../state/store.ts";
import { areSame } from "../units/remembered.ts";

/** @param panes those that alone show the choice; undefined where anything may */
type ChoiceListener = (panes?: readonly object[]) => void;

/** Stands among the panes for the status line, with the keys in force. */
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

  /** Calls back after every `notify`. */
  readonly subscribe = (listener: ChoiceListener): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** A choice of the user has changed. @param panes those that alone show it */
  notify(panes?: readonly object[]): void {
    for (const listener of this.#listeners) listener(panes);
  }

  tick(): void {
    for (const listener of this.#everySecond) listener();
  }

  /** Something is drawn with this state: where it has changed, what sums states up is drawn again. */
  noteState(of: object, state: string): void {
    if (this.#states.get(of) === state) return;
    this.#states.set(of, state);
    for (const listener of this.#onState) listener();
  }

  /** For what sums states up: drawn again after a change of one, after every `notify`, and every second. */
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
   * For what reads these channels: drawn again after a change of one of them (but not while the screen is frozen), after
   * every `notify`, and every second.
   * @param pane what is drawn, where it shows no choices that other panes alone show
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

/** Renders again only when `select` returns another value. */
export function useSelected<T>(changes: Changes, select: () => T): T {
  return useSyncExternalStore(changes.subscribe, select);
}
