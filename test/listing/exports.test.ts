// What an export of a listing asks for, what it says, and what it leaves, against services that answer as the document allows.
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ListingOptions } from "../support/composed-listing.ts";
import { rowsOf } from "../support/csv-rows.ts";
import { monitor, recordsOf, startExport } from "../support/export-run.ts";

const start = (options: Partial<ListingOptions> = {}) => startExport(options, "t.ndjson");

test("a transaction larger than a page is not crossed: what is proven stays beside the file, or becomes it when that is asked for", async () => {
  const options = { cursor: "hidden", transactions: 8, rows: [55, 60], cap: 50 } as const;
  const { run, folder, listing, fileOf } = await start(options);
  const { code, stderr } = await run();
  expect(code).toBe(3);
  expect(stderr).toContain("one transaction may be larger than a page");
  expect(stderr).toContain("--allow-unproven makes it the file");
  expect(readdirSync(folder).sort()).toEqual(["t.ndjson.part", "t.ndjson.part.journal"]);
  expect((await run("--allow-unproven")).code).toBe(3);
  expect(readdirSync(folder)).toEqual(["t.ndjson"]);
  expect(listing.findFault(recordsOf(fileOf("t.ndjson")), false)).toBeUndefined();
});

describe("a listing that changes while it is read", () => {
  test("at its newest row is exported as it was at first", async () => {
    const { run, listing, fileOf } = await start({ cursor: "time", arrivals: 3, cap: 100 });
    const { code, stderr } = await run();
    expect(code, stderr).toBe(0);
    expect(listing.findFault(recordsOf(fileOf("t.ndjson")), true)).toBeUndefined();
  });

  test.each<ListingOptions["cursor"]>(["id", "time", "hidden"])(
    "at its oldest rows is complete by %s",
    async (cursor) => {
      const { run } = await start({ cursor, expiring: 0.4, arrivals: 0.4, cap: 100, step: 9 });
      const { code, stderr } = await run();
      expect(code, stderr).toBe(0);
    },
  );

  test("in the middle of what was read is not proven", async () => {
    const { run, listing } = await start({ transactions: 300, cap: 100 });
    listing.insteadOf = (count, _, page) => [
      200,
      JSON.stringify(count < 3 ? page : page.filter(({ trade_id }) => Number(trade_id) % 5 !== 0)),
    ];
    const { code, stderr } = await run();
    expect(code).toBe(3);
    expect(stderr).toMatch(/complete: no \(/);
  });
});

test("the last line says how many rows of which times and how many pages were read", async () => {
  const { run, listing } = await start({ transactions: 90 });
  const [newest, second, oldest] = [0, 1, -1].map((at) =>
    new Date(Number(listing.rows.at(at)?.timestamp_ms)).toISOString(),
  );
  const { stderr } = await run("--page-size 40");
  expect(stderr).toMatch(`90 rows, newest ${newest}, oldest ${oldest}, 3 pages, complete: yes (`);
  const one = await run(`--max 1`, "u.csv");
  expect(one.stderr).toMatch(`1 row, newest ${newest}, oldest ${newest}, 1 page, complete: yes (`);
  const two = await run(`--max 2`, "v.csv");
  expect(two.stderr).toMatch(`2 rows, newest ${newest}, oldest ${second}, 1 page`);
});

test.each(["", " --format ndjson", " --oldest-first", " --max 0"])(
  "standard output gets the rows that a file gets with%s",
  async (words) => {
    const { run, listing, read } = await start({ kind: "fills", transactions: 90 });
    const more = `--page-size 40${words}`;
    const { code, stdout } = await monitor(`export ${listing.words} ${more}`, listing);
    const name = words.includes("ndjson") ? "t.ndjson" : "t.csv";
    await run(more, name);
    expect([code, stdout]).toEqual([0, read(name)]);
  },
);

describe("bounds", () => {
  const hour = 3_600_000;
  test("--since and --until choose the rows of that time", async () => {
    const { run, listing, fileOf } = await start({ transactions: 200, pace: hour, cap: 25 });
    const [untilMs, sinceMs] = [50, 160].map((at) => Number(listing.rows[at]?.timestamp_ms));
    const { code, stderr } = await run(`--since ${sinceMs} --until ${untilMs}`);
    expect(code, stderr).toBe(0);
    expect(recordsOf(fileOf("t.ndjson"))).toEqual(listing.rows.slice(50, 161));
  });

  test("a time is typed in seconds, milli-, micro- or nanoseconds", async () => {
    const { run, listing, fileOf } = await start({ transactions: 20, pace: hour });
    const at = Number(listing.rows[5]?.timestamp_ms);
    const expected = listing.rows.filter(({ timestamp_ms }) => Number(timestamp_ms) >= at);
    const seconds = `${Math.floor(at / 1000)}.${String(at % 1000).padStart(3, "0")}`;
    for (const typed of [seconds, `${seconds}999999`, at, `${at}000`, `${at}000000`]) {
      const { code, stderr } = await run(`--since ${typed} --force`);
      expect(code, stderr).toBe(0);
      expect(recordsOf(fileOf("t.ndjson"))).toEqual(expected);
    }
  });

  test("of a time without rows it is said of which times there are rows", async () => {
    const { run, listing } = await start({ transactions: 20, pace: hour });
    const [newest, oldest] = [listing.rows[0], listing.rows.at(-1)].map((row) =>
      new Date(Number(row?.timestamp_ms)).toISOString(),
    );
    const { code, stderr } = await run("--until 2001-01-01");
    expect(code).toBe(0);
    expect(stderr).toContain(`nothing of that time, but of ${oldest} to ${newest})`);
    const later = await run("--since 2100-01-01 --page-size 3 --force");
    expect(later.stderr).toContain(`nothing of that time, the newest is of ${newest})`);
    expect((await run("--max 0 --force")).stderr).not.toContain("nothing of that time");
  });

  test("a time ends nothing where the rows are not newest first", async () => {
    const { run, listing } = await start({ transactions: 40 });
    listing.insteadOf = (_, __, page) => [200, JSON.stringify(page.toReversed())];
    const { code, stderr } = await run(`--since ${listing.rows[20]?.timestamp_ms}`);
    expect(code).toBe(3);
    expect(stderr).toContain("not newest first");
  });

  test("--max takes the newest rows, and asks for no more", async () => {
    const { run, listing, fileOf } = await start();
    const { code } = await run("--max 70");
    expect(code).toBe(0);
    expect(recordsOf(fileOf("t.ndjson"))).toEqual(listing.rows.slice(0, 70));
    expect(listing.requests).toBe(1);
  });
});

describe("an answer that may be another one next time", () => {
  test.each<[what: string, answer: [number, string]]>([
    ["503", [503, "not now"]],
    ["a page of maintenance with 200", [200, "<html>maintenance</html>"]],
  ])("%s is asked for again, up to five times", async (_, answer) => {
    const { run, listing, fileOf } = await start({ transactions: 40 });
    listing.insteadOf = (count) => (count > 1 && count < 5 ? answer : undefined);
    expect((await run()).code).toBe(0);
    expect(recordsOf(fileOf("t.ndjson"))).toEqual(listing.rows);
    const before = listing.requests;
    listing.insteadOf = () => answer;
    const { code, stderr } = await run("", "u.csv");
    expect(code).toBe(1);
    expect(stderr).toContain("complete: no (failed: ");
    expect(listing.requests - before).toBe(5);
  });

  test("is said with its first line when it does not become one", async () => {
    const { run, listing } = await start();
    listing.insteadOf = () => [200, "<html>maintenance until noon</html>\nmore"];
    expect((await run()).stderr).toContain(
      "no list of records: <html>maintenance until noon</html>",
    );
  });
});

describe("an answer that stays what it is", () => {
  test.each<[number, RegExp]>([
    [404, /answers 404.*\n.*prefix/s],
    [401, /answers 401/],
    [302, /redirect/],
  ])("%i ends the export at once", async (status, said) => {
    const { run, listing, folder } = await start();
    listing.insteadOf = () => [status, ""];
    const { code, stderr } = await run();
    expect([code, listing.requests]).toEqual([1, 1]);
    expect(stderr).toMatch(said);
    expect(existsSync(join(folder, "t.ndjson"))).toBe(false);
  });

  test("a list in bytes that are no text is not read as other text", async () => {
    const { run, listing } = await start();
    listing.insteadOf = () => [200, Buffer.from('[{"symbol":"fr\u00fch"}]', "latin1")];
    const { code, stderr } = await run();
    expect([code, stderr]).toEqual([1, expect.stringContaining("not UTF-8")]);
  });

  test("a mark of byte order before a list is none of it", async () => {
    const { run, listing } = await start({ transactions: 0 });
    listing.insteadOf = () => [200, "\ufeff[]"];
    const { code, stderr } = await run("", "t.csv");
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^0 rows, .*complete: yes/)]);
  });

  test("a listing without rows is complete", async () => {
    for (const emptyPage of ["list", "204", "404"] as const) {
      const { run } = await start({ transactions: 0, emptyPage });
      const { code, stderr } = await run("", "t.csv");
      expect([code, stderr]).toEqual([
        0,
        expect.stringMatching(/^0 rows, newest -, oldest -, 0 pages, complete: yes \(/),
      ]);
    }
  });
});

