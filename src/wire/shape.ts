// The building blocks of every schema: the common value types of section 2.1, and two treatments of records. `strict` takes the
// document literally; `tolerant` allows additions by a newer service. A schema is a function of these blocks, so that the tables
// of schemas can be loaded before the first frame is drawn, and zod after it.
import * as z from "zod/mini";
import { ANY_CHANNEL } from "./channels.ts";
import { MAX_DECIMAL_LENGTH, MAX_INTEGER_DIGITS } from "./limits.ts";

type Fields = Readonly<Record<string, z.ZodMiniType>>;
/** An object with these fields. Additional ones exist at run time only, not in the type. */
type RecordOf<T extends Fields> = z.ZodMiniObject<T, z.core.$strict>;

/**
 * UnsignedInteger, also used for TimestampNs: ASCII digits. Two checks are faster than a counted pattern.
 */
const unsignedInteger = z.string().check(z.maxLength(MAX_INTEGER_DIGITS), z.regex(/^[0-9]+$/));
/** Decimal: optional minus, digits, optional fraction. */
const decimal = z
  .string()
  .check(z.maxLength(MAX_DECIMAL_LENGTH), z.regex(/^-?[0-9]+(?:\.[0-9]+)?$/));
/**
 * Decimal without a sign: the "numeric text" of REST records. Fields that may be negative are "signed numeric text" there, so a
 * negative price, quantity or value is invalid.
 */
export const unsignedDecimal = z.string().check(
  z.maxLength(MAX_DECIMAL_LENGTH),
  z.regex(/^[0-9]+(?:\.[0-9]+)?$/, {
    error: ({ input }) => `${JSON.stringify(input)} is not numeric text without a sign`,
  }),
);
/** NullableSequence: a global transaction sequence, or null. */
const nullableSequence = z.nullable(unsignedInteger);
/** A JSON integer that is exact as a Number. */
const integer = z.int();
/** A non-negative int32. */
const index32 = integer.check(z.minimum(0), z.maximum(2_147_483_647));
const text = z.string();
const channelName = z.string().check(z.regex(ANY_CHANNEL));

const blocks = {
  unsignedInteger,
  decimal,
  integer,
  count: integer.check(z.minimum(0)),
  index32,
  positive32: index32.check(z.minimum(1)),
  text,
  flag: z.boolean(),
  channelName,
  /** A record that the document names without listing its fields (2.3): any object. */
  openRecord: z.looseObject({}),
  /** previous_sequence and sequence, which most update frames carry (6.3). */
  sequences: { previous_sequence: nullableSequence, sequence: nullableSequence },
  literal: <const T extends string>(word: T) => z.literal(word),
  enumOf: <const T extends string>(words: readonly T[]) => z.enum(words),
  list: <T extends z.ZodMiniType>(item: T, maxLength?: number) =>
    maxLength === undefined ? z.array(item) : z.array(item).check(z.maxLength(maxLength)),
  optional: z.optional,
  nullable: z.nullable,
  refine: z.refine,
};

/** The blocks, and how undocumented content is treated. */
export type Shape = typeof blocks & {
  /** An object with these fields; others are rejected (strict) or kept (tolerant). */
  record<T extends Fields>(fields: T): RecordOf<T>;
  /** An update frame (6.3). The decoder has selected the schema by the channel name, so the name is not checked again. */
  update<T extends Fields>(fields: T): RecordOf<typeof updateFields & T>;
  /** One of the listed strings; others are rejected (strict) or kept (tolerant). */
  word(words: readonly [string, ...string[]]): z.ZodMiniType<string>;
  /** One of the listed integers; others are rejected (strict) or kept (tolerant). */
  number(numbers: readonly [number, ...number[]]): z.ZodMiniType<number>;
  /** A channel name of any kind; other text is rejected (strict) or kept (tolerant). */
  channel: z.ZodMiniType<string>;
};

const updateFields = {
  type: z.literal("update"),
  channel: text,
  timestamp_ns: unsignedInteger,
};

/** Takes the document literally. */
export const strict: Shape = {
  ...blocks,
  record: (fields) => z.strictObject(fields),
  update: (fields) => z.strictObject({ ...updateFields, ...fields }),
  word: (words) => z.enum(words),
  number: (numbers) => z.literal(numbers),
  channel: channelName,
};

/** Keeps additions by a newer service. */
export const tolerant: Shape = {
  ...blocks,
  record: loose,
  update: (fields) => loose({ ...updateFields, ...fields }),
  word: () => text,
  number: () => integer,
  channel: text,
};

function loose<T extends Fields>(fields: T): RecordOf<T> {
  return z.looseObject(fields) as unknown as RecordOf<T>;
}

/** The value type of a schema, deeply readonly. */
export type Infer<S extends (shape: Shape) => z.ZodMiniType> = Immutable<z.infer<ReturnType<S>>>;

export type Immutable<T> = T extends object ? { readonly [K in keyof T]: Immutable<T[K]> } : T;
