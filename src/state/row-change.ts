// Merges a later row of an open list with the held one. A field missing from the later row is either unchanged or gone; which
// of the two is learned from repeated rows and audits.

import { ExactNumber, stringifyExact } from "../wire/exact-numbers.ts";
import type { OpenRecord } from "../wire/update.ts";

/** Timestamp fields: they may change although nothing else does. */
const TIME_NAME = /(?:^|_)(?:time|timestamp|ts|updated|at)(?:_(?:ns|us|ms|s))?$|(?:Time|At|Ns|Ms)$/;

/** True for a field that may change although nothing else does. */
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

/**
 * True when two JSON values are equal: numbers and strings by their text, objects regardless of member order. A number never equals
 * the string of its digits, since the interface document (2.3) does not say that a service means the same by both.
 */
export function isSameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
  return (
    Object.keys(a).length === Object.keys(b).length && isPartOf(a as OpenRecord, b as OpenRecord)
  );
}

/** True when the record has every field of `part`, with an equal value. */
export function isPartOf(part: OpenRecord, record: OpenRecord): boolean {
  return Object.keys(part).every(
    (name) => Object.hasOwn(record, name) && isSameValue(part[name], record[name]),
  );
}

/** Cached, since records never change. */
const texts = new WeakMap<OpenRecord, string>();

/** Text that is equal for equal records (see `isSameValue`). */
export function recordText(record: OpenRecord): string {
  let text = texts.get(record);
  if (text === undefined) {
    text = stringifyExact(inOrder(record));
    texts.set(record, text);
  }
  return text;
}