describe("rows of something else than was asked for", () => {
  const turn = (text: string, from: string, to: string) => text.replaceAll(from, to);
  test.each<[what: string, kind: ListingOptions["kind"], from: string, to: string, said: string]>([
    [
      "another market",
      "trades",
      '"market_id":1',
      '"market_id":2',
      "asked for market perp/1, got perp/2",
    ],
    ["another market type", "trades", '"perp"', '"spot"', "asked for market perp/1, got spot/1"],
    ["another subaccount", "fills", 'subaccount_id":1', 'subaccount_id":7', "asked for fills of"],
    ["another owner", "fills", "cdcd", "efef", "asked for fills of"],
    [
      "a field that is missing",
      "trades",
      '"price"',
      '"cost"',
      "price: nothing is not numeric text",
    ],
    ["a number that is none", "trades", '"0"', '"x"', "maker_client_order_id: "],
  ])("%s are refused by name", async (_, kind, from, to, said) => {
    const { run, listing, folder } = await start({ kind });
    listing.insteadOf = (_, __, page) => [200, turn(JSON.stringify(page), from, to)];
    const { code, stderr } = await run();
    expect(code).toBe(1);
    expect(stderr).toContain(said);
    expect(existsSync(join(folder, "t.ndjson"))).toBe(false);
  });

  test("are no rows whose market or owner is spelled in another way", async () => {
    for (const [kind, from, to] of [
      ["trades", '"perp"', '"PERPETUAL"'],
      ["fills", "cdcd", "CDCD"],
    ] as const) {
      const { run, listing } = await start({ kind, transactions: 30 });
      listing.insteadOf = (_, __, page) => [200, turn(JSON.stringify(page), from, to)];
      const { code, stderr } = await run();
      expect(code, stderr).toBe(0);
    }
  });
});

