// The building blocks of every schema: the common value types of section 2.1 and the two ways to read a
// record. `strict` takes the document at its word; `tolerant` lets a newer service add fields and words.
import * as z from "zod/mini";
import { ANY_CHANNEL } from "./channel.ts";
import { MAX_PAGE_LIMIT } from "./limits.ts";
import { MAX_DECIMAL_LENGTH, MAX_INTEGER_DIGITS } from "./text-forms.ts";

type Fields = Readonly<Record<string, z.ZodMiniType>>;

/** How much a schema lets pass that the document does not list. */
export interface Shape {
  /** An object with these fields; others are refused (strict) or kept (tolerant). */
  record<T extends Fields>(fields: T): z.ZodMiniObject<T, z.core.$strict | z.core.$loose>;
  /** One of the listed words; other text is refused (strict) or kept (tolerant). */
  word(words: readonly [string, ...string[]]): z.ZodMiniType<string>;
  /** One of the listed integers; others are refused (strict) or kept (tolerant). */
  number(numbers: readonly [number, ...number[]]): z.ZodMiniType<number>;
  /** A channel name of any kind; other text is refused (strict) or kept (tolerant). */
  channel: z.ZodMiniType<string>;
  /** A REST page; one longer than may be asked for is refused (strict) or kept (tolerant). */
  page<T>(record: z.ZodMiniType<T>): z.ZodMiniType<readonly T[]>;
}

/**
 * UnsignedInteger, and TimestampNs, which is one: text of ASCII digits. A counted pattern would be slower than the
 * two checks.
 */
export const unsignedInteger = z
  .string()
  .check(z.maxLength(MAX_INTEGER_DIGITS), z.regex(/^[0-9]+$/));
/** Decimal: optional minus, digits, optional fraction. */
export const decimal = z
  .string()
  .check(z.maxLength(MAX_DECIMAL_LENGTH), z.regex(/^-?[0-9]+(?:\.[0-9]+)?$/));
/** Decimal without a sign: the "numeric text" of REST records. */
export const unsignedDecimal = z
  .string()
  .check(z.maxLength(MAX_DECIMAL_LENGTH), z.regex(/^[0-9]+(?:\.[0-9]+)?$/));
/** NullableSequence: a global transaction sequence, or null. */
const nullableSequence = z.nullable(unsignedInteger);
/** A JSON integer that JavaScript holds exactly. */
export const integer = z.int();
/** A whole number of at most 31 bits. */
export const index32 = z.int().check(z.minimum(0), z.maximum(2_147_483_647));
/** Any text. */
export const text = z.string();
/** The name of a channel, of any kind. */
export const channelName = z.string().check(z.regex(ANY_CHANNEL));
/** A record that the document names without listing its fields (2.3): any object. */
export const openRecord = z.looseObject({});

/** Takes the document at its word. */
export const strict: Shape = {
  record: (fields) => z.strictObject(fields),
  word: (words) => z.enum(words),
  number: (numbers) => z.literal(numbers),
  channel: channelName,
  page: (record) => z.array(record).check(z.maxLength(MAX_PAGE_LIMIT)),
};

/** Keeps what a newer service may add. */
export const tolerant: Shape = {
  record: (fields) => z.looseObject(fields),
  word: () => text,
  number: () => integer,
  channel: text,
  page: (record) => z.array(record),
};

/** previous_sequence and sequence, which most update frames carry (6.3). */
export const sequences = { previous_sequence: nullableSequence, sequence: nullableSequence };

/**
 * An update frame (6.3). The decoder chose its schema by matching the channel name, so it is not matched again. Never
 * throws.
 */
export function updateFrame<T extends Fields>(shape: Shape, fields: T) {
  return shape.record({
    type: z.literal("update"),
    channel: text,
    timestamp_ns: unsignedInteger,
    ...fields,
  });
}
