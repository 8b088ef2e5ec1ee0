// Who must draw again, and when: after what the user has chosen, after news of a channel, and every second.
import type { Store } from "../state/store.ts";

/** Who listens, and to what. No method throws but what the listeners throw. */
export class Changes {
  readonly #store: Store;
  readonly #isFrozen: () => boolean;
  readonly #listeners = new Set<() => void>();
  readonly #clockHands = new Set<() => void>();
  #version = 0;

  constructor(store: Store, isFrozen: () => boolean) {
    this.#store = store;
    this.#isFrozen = isFrozen;
  }

  /** Grows with every `tell`. */
  get version(): number {
    return this.#version;
  }

  /** Calls back after every `tell`. Returns its undo. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(): void {
    this.#version++;
    for (const listener of this.#listeners) listener();
  }

  /** A second has passed: ages have grown. */
  tick(): void {
    for (const onSecond of this.#clockHands) onSecond();
  }

  /** Calls back after news of these channels while nothing is frozen, after every `tell`, and every second. */
  source(channels: () => readonly string[]): (onChange: () => void) => () => void {
    return (onChange) => {
      const onFeed = () => {
        if (!this.#isFrozen()) onChange();
      };
      const listen = () => channels().map((channel) => this.#store.subscribe(channel, onFeed));
      let undo = listen();
      const stop = () => {
        for (const each of undo) each();
      };
      const unsubscribe = this.subscribe(() => {
        stop();
        undo = listen();
        onChange();
      });
      this.#clockHands.add(onChange);
      return () => {
        stop();
        unsubscribe();
        this.#clockHands.delete(onChange);
      };
    };
  }
}
