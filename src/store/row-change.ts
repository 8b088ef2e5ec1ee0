// What a later row of an open list says of the row that is held: nothing new, everything, or only a part.
import type { OpenRecord } from "../protocol/channels/update.ts";
import { ExactNumber } from "../protocol/exact-numbers.ts";

/** Fields that say when something was sent or changed: they may move although nothing else does. */
const TIME_NAME = /(?:^|_)(?:time|timestamp|ts|updated|at)(?:_(?:ns|us|ms|s))?$|(?:Time|At|Ns|Ms)$/;

/** True when nothing but times differs. Never throws. */
export function isSameButTimes(a: OpenRecord, b: OpenRecord): boolean {
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  return names.every(
    (name) => Object.hasOwn(b, name) && (TIME_NAME.test(name) || isSameValue(a[name], b[name])),
  );
}

/** True when two values of JSON are the same, letter by letter. Never throws. */
function isSameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (a instanceof ExactNumber && b instanceof ExactNumber) return a.text === b.text;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  return JSON.stringify(a) === JSON.stringify(b);
}

/**
 * The row, with those fields of the held one that it must have and leaves out: such a row holds only what changed.
 * @returns the row itself when it lacks nothing. Never throws.
 */
export function completed(
  row: OpenRecord,
  held: OpenRecord,
  required: ReadonlySet<string>,
): OpenRecord {
  const missing = [...required].filter(
    (name) => !Object.hasOwn(row, name) && Object.hasOwn(held, name),
  );
  if (missing.length === 0) return row;
  return { ...row, ...Object.fromEntries(missing.map((name) => [name, held[name]])) };
}

/** Fields that are watched; a row with more is hostile. */
const MAX_REQUIRED = 200;

/** The fields that every whole row has had: those of first frames, and rows seen for the first time. */
export class RequiredFields {
  #fields: Set<string> | undefined;

  copy(): RequiredFields {
    const copy = new RequiredFields();
    copy.#fields = this.#fields && new Set(this.#fields);
    return copy;
  }

  get fields(): ReadonlySet<string> {
    return this.#fields ?? NONE;
  }

  /** Starts anew with the rows of a first frame. */
  start(rows: Iterable<OpenRecord>): void {
    this.#fields = undefined;
    for (const row of rows) this.meet(row);
  }

  /** Meets a row that must be whole, because nothing of it was known before. */
  meet(row: OpenRecord): void {
    if (this.#fields === undefined) {
      this.#fields = new Set(Object.keys(row).slice(0, MAX_REQUIRED));
      return;
    }
    for (const name of this.#fields) if (!Object.hasOwn(row, name)) this.#fields.delete(name);
  }
}

const NONE: ReadonlySet<string> = new Set();
