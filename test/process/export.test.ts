// `monitor export` as it is built: standard output, pipes and devices, signals, and what it says.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type ListingOptions, serveListing } from "../support/composed-listing.ts";
import { rowsOf } from "../support/csv-rows.ts";
import { runMonitor } from "../support/monitor-process.ts";
import { folderOfTest } from "../support/temporary-folder.ts";

async function start(options: Partial<ListingOptions> = {}) {
  const listing = await serveListing(options);
  const folder = folderOfTest();
  const args = (words = "") => [
    ...`export ${listing.words} ${words}`.trim().split(" "),
    "--base-url",
    listing.baseUrl,
  ];
  return { listing, folder, fileOf: (name: string) => join(folder, name), args };
}

describe.concurrent("an export to standard output", () => {
  test.each(["", "--oldest-first"])(
    "writes rows alone, and its closing line beside them %s",
    async (order) => {
      const { args, listing } = await start({ transactions: 250 });
      const { code, stdout, stderr } = await runMonitor(args(order));
      expect(code).toBe(0);
      const ids = rowsOf(stdout).map(({ trade_id }) => trade_id);
      const wanted = listing.rows.map(({ trade_id }) => trade_id);
      expect(ids).toEqual(order === "" ? wanted : wanted.reverse());
      expect(stderr).toMatch(
        /^250 rows, newest \S+Z, oldest \S+Z, [0-9]+ pages?, complete: yes \(.+\)\n$/,
      );
    },
  );

  test("ends quietly when its reader has what it wanted", async () => {
    const { args } = await start({ transactions: 3000 });
    const { code, stderr } = await runMonitor(args("--page-size 100"), { isReaderGone: true });
    expect([code, stderr]).toEqual([0, ""]);
  });

  test("prints nothing when the first request fails", async () => {
    const { args, listing } = await start();
    listing.insteadOf = () => [401, "who are you?"];
    const { code, stdout, stderr } = await runMonitor(args());
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("answers 401: who are you?");
    expect(stderr).toContain("--header");
  });

  test("to a full disk ends with 1 and says so", async () => {
    const { args } = await start();
    const { code, stderr } = await runMonitor(args(), { shell: { after: ">/dev/full" } });
    expect(code).toBe(1);
    expect(stderr).toMatch(/complete: no \(/);
  });
});

test("an export to a pipe with a reader is read as it comes", async () => {
  const { args, fileOf, listing } = await start({ transactions: 250 });
  spawnSync("sh", ["-c", `mkfifo ${fileOf("pipe")}`]);
  const reader = spawn("cat", [fileOf("pipe")]);
  const text = reader.stdout.setEncoding("utf8").toArray();
  const { code, stderr } = await runMonitor(args(`-o ${fileOf("pipe")}`), {
    // The reader has opened the pipe when the program can.
    shell: { before: `exec 9>${fileOf("pipe")}` },
  });
  expect(code, stderr).toBe(0);
  expect(rowsOf((await text).join(""))).toHaveLength(listing.rows.length);
});

test.each<[NodeJS.Signals, number]>([
  ["SIGTERM", 143],
  ["SIGINT", 130],
])("a %s leaves what is proven, says so, and the same command goes on", async (signal, code) => {
  const { args, listing, folder, fileOf } = await start({ transactions: 600 });
  const words = `--page-size 50 -o ${fileOf("t.csv")}`;
  const stopped = await runMonitor(args(words), {
    onStart: (kill) => {
      listing.onRequest = (count) => {
        if (count === 6) kill(signal);
      };
    },
  });
  expect(stopped.code).toBe(code);
  expect(stopped.stderr).toMatch(
    new RegExp(
      `complete: no \\(stopped by ${signal}\\)\\n.*t\\.csv\\.part: the same command goes on`,
    ),
  );
  expect(readdirSync(folder).sort()).toEqual(["t.csv.part", "t.csv.part.journal"]);
  listing.onRequest = () => {};
  expect((await runMonitor(args(words))).code).toBe(0);
  expect(rowsOf(readFileSync(fileOf("t.csv"), "utf8"))).toHaveLength(600);
});

test("progress is shown where standard error is a terminal, and nowhere else", async () => {
  const { args, listing } = await start({ transactions: 300 });
  const { stderr } = await runMonitor(args("--page-size 20"));
  expect(stderr).not.toContain("\r");
  expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  expect(listing.requests).toBeGreaterThan(10);
});

test.each([
  ["no listing", "export candles 1", "expected: trades, liquidations or fills"],
  ["no market", "export trades", ""],
  ["a page that is too long", "export trades 1 --page-size 1001", "1 to 1000"],
  [
    "bounds that exclude each other",
    "export trades 1 --since 2026-01-02 --until 2026-01-01",
    "--since is after --until",
  ],
  ["--append without a file", "export trades 1 --append", "--append -o FILE"],
  ["an owner of another form", "export fills 0x12 0", "0x and 40 hex digits"],
  ["a subaccount out of range", `export fills 0x${"1".repeat(40)} 65536`, "0 to 65535"],
])("%s is wrong use, before anything is sent", async (_, words, said) => {
  const args = [...words.split(" "), "--base-url", "http://127.0.0.1:1"];
  const { code, stdout, stderr } = await runMonitor(args);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain(said);
});

test("how cursors are found is learned for the service, in the state folder of whoever runs it", async () => {
  const { args, listing, folder, fileOf } = await start({
    cursor: "hidden",
    step: 50,
    transactions: 3000,
  });
  const env = { XDG_STATE_HOME: folder };
  await runMonitor(args(), { env });
  const learned = JSON.parse(readFileSync(fileOf("monitor/dialect.json"), "utf8"));
  expect(learned[listing.baseUrl]).toEqual({
    "cursor.trades": { value: "search", learned: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) },
  });
  const first = listing.requests;
  const { code, stderr } = await runMonitor(args(), { env });
  expect(code, stderr).toBe(0);
  expect(listing.requests - first).toBeLessThan(first);
  expect(existsSync(fileOf("dialect.json"))).toBe(false);
});
