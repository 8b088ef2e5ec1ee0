// What triggers redraws: choices of the user, changes of channels, and each second.
import { useSyncExternalStore } from "react";
import type { Store } from "../state/store.ts";
import { areSame } from "../units/memo.ts";

/** @param panes the only panes that show the choice; undefined if any may */
type ChoiceListener = (panes?: readonly object[]) => void;

/** Takes the place of a pane for the status line, which shows the keys in force. */
export const SUM: object = {};

/** Canvases of panes observe all three, React only the user's choices. */
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

  /** Called after every `notify`. */
  readonly subscribe = (listener: ChoiceListener): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** The user has changed a choice. @param panes the only panes that show it */
  notify(panes?: readonly object[]): void {
    for (const listener of this.#listeners) listener(panes);
  }

  tick(): void {
    for (const listener of this.#everySecond) listener();
  }

  /** Records the state that a pane was drawn with; if it has changed, whatever summarises states is redrawn. */
  noteState(of: object, state: string): void {
    if (this.#states.get(of) === state) return;
    this.#states.set(of, state);
    for (const listener of this.#onState) listener();
  }

  /** Like `source`, for what summarises the states of panes: also redrawn when one of them changes. */
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
   * Triggers redraws of what shows these channels: when one changes (unless the screen is frozen), after every `notify`,
   * and each second.
   * @param pane what is drawn; choices that only other panes show do not redraw it
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
