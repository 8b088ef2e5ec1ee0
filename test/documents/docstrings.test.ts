// What each module says of itself in the code: every exported thing, and what can be thrown.
import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ROOT, readDocument } from "../support/documents.ts";

const MODULES = readdirSync(`${ROOT}src`);

/** An exported thing, and the docstring that ends on the line before it. */
const EXPORT =
  /(?:^\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n)?^export (?:async )?(function\*?|abstract class|class|const|interface|type) (\w+)/gm;

interface Exported {
  readonly name: string;
  readonly isFunction: boolean;
  readonly docstring: string | undefined;
}

function exportsOf(module: string): Exported[] {
  const folder = `src/${module}`;
  const names = readdirSync(`${ROOT}${folder}`, { recursive: true, encoding: "utf8" });
  return names
    .filter((name) => /\.tsx?$/.test(name))
    .flatMap((file) =>
      [...readDocument(`${folder}/${file}`).matchAll(EXPORT)].map(
        ([, docstring, kind = "", name = ""]) => ({
          name: `${file}: ${name}`,
          // Components of the screen have a capital: what they throw ends the screen.
          isFunction: kind.startsWith("function") && /^[a-z]/.test(name),
          docstring,
        }),
      ),
    );
}

describe.each(MODULES)("src/%s", (module) => {
  const exported = exportsOf(module);

  test("says of each exported thing what it is", () => {
    expect(exported.length).toBeGreaterThan(10);
    expect(exported.filter(({ docstring }) => docstring === undefined)).toEqual([]);
  });

  test("says of each exported function whether it throws or rejects, and what", () => {
    const functions = exported.filter(({ isFunction }) => isFunction);
    const isSilent = ({ docstring = "" }: Exported) => !/\b(?:throws?|rejects)\b/i.test(docstring);
    expect(functions.filter(isSilent)).toEqual([]);
  });
});
