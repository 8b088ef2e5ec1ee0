// What cursors have been answered with: the first row of each answer. A search begins with what earlier ones have learnt.

/** The first row of an answer, without its page. */
export interface FirstRow {
  readonly ms: number;
  readonly text: string;
}

/** Answers that are kept at most; each search needs about as many as a cursor has bits. */
const MOST_NOTES = 192;

/** Cursors and the first rows of their answers; undefined for an answer without rows. */
export class CursorNotes {
  readonly #notes = new Map<bigint, FirstRow | undefined>();

  note(cursor: bigint, first: FirstRow | undefined): void {
    this.#notes.delete(cursor);
    this.#notes.set(cursor, first);
    if (this.#notes.size <= MOST_NOTES) return;
    const [oldest] = this.#notes.keys();
    if (oldest !== undefined) this.#notes.delete(oldest);
  }

  firstAt(cursor: bigint): FirstRow | undefined {
    return this.#notes.get(cursor);
  }

  /** Lets go of cursors above this one: their answers begin too far above to matter. */
  forgetAbove(cursor: bigint): void {
    for (const each of this.#notes.keys()) if (each > cursor) this.#notes.delete(each);
  }

  get all(): Iterable<readonly [cursor: bigint, first: FirstRow | undefined]> {
    return this.#notes;
  }
}
