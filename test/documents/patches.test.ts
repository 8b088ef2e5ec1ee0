// What the build changes in packages: each change still finds its place, and a build ends where one does not.
import { readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";
import { describe, expect, test } from "vitest";
// @ts-expect-error: scripts are plain JavaScript
import * as scripts from "../../scripts/patches.mjs";
import { folderOfTest } from "../support/temporary-folder.ts";

/** What is sought in a module, and what takes its place. */
type Change = readonly [sought: string | RegExp, replacement: string];
const { patches, patchModules, patchText, requirePatched } = scripts as {
  patches: Readonly<Record<string, readonly Change[]>>;
  patchModules(): Plugin;
  patchText(name: string, text: string): string;
  requirePatched(patched: ReadonlySet<string>): void;
};

const installed = fileURLToPath(new URL("../../node_modules/", import.meta.url));
const names = Object.keys(patches);

describe("a patch", () => {
  test.each(names)("of %s finds all that it seeks in the installed package", (name) => {
    const text = readFileSync(join(installed, name), "utf8");
    expect(patchText(name, text)).not.toBe(text);
  });

  test.each(names)("of %s fails when any part of it is not there", (name) => {
    const text = readFileSync(join(installed, name), "utf8");
    for (const [sought] of patches[name] ?? []) {
      const other = text.replace(sought, "");
      expect(() => patchText(name, other)).toThrow(`${name} has changed`);
    }
  });

  test("that no longer matches fails the build", async () => {
    const folder = folderOfTest();
    const module = join(folder, "node_modules", "ink", "build", "devtools.js");
    await mkdir(dirname(module), { recursive: true });
    await writeFile(module, "export const isOther = true;");
    const built = build({
      entryPoints: [module],
      write: false,
      logLevel: "silent",
      plugins: [patchModules()],
    });
    await expect(built).rejects.toThrow("ink/build/devtools.js has changed");
  });

  test("of a module that is in no bundle fails the build", () => {
    expect(() => requirePatched(new Set(names))).not.toThrow();
    const [first = "", ...others] = names;
    expect(() => requirePatched(new Set(others))).toThrow(first);
  });
});
