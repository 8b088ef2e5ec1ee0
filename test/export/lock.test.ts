// However many exports of one file start at once, one of them goes on.
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { disk } from "../../src/export/disk.ts";
import { lock } from "../../src/export/lock.ts";
import { runs } from "../support/soak.ts";
import { folderOfTest } from "../support/temporary-folder.ts";

const DEAD = 9;
const processOf = (pid: number) => ({ host: "here", pid, started: "1" });
const lockOf = (pid: number) => JSON.stringify({ monitor: "lock of an export", ...processOf(pid) });

test.each([
  ["there is no lock", {}],
  ["a dead process has left its lock", { "t.csv.part.lock": lockOf(DEAD) }],
  ["a dead process has left half of its lock", { "t.csv.part.lock": lockOf(DEAD).slice(0, 25) }],
])("where %s, of eight that start at once one holds it", async (_, left) => {
  const isAlive = ({ pid }: { readonly pid: number }) => pid !== DEAD;
  for (let i = 0; i < runs(60, 1000); i++) {
    const folder = folderOfTest();
    const path = join(folder, "t.csv.part.lock");
    for (const [name, text] of Object.entries(left)) {
      writeFileSync(join(folder, name), text, { mode: 0o600 });
    }
    const ended = await Promise.allSettled(
      [1, 2, 3, 4, 5, 6, 7, 8].map((pid) => lock(disk, path, { self: processOf(pid), isAlive })),
    );
    const holders = ended.filter(({ status }) => status === "fulfilled");
    expect(holders.length).toBe(1);
    expect(readdirSync(folder)).toEqual(["t.csv.part.lock"]);
  }
});

test.each([lockOf(DEAD), ""])(
  "what a process that died while it took over a lock has left (%j) holds nobody up",
  async (left) => {
    const folder = folderOfTest();
    const path = join(folder, "t.csv.part.lock");
    for (const name of [path, `${path}.taking`]) writeFileSync(name, left, { mode: 0o600 });
    const unlock = await lock(disk, path, {
      self: processOf(1),
      isAlive: ({ pid }) => pid !== DEAD,
    });
    expect(readdirSync(folder)).toEqual(["t.csv.part.lock"]);
    await unlock();
    expect(readdirSync(folder)).toEqual([]);
  },
);
