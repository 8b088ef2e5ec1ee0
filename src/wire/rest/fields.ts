// The fields of a REST record (2.4, 2.5) as one list, in the document's order: types, checks, comparison and columns follow from it.
import { endOfText } from "../json.ts";
import { MAX_DECIMAL_LENGTH } from "../limits.ts";

/** Value of each form. `unsigned` and `signed` are numeric text, kept exact; the possible `text` values are not documented. */
export interface FormValues {
  unsigned: string;
  signed: string;
  text: string;
  integer: number;
  flag: boolean;
}
export type Form = keyof FormValues;

/** Names and forms; a nested list in place of a form is an array of such records. */
export type FieldList = readonly (readonly [name: string, form: Form | FieldList])[];

export type RecordOf<F extends FieldList> = {
  readonly [E in F[number] as E[0]]: E[1] extends FieldList
    ? readonly RecordOf<E[1]>[]
    : E[1] extends Form
      ? FormValues[E[1]]
      : never;
};

/** A checked record of any listing. Fields that the document does not name are kept as they came. */
export type ListedRecord = Readonly<Record<string, unknown>> & {
  /** Unix milliseconds. */
  readonly timestamp_ms: number;
};

function isNumeric(value: unknown, form: RegExp): boolean {
  return typeof value === "string" && value.length <= MAX_DECIMAL_LENGTH && form.test(value);
}

const CHECKS: Readonly<Record<Form, (value: unknown) => boolean>> = {
  unsigned: (value) => isNumeric(value, /^\d+(?:\.\d+)?$/),
  signed: (value) => isNumeric(value, /^-?\d+(?:\.\d+)?$/),
  text: (value) => typeof value === "string",
  // What is no safe integer has lost digits.
  integer: Number.isSafeInteger,
  flag: (value) => typeof value === "boolean",
};

const WORDS: Readonly<Record<Form, string>> = {
  unsigned: "numeric text without a sign",
  signed: "numeric text",
  text: "text",
  integer: "an exact integer",
  flag: "true or false",
};

/** What is wrong with a value, such as `price: 5 is not numeric text without a sign`; undefined for a record of these fields. */
function findFault(value: unknown, fields: FieldList): string | undefined {
  if (typeof value !== "object" || value === null) return `${shown(value)} is no record`;
  const record = value as Readonly<Record<string, unknown>>;
  for (const [name, form] of fields) {
    const field = record[name];
    const isFit = typeof form === "string" ? CHECKS[form](field) : Array.isArray(field);
    if (!isFit) return `${name}: ${shown(field)} is not ${WORDS[form as Form] ?? "a list"}`;
    const fault = typeof form === "string" ? undefined : findFaultIn(field as unknown[], form);
    if (fault !== undefined) return `${name}${fault}`;
  }
  return undefined;
}

/** The same for a list, such as `[3].price: …`. */
export function findFaultIn(values: readonly unknown[], fields: FieldList): string | undefined {
  for (let i = 0; i < values.length; i++) {
    const fault = findFault(values[i], fields);
    if (fault !== undefined) return `[${i}].${fault}`;
  }
  return undefined;
}

function shown(value: unknown): string {
  return value === undefined ? "nothing" : (JSON.stringify(value) ?? "").slice(0, 80);
}

/** Whether all documented fields are equal: ids need not be unique. */
export function isSameRecord(a: ListedRecord, b: ListedRecord, fields: FieldList): boolean {
  for (const [name, form] of fields) {
    const [one, other] = [a[name], b[name]];
    if (one === other) continue;
    if (typeof form === "string" || JSON.stringify(one) !== JSON.stringify(other)) return false;
  }
  return true;
}

/** The text of each record in the text of an array: numbers of undocumented fields would lose digits as numbers. */
export function splitRecords(text: string): readonly string[] {
  const records: string[] = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    const character = text[i] ?? "";
    if (character === '"') i = endOfText(text, i);
    else if ("[{".includes(character) && depth++ === 1) start = i;
    else if ("]}".includes(character) && --depth === 1) records.push(text.slice(start, i + 1));
  }
  return records;
}
