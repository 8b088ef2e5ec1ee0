// What is installed to build and test: only from the registry, by digest, without running anything, and under licences
// that allow it.
import { describe, expect, test } from "vitest";
import { readDocument } from "../support/documents.ts";

interface LockedPackage {
  readonly version: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly hasInstallScript?: boolean;
  readonly link?: boolean;
  readonly optional?: boolean;
  readonly os?: readonly string[];
}

/** Scripts that packages would like to run when they are installed; none of them is. */
const SCRIPTS: Readonly<Record<string, readonly string[]>> = {
  "": ["node_modules/esbuild"],
};
const LICENCES = new Set(
  [
    "MIT",
    "ISC",
    "0BSD",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "Apache-2.0",
    "MPL-2.0",
    "MIT OR Apache-2.0",
  ].concat("(MIT OR CC0-1.0)"),
);

function lockOf(folder: string): [name: string, locked: LockedPackage][] {
  const { packages } = JSON.parse(readDocument(`${folder}package-lock.json`)) as {
    packages: Readonly<Record<string, LockedPackage>>;
  };
  return Object.entries(packages).filter(([name]) => name !== "");
}

/** Names of the packages of which it holds. */
const namesWhere = (folder: string, isSo: (locked: LockedPackage) => boolean): string[] =>
  lockOf(folder).flatMap(([name, locked]) => (isSo(locked) ? [name] : []));

describe.each(Object.keys(SCRIPTS))("packages of ./%s", (folder) => {
  test("come from the registry, none from a repository or a folder", () => {
    const isElsewhere = ({ version, resolved, link }: LockedPackage) =>
      link === true ||
      !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version) ||
      (resolved !== undefined && new URL(resolved).host !== "registry.npmjs.org");
    expect(namesWhere(folder, isElsewhere)).toEqual([]);
  });

  test("are known by their digest, apart from those of other platforms", () => {
    const isUnknown = ({ integrity = "", optional, os }: LockedPackage) =>
      !/^sha512-[\w+/]{86}==$/.test(integrity) && !(optional === true && os !== undefined);
    expect(namesWhere(folder, isUnknown)).toEqual([]);
  });

  test("run nothing when they are installed", () => {
    expect(namesWhere(folder, ({ hasInstallScript }) => hasInstallScript === true)).toEqual(
      SCRIPTS[folder],
    );
    expect(readDocument(`${folder}.npmrc`)).toMatch(/^ignore-scripts=true$/m);
  });

  test("have licences that allow their use", () => {
    expect(namesWhere(folder, ({ license = "none" }) => !LICENCES.has(license))).toEqual([]);
  });
});

test("npm takes no package from elsewhere", () => {
  const lines = readDocument(".npmrc").trimEnd().split("\n");
  expect(lines).toEqual(expect.arrayContaining(["allow-git=none", "allow-remote=none"]));
});

test("the WebSocket library is one that bounds tiny fragments", () => {
  const [, { version } = { version: "0.0.0" }] =
    lockOf("").find(([name]) => name === "node_modules/ws") ?? [];
  const [major = 0, minor = 0] = version.split(".").map(Number);
  expect(major > 8 || (major === 8 && minor >= 21)).toBe(true);
});
