// What the modules that others build on say of themselves in the code: every exported thing, and what can be thrown.
import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ROOT, readDocument } from "../support/documents.ts";

const MODULES = ["protocol", "stream", "history", "store"];

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
    .filter((name) => name.endsWith(".ts"))
    .flatMap((file) =>
      [...readDocument(`${folder}/${file}`).matchAll(EXPORT)].map(
        ([, docstring, kind = "", name = ""]) => ({
          name: `${file}: ${name}`,
          isFunction: kind.startsWith("function"),
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

  test("says of each exported function whether it throws, and what", () => {
    const functions = exported.filter(({ isFunction }) => isFunction);
    expect(functions.filter(({ docstring = "" }) => !/\bthrows?\b/i.test(docstring))).toEqual([]);
  });
});
