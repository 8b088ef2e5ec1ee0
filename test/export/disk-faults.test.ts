// A disk that fails at any one call, for once or from then on: what was proven is there, the message says what and where, and
// the same command ends with the bytes of an unbroken export.
import { describe, expect, test } from "vitest";
import { MonitorError } from "../../src/units/monitor-error.ts";
import { fault, MemoryDisk } from "../support/memory-disk.ts";
import { exportTo, WAYS, wayOf } from "./plan.ts";

/** Rows that the journal vouches for; undefined when there is none. */
function rowsKept(files: MemoryDisk): number | undefined {
  const text = files.text("t.csv.part.journal");
  if (text === undefined) return undefined;
  return (JSON.parse(text) as { progress?: { written: { rows: number } } }).progress?.written.rows;
}

/** Has a disk fail at a call, for once or from then on. @returns how many rows were kept before that */
function failAt(files: MemoryDisk, at: number, isOnce: boolean, code: string): () => number {
  let count = 0;
  let kept = 0;
  files.fail = () => {
    const isHit = isOnce ? count === at : count >= at;
    if (count++ === at) kept = rowsKept(files) ?? 0;
    if (isHit) throw fault(code);
  };
  return () => kept;
}

const FAULTS = ["EIO", "ENOSPC", "EROFS", "EDQUOT", "EACCES"];
const WORDS = /^(?:cannot write t\.csv: .* \((?:EIO|ENOSPC|EROFS|EDQUOT|EACCES)\))$/;

describe.each(WAYS)("%s", (_, isOldestFirst, oldRows) => {
  test.each(["once", "from then on"])("a fault at any call, %s", async (how) => {
    const { text, old, write, newDisk, calls } = await wayOf(isOldestFirst, oldRows);
    for (let at = 0; at < calls.length; at++) {
      const files = newDisk();
      const code = FAULTS[at % FAULTS.length] ?? "EIO";
      const keptBefore = failAt(files, at, how === "once", code);
      const place = `${how}, ${code} at ${at}: ${calls[at]}`;
      const error = await write(files).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      if (error === undefined) expect(files.text("t.csv"), place).toBe(text);
      else {
        expect(error, place).toBeInstanceOf(MonitorError);
        expect((error as Error).message, place).toMatch(WORDS);
        expect([old, text], place).toContain(files.text("t.csv"));
        // What was vouched for is vouched for, unless the file has its name already.
        const isNamed = files.text("t.csv") === text;
        if (!isNamed) expect(rowsKept(files) ?? 0, place).toBeGreaterThanOrEqual(keptBefore());
      }
      files.fail = () => {};
      const again = await write(files);
      expect(again.verdict.isComplete, place).toBe(true);
      expect(files.text("t.csv"), place).toBe(text);
      expect(files.names, place).toEqual(["t.csv"]);
    }
  });
});

test("a folder that refuses new names (a whole quota of files) keeps the file that is there", async () => {
  const files = new MemoryDisk();
  files.put("t.csv", "");
  files.fail = (call) => {
    if (call.startsWith("open") && call.includes(".part")) throw fault("EDQUOT");
  };
  await expect(exportTo(files)).rejects.toThrow("the disk quota is used up (EDQUOT)");
  expect(files.names).toEqual(["t.csv"]);
});
