// One message shape, checked as the document says and then as tolerantly as we dare. Interpretation: docs/adr/0009.
// Schemas are compiled when first needed, so that a command pays only for the channels that it uses.
import * as z from "zod/mini";
import { util } from "zod/v4/core";
import en from "zod/v4/locales/en.js";
import { type Drift, firstIssue, getIssues } from "./rejection.ts";
import { type Shape, strict, tolerant } from "./shape.ts";

// The small form of zod, of which schemas are made in less than half the time, brings no words for what it finds.
z.config(en());

/** How a value fits: exactly, with things that the document does not list, or not at all. */
export type Fit<T> =
  | { readonly ok: true; readonly value: T; readonly drifts: boolean }
  | { readonly ok: false; readonly path: string; readonly detail: string };

/** A message shape, ready to check values. */
export interface Schema<T> {
  /** Checks a value; with `isStrict`, whatever the document does not list is a fault. */
  check(value: unknown, isStrict: boolean): Fit<T>;
  /** Names each thing in an accepted value that the document does not list. Slow: for the first examples. */
  drifts(value: T): readonly Drift[];
}

/**
 * A schema that is built twice, strictly and tolerantly (docs/adr/0009), each when it is first needed.
 * @param build the message's shape in the words of `shape.ts`
 * @returns its checks; the first of them throws {Error} when the shape cannot be compiled, which is a fault of ours
 */
export function createSchema<T>(build: (shape: Shape) => z.ZodMiniType<T>): Schema<T> {
  const exact = lazily(() => compile(build(strict)));
  const lenient = lazily(() => compile(build(tolerant)));
  return {
    check(value, isStrict) {
      if (fits(exact(), value)) return { ok: true, value, drifts: false };
      if (!isStrict && fits(lenient(), value)) return { ok: true, value, drifts: true };
      const { error } = (isStrict ? exact() : lenient()).safeParse(value);
      return { ok: false, ...(error ? firstIssue(error) : { path: "", detail: "does not fit" }) };
    },
    drifts(value) {
      const { error } = exact().safeParse(value);
      return error === undefined ? [] : getIssues(error);
    },
  };
}

/** Where Node makes no code from text, the same schema is walked through instead: slower, and right. */
function compile<T>(schema: z.ZodMiniType<T>): z.ZodMiniType<T> {
  return util.allowsEval.value ? z.compile(schema, { strict: true }) : schema;
}

/** The compiled check; it neither copies nor changes the value. */
function fits<T>(schema: z.ZodMiniType<T>, value: unknown): value is T {
  return z.validate(schema, value);
}

function lazily<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
