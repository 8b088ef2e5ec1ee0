// What a user or a service can get wrong about an export: one clear line, one line of advice, the right exit code.
import { existsSync, mkdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { exportRig, monitor } from "../support/export-rig.ts";
import { OWNER } from "../support/foreign-listings.ts";
import { runMonitor } from "../support/monitor-inside.ts";
import { httpAnswer, type ScriptedAnswer, serveScript } from "../support/scripted-http.ts";

const rig = exportRig();
const url = "http://127.0.0.1:1";

describe.concurrent("wrong use", () => {
  test.each<[words: string, message: string]>([
    ["fish 1", "no such listing: fish"],
    ["trades", "export needs an argument"],
    ["trades perp/1 perp/2", "a word is missing or too many"],
    [
      "trades BTC-PERP",
      "the listings know markets by number only, and no stream is known that could say what BTC-PERP is",
    ],
    [`fills ${OWNER}`, "a word is missing or too many"],
    ["fills 0x12 0", "not an owner: 0x12"],
    [`fills ${"A".repeat(40)} 0`, "an address of the stream is no owner of the listings"],
    ["trades 1 --since 2025-02-30", '--since cannot be "2025-02-30"'],
    ["trades 1 --since 2025-11-22 --until 2025-11-21", "--since is after --until"],
    ["trades 1 --page-size 0", "--page-size cannot be 0"],
    ["trades 1 --page-size 1001", "--page-size cannot be 1001"],
    ["trades 1 --format xml", '--format cannot be "xml"'],
    ["trades 1 --append", "--append needs a file"],
    ["trades 1 --cursor-field price", '--cursor-field cannot be "price"'],
  ])("monitor export %s", async (words, message) => {
    const ended = await monitor(words, { baseUrl: url });
    expect(ended.stderr.startsWith(`monitor: ${message}`)).toBe(true);
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr.trimEnd().split("\n").length).toBe(2);
  });

  test("without an address, or with a query in it", async () => {
    const none = await runMonitor(["export", "trades", "1"]);
    expect(none).toMatchObject({ code: 2 });
    expect(none.stderr).toMatch(/^monitor: no address of the listings is known\n.*--base-url/);
    const query = await monitor("trades 1", { baseUrl: `${url}/?key=1` });
    expect(query).toMatchObject({ code: 2 });
    expect(query.stderr).toMatch(/^monitor: --base-url has a query\n/);
  });
});

test("a target that is a folder", async () => {
  mkdirSync(rig.fileOf("x.csv"));
  const ended = await monitor(`trades 1 -o ${rig.fileOf("x.csv")}`, { baseUrl: url });
  expect(ended).toMatchObject({ code: 2 });
  expect(ended.stderr).toContain("is a folder");
});

test("a manifest that cannot be where it is wanted is refused before anything is asked for", async () => {
  const listings = await rig.start({ transactions: 10 });
  mkdirSync(rig.fileOf("folder"));
  const file = rig.fileOf("t.csv");
  for (const [manifest, message] of [
    [rig.fileOf("none/m.json"), "no such folder"],
    [rig.fileOf("folder"), "is a folder"],
    [file, "--manifest and -o name the same file"],
  ] as const) {
    const ended = await monitor(`trades 1 -o ${file} --manifest ${manifest}`, listings);
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toContain(message);
  }
  expect(listings.requests).toEqual([]);
  expect(existsSync(file)).toBe(false);
});

// Of other kinds, and in the middle: export-odd-answers.
test.each<[what: string, answer: ScriptedAnswer, message: string]>([
  ["404", httpAnswer(404, "no such market\x1b[2J"), "answers 404: no such market\\x1b[2J"],
  ["a record without a field", httpAnswer(200, '[{"trade_id":"1"}]'), "[0].tx_hash"],
  ["text that is not JSON", httpAnswer(200, "[{]"), "the body is not JSON"],
])("a first answer that is no page: %s", async (_, answer, message) => {
  const server = await serveScript([answer]);
  const ended = await monitor(`trades 1 -o ${rig.fileOf("t.csv")}`, server);
  expect(ended.stderr).toContain(message);
  expect(ended).toMatchObject({ code: 1, stdout: "" });
  expect(ended.stderr).toMatch(
    /^0 rows, newest -, oldest -, 0 pages, complete: no \(failed: .*\)\nmonitor: /,
  );
  expect(existsSync(rig.fileOf("t.csv"))).toBe(false);
});
