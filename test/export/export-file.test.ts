import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { filterRecords, ndjson } from "../../src/export/csv.ts";
import type { PageRequest } from "../../src/listing/paging/source.ts";
import type { MonitorError } from "../../src/units/monitor-error.ts";
import { createRandom } from "../../src/units/random.ts";
import { ExactNumber } from "../../src/wire/exact-numbers.ts";
import type { TradeRecord } from "../../src/wire/rest/trades.ts";
import { errorOf } from "../support/error-of.ts";
import { fault, MemoryDisk, PowerCut } from "../support/memory-disk.ts";
import {
  alone,
  type Changes,
  exportTo,
  format,
  listing,
  model,
  pageOf,
  ROWS,
  sourceOf,
  unbroken,
  WAYS,
  wayOf,
} from "./plan.ts";

describe.each(WAYS)("%s", (_, isOldestFirst, oldRows) => {
  test("whenever the power is cut, the same command ends with the bytes of an unbroken export", async () => {
    const { text, old, write, newDisk, calls } = await wayOf(isOldestFirst, oldRows);
    expect(text.split("\r\n").length).toBe(ROWS + 2);
    const seed = Number(process.env.MONITOR_TEST_SEED ?? 7);
    const random = createRandom(seed);
    for (let cutAt = 1; cutAt <= calls.length; cutAt++) {
      const files = newDisk();
      files.cutAt = cutAt;
      const error = await write(files).catch((thrown: unknown) => thrown);
      const place = `seed ${seed}, cut at ${cutAt}: ${calls[cutAt - 1]}`;
      // Once the file has its name on the disk, the export has done what it was asked for.
      const isNamed = calls.slice(0, cutAt - 1).includes("sync folder of t.csv");
      if (!isNamed) expect(error, place).toBeInstanceOf(PowerCut);
      expect(isNamed ? [text] : [old, text], place).toContain(files.text("t.csv"));
      files.restart(random());
      const { verdict } = await write(files);
      expect(verdict.isComplete, place).toBe(true);
      expect(files.text("t.csv"), place).toBe(text);
      expect(files.names, place).toEqual(["t.csv"]);
    }
  });
});

describe.each([false, true])("oldest first: %s", (isOldestFirst) => {
  test("data is on the disk before the journal that vouches for it, and all of it before its name", async () => {
    const { calls } = await unbroken({ isOldestFirst });
    const part = "t.csv.part";
    const first = calls.indexOf(`rename ${part}.journal.tmp`);
    // A part file that no journal names would be somebody else's.
    expect(calls[first + 1]).toBe(`sync folder of ${part}`);
    expect(calls[first + 2]).toBe(`open ${part}`);
    expect(calls.indexOf(`open ${part}`)).toBe(first + 2);
    for (const [i, call] of calls.entries()) {
      if (call !== `rename ${part}.journal.tmp` || i === first) continue;
      const before = calls.slice(0, i);
      expect(before.lastIndexOf(`sync ${part}`)).toBeGreaterThan(
        before.lastIndexOf(`write ${part}`),
      );
      expect(before.at(-1)).toBe(`sync ${part}.journal.tmp`);
    }
    const whole = isOldestFirst ? `${part}.whole` : part;
    const renamed = calls.indexOf(`rename ${whole}`);
    expect(calls.slice(0, renamed).lastIndexOf(`sync ${whole}`)).toBeGreaterThan(
      calls.lastIndexOf(`write ${whole}`),
    );
    expect(calls[renamed + 1]).toBe("sync folder of t.csv");
    const ended = calls.indexOf(`remove ${part}.journal`);
    expect(calls[ended - 1]).toBe(`sync folder of ${part}`);
    expect(calls.slice(ended + 1)).toEqual([`remove ${part}.lock`]);
  });
});

