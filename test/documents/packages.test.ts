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

const LICENCES = new Set([
  ...["MIT", "ISC", "0BSD", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0", "MPL-2.0"],
  ...["MIT OR Apache-2.0", "(MIT OR CC0-1.0)"],
]);

const { packages } = JSON.parse(readDocument("package-lock.json")) as {
  packages: Readonly<Record<string, LockedPackage>>;
};
const { "": _, ...locked } = packages;

/** Names of the packages of which it holds. */
const namesWhere = (isSo: (locked: LockedPackage) => boolean): string[] =>
  Object.entries(locked).flatMap(([name, each]) => (isSo(each) ? [name] : []));

describe("packages", () => {
  test("come from the registry, none from a repository or a folder", () => {
    const isElsewhere = ({ version, resolved, link }: LockedPackage) =>
      link === true ||
      !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version) ||
      (resolved !== undefined && new URL(resolved).host !== "registry.npmjs.org");
    expect(namesWhere(isElsewhere)).toEqual([]);
  });

  test("are known by their digest, apart from those of other platforms", () => {
    const isUnknown = ({ integrity = "", optional, os }: LockedPackage) =>
      !/^sha512-[\w+/]{86}==$/.test(integrity) && !(optional === true && os !== undefined);
    expect(namesWhere(isUnknown)).toEqual([]);
  });

  test("run nothing when they are installed", () => {
    const wanting = namesWhere(({ hasInstallScript }) => hasInstallScript === true);
    expect(wanting).toEqual(["node_modules/esbuild"]);
    expect(readDocument(".npmrc")).toMatch(/^ignore-scripts=true$/m);
  });

  test("have licences that allow their use", () => {
    expect(namesWhere(({ license = "none" }) => !LICENCES.has(license))).toEqual([]);
  });
});

test("npm takes no package from elsewhere", () => {
  const lines = readDocument(".npmrc").trimEnd().split("\n");
  expect(lines).toEqual(expect.arrayContaining(["allow-git=none", "allow-remote=none"]));
});

test("the WebSocket library is one that bounds tiny fragments", () => {
  const { version = "0.0.0" } = locked["node_modules/ws"] ?? {};
  const [major = 0, minor = 0] = version.split(".").map(Number);
  expect(major > 8 || (major === 8 && minor >= 21)).toBe(true);
});
