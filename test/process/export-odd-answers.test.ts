// monitor export and answers that are odd, or break in the middle: the file is right, or the last lines say why not.
import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { rowsOf } from "../support/csv-rows.ts";
import { asTrades, exportRig, monitor } from "../support/export-rig.ts";
import { type Instead, type Rows, serveTrades, tradesDownFrom } from "../support/trades-server.ts";

const rig = exportRig();
const LEDGER = tradesDownFrom(90);
const COMPLETE =
  /^90 rows, newest \S+, oldest \S+, [0-9]+ pages, complete: yes \(pages joined by trade_id; no older row in /;

async function exportOver(
  insteadOf: (page: Rows, count: number) => Instead | undefined,
  ledger: Rows = LEDGER,
) {
  const server = await serveTrades(ledger, insteadOf);
  const ended = await monitor(`trades 1 -o ${rig.fileOf("t.csv")} --page-size 20`, server);
  return ended;
}

describe("an answer in the middle that is no page", () => {
  const bad = (page: Rows) => page.map((row, i) => (i === 1 ? { ...row, price: "1e5" } : row));
  const [html, there] = [{ "content-type": "text/html" }, { location: "/there" }];
  test.each<[what: string, insteadOf: (page: Rows) => Instead, message: string]>([
    ["a web page", () => ({ status: 200, body: "<p>", headers: html }), "answers a web page"],
    ["301", () => ({ status: 301, body: "", headers: there }), "redirects to /there (301)"],
    ["404", () => ({ status: 404, body: "gone" }), "answers 404: gone"],
    ["a bad record", bad, "[1].price"],
  ])("%s: what is proven is kept, and the same command goes on", async (_, broken, message) => {
    const stopped = await exportOver((page, count) => (count > 3 ? broken(page) : undefined));
    expect(stopped).toMatchObject({ code: 1, stdout: "" });
    const kept = rowsOf(rig.read("t.csv.part"));
    expect(kept.length).toBeGreaterThan(0);
    expect(kept).toEqual(asTrades(LEDGER).slice(0, kept.length));
    const [closing, part, error] = stopped.stderr.split("\n");
    expect(closing?.startsWith(`${kept.length} rows, newest ${kept[0]?.time}, oldest `)).toBe(true);
    expect(closing).toContain(`, oldest ${kept.at(-1)?.time}, `);
    expect(closing).toMatch(/ pages?, complete: no \(failed: http/);
    expect(part).toBe(
      `what is proven is kept in ${rig.fileOf("t.csv")}.part; the same command resumes there`,
    );
    expect(error?.startsWith("monitor: http")).toBe(true);
    expect(error).toContain(message);
    expect(existsSync(rig.fileOf("t.csv"))).toBe(false);
  });

  test("a run that goes on and fails at once counts what is there; the next one ends", async () => {
    const server = await serveTrades(LEDGER, (_, count) =>
      count > 3 && count < 7 ? { status: 403, body: "gone" } : undefined,
    );
    const words = `trades 1 -o ${rig.fileOf("t.csv")} --page-size 20`;
    const counts: (string | undefined)[] = [];
    let ended = await monitor(words, server);
    for (; ended.code === 1 && counts.length < 9; ended = await monitor(words, server)) {
      counts.push(ended.stderr.split(" rows")[0]);
      expect(`${rowsOf(rig.read("t.csv.part")).length}`).toBe(counts.at(-1));
    }
    expect(counts.length).toBeGreaterThan(1);
    expect(new Set(counts).size).toBe(1);
    expect(ended.stderr).toMatch(COMPLETE);
    expect(rowsOf(rig.read("t.csv"))).toEqual(asTrades(LEDGER));
  });
});

describe("answers that are odd and right", () => {
  test("pages that are longer than was asked for", async () => {
    const { code, stderr } = await exportOver((page) => {
      const at = LEDGER.findIndex(({ trade_id }) => trade_id === page[0]?.trade_id);
      return at < 0 ? [] : LEDGER.slice(at, at + 25);
    });
    expect(stderr).toMatch(COMPLETE);
    expect(code).toBe(0);
    expect(rowsOf(rig.read("t.csv"))).toEqual(asTrades(LEDGER));
  });

  test("an empty listing", async () => {
    const { code, stderr } = await exportOver(() => undefined, []);
    expect(stderr).toMatch(/^0 rows, newest -, oldest -, 0 pages, complete: yes \(/);
    expect(code).toBe(0);
    expect(rowsOf(rig.read("t.csv"))).toEqual([]);
  });

  test("zeros before numbers, and fields that the interface does not list", async () => {
    const odd = LEDGER.map((row) => ({
      ...row,
      trade_id: `000${row.trade_id}`,
      price: `00${row.price}`,
    }));
    const { code, stderr } = await exportOver(
      (page) => page.map((row) => ({ ...row, seq: 1 })),
      odd,
    );
    expect(stderr).toMatch(COMPLETE);
    expect(code).toBe(0);
    expect(rowsOf(rig.read("t.csv"))).toEqual(asTrades(odd));
  });
});

describe("answers that leave a doubt end with 3 and no file", () => {
  test.each<[what: string, insteadOf: (page: Rows, count: number) => Instead, why: string]>([
    ["rows out of order", (page) => page.toReversed(), "the service's rows are not newest first"],
    [
      "rows out of order in the middle",
      (page, count) => (count < 3 ? page : page.toReversed()),
      "not proven: ",
    ],
    [
      "the same page again and again",
      () => LEDGER.slice(0, 20),
      "the service answers the same rows",
    ],
  ])("%s", async (_, insteadOf, why) => {
    const { code, stderr, stdout } = await exportOver(insteadOf);
    expect(stderr).toMatch(/^[0-9]+ rows?, newest .*, complete: no \(not proven: /);
    expect(stderr).toContain(why);
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    expect(existsSync(rig.fileOf("t.csv"))).toBe(false);
  });
});