function inOrder(value: unknown): unknown {
  if (typeof value !== "object" || value === null || value instanceof ExactNumber) return value;
  if (Array.isArray(value)) return value.map(inOrder);
  const members = Object.entries(value).map(([name, each]) => [name, inOrder(each)] as const);
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Field names of a row as received; empty if it is unknown which row, or which row's fields, they were. */
type Form = readonly string[];

const UNKNOWN_FORM: Form = [];
const NO_FORMS: readonly Form[] = [];

/** Fields in question: rows omitted them, and it is unknown whether they are gone or unchanged. With the forms of those rows. */
export type Omissions = ReadonlyMap<string, readonly Form[]>;

/** Omissions of which only the field names are known. */
export function omissionsOf(names: readonly string[]): Omissions | undefined {
  return names.length === 0 ? undefined : new Map(names.map((name) => [name, [UNKNOWN_FORM]]));
}

/** A received row, completed from the held one. */
export interface Completed {
  readonly row: OpenRecord;
  /** Undefined if nothing is in question. */
  readonly omitted: Omissions | undefined;
}

/** What an omitted field means: `gone`: it no longer exists. `kept`: it is unchanged. */
export type Omitted = "gone" | "kept";

const MAX_WATCHED = 200;
/** Row forms remembered per field. */
const MAX_FORMS = 50;

/** Which fields complete rows have, and what it means when a later row omits one: learned from audits. */
export class RowForms {
  private rows = 0;
  /** Per field, the number of complete rows (in snapshots, or received for the first time) that had it. */
  private counts = new Map<string, number>();
  /** Fields that only some of them had; undefined until needed. */
  private optional: readonly string[] | undefined;
  /** Per field: forms of rows that omitted it with each meaning. */
  private readonly said = new Map<string, Record<Omitted, Form[]>>();
  /** By text, so that rows of one form share it. */
  private readonly forms = new Map<string, Form>();

  noteWhole(row: OpenRecord): void {
    this.rows++;
    this.optional = undefined;
    for (const name in row) {
      const count = this.counts.get(name);
      if (count !== undefined || this.counts.size < MAX_WATCHED)
        this.counts.set(name, (count ?? 0) + 1);
    }
  }

  /**
   * The row, plus the fields that it omits of the held one unless those are gone.
   * @param before fields of the held row in question
   * @param isOther the held row may be another one: fields copied from it are in question, whatever omitting them means
   */
  complete(
    row: OpenRecord,
    held: OpenRecord,
    before: Omissions | undefined,
    isOther: boolean,
  ): Completed {
    if (!isOther) this.noteRepeated(row, held);
    const isLeftOut = (name: string) => !Object.hasOwn(row, name);
    const missing = Object.keys(held).filter(isLeftOut);
    const earlier =
      before === undefined
        ? []
        : [...before.keys()].filter((name) => isLeftOut(name) && !Object.hasOwn(held, name));
    if (missing.length === 0 && earlier.length === 0) return { row, omitted: undefined };
    const form = this.formOf(row);
    // A row without a field that every complete row had is probably partial; but a flag may be omitted when false.
    const isPart = missing.some((name) => held[name] !== true && this.isAlways(name));
    const fates = [...missing, ...earlier].map((name) => {
      const fate = this.fateOf(name, [...(before?.get(name) ?? []), form], isOther);
      // A field already assumed gone cannot be restored.
      return [name, fate === "kept" && !Object.hasOwn(held, name) ? NO_FORMS : fate] as const;
    });
    const gone = new Map(
      fates.filter(([, fate]) => fate === "gone" || (fate !== "kept" && !isPart)),
    );
    const open = fates.flatMap(([name, fate]) =>
      typeof fate === "string" ? [] : [[name, fate] as const],
    );
    return {
      row: missing.every((name) => gone.has(name)) ? row : { ...without(held, gone), ...row },
      omitted: open.length === 0 ? undefined : new Map(open),
    };
  }

  /**
   * A snapshot shows what became of a field.
   * @param forms of the rows that omitted it while its meaning was unknown; undefined if it was considered known
   * @returns true when this adds knowledge
   */
  learn(name: string, forms: readonly Form[] | undefined, said: Omitted): boolean {
    // The rule was wrong, so drop it: omitting the field is in question from now on.
    if (forms === undefined) {
      if (this.said.has(name)) this.said.set(name, { gone: [UNKNOWN_FORM], kept: [UNKNOWN_FORM] });
      return false;
    }
    // One of several rows omitted it because it is gone; which one is unknown.
    if (forms.some(isUnknown) || (said === "gone" && forms.length !== 1)) return false;
    if (this.said.size >= MAX_WATCHED && !this.said.has(name)) return false;
    const known = this.said.get(name) ?? { gone: [], kept: [] };
    const fresh = forms.filter((form) => this.saidOf(name, form) !== said);
    this.said.set(name, { ...known, [said]: [...known[said], ...fresh].slice(-MAX_FORMS) });
    return fresh.length > 0;
  }

  /** @param row as in a snapshot */
  learnAll(omitted: Omissions, row: OpenRecord): void {
    for (const [name, forms] of omitted)
      this.learn(name, forms, Object.hasOwn(row, name) ? "kept" : "gone");
  }

  /** True when every complete row has had the field. */
  isAlways(name: string): boolean {
    return this.rows > 0 && this.counts.get(name) === this.rows;
  }

  /** True when a row lacks fields that every complete row has had, other than these. */
  isPart(row: OpenRecord, lacking: readonly string[]): boolean {
    return [...this.counts.keys()].some(
      (name) => this.isAlways(name) && !Object.hasOwn(row, name) && !lacking.includes(name),
    );
  }

  /** A later row repeats an unchanged field: so a row that has its other fields but omits this one does not have it. */
  private noteRepeated(row: OpenRecord, held: OpenRecord): void {
    this.optional ??= [...this.counts.keys()].filter((name) => !this.isAlways(name));
    for (const name of this.optional) {
      if (!Object.hasOwn(row, name) || !isSameValue(row[name], held[name])) continue;
      if (this.isGoneWithout(name, row)) continue;
      const form = Object.keys(row).filter((each) => each !== name);
      if (this.saidOf(name, form) === undefined) this.learn(name, [form], "gone");
    }
  }

  private formOf(row: OpenRecord): Form {
    const names = Object.keys(row);
    const text = names.join(" ");
    const known = this.forms.get(text);
    if (known === undefined && this.forms.size < MAX_WATCHED) this.forms.set(text, names);
    return known ?? names;
  }

  /** True when it is known that a row like this one, minus the field, omits it because it is gone. */
  private isGoneWithout(name: string, row: OpenRecord): boolean {
    const gone = this.said.get(name)?.gone ?? NO_FORMS;
    return gone.some((form) => form.every((each) => Object.hasOwn(row, each)));
  }

  /** A subset of a form that meant `kept` means the same, and so does a superset of one that meant `gone`. */
  private saidOf(name: string, form: Form): Omitted | undefined {
    const said = this.said.get(name);
    if (said === undefined || isUnknown(form)) return undefined;
    const isKept = said.kept.some((each) => isWithin(form, each) || isUnknown(each));
    const isGone = said.gone.some((each) => isWithin(each, form));
    if (isKept === isGone) return undefined;
    return isKept ? "kept" : "gone";
  }

  /** Meaning of a field that rows of these forms omitted, or those forms whose meaning is unknown. */
  private fateOf(
    name: string,
    forms: readonly Form[],
    isOther: boolean,
  ): Omitted | readonly Form[] {
    const open: Form[] = isOther ? [UNKNOWN_FORM] : [];
    for (const form of forms) {
      const said = this.saidOf(name, form);
      if (said === "gone") return said;
      if (said !== undefined || open.length >= MAX_FORMS) continue;
      if (!open.some((each) => isSameForm(each, form))) open.push(form);
    }
    return open.length === 0 ? "kept" : open;
  }
}

/** By content, since copies of the state have their own arrays. */
function isUnknown(form: Form): boolean {
  return form.length === 0;
}

function isSameForm(a: Form, b: Form): boolean {
  return a === b || (a.length === b.length && isWithin(a, b));
}

function isWithin(part: Form, all: Form): boolean {
  return part.every((name) => all.includes(name));
}

function without(row: OpenRecord, names: ReadonlyMap<string, unknown>): OpenRecord {
  if (names.size === 0) return row;
  return Object.fromEntries(Object.entries(row).filter(([name]) => !names.has(name)));
}
