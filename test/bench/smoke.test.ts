// The benches themselves: that each one runs and answers figures. What the figures are is not looked at here.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { isSoak } from "../support/soak.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

const benches = readdirSync(join(root, "bench"))
  .filter((name) => /\.tsx?$/.test(name) && name !== "main.ts")
  .map((name) => basename(name).replace(/\.tsx?$/, ""))
  .sort();

test.runIf(isSoak)("every bench runs and answers figures, without the network", () => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(root, "scripts", "bench.mjs"), "--smoke", "--json"],
    { cwd: root, encoding: "utf8" },
  );
  expect({ status, stderr: status === 0 ? "" : stderr }).toEqual({ status: 0, stderr: "" });
  const measured = JSON.parse(stdout) as Record<string, { what: string; ours: number | null }[]>;
  expect(Object.keys(measured).sort()).toEqual(benches);
  for (const [name, figures] of Object.entries(measured)) {
    expect(figures.length, name).toBeGreaterThan(0);
    expect(
      figures.filter(({ ours }) => ours === null),
      name,
    ).toEqual([]);
  }
});
