// monitor export when something stops it: nothing is lost, nothing is false, and the same command goes on.
import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { rowsOf } from "../support/csv-rows.ts";
import { asTrades, endAt, exportRig, monitor } from "../support/export-rig.ts";
import { runMonitor } from "../support/monitor-process.ts";

const rig = exportRig();
const { start, fileOf, read } = rig;

describe("an export that is stopped", () => {
  test("by SIGINT says what is kept and how to go on", async () => {
    const listings = await start({ transactions: 1000, delayMs: 4 });
    const words = `trades 1 -o ${fileOf("t.csv")} --page-size 100`;
    const stopped = await endAt(listings, 30, words, "SIGINT");
    expect(stopped).toMatchObject({ code: 130, stdout: "" });
    const rows = rowsOf(read("t.csv.part"));
    expect(stopped.stderr).toContain(
      `${rows.length} rows, newest ${rows[0]?.time}, oldest ${rows.at(-1)?.time}, `,
    );
    expect(stopped.stderr).toMatch(/ [0-9]+ pages, complete: no \(stopped by SIGINT\)\n/);
    expect(stopped.stderr).toContain(
      `is kept in ${fileOf("t.csv")}.part; the same command resumes there`,
    );
    const other = await monitor(`trades 1 -o ${fileOf("t.csv")} --max 5`, listings);
    expect(other).toMatchObject({ code: 2 });
    expect(other.stderr).toContain("is what another export has begun");
    const next = await monitor(words, listings);
    expect(next.code).toBe(0);
    expect(next.stderr).toMatch(/^[0-9]+ rows, .*complete: yes/);
  });

  test("by a service that is gone keeps what was proven", async () => {
    const listings = await start({ transactions: 800, delayMs: 4 });
    listings.onRequest = (count) => {
      if (count === 30) listings.close();
    };
    const gone = await monitor(`trades 1 -o ${fileOf("t.csv")} --page-size 100`, listings);
    expect(gone.code).toBe(1);
    const kept = rowsOf(read("t.csv.part")).length;
    expect(gone.stderr).toMatch(
      new RegExp(`^${kept} rows, newest .*, complete: no \\(failed: http://127.*\\)\\n`),
    );
    expect(gone.stderr).toContain("is kept in");
    expect(gone.stderr).toMatch(/monitor: http:\/\/127.*connection/);
    expect(read("t.csv.part").length).toBeGreaterThan(1000);
  });

  test("a second one on the same file is refused while the first runs", async () => {
    const listings = await start({ transactions: 500 });
    const words = `trades 1 -o ${fileOf("t.csv")} --page-size 100`;
    let second: ReturnType<typeof monitor> | undefined;
    // The first gets its third page when the second has ended.
    listings.onRequest = (count) => {
      if (count === 3) second = monitor(words, listings);
      return second;
    };
    expect((await monitor(words, listings)).code).toBe(0);
    const refused = await second;
    expect(refused?.code).toBe(2);
    expect(refused?.stderr).toContain("another export writes this file already");
  });
});

test("one transaction larger than any page ends with 3 and says so", async () => {
  const listings = await start({ giantRows: 1100, cursor: "transaction", transactions: 100 });
  const { code, stderr } = await monitor(
    `trades 1 -o ${fileOf("t.csv")} --page-size 100`,
    listings,
  );
  expect(code).toBe(3);
  expect(stderr).toContain("complete: no (not proven: one transaction fills a page of 1000 rows");
  expect(existsSync(fileOf("t.csv"))).toBe(false);
  const kept = rowsOf(read("t.csv.part"));
  expect(kept).toEqual(asTrades(listings.trades).slice(0, kept.length));
});

test("one transaction larger than the pages that were asked for is crossed by a larger one", async () => {
  const listings = await start({ giantRows: 120, cursor: "transaction", transactions: 100 });
  const words = `trades 1 -o ${fileOf("t.csv")} --page-size 100`;
  expect((await monitor(words, listings)).code).toBe(0);
  expect(rowsOf(read("t.csv"))).toEqual(asTrades(listings.trades));
});
test("a reader that goes away ends it quietly", async () => {
  const listings = await start({ transactions: 2000 });
  const ended = await runMonitor(["export", "trades", "1", "--base-url", listings.baseUrl], {
    isReaderGone: true,
  });
  expect(ended).toMatchObject({ code: 0, stderr: "" });
});
