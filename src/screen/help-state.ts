// Whether the help is open, and how far it is scrolled.
import { type Action, KEYS } from "./keys.ts";

const PAGE = 10;

/** Rows that the help is scrolled by. */
const STEPS: Readonly<Partial<Record<Action, number>>> = {
  scrollUp: -1,
  scrollDown: 1,
  scrollPageUp: -PAGE,
  scrollPageDown: PAGE,
  scrollHome: -KEYS.length,
};

/** No method throws. */
export class HelpState {
  #scroll: number | undefined;

  /** Rows that are scrolled out; undefined while it is closed. */
  get scroll(): number | undefined {
    return this.#scroll;
  }

  toggle(): void {
    this.#scroll = this.#scroll === undefined ? 0 : undefined;
  }

  close(): void {
    this.#scroll = undefined;
  }

  /**
   * Does what a key asks for while it is open. False when it is closed, or has no such action: then it closes, so that
   * nothing happens unseen behind it.
   * @param lastRow answers the row that can be scrolled to at most
   */
  perform(action: Action, lastRow: () => number): boolean {
    if (this.#scroll === undefined) return false;
    if (action === "back") {
      this.close();
      return true;
    }
    const rows = STEPS[action];
    if (rows === undefined) {
      if (action !== "help") this.close();
      return false;
    }
    this.#scroll = Math.max(0, Math.min(lastRow(), this.#scroll + rows));
    return true;
  }
}
