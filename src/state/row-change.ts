// What a later row of an open list says of the row that is held: nothing new, everything, or only a part. A field that it
// leaves out has either not changed or is not there any more. Interpretation: docs/adr/0011.

import { ExactNumber } from "../wire/exact-numbers.ts";
import type { OpenRecord } from "../wire/update.ts";

/** Fields that say when something was sent or changed: they may move although nothing else does. */
const TIME_NAME = /(?:^|_)(?:time|timestamp|ts|updated|at)(?:_(?:ns|us|ms|s))?$|(?:Time|At|Ns|Ms)$/;

/** True for a field that may move although nothing else does. */
export function isTimeName(name: string): boolean {
  return TIME_NAME.test(name);
}

export function isSameButTimes(a: OpenRecord, b: OpenRecord): boolean {
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  return names.every(
    (name) => Object.hasOwn(b, name) && (TIME_NAME.test(name) || isSameValue(a[name], b[name])),
  );
}

/** True when two values of JSON are the same, letter by letter. */
export function isSameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (a instanceof ExactNumber && b instanceof ExactNumber) return a.text === b.text;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  return JSON.stringify(a) === JSON.stringify(b);
}

/** A row made of what came and of what was held. */
export interface Completed {
  readonly row: OpenRecord;
  /** True when what it leaves out may be gone, or may not have changed. */
  readonly isInQuestion: boolean;
}

/** `gone`: what a row leaves out is not there any more. `kept`: it has not changed. */
export type Omitted = "gone" | "kept";

const MAX_WATCHED = 200;

/** Which fields whole rows have: those of snapshots, and of rows seen for the first time. */
export class RowForms {
  private rows = 0;
  /** How many of them had each field. */
  private counts = new Map<string, number>();
  /** Fields that were said to be false, empty or nothing: who writes that does not leave it out. */
  private denied = new Set<string>();
  /** Decided by audits. */
  omitted: Omitted | undefined;

  noteWhole(row: OpenRecord): void {
    this.rows++;
    for (const name in row) {
      const count = this.counts.get(name);
      if (count !== undefined || this.counts.size < MAX_WATCHED)
        this.counts.set(name, (count ?? 0) + 1);
      const value = row[name];
      if (value === false || value === null || value === "") this.denied.add(name);
    }
  }

  /** The row, with those fields of the held one that it leaves out and that cannot be gone. */
  complete(row: OpenRecord, held: OpenRecord): Completed {
    const missing = Object.keys(held).filter((name) => !Object.hasOwn(row, name));
    if (missing.length === 0) return { row, isInQuestion: false };
    // What every whole row has had is left out by a part of a row; but a flag may be, when it is false.
    const isPart = missing.some((name) => held[name] !== true && this.isAlways(name));
    if (isPart || this.omitted === "kept") return { row: { ...held, ...row }, isInQuestion: false };
    if (this.omitted === "gone") return { row, isInQuestion: false };
    const denied = missing.filter((name) => this.denied.has(name));
    const isInQuestion = missing.some(
      (name) => !this.denied.has(name) && (this.counts.get(name) ?? 0) === this.rows,
    );
    const kept = Object.fromEntries(denied.map((name) => [name, held[name]]));
    return { row: denied.length === 0 ? row : { ...row, ...kept }, isInQuestion };
  }

  /** True when every whole row has had the field. */
  isAlways(name: string): boolean {
    return this.rows > 0 && this.counts.get(name) === this.rows;
  }

  /** True when a row lacks more than these of the fields that every whole row has had. */
  isPart(row: OpenRecord, lacking: readonly string[]): boolean {
    return [...this.counts.keys()].some(
      (name) => this.isAlways(name) && !Object.hasOwn(row, name) && !lacking.includes(name),
    );
  }
}
