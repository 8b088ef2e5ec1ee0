// Small checks of values of the document. A check says what is wrong, or nothing; what is merely undocumented, it notes and lets
// pass, since a newer service adds fields and words. Both are told with their place: `.orderbook.bids[3].price_ticks: digits …`.
import { isObject, type Json } from "./json.ts";

/** @param notes what is undocumented is added here, at most one thing a check. @returns what is wrong */
export type Check = (value: Json | undefined, notes: string[]) => string | undefined;

/** The longest integer that is no attack: a u128. */
const UINT = /^[0-9]{1,39}$/;
const DECIMAL = /^-?[0-9]{1,40}(?:\.[0-9]{1,40})?$/;
const SHOWN_CHARACTERS = 40;

function expected(what: string, fits: (value: Json | undefined) => boolean): Check {
  return (value) => (fits(value) ? undefined : `: ${what}, not ${show(value)}`);
}

function show(value: Json | undefined): string {
  return value === undefined ? "missing" : JSON.stringify(value).slice(0, SHOWN_CHARACTERS);
}

export const uint = expected("digits", (value) => typeof value === "string" && UINT.test(value));
export const decimal = expected(
  "a decimal",
  (value) => typeof value === "string" && DECIMAL.test(value),
);
export const text = expected("text", (value) => typeof value === "string");
export const flag = expected("true or false", (value) => typeof value === "boolean");
export const integer = expected("an integer", (value) => Number.isSafeInteger(value));
export const count = expected(
  "a count",
  (value) => Number.isSafeInteger(value) && Number(value) >= 0,
);
/** Any object (2.3). */
export const open = expected("an object", isObject);

/** One of the words; another one is noted. */
export function word(...words: readonly string[]): Check {
  return (value, notes) => {
    if (typeof value === "string" && !words.includes(value)) notes.push(`: ${show(value)}`);
    return text(value, notes);
  };
}

export function nullable(check: Check): Check {
  return (value, notes) => (value === null ? undefined : check(value, notes));
}

/** Some services write null for what is not there. */
export function optional(check: Check): Check {
  return (value, notes) =>
    value === undefined || value === null ? undefined : check(value, notes);
}

/** What is wrong is only noted. */
export function noted(check: Check): Check {
  return (value, notes) => {
    const wrong = check(value, notes);
    if (wrong !== undefined) notes.push(wrong);
    return undefined;
  };
}

/** More items than documented are noted. */
export function list(check: Check, most = Number.POSITIVE_INFINITY): Check {
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
export function record(fields: Readonly<Record<string, Check>>): Check {
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
