// What `npm pack` hands out: only what runs, and it runs from the packed file alone.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { folderOfFile } from "../support/temporary-folder.ts";
import { words } from "../support/words.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Every file of the package. */
const PACKED = words(`
  LICENSE README.md bin/monitor.js bin/package.json bin/program.js dist/monitor.js
  dist/simulator-worker.js dist/third-party-licenses.txt dist/undici.cjs package.json
`);

/** What it may take on a disk: more than this was bundled by accident. */
const LARGEST = 2_400_000;

interface Pack {
  readonly filename: string;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

describe("the package", () => {
  const folder = folderOfFile();
  let pack: Pack;

  beforeAll(() => {
    const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", folder];
    const { stdout } = spawnSync("npm", args, { cwd: root, encoding: "utf8" });
    [pack] = JSON.parse(stdout) as [Pack];
    spawnSync("tar", ["-xzf", join(folder, pack.filename), "-C", folder]);
  });

  test("holds what runs and nothing else", () => {
    expect(pack.files.map(({ path }) => path).sort()).toEqual([...PACKED].sort());
    expect(pack.unpackedSize).toBeLessThan(LARGEST);
  });

  test("runs in a folder without anything else, and says nothing but what was asked", () => {
    const program = join(folder, "package", "bin", "monitor.js");
    const env = { PATH: process.env.PATH, HOME: folder };
    const run = (...args: string[]) =>
      spawnSync(process.execPath, [program, ...args], { cwd: folder, env, encoding: "utf8" });
    expect(run("--version")).toMatchObject({ status: 0, stderr: "", stdout: "0.1.0\n" });
    const live = run("demo", "--once", "--json");
    expect(live).toMatchObject({ status: 0, stderr: "" });
    expect(JSON.parse(live.stdout).market).toMatchObject({ type: "perp", id: 1 });
  });

  test("runs nothing when it is installed", () => {
    const { scripts, dependencies } = JSON.parse(
      readFileSync(join(folder, "package", "package.json"), "utf8"),
    );
    for (const name of ["preinstall", "install", "postinstall", "prepare"]) {
      expect(scripts).not.toHaveProperty(name);
    }
    expect(dependencies).toBeUndefined();
  });

  test("names every package whose code it holds, with its licence", () => {
    const text = readFileSync(join(folder, "package", "dist", "third-party-licenses.txt"), "utf8");
    const entries = text.split("=".repeat(80)).slice(1);
    for (const name of ["ink", "react", "undici", "ws", "yoga-layout", "zod"]) {
      expect(entries.find((entry) => entry.trim().startsWith(`${name} `))).toBeDefined();
    }
    for (const entry of entries) {
      expect(entry.trim()).toMatch(/^\S+ \d+\.\d+\.\d+ \((?:MIT|ISC|BSD-3-Clause)\)\n\n\S/);
    }
  });
});