describe("a file that is added to", () => {
  const grow = { transactions: 200, arrivals: 3, cap: 60 };

  test.each<ListingOptions["cursor"]>(["id", "time", "hidden"])(
    "gets what is newer, by %s, in the order of the listing",
    async (cursor) => {
      const { run, listing, fileOf } = await start({ ...grow, cursor, rows: [1, 3], step: 30 });
      await run("--append");
      const before = recordsOf(fileOf("t.ndjson"));
      const { code, stderr } = await run("--append");
      expect(code, stderr).toBe(0);
      expect(stderr).toMatch(/joins the file: [0-9]+ of its rows compared/);
      const rows = recordsOf(fileOf("t.ndjson"));
      expect(rows.length).toBeGreaterThan(before.length);
      expect(rows.slice(0, before.length)).toEqual(before);
      expect(listing.findFault(rows.toReversed(), true)).toBeUndefined();
    },
  );

  test("is the same file when nothing is newer", async () => {
    const { run, read, folder } = await start();
    await run("--append", "t.csv");
    const before = read("t.csv");
    const { code, stderr } = await run("--append", "t.csv");
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^0 rows/)]);
    expect(read("t.csv")).toBe(before);
    expect(readdirSync(folder)).toEqual(["t.csv"]);
  });

  test("stays as it is when the listing does not have its last rows", async () => {
    const { run, read, fileOf, folder } = await start();
    await run("--append", "t.csv");
    const lines = read("t.csv").split("\r\n");
    const last = lines.length - 2;
    lines[last] = (lines[last] ?? "").replace(",perp,1,", ",perp,1,9");
    writeFileSync(fileOf("t.csv"), lines.join("\r\n"));
    const { code, stderr } = await run("--append", "t.csv");
    expect(code).toBe(3);
    expect(stderr).toContain("does not have the last rows of the file");
    expect(read("t.csv")).toBe(lines.join("\r\n"));
    expect(readdirSync(folder)).toEqual(["t.csv"]);
  });

  test("must begin with its oldest row", async () => {
    const { run } = await start();
    await run("", "t.csv");
    const { code, stderr } = await run("--append", "t.csv");
    expect(code).toBe(2);
    expect(stderr).toContain("begins with the newest row");
  });
});

test("the oldest first is the newest first, turned round", async () => {
  const { run, read } = await start({ kind: "fills" });
  await run("", "a.csv");
  await run("--oldest-first", "b.csv");
  expect(rowsOf(read("b.csv"))).toEqual(rowsOf(read("a.csv")).reverse());
});