test("a full disk keeps what was proven, and the next run goes on from there", async () => {
  const { text } = await unbroken();
  const files = new MemoryDisk();
  let writes = 0;
  files.fail = (call) => {
    if (call === "write t.csv.part" && ++writes > 6) throw fault("ENOSPC");
  };
  const error = await errorOf<MonitorError>(exportTo(files));
  expect(error.message).toBe("cannot write t.csv: the disk is full (ENOSPC)");
  expect(error.advice).toContain("resumes there");
  files.fail = () => {};
  const requests: PageRequest[] = [];
  const source = sourceOf((request) => {
    requests.push(request);
    return pageOf(listing, request);
  });
  await exportTo(files, { source });
  expect(files.text("t.csv")).toBe(text);
  const resumed = requests.splice(0).length;
  await unbroken({ source });
  expect(resumed).toBeLessThan(requests.length);
});

test("a service that does not answer leaves nothing behind", async () => {
  const source = { get: () => Promise.reject(new Error("gone")) };
  const files = new MemoryDisk();
  expect((await errorOf(exportTo(files, { source }))).message).toBe("gone");
  expect(files.names).toEqual([]);
});

test("a folder where nothing may be written is named", async () => {
  const files = new MemoryDisk();
  files.fail = () => {
    throw fault("EROFS");
  };
  const error = await errorOf(exportTo(files));
  expect(error.message).toBe("cannot write t.csv: the file system is read-only (EROFS)");
});

test("a part file that was changed since is neither trusted nor touched", async () => {
  const files = new MemoryDisk();
  files.cutAt = 22;
  await errorOf(exportTo(files));
  files.restart(1);
  const changed = (files.text("t.csv.part") ?? "").replace("perp", "spot");
  files.put("t.csv.part", changed);
  const error = await errorOf(exportTo(files));
  expect(error.message).toContain("t.csv.part is not what its journal says");
  expect(files.text("t.csv.part")).toBe(changed);
});

describe.each([false, true])(
  "a service that lists rows of one time in any order, oldest first: %s",
  (isOldestFirst) => {
    /** Every answer has the rows of one time in another order. */
    function shuffling(seed: number) {
      const random = createRandom(seed);
      return sourceOf((request) => {
        const keys = new Map(listing.map(({ record }) => [record, random()]));
        const shuffled = listing.toSorted(
          (a, b) =>
            Number(b.index - a.index) ||
            b.record.timestamp_ms - a.record.timestamp_ms ||
            (keys.get(a.record) ?? 0) - (keys.get(b.record) ?? 0),
        );
        return pageOf(shuffled, request);
      });
    }

    test("ends with the same bytes every time, killed or not, with its rows by time and id", async () => {
      const texts = new Set<string | undefined>();
      let calls = 0;
      for (let seed = 1; seed <= 6; seed++) {
        const files = new MemoryDisk();
        const changes: Changes = { isOldestFirst, source: shuffling(seed) };
        if (seed > 2) {
          files.cutAt = Math.floor((calls * seed) / 8);
          await errorOf(exportTo(files, changes));
          files.restart(1);
        }
        const { notes, sha256 } = await exportTo(files, changes);
        if (seed === 1) calls = files.calls.length;
        expect(notes).toContain("unstable-order");
        expect(files.names).toEqual(["t.csv"]);
        const text = files.text("t.csv") ?? "";
        expect(createHash("sha256").update(text).digest("hex")).toBe(sha256);
        texts.add(text);
      }
      const { text } = await unbroken({ isOldestFirst });
      expect([...texts]).toEqual([text]);
    });
  },
);

describe("the lock of a file", () => {
  const mark = { monitor: "lock of an export" };
  const held = JSON.stringify({ ...mark, host: "here", pid: 77, started: "5" });

  test("of a living process keeps others out", async () => {
    const files = new MemoryDisk();
    files.put("t.csv.part.lock", held);
    const processes = { ...alone, isAlive: ({ pid }: { pid: number }) => pid === 77 };
    const error = await errorOf(exportTo(files, {}, { processes }));
    expect(error.message).toContain("another export writes this file already (process 77)");
    expect(files.text("t.csv.part.lock")).toBe(held);
  });

  test.each(["", '{"monitor":"lock o', held])(
    "that a dead process left (%j) holds nobody up",
    async (text) => {
      const files = new MemoryDisk();
      files.put("t.csv.part.lock", text);
      expect((await exportTo(files)).verdict.isComplete).toBe(true);
      expect(files.names).toEqual(["t.csv"]);
    },
  );
});

