// Merges a later row of an open list with the held one. A field that the later row leaves out is either unchanged or gone;
// which of the two is learned from repeated rows and audits. Interpretation: docs/adr/0011.

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

/** Names of the fields that a row came with; none where it is not known which row, or which row's fields, they were. */
type Form = readonly string[];

const UNKNOWN_FORM: Form = [];
const NO_FORMS: readonly Form[] = [];

/** Fields in question: a row left them out, and nothing says whether they are gone or have not changed. With the forms of such rows. */
export type Omissions = ReadonlyMap<string, readonly Form[]>;

/** Of which only the names are known. */
export function omissionsOf(names: readonly string[]): Omissions | undefined {
  return names.length === 0 ? undefined : new Map(names.map((name) => [name, [UNKNOWN_FORM]]));
}

/** A row made of what was received and of what was held. */
export interface Completed {
  readonly row: OpenRecord;
  /** Undefined where nothing is in question. */
  readonly omitted: Omissions | undefined;
}

/** `gone`: what a row leaves out is not there any more. `kept`: it has not changed. */
export type Omitted = "gone" | "kept";

const MAX_WATCHED = 200;
/** Forms of rows that are remembered for one field. */
const MAX_FORMS = 50;

/** What whole rows have, and what it means that a later one leaves out: found by audits. */
export class RowForms {
  private rows = 0;
  /** How many whole rows, those of snapshots and those seen for the first time, had each field. */
  private counts = new Map<string, number>();
  /** Fields that only some of them had; undefined until it is asked for. */
  private optional: readonly string[] | undefined;
  /** Of each field: forms of rows that have left it out so. */
  private readonly said = new Map<string, Record<Omitted, Form[]>>();
  /** By their text: rows of one form share it. */
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
   * The row, with what it leaves out of the held one unless that is gone.
   * @param before what was in question of the held row
   * @param isOther the held one may be another row: what is taken from it is in question, whatever fields left out mean
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
    // What every whole row has had is likely left out by a part of a row; but a flag may be, when it is false.
    const isPart = missing.some((name) => held[name] !== true && this.isAlways(name));
    const fates = [...missing, ...earlier].map((name) => {
      const fate = this.fateOf(name, [...(before?.get(name) ?? []), form], isOther);
      // What was taken for gone cannot be shown any more.
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
   * A snapshot shows what has become of a field.
   * @param forms of the rows that left it out while nothing said what that means; undefined where that was decided
   * @returns true when it is known now
   */
  learn(name: string, forms: readonly Form[] | undefined, said: Omitted): boolean {
    // A rule that has failed is none: what rows leave out is in question from now on.
    if (forms === undefined) {
      if (this.said.has(name)) this.said.set(name, { gone: [UNKNOWN_FORM], kept: [UNKNOWN_FORM] });
      return false;
    }
    // One of several rows has left it out for good, which one is not said.
    if (forms.some(isUnknown) || (said === "gone" && forms.length !== 1)) return false;
    const known = this.said.get(name) ?? { gone: [], kept: [] };
    const fresh = forms.filter((form) => this.saidOf(name, form) !== said);
    this.said.set(name, { ...known, [said]: [...known[said], ...fresh].slice(-MAX_FORMS) });
    return fresh.length > 0;
  }

  /** @param row it as a snapshot has it */
  learnAll(omitted: Omissions, row: OpenRecord): void {
    for (const [name, forms] of omitted)
      this.learn(name, forms, Object.hasOwn(row, name) ? "kept" : "gone");
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

  /** A later row that has a field which has not changed: one that has no fewer fields and leaves it out is without it. */
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

  /** True where it is known that a row like this one, but without the field, leaves it out for good. */
  private isGoneWithout(name: string, row: OpenRecord): boolean {
    const gone = this.said.get(name)?.gone ?? NO_FORMS;
    return gone.some((form) => form.every((each) => Object.hasOwn(row, each)));
  }

  /** A row with no more fields than one that left a field out unchanged does so, too; one with no fewer leaves it out for good. */
  private saidOf(name: string, form: Form): Omitted | undefined {
    const said = this.said.get(name);
    if (said === undefined || isUnknown(form)) return undefined;
    const isKept = said.kept.some((each) => isWithin(form, each) || isUnknown(each));
    const isGone = said.gone.some((each) => isWithin(each, form));
    if (isKept === isGone) return undefined;
    return isKept ? "kept" : "gone";
  }

  /** Of a field that rows of these forms have left out, or those forms of which nothing says what they mean. */
  private fateOf(
    name: string,
    forms: readonly Form[],
    isOther: boolean,
  ): Omitted | readonly Form[] {
    const open: Form[] = isOther ? [UNKNOWN_FORM] : [];
    for (const form of forms) {
      const said = this.saidOf(name, form);
      if (said === "gone") return said;
      if (said === undefined && !open.some((each) => isSameForm(each, form))) open.push(form);
    }
    return open.length === 0 ? "kept" : open;
  }
}

/** By what it is: copies of what is held have their own. */
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