describe("a stopped export", () => {
  async function stop(options: Partial<ListingOptions> = {}) {
    const started = await start({ transactions: 300, ...options });
    started.listing.insteadOf = (count) => (count > 5 ? [403, "gone"] : undefined);
    expect((await started.run("--page-size 40")).code).toBe(1);
    started.listing.insteadOf = () => undefined;
    return started;
  }

  test.each<[where: string, arrivals: number, pace: number]>([
    ["above its first row", 1, 900],
    ["in the millisecond of its first row", 1, 2],
    ["by more than a page", 20, 900],
  ])("gets no rows that arrived meanwhile, %s", async (_, arrivals, pace) => {
    const { run, listing, fileOf } = await stop({ arrivals, pace });
    const { code, stderr } = await run("--page-size 40");
    expect(code, stderr).toBe(0);
    expect(stderr).toContain(`${300 + arrivals} rows`);
    expect(recordsOf(fileOf("t.ndjson"))).toEqual(listing.rows.slice(-300 - arrivals));
  });

  const priced = (row: object) => ({ ...row, price: "1" });
  test.each<[what: string, change: (page: readonly object[], isNewest: boolean) => object]>([
    ["other rows", (page) => page.map(priced)],
    [
      "another newest row",
      (page, isNewest) => (isNewest ? page.with(0, priced(page[0] ?? {})) : page),
    ],
  ])("whose service has %s now is not gone on with", async (_, change) => {
    const { run, listing, folder, read } = await stop();
    const part = read("t.ndjson.part");
    listing.insteadOf = (_count, query, page) => [
      200,
      JSON.stringify(change(page, !query.has("before"))),
    ];
    const { code, stderr } = await run("--page-size 40");
    expect(code).toBe(3);
    expect(stderr).toContain("the service lists other rows than before");
    expect(stderr).toContain("remove the part file and its journal to begin anew");
    expect(read("t.ndjson.part")).toBe(part);
    expect(readdirSync(folder).sort()).toEqual(["t.ndjson.part", "t.ndjson.part.journal"]);
  });

  test.each<[what: string, name: string, change: (text: string) => string]>([
    ["more than its journal vouches for", "t.ndjson.part", (text) => `${text}{"trade_id"`],
    ["half a line more in its journal", "t.ndjson.part.journal", (text) => `${text}{"end":`],
    [
      "a line less in its journal",
      "t.ndjson.part.journal",
      (text) => text.replace(/[^\n]*\n$/, ""),
    ],
  ])("that has %s goes on to the same rows", async (_, name, change) => {
    const { run, listing, fileOf, read, folder } = await stop();
    writeFileSync(fileOf(name), change(read(name)));
    const { code, stderr } = await run("--page-size 40");
    expect(code, stderr).toBe(0);
    expect(recordsOf(fileOf("t.ndjson"))).toEqual(listing.rows);
    expect(readdirSync(folder)).toEqual(["t.ndjson"]);
  });

  test("whose part file is shorter than its journal says is left as it is", async () => {
    const { run, fileOf, read } = await stop();
    const part = read("t.ndjson.part").slice(0, -1);
    writeFileSync(fileOf("t.ndjson.part"), part);
    const { code, stderr } = await run("--page-size 40");
    expect([code, stderr]).toEqual([2, expect.stringMatching(/is not what.*\n.*remove/)]);
    expect(read("t.ndjson.part")).toBe(part);
  });

  test("whose service takes its cursors no more is not gone on with", async () => {
    const { run, listing } = await stop();
    listing.insteadOf = (_, query) => (query.has("before") ? [400, "no"] : undefined);
    const { code, stderr } = await run("--page-size 40");
    expect(code).toBe(3);
    expect(stderr).toContain("the service lists other rows than before");
  });
});

test("a file of some megabytes is gone on with, added to and replaced", async () => {
  const { run, listing, read, fileOf } = await start({ transactions: 6000, arrivals: 1 });
  listing.insteadOf = (count) => (count > 6 ? [403, "gone"] : undefined);
  expect((await run("--append")).code).toBe(1);
  expect(read("t.ndjson.part").length).toBeGreaterThan(1 << 20);
  listing.insteadOf = () => undefined;
  for (const words of ["--append", "--append", "--oldest-first"]) {
    const { code, stderr } = await run(words);
    expect(code, stderr).toBe(0);
    const rows = recordsOf(fileOf("t.ndjson")).toReversed();
    expect(rows).toEqual(listing.rows.slice(-rows.length));
  }
});

test("a part file of another export is left as it is", async () => {
  const { run, listing, read } = await start({ transactions: 300 });
  listing.insteadOf = (count) => (count > 5 ? [403, "gone"] : undefined);
  await run("--page-size 40");
  const part = read("t.ndjson.part");
  listing.insteadOf = () => undefined;
  const { code, stderr } = await run("--page-size 40 --since 2020-01-01");
  expect(code).toBe(2);
  expect(stderr).toContain("is what another export has begun");
  expect(read("t.ndjson.part")).toBe(part);
  const again = await run("--page-size 40");
  expect(again.code, again.stderr).toBe(0);
});
