// Small checks of values of the document. A check says what is wrong, or nothing; what is merely undocumented, it notes and lets
// pass, since a newer service adds fields and words. Both are told with their place: `.orderbook.bids[3].price_ticks: digits …`.
import { isObject, type Json, type JsonObject } from "./json.ts";

/** @param notes what is undocumented is added here, at most one thing a check. @returns what is wrong */
export interface Check<T = unknown> {
  (value: Json | undefined, notes: string[]): string | undefined;
  /** Of what passes; never there at run time. */
  readonly type?: T;
}
/** What a check lets pass. */
export type Checked<C> = C extends Check<infer T> ? T : never;

type Fields = Readonly<Record<string, Check>>;
type OptionalName<F, K extends keyof F> = undefined extends Checked<F[K]> ? K : never;
/** What a record of these checks lets pass. */
export type CheckedRecord<F extends Fields> = {
  readonly [K in keyof F as Exclude<K, OptionalName<F, K>>]: Checked<F[K]>;
} & { readonly [K in keyof F as OptionalName<F, K>]?: Exclude<Checked<F[K]>, undefined> };

/** The longest integer that is no attack: a u128. */
const UINT = /^[0-9]{1,39}$/;
const DECIMAL = /^-?[0-9]{1,40}(?:\.[0-9]{1,40})?$/;
const SHOWN_CHARACTERS = 40;

function expected<T>(what: string, fits: (value: Json | undefined) => boolean): Check<T> {
  return (value) => (fits(value) ? undefined : `: ${what}, not ${show(value)}`);
}

function show(value: Json | undefined): string {
  return value === undefined ? "missing" : JSON.stringify(value).slice(0, SHOWN_CHARACTERS);
}

const matches = (pattern: RegExp) => (value: Json | undefined) =>
  typeof value === "string" && pattern.test(value);
export const uint = expected<string>("digits", matches(UINT));
export const decimal = expected<string>("a decimal", matches(DECIMAL));
export const text = expected<string>("text", (value) => typeof value === "string");
export const flag = expected<boolean>("true or false", (value) => typeof value === "boolean");
export const integer = expected<number>("an integer", Number.isSafeInteger);
export const count = expected<number>(
  "a count",
  (value) => Number.isSafeInteger(value) && Number(value) >= 0,
);
/** Any object (2.3). */
export const open = expected<JsonObject>("an object", isObject);

/** One of the words; another one is noted. */
export function word(...words: readonly string[]): Check<string> {
  return (value, notes) => {
    if (typeof value === "string" && !words.includes(value)) notes.push(`: ${show(value)}`);
    return text(value, notes);
  };
}

export function nullable<T>(check: Check<T>): Check<T | null> {
  return (value, notes) => (value === null ? undefined : check(value, notes));
}

/** Some services write null for what is not there. */
export function optional<T>(check: Check<T>): Check<T | undefined> {
  return (value, notes) =>
    value === undefined || value === null ? undefined : check(value, notes);
}

/** What is wrong is only noted. */
export function noted(check: Check): Check<Json> {
  return (value, notes) => {
    const wrong = check(value, notes);
    if (wrong !== undefined) notes.push(wrong);
    return undefined;
  };
}

/** More items than documented are noted. */
export function list<T>(check: Check<T>, most = Number.POSITIVE_INFINITY): Check<readonly T[]> {
  return (value, notes) => {
    if (!Array.isArray(value)) return `: a list, not ${show(value)}`;
    if (value.length > most) notes.push(`: more than ${most} items`);
    for (let i = 0; i < value.length; i++) {
      const wrong = within("[]", check, value[i], notes);
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  };
}

/** Further properties are noted. */
export function record<F extends Fields>(fields: F): Check<CheckedRecord<F>> {
  const checks = Object.entries(fields);
  return (value, notes) => {
    if (!isObject(value)) return `: an object, not ${show(value)}`;
    for (const [name, check] of checks) {
      const wrong = within(`.${name}`, check, value[name], notes);
      if (wrong !== undefined) return wrong;
    }
    for (const name in value) if (!Object.hasOwn(fields, name)) notes.push(`.${name}`);
    return undefined;
  };
}

function within(
  place: string,
  check: Check,
  value: Json | undefined,
  notes: string[],
): string | undefined {
  const known = notes.length;
  const wrong = check(value, notes);
  // The first example is enough, and a long list of odd records must not make as many notes.
  if (notes.length > known) notes.splice(known, notes.length, `${place}${notes[known]}`);
  return wrong === undefined ? undefined : `${place}${wrong}`;
}
