// What monitor export writes besides its rows: the manifest, and how far it is on a terminal.
import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { showProgress } from "../../src/export/progress-lines.ts";
import { iso } from "../support/csv-rows.ts";
import { exportRig, monitor } from "../support/export-rig.ts";
import { OWNER } from "../support/foreign-listings.ts";
import { serveTrades, tradesDownFrom } from "../support/trades-server.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const rig = exportRig();

describe("the manifest", () => {
  test("of a whole export says what it is of and how it was proven", async () => {
    const listings = await rig.start();
    const [file, manifest] = [rig.fileOf("t.csv"), rig.fileOf("m.json")];
    const words = `fills ${OWNER} 1 -o ${file} --page-size 100 --manifest ${manifest}`;
    expect((await monitor(words, listings)).code).toBe(0);
    const times = listings.fills.map(({ timestamp_ms }) => iso(timestamp_ms));
    const told = JSON.parse(rig.read("m.json"));
    expect(told).toEqual({
      listing: `fills ${OWNER} 1`,
      base_url: listings.baseUrl,
      file,
      format: "csv",
      sha256: createHash("sha256").update(rig.read("t.csv")).digest("hex"),
      as_of: times[0],
      newest: times[0],
      oldest: times.at(-1),
      rows: times.length,
      rows_before: 0,
      records: times.length,
      pages: Math.ceil(times.length / 100),
      requests: expect.any(Number),
      probes: expect.any(Number),
      retries: 0,
      complete: true,
      proven_by: "trade_id",
      proof: expect.stringMatching(
        /^overlap by trade_id; nothing listed below [0-9,]+ in [0-9]+ probes$/,
      ),
      ended_at: "end",
      flags: [],
      notes: [],
      compared: null,
      pages_with_unlisted_fields: 0,
    });
    expect(told.requests).toBeGreaterThanOrEqual(told.pages);
  });

  test("counts retries and pages with unlisted fields, and names what is in doubt", async () => {
    const ledger = tradesDownFrom(40);
    const server = await serveTrades(ledger, (page, count) => {
      if (count === 1) return { status: 500, body: "broken" };
      return count < 4 ? page.map((row) => ({ ...row, seq: 1 })) : page.toReversed();
    });
    const words = `trades 1 -o ${rig.fileOf("t.csv")} --page-size 10`;
    const { code } = await monitor(`${words} --manifest ${rig.fileOf("m.json")}`, server);
    expect(code).toBe(3);
    const told = JSON.parse(rig.read("m.json"));
    expect(told).toMatchObject({ complete: false, proven_by: null, ended_at: null, sha256: null });
    expect(told).toMatchObject({ file: `${rig.fileOf("t.csv")}.part`, retries: 1 });
    expect(told.pages_with_unlisted_fields).toBeGreaterThan(0);
    expect(told.flags).toEqual([{ flag: expect.any(String), detail: expect.any(String) }]);
  });
});

describe("the line of progress", () => {
  const progress = {
    rows: 100,
    records: 100,
    newestMs: 1_763_000_000_000,
    oldestMs: 1_762_999_990_000,
    pages: 2,
    requests: 3,
    isSecondPass: false,
  };

  function onTerminal(isTTY: boolean, columns = 120) {
    const written: string[] = [];
    const stderr = { isTTY, columns, write: (text: string) => written.push(text) > 0 };
    const clock = createVirtualClock();
    const shown = showProgress({ stderr: stderr as never, clock }, { max: 400 });
    return { clock, shown, last: () => written.at(-1), written };
  }

  test("shows rows, rate, time reached, proven pages, retries and what is left", () => {
    const { clock, shown, last } = onTerminal(true);
    shown.onProgress({ ...progress, rows: 0, records: 0 });
    clock.advance(1000);
    shown.onRetry({ count: 1, reason: "answers 503\u001b[2J", waitMs: 1500 });
    expect(last()).toBe("\r\u001b[Ktrying again in 1.5 s: answers 503\\x1b[2J");
    clock.advance(1000);
    shown.onProgress(progress);
    expect(last()).toBe(
      "\r\u001b[K100 rows, 50/s, back to 2025-11-13T02:13:10.000Z, 2 pages proven, 3 requests, 1 tried again, about 6.0s left",
    );
    shown.onProgress({ ...progress, isSecondPass: true });
    expect(last()).toBe("\r\u001b[K100 rows, reading all of it a second time");
    shown.end();
    expect(last()).toBe("\r\u001b[K");
  });

  test.each<[columns: number, line: string]>([
    [
      100,
      "100 rows, 50/s, back to 2025-11-13T02:13:10.000Z, 2 pages proven, 3 requests, about 6.0s left",
    ],
    [80, "100 rows, 50/s, back to 2025-11-13T02:13:10.000Z, 3 requests, about 6.0s left"],
    [40, "100 rows, 50/s, about 6.0s left"],
    [9, "100 rows"],
  ])(
    "leaves out what matters less on a terminal of %i columns, and never wraps",
    (columns, line) => {
      const { clock, shown, last } = onTerminal(true, columns);
      shown.onProgress({ ...progress, rows: 0, records: 0 });
      clock.advance(2000);
      shown.onProgress(progress);
      expect(last()).toBe(`\r\u001b[K${line}`);
      shown.onRetry({ count: 1, reason: "answers 503: ".padEnd(200, "x"), waitMs: 1500 });
      expect(last()?.length).toBe("\r\u001b[K".length + columns - 1);
    },
  );

  test("says what an earlier run has proven, in a line that stays", () => {
    const { shown, last } = onTerminal(true);
    shown.onResume(58);
    expect(last()).toBe(
      "\r\u001b[Kmonitor: going on after 58 rows that an earlier run has proven\n",
    );
  });

  test("is not written where stderr is no terminal", () => {
    const { shown, written } = onTerminal(false);
    shown.onResume(58);
    shown.onProgress(progress);
    shown.onRetry({ count: 1, reason: "answers 503", waitMs: 1 });
    shown.end();
    expect(written).toEqual([]);
  });
});
