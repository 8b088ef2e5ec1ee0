// A listing of many rows, exported by the built program from somebody else's service: each row is the ledger's. `npm run
// soak` exports a million, and tells what they cost.
import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import Papa from "papaparse";
import { expect, test } from "vitest";
import { systemClock } from "../../src/system/system-clock.ts";
import { iso } from "../support/csv-rows.ts";
import { exportRig } from "../support/export-rig.ts";
import { LargeListing } from "../support/large-listing.ts";
import { runMonitor } from "../support/monitor-process.ts";
import { isSoak, runs } from "../support/soak.ts";

const ROWS = runs(2500, 1_000_000);
const LOOK_PERIOD_MS = 200;

const rig = exportRig();

/** The most memory that a process has had, in megabytes; looked up until it ends (Linux). */
function followPeak(pid: number) {
  let peak = Number.NaN;
  let isOver = false;
  const look = async () => {
    const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
    const found = /VmHWM:\s+([0-9]+) kB/.exec(status);
    if (found !== null) peak = Number(found[1]) / 1024;
    if (!isOver) systemClock.after(LOOK_PERIOD_MS, look);
  };
  void look();
  return () => {
    isOver = true;
    return peak;
  };
}

/** Rows of a file that are not as the ledger has them, by their number. */
async function wrongRows(path: string, listing: LargeListing): Promise<number[]> {
  const wrong: number[] = [];
  let count = -1;
  await new Promise<void>((resolve, reject) => {
    Papa.parse<string[]>(createReadStream(path), {
      newline: "\r\n",
      skipEmptyLines: true,
      error: reject,
      complete: () => resolve(),
      step({ data }) {
        if (++count === 0) return;
        const record = listing.recordAt(listing.rows - count);
        const wanted = [...Object.values(record).map(String), iso(record.timestamp_ms)];
        if (data.join("\n") !== wanted.join("\n")) wrong.push(count);
      },
    });
  });
  expect(count).toBe(listing.rows);
  return wrong;
}

test(
  "a large export is its service's ledger, row by row",
  async () => {
    const listing = new LargeListing(ROWS);
    const baseUrl = await listing.start();
    const path = rig.fileOf("t.csv");
    const startedAt = systemClock.now();
    let peakOf = () => Number.NaN;
    const args = ["export", "trades", "1", "-o", path, "--base-url", baseUrl];
    const { code, stderr } = await runMonitor(args, {
      onStart: (_kill, pid) => {
        peakOf = followPeak(pid);
      },
    });
    const seconds = (systemClock.now() - startedAt) / 1000;
    const peak = peakOf();
    listing.close();
    expect(stderr).toMatch(
      new RegExp(`^${ROWS} rows, .*, complete: yes \\(pages joined by .*\\)\\n$`),
    );
    expect(code).toBe(0);
    if (isSoak) {
      const rate = Math.round(ROWS / seconds);
      process.stdout.write(`${ROWS} rows, ${rate} rows/s, at most ${peak.toFixed(0)} MB\n`);
    }
    expect((await wrongRows(path, listing)).slice(0, 5)).toEqual([]);
  },
  60_000 + ROWS,
);
