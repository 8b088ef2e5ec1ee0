// A service that amends its history while an export is stopped, or answers somebody else with something else: what is written is
// one listing, or none.
import { existsSync, readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { rowsOf } from "../support/csv-rows.ts";
import { asTrades, exportRig, monitor, runHurried } from "../support/export-rig.ts";
import { type Rows, serveTrades, tradesDownFrom } from "../support/trades-server.ts";

const rig = exportRig();
const { fileOf, read } = rig;
const ROWS = 300;
const PAGE = 20;
const PAGES_BEFORE = 7;

/** An export that is stopped after some pages; then its listing becomes another one. */
async function stopped(more = "", headers = "", pagesBefore = PAGES_BEFORE) {
  const ledger: Record<string, unknown>[] = tradesDownFrom(ROWS);
  let isBroken = true;
  let requests = 0;
  let onRequest = () => {};
  const server = await serveTrades(ledger, () => {
    requests++;
    onRequest();
    return isBroken && requests > pagesBefore ? { status: 404, body: "gone" } : undefined;
  });
  const words = `trades 1 -o ${fileOf("t.csv")} --page-size ${PAGE}${more}`;
  const args = [..."export ".concat(words).split(" "), "--base-url", server.baseUrl];
  const run = (header = headers) =>
    runHurried(header === "" ? args : [...args, "--header", header]);
  expect((await run()).code).toBe(pagesBefore === 1 ? 3 : 1);
  isBroken = false;
  requests = 0;
  const afterRequest = (count: number, change: () => void) => {
    onRequest = () => {
      if (requests === count) change();
    };
  };
  const part = read("t.csv.part");
  return { ledger, server, run, part, requests: () => requests, afterRequest };
}

const amend = (ledger: Record<string, unknown>[], at: number) => {
  ledger[at] = { ...ledger[at], price: "1.00" };
};

describe.each(["", " --oldest-first"])("a stopped export whose listing%s", (order) => {
  test.each<[what: string, change: (ledger: Record<string, unknown>[], kept: number) => unknown]>([
    ["has another row in its first page", (ledger) => amend(ledger, 3)],
    ["has another row where the export was", (ledger, kept) => amend(ledger, kept - 2)],
    [
      "has other rows on the way",
      (ledger, kept) => {
        for (let at = kept >> 2; at < kept >> 1; at++) amend(ledger, at);
      },
    ],
    ["lacks a row that it had", (ledger) => ledger.splice(5, 1)],
    ["lacks its newest rows", (ledger) => ledger.splice(0, 30)],
    [
      "has a row more among the old ones",
      (ledger) => ledger.splice(7, 0, { ...ledger[7], trade_id: "881" }),
    ],
    ["is another one in every row", (ledger) => [...ledger.keys()].map((i) => amend(ledger, i))],
    ["is empty", (ledger) => ledger.splice(0)],
  ])("%s ends with 3 and the place, and keeps its part file", async (_, change) => {
    const { ledger, run, part } = await stopped(order);
    change(ledger, part.trimEnd().split("\r\n").length - 1);
    const { code, stderr } = await run();
    expect(stderr).toMatch(
      /^[0-9]+ rows, .*, complete: no \(not proven: the listing is not what it was when this export was stopped, near 2025-11-13T\S+\)\n/,
    );
    expect(stderr).toContain("what was proven before is kept in");
    expect(code).toBe(3);
    expect(read("t.csv.part")).toBe(part);
    expect(existsSync(fileOf("t.csv"))).toBe(false);
  });

  test.each([
    [1, ROWS + 200],
    [2, ROWS],
  ])(
    "ends whole, stopped after %i pages that newer rows have moved away, with %i rows",
    async (pages, rows) => {
      const { ledger, run } = await stopped(order, "", pages);
      ledger.unshift(...tradesDownFrom(ROWS + 200).slice(0, 200));
      expect((await run()).code).toBe(0);
      expect(rowsOf(read("t.csv"))).toHaveLength(rows);
    },
  );

  test.each([0, 1, 7, 19, 20, 21, 200])("has %i rows more at its top goes on", async (count) => {
    const { ledger, run, requests } = await stopped(order);
    const rows = asTrades([...ledger]);
    const newer = tradesDownFrom(ROWS + count).slice(0, count);
    ledger.unshift(...newer);
    const { code, stderr } = await run();
    expect(code, stderr).toBe(0);
    expect(rowsOf(read("t.csv"))).toEqual(order === "" ? rows : rows.reverse());
    expect(readdirSync(rig.folder)).toEqual(["t.csv"]);
    expect(stderr).toMatch(/; (its first page and )?[23a] places? found as before the stop/);
    // What is left takes a page each and some at the end; the rest is what was asked again.
    expect(requests()).toBeLessThan(ROWS / PAGE - PAGES_BEFORE + 40);
  });
});

test("a service that has come back with a copy that lags behind is asked a second time", async () => {
  const { ledger, run, afterRequest } = await stopped();
  const rows = asTrades([...ledger]);
  const newest = ledger.splice(0, 3);
  // The page of a request is made by then: the copy has caught up when the second one comes.
  afterRequest(1, () => ledger.unshift(...newest));
  const { code, stderr } = await run();
  expect(code, stderr).toBe(0);
  expect(rowsOf(read("t.csv"))).toEqual(rows);
});

describe("a stopped export that is asked for with", () => {
  test.each([
    ["another header", "X-Key: one", "X-Key: two"],
    ["a header more", "", "X-Key: two"],
    ["a header less", "X-Key: one", ""],
  ])("%s is another export, and no value is told", async (_, before, after) => {
    const { run, part } = await stopped("", before);
    const { code, stderr } = await run(after);
    expect(code).toBe(2);
    expect(stderr).toContain("is what another export has begun");
    expect(read("t.csv.part")).toBe(part);
    for (const value of ["one", "two"]) {
      expect(read("t.csv.part.journal")).not.toContain(`"${value}"`);
      expect(read("t.csv.part.journal")).not.toContain(`: ${value}`);
    }
    expect((await run(before)).code).toBe(0);
  });

  test("another address is another export", async () => {
    await stopped();
    const other = await serveTrades(tradesDownFrom(ROWS), () => undefined);
    const words = `trades 1 -o ${fileOf("t.csv")} --page-size ${PAGE}`;
    expect((await monitor(words, other)).code).toBe(2);
  });
});

test("the price is at most eight requests", async () => {
  const asked: number[] = [];
  for (const change of [undefined, (ledger: Rows) => amend(ledger as never, 3)]) {
    const { ledger, run, requests } = await stopped();
    change?.(ledger);
    await run();
    asked.push(requests());
  }
  // Of the first, the rest of the listing: 8 pages, and what its end takes.
  expect(asked[1]).toBeLessThanOrEqual(8);
});
