// What `npm run package` packs: only what runs, and it runs from the packed file alone.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { VERSION } from "../../src/system/version.ts";
import { ROOT } from "../support/documents.ts";
import { folderOfFile } from "../support/temporary-folder.ts";
import { words } from "../support/words.ts";

const { pack }: { pack(destination: string): string } = await import(`${ROOT}scripts/package.mjs`);

describe("the package", () => {
  const folder = folderOfFile();
  const contents = join(folder, "package");

  beforeAll(() => {
    spawnSync("tar", ["-xzf", pack(folder)], { cwd: folder });
  });

  test("holds what runs and nothing else", () => {
    expect(readdirSync(contents).sort()).toEqual(words("LICENSE README.md bin dist package.json"));
    expect(readdirSync(join(contents, "dist")).sort()).toEqual(
      words("monitor.js sbom.cdx.json third-party-licenses.txt undici.cjs"),
    );
  });

  test("runs in a folder without anything else, and says nothing but what was asked", () => {
    const args = [join(contents, "bin", "monitor.js"), "--version"];
    const env = { PATH: process.env.PATH, HOME: folder };
    const done = spawnSync(process.execPath, args, { cwd: folder, env, encoding: "utf8" });
    expect(done).toMatchObject({ status: 0, stderr: "", stdout: `${VERSION}\n` });
  });

  test("needs no other package, and runs nothing when it is installed", () => {
    const manifest = JSON.parse(readFileSync(join(contents, "package.json"), "utf8"));
    expect(manifest).not.toHaveProperty("dependencies");
    expect(manifest).not.toHaveProperty("scripts");
  });

  test("has a file name without a scope, and a name that is nobody else's", () => {
    const { name, version } = JSON.parse(readFileSync(join(contents, "package.json"), "utf8"));
    expect(readdirSync(folder)).toContain(`monitor-${version}.tgz`);
    expect(name).toMatch(/^@[a-z-]+\/monitor$/);
  });

  test("lists for machines exactly the packages whose licences it names, in the versions of the lockfile", () => {
    const read = (name: string) => readFileSync(join(contents, "dist", name), "utf8");
    const { components, ...head } = JSON.parse(read("sbom.cdx.json"));
    expect(head).toMatchObject({ bomFormat: "CycloneDX", specVersion: "1.6" });
    const named = components.map(({ group, name, version }: Record<string, string>) =>
      [[group, name].filter(Boolean).join("/"), version].join(" "),
    );
    const licensed = read("third-party-licenses.txt").matchAll(/={80}\n\n(\S+ \S+) \(/g);
    expect(named).toEqual([...licensed].map(([, title]) => title));
    const { packages } = JSON.parse(readFileSync(`${ROOT}package-lock.json`, "utf8"));
    const known = Object.values<{ integrity?: string }>(packages).map(({ integrity }) => integrity);
    for (const { hashes } of components) {
      const digest = Buffer.from(hashes[0].content, "hex").toString("base64");
      expect(known).toContain(`sha512-${digest}`);
    }
  });

  test("names every package whose code it holds, with its licence", () => {
    const text = readFileSync(join(contents, "dist", "third-party-licenses.txt"), "utf8");
    const entries = text.split("=".repeat(80)).slice(1);
    for (const name of ["ink", "react", "undici", "ws", "yoga-layout", "zod"]) {
      expect(entries.find((entry) => entry.trim().startsWith(`${name} `))).toBeDefined();
    }
    for (const entry of entries) {
      expect(entry.trim()).toMatch(/^\S+ \d+\.\d+\.\d+ \((?:MIT|ISC|BSD-3-Clause)\)\n\n\S/);
    }
  });
});
