// What the tables of cases have in common.
import type { ReactNode } from "react";

/** Elements to be shown, by what they are a case of. */
export type Cases = Readonly<Record<string, ReactNode>>;

/** One case for each value. */
export function casesOf<Value>(
  values: readonly Value[],
  title: (value: Value) => string,
  app: (value: Value) => ReactNode,
): Cases {
  return Object.fromEntries(values.map((value) => [title(value), app(value)]));
}

export const LOREM = "The quick brown fox jumps over the lazy dog and runs away";
export const FILLED = Array.from({ length: 8 }, (_, y) => `row ${y} ${"x".repeat(30)}`).join("\n");
export const COLORS = [
  "red",
  "gray",
  "greenBright",
  "#fa0",
  "#12ab9f",
  "ansi256(99)",
  "rgb(1, 2, 3)",
] as const;
