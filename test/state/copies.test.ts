// A copy of a state has every field of it: one that is forgotten would show only in some past.
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const folder = new URL("../../src/state/", import.meta.url);
const SOURCES = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), "utf8"));
const COPIED = SOURCES.flatMap((source) => source.split(/^export class /m).slice(1)).filter(
  (text) => /^ {2}copy\(/m.test(text),
);
/** What is made anew, for good reason: derived, or what the readers of one store only are told. */
const OWN: Readonly<Record<string, readonly string[]>> = {
  Store: ["#listeners", "#notified", "#newSuspects"],
  BookSide: [],
};

test.each(COPIED.map((text) => [/^\w+/.exec(text)?.[0] ?? "", text]))(
  "a copy of %s has all of its fields",
  (name, text) => {
    const fields = [...text.matchAll(/^ {2}(?:readonly )?(#\w+)(?:[:=?]| =)/gm)].map(
      ([, it]) => it,
    );
    const [, copy = ""] = /^ {2}copy\([^)]*\)[^{]*\{\n(.*?)^ {2}\}/ms.exec(text) ?? [];
    const [, made = ""] = /^ {2}constructor\(([^)]*)\)/ms.exec(text) ?? [];
    const forgotten = fields.filter(
      (field = "") =>
        !copy.includes(field) &&
        !made.includes(`${field.slice(1)}:`) &&
        !OWN[name]?.includes(field),
    );
    expect(fields.length).toBeGreaterThan(0);
    expect(forgotten).toEqual([]);
  },
);
