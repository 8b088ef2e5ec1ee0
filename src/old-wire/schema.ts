// A message schema, checked first strictly, as documented, and then tolerantly.
// Schemas are compiled when first needed, so that a command pays only for the channels that it uses.
import * as z from "zod/mini";
import { util } from "zod/v4/core";
import en from "zod/v4/locales/en.js";
import { type Drift, firstIssue, getIssues } from "./rejection.ts";
import { type Shape, strict, tolerant } from "./shape.ts";

// zod/mini, which builds schemas in less than half the time, comes without error messages.
z.config(en());

/** How a value conforms: exactly, with undocumented additions, or not at all. */
export type Fit<T> =
  | { readonly ok: true; readonly value: T; readonly drifts: boolean }
  | { readonly ok: false; readonly path: string; readonly detail: string };

/** A message schema. */
export interface Schema<T> {
  check(value: unknown): Fit<T>;
  /** Lists everything undocumented in an accepted value. Slow: for first examples only. */
  drifts(value: T): readonly Drift[];
}

/**
 * A schema built in a strict and a tolerant form, each when first needed.
 * @param build the message's shape, made of the blocks of `shape.ts`
 * @returns its checks; the first call throws {Error} if the shape cannot be compiled, which is a bug
 */
export function createSchema<T>(build: (shape: Shape) => z.ZodMiniType<T>): Schema<T> {
  const exact = lazily(() => compile(build(strict)));
  const lenient = lazily(() => compile(build(tolerant)));
  return {
    check(value) {
      if (fits(exact(), value)) return { ok: true, value, drifts: false };
      if (fits(lenient(), value)) return { ok: true, value, drifts: true };
      const { error } = lenient().safeParse(value);
      return { ok: false, ...(error ? firstIssue(error) : { path: "", detail: "does not fit" }) };
    },
    drifts(value) {
      const { error } = exact().safeParse(value);
      return error === undefined ? [] : getIssues(error);
    },
  };
}

/** Where Node disallows code generation from strings, the schema is interpreted instead: slower, but equivalent. */
function compile<T>(schema: z.ZodMiniType<T>): z.ZodMiniType<T> {
  return util.allowsEval.value ? z.compile(schema, { strict: true }) : schema;
}

/** Runs the compiled check, which neither copies nor changes the value. */
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
