// monitor export and the machine's own disk, where it takes nothing more: what is proven is kept, the last lines say why.
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { expect, test } from "vitest";
import { rowsOf } from "../support/csv-rows.ts";
import { asTrades, exportRig, monitor } from "../support/export-rig.ts";
import { runMonitor } from "../support/monitor-process.ts";

const rig = exportRig();
const IS_ROOT = process.getuid?.() === 0;

test("a file that may grow no further: what is there is kept, and the same command goes on", async () => {
  const listings = await rig.start({ transactions: 1000 });
  const words = `trades 1 -o ${rig.fileOf("t.csv")} --page-size 250`;
  const args = [...`export ${words}`.split(" "), "--base-url", listings.baseUrl];
  const stopped = await runMonitor(args, { shell: { before: "ulimit -f 400" } });
  const kept = rowsOf(rig.read("t.csv.part").replace(/[^\n]*$/, ""));
  expect(kept.length).toBeGreaterThan(250);
  expect(kept).toEqual(asTrades(listings.trades).slice(0, kept.length));
  expect(stopped.stderr).toMatch(
    /^[0-9]+ rows, .*, complete: no \(failed: .* \(EFBIG\)\)\nwhat is proven is kept in .*\nmonitor: cannot write .*: the file grew larger than is allowed \(EFBIG\)\nsee ulimit -f; the same command resumes\n$/,
  );
  expect(stopped.code).toBe(1);
  const requests = listings.requests.length;
  const ended = await monitor(words, listings);
  expect(ended.stderr).toContain("complete: yes");
  expect(rowsOf(rig.read("t.csv"))).toEqual(asTrades(listings.trades));
  expect(readdirSync(rig.folder)).toEqual(["t.csv"]);
  // The first page is asked for again, to be compared; what was proven is not read again.
  const again = listings.requests.slice(requests).filter((url) => !url.includes("before="));
  expect(again).toHaveLength(1);
});

test.skipIf(process.platform !== "linux")("a full disk behind standard output", async () => {
  const listings = await rig.start({ transactions: 200 });
  const args = ["export", "trades", "1", "--base-url", listings.baseUrl];
  const ended = await runMonitor(args, { shell: { after: "> /dev/full" } });
  const [failed, advice, closing, ...more] = ended.stderr.trimEnd().split("\n");
  expect(failed).toMatch(/^monitor: standard output failed: ENOSPC: /);
  expect(advice).toBe("make room where it goes, or send it elsewhere");
  expect(closing).toMatch(/ rows, .*, complete: no \(stopped by what it is written to\)$/);
  expect([more, ended.code]).toEqual([[], 1]);
});

test("a folder in which nothing may be made", async () => {
  const listings = await rig.start({ transactions: 10 });
  // Root may write wherever a file system lets anybody.
  const folder = IS_ROOT ? "/sys" : rig.fileOf("closed");
  if (!IS_ROOT) {
    mkdirSync(folder);
    chmodSync(folder, 0o555);
  }
  const ended = await monitor(`trades 1 -o ${folder}/t.csv`, listings);
  expect(ended.stderr).toMatch(
    /^0 rows, .*, complete: no .*\nmonitor: cannot write .*\/t\.csv: (?:no permission|the file system is read-only) \((?:EACCES|EPERM|EROFS)\)\nchoose another file with -o\n$/,
  );
  expect(ended).toMatchObject({ code: 1, stdout: "" });
  expect(listings.requests).toEqual([]);
});

test("a folder that is removed while it runs", async () => {
  const listings = await rig.start({ transactions: 200 });
  const folder = rig.fileOf("gone");
  mkdirSync(folder);
  listings.onRequest = (count) => {
    if (count !== 3) return;
    // In one step: the export may be making a file in it.
    renameSync(folder, rig.fileOf("removed"));
    rmSync(rig.fileOf("removed"), { recursive: true });
  };
  const ended = await monitor(`trades 1 -o ${folder}/t.csv --page-size 100`, listings);
  expect(ended.stderr).toMatch(
    /^[0-9]+ rows, .*, complete: no \(failed: .*\)\nmonitor: cannot write .*: no such folder \(ENOENT\)\nmake the folder first, or choose another file with -o\n$/,
  );
  expect(ended.code).toBe(1);
  expect(existsSync(folder)).toBe(false);
});
