// The program as it is built, killed at requests that a seed chooses: the same command ends with the bytes of an unbroken run.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createRandom } from "../../src/units/random.ts";
import { type ListingOptions, serveListing } from "../support/composed-listing.ts";
import { runMonitor } from "../support/monitor-process.ts";
import { runs, SEED } from "../support/soak.ts";
import { folderOfTest } from "../support/temporary-folder.ts";

const KILLS = 3;
const ROWS = runs(2000, 9000);

async function killAndGoOn(options: Partial<ListingOptions>, words: string) {
  const random = createRandom(options.seed ?? 0);
  const listing = await serveListing(options);
  const folder = folderOfTest();
  const run = (name: string, onStart: (kill: (signal: NodeJS.Signals) => void) => void) =>
    runMonitor(
      [
        ...`export ${listing.words} --page-size 100 ${words}`.trim().split(" "),
        ...["-o", join(folder, name), "--base-url", listing.baseUrl],
      ],
      { onStart },
    );
  const unbroken = await run("unbroken", () => {});
  const total = listing.requests;
  let killed = 0;
  let ended: Awaited<ReturnType<typeof runMonitor>> | undefined;
  while (ended?.code !== 0) {
    // Of the requests of a run, most pages before its end.
    const at = listing.requests + 3 + Math.floor((random() * total) / (KILLS + 1));
    ended = await run("t", (kill) => {
      listing.onRequest = (count) => {
        if (count === at && killed < KILLS) kill("SIGKILL");
      };
    });
    if (ended.signal === "SIGKILL") killed++;
    else expect(ended.code, ended.stderr).toBe(0);
  }
  expect(unbroken.code, unbroken.stderr).toBe(0);
  expect(killed).toBe(KILLS);
  expect(readdirSync(folder).sort()).toEqual(["t", "unbroken"]);
  const [whole, pieces] = [readFileSync(join(folder, "unbroken")), readFileSync(join(folder, "t"))];
  expect(pieces.equals(whole)).toBe(true);
  return { unbroken, ended, rows: whole.toString().trimEnd().split("\n").length };
}

test.each<[cursor: ListingOptions["cursor"], words: string]>([
  ["id", ""],
  ["time", "--oldest-first --format ndjson"],
  ["hidden", "--oldest-first"],
])(
  `an export of ${ROWS} rows by %s, killed ${KILLS} times, has the bytes of an unbroken run %s`,
  async (cursor, words) => {
    const { rows, unbroken, ended } = await killAndGoOn(
      { seed: SEED, cursor, transactions: ROWS / 2, rows: [1, 3], step: 40 },
      words,
    );
    expect(rows).toBeGreaterThan(ROWS * 0.9);
    const said = (stderr: string) => stderr.replace(/, [0-9]+ pages.*/s, "");
    expect(said(ended?.stderr ?? "")).toBe(said(unbroken.stderr));
  },
);