test("a lock that cannot be written leaves nothing behind", async () => {
  const files = new MemoryDisk();
  files.fail = (call) => {
    if (call === "write t.csv.part.lock") throw fault("ENOSPC");
  };
  expect((await errorOf(exportTo(files))).message).toContain("the disk is full (ENOSPC)");
  expect(files.names).toEqual([]);
});

test("a lock that another process took over while it was empty is not held", async () => {
  const files = new MemoryDisk();
  const theirs = JSON.stringify({
    monitor: "lock of an export",
    host: "here",
    pid: 2,
    started: "2",
  });
  files.fail = (call) => {
    if (call === "write t.csv.part.lock") files.put("t.csv.part.lock", theirs);
  };
  expect((await errorOf(exportTo(files))).message).toContain("another export writes this file");
  expect(files.names).toEqual(["t.csv.part.lock"]);
  expect(files.text("t.csv.part.lock")).toBe(theirs);
});

test("a stopped export goes on where its rows have numbers that no float holds", async () => {
  let left = Number.POSITIVE_INFINITY;
  const changes: Changes = {
    source: sourceOf((request) => {
      if (left-- === 0) throw new Error("gone");
      return pageOf(listing, request).map((record) => ({
        ...record,
        seq: [new ExactNumber(`9007199254740993.${record.trade_id}0`)],
      }));
    }),
    format: ndjson<TradeRecord>(),
  };
  const whole = await unbroken(changes);
  const files = new MemoryDisk();
  left = 8;
  expect((await errorOf(exportTo(files, changes))).message).toBe("gone");
  expect(files.text("t.csv.part")).toContain('"seq":[9007199254740993.');
  left = Number.POSITIVE_INFINITY;
  const { verdict } = await exportTo(files, changes);
  expect(verdict).toMatchObject({ isComplete: true });
  expect(files.text("t.csv")).toBe(whole.text);
});

test("a stopped export whose pages had to grow goes on, however much is newer", async () => {
  const GROUP = 30;
  const [NEWER, CAP, OLD] = [60, 40, 300];
  // The newest rows that are exported are of one transaction, which is longer than a page of 20.
  const all = Array.from({ length: NEWER + OLD }, (_, i) => {
    const number = NEWER + OLD - i;
    const index = BigInt(number > OLD - GROUP && number <= OLD ? OLD : number);
    const record = { ...model, trade_id: `${number}`, timestamp_ms: 1_700_000_000_000 + number };
    return { index, record };
  });
  let [rows, lowest] = [all.slice(NEWER), 0n];
  const source = sourceOf(({ before, limit }) => {
    if (before !== undefined && before < lowest) throw new Error("gone");
    return pageOf(rows, { before, limit: Math.min(limit, CAP) });
  });
  const changes = { source };
  const whole = await unbroken(changes);
  const files = new MemoryDisk();
  lowest = 120n;
  expect((await errorOf(exportTo(files, changes))).message).toBe("gone");
  const { progress } = JSON.parse(files.text("t.csv.part.journal") ?? "{}");
  expect(progress.pager.pages).toBeGreaterThan(3);
  [rows, lowest] = [all, 0n];
  const { verdict, compared } = await exportTo(files, changes);
  expect(verdict).toMatchObject({ isComplete: true });
  expect(compared).toMatch(/places? found as before the stop/);
  expect(files.text("t.csv")).toBe(whole.text);
});

test("of a filtered export only what is found is written, and all of its span is proven", async () => {
  const isFound = ({ trade_id }: TradeRecord) => trade_id.endsWith("5");
  const only = filterRecords(format, (trade) => (isFound(trade) ? trade : undefined));
  const found = listing.flatMap(({ record }) => (isFound(record) ? format.linesOf(record) : []));
  expect((await unbroken({ format: only })).text).toBe(format.header + found.join(""));
});
