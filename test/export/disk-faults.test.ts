// A disk that fails at any one call, for once or from then on: what was proven is there, the message says what and where, and
// the same command ends with the bytes of an unbroken export.
import { describe, expect, test } from "vitest";
import { tradesCsv } from "../../src/export/csv.ts";
import { exportToFile } from "../../src/export/export-file.ts";
import type { ExportPlan } from "../../src/export/export-run.ts";
import { tradesListing } from "../../src/listing/listing.ts";
import type { Processes } from "../../src/system/processes.ts";
import { MonitorError } from "../../src/units/monitor-error.ts";
import type { TradeRecord } from "../../src/wire/rest/trades.ts";
import trades from "../fixtures/rest/trades.json" with { type: "json" };
import { instantClock } from "../support/instant-clock.ts";
import { fault, MemoryDisk } from "../support/memory-disk.ts";

const model = trades.good[0]?.message?.[0] as TradeRecord;
const ROWS = 120;
const listing = Array.from({ length: ROWS }, (_, i) => ({
  ...model,
  trade_id: `${ROWS - i}`,
  timestamp_ms: 1_700_000_000_000 + ROWS - i,
}));
const { fields } = tradesListing({ type: "perp", id: "1" });
const alone: Processes = { self: { host: "here", pid: 1, started: "1" }, isAlive: () => false };

const answerOf = (rows: readonly TradeRecord[]) => ({
  records: () => rows,
  end: (count: number) => rows.slice(-count),
});

function planOf(isOldestFirst: boolean): ExportPlan<TradeRecord> {
  return {
    identity: "trades perp/1",
    source: {
      async get({ before, limit }) {
        const rows = listing
          .filter(({ trade_id }) => before === undefined || BigInt(trade_id) < before)
          .slice(0, limit);
        return answerOf(rows);
      },
    },
    fields,
    format: tradesCsv({ isRaw: false, visible: (text) => text }),
    limit: 20,
    bounds: {},
    isOldestFirst,
    isVerified: false,
    clock: instantClock,
    signal: new AbortController().signal,
  };
}

const write = (files: MemoryDisk, isOldestFirst: boolean, isAppended: boolean) =>
  exportToFile(planOf(isOldestFirst), {
    path: "t.csv",
    isAppended,
    isResumable: true,
    files,
    processes: alone,
  });

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

describe.each([
  ["newest first", false, false],
  ["oldest first", true, false],
  ["added", true, true],
] as const)("%s", (_, isOldestFirst, isAppended) => {
  const fresh = async (files: MemoryDisk) => {
    if (isAppended) files.put("t.csv", await oldText());
  };
  const oldText = async () => {
    const files = new MemoryDisk();
    await write(files, true, false);
    const lines = (files.text("t.csv") ?? "").split("\r\n");
    return `${lines.slice(0, 60).join("\r\n")}\r\n`;
  };

  test.each(["once", "from then on"])("a fault at any call, %s", async (how) => {
    const whole = new MemoryDisk();
    await fresh(whole);
    const before = whole.text("t.csv");
    await write(whole, isOldestFirst, isAppended);
    const text = whole.text("t.csv");
    const { calls } = whole;
    for (let at = 0; at < calls.length; at++) {
      const files = new MemoryDisk();
      await fresh(files);
      const code = FAULTS[at % FAULTS.length] ?? "EIO";
      const keptBefore = failAt(files, at, how === "once", code);
      const place = `${how}, ${code} at ${at}: ${calls[at]}`;
      const error = await write(files, isOldestFirst, isAppended).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      if (error === undefined) expect(files.text("t.csv"), place).toBe(text);
      else {
        expect(error, place).toBeInstanceOf(MonitorError);
        expect((error as Error).message, place).toMatch(WORDS);
        expect([before, text], place).toContain(files.text("t.csv"));
        // What was vouched for is vouched for, unless the file has its name already.
        const isNamed = files.text("t.csv") === text;
        if (!isNamed) expect(rowsKept(files) ?? 0, place).toBeGreaterThanOrEqual(keptBefore());
      }
      files.fail = () => {};
      const again = await write(files, isOldestFirst, isAppended);
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
  await expect(write(files, false, false)).rejects.toThrow("the disk quota is used up (EDQUOT)");
  expect(files.names).toEqual(["t.csv"]);
});
