// monitor statement against a service whose fills a test can change: what it says, what persists, and what it notices.
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Clock } from "../../src/units/clock.ts";
import { hurriedClock } from "../support/hurried-clock.ts";
import { listedTrade } from "../support/listed-trade.ts";
import { runInside } from "../support/monitor-inside.ts";
import { folderOfTest } from "../support/temporary-folder.ts";
import { type Rows, serveTrades } from "../support/trades-server.ts";

const OWNER = `0x${"ab".repeat(20)}`;
const OTHER = `0x${"cd".repeat(20)}`;
const START_MS = Date.UTC(2026, 4, 28);
const HOUR_MS = 3_600_000;

let folder = "";
beforeEach(() => {
  folder = folderOfTest();
  vi.stubEnv("XDG_DATA_HOME", folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

/** Fill number n, from 1: an hour after the one before it; every third one is sold. */
function fillAt(n: number, fields: object = {}) {
  return listedTrade({
    trade_id: `${n * 5}`,
    tx_hash: `0x${n.toString(16)}`,
    price: `${100 + (n % 7)}`,
    quantity: "2",
    quote_notional: `${200 + 2 * (n % 7)}`,
    taker_is_bid: n % 3 !== 0,
    taker_address: OWNER,
    maker_address: OTHER,
    taker_fee_quote: "0.25",
    ...fields,
    timestamp_ms: START_MS + n * HOUR_MS,
  });
}

const fillsDownFrom = (newest: number) =>
  Array.from({ length: newest }, (_, i) => fillAt(newest - i));

async function serve(ledger: Rows, insteadOf: Parameters<typeof serveTrades>[1] = () => undefined) {
  const asked: URLSearchParams[] = [];
  const service = await serveTrades(ledger, (page, count, query) => {
    asked.push(query);
    return insteadOf(page, count, query);
  });
  const run = async (...[first, ...more]: readonly (string | { readonly clock: Clock })[]) => {
    asked.length = 0;
    const clock = typeof first === "object" ? first.clock : hurriedClock;
    const words = (typeof first === "string" ? [first, ...more] : more) as readonly string[];
    const args = ["statement", OWNER, "0", "--base-url", service.baseUrl, ...words];
    return runInside(args, new AbortController().signal, clock);
  };
  return { run, asked };
}

/** A service of so many fills whose cursor is in no field of theirs, and whose ids say nothing of the order. */
async function serveHidden(count: number) {
  const ledger: Record<string, unknown>[] = fillsDownFrom(count);
  const indexOf = (row: Record<string, unknown>) => BigInt(row.tx_hash as string) * 9n + 400n;
  for (const row of ledger) row.trade_id = `${(Number(row.tx_hash) * 7919) % 100_003}`;
  const { run } = await serve(ledger, (_, __, query) => {
    const before = query.get("before");
    return ledger
      .filter((row) => before === null || indexOf(row) < BigInt(before))
      .slice(0, Number(query.get("limit")));
  });
  return { ledger, run };
}

const fillsFolder = () => join(folder, "monitor", "fills");

test("days and markets of a whole listing, its totals and its proof", async () => {
  const { run } = await serve(fillsDownFrom(30));
  const { code, stdout, stderr } = await run("--json");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const { days, totals, proof, complete, books } = JSON.parse(stdout);
  expect(complete).toBe(true);
  expect(proof).toMatch(
    /^the first page; nothing listed below 5 in .* opening position of 0 is assumed$/,
  );
  expect(
    days.map(({ day, market, fills }: Record<string, unknown>) => [day, market, fills]),
  ).toEqual([
    ["2026-05-28", "perp/1", 23],
    ["2026-05-29", "perp/1", 7],
  ]);
  expect(totals).toMatchObject({
    fills: 30,
    maker_fills: 0,
    bought: "40",
    sold: "20",
    fees_quote: "7.5",
  });
  expect(books).toEqual({ "perp/1": { fills: "20", position: null, difference: null } });
});

test("a month and a time zone choose the days", async () => {
  const { run } = await serve(fillsDownFrom(100));
  const daysOf = async (...words: string[]) =>
    JSON.parse((await run("--json", ...words)).stdout).days.map(({ day }: { day: string }) => day);
  expect(await daysOf("--month", "2026-06")).toEqual(["2026-06-01"]);
  // Fill 22 is of 22:00 UTC.
  expect((await daysOf("--time-zone", "Europe/Berlin"))[0]).toBe("2026-05-28");
  expect(await daysOf("--month", "2026-06", "--time-zone", "Asia/Tokyo")).toEqual(["2026-06-01"]);
  expect(await daysOf("--month", "2027-01")).toEqual([]);
});

test.each([
  // The clock of the test stands in 2026-05.
  ["2026-06", "2026-06 has not begun: today is 2026-05-31"],
  ["2026-05", "2026-05 is not over: today is 2026-05-31"],
  ["2026-04", ""],
])("of the month %s it says whether it has begun and is over", async (month, words) => {
  const { run } = await serve(fillsDownFrom(30));
  const clock = { ...hurriedClock, wall: () => Date.UTC(2026, 4, 31, 23) };
  const { code, stdout } = await run({ clock }, "--month", month);
  expect(code).toBe(0);
  const closing = stdout.trimEnd().split("\n").at(-1);
  expect(closing).toMatch(new RegExp(`^[0-9]+ fills, complete: yes \\(${words}`));
  expect(closing?.includes("today is")).toBe(words !== "");
  const early = await run({ clock }, "--json", "--month", "2026-06", "--time-zone", "Asia/Tokyo");
  expect(JSON.parse(early.stdout).proof).toMatch(/^2026-06 is not over: today is 2026-06-01; /);
});

test.each([1, 3])(
  "of %i fills of one transaction alone it says exactly why they are not proven",
  async (count) => {
    const { run } = await serve(
      fillsDownFrom(count).map((fill) => ({ ...fill, trade_id: "5", timestamp_ms: START_MS })),
    );
    const { code, stdout } = await run();
    expect(code).toBe(3);
    expect(stdout).toContain(
      `${count === 1 ? "the only row that was answered is" : "all 3 rows that were answered are"} of 2026-05-28T00:00:00.000Z, and no answer was longer: nothing shows that one can hold more rows of one transaction; once a row of another time is listed, it can be proven`,
    );
  },
);

test("an owner without fills is complete, and everything is 0", async () => {
  const { run } = await serve([]);
  for (const words of [["--json"], ["--json"], ["--json", "--no-cache"]]) {
    const { code, stdout } = await run(...words);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      complete: true,
      days: [],
      totals: { fills: 0, bought: "0" },
    });
  }
  expect((await run()).stdout).toMatch(/^0 fills, complete: yes \(the first page is empty/);
});

test("a second opening asks only for what is new, and comes to the same as without the cache", async () => {
  const ledger = fillsDownFrom(2500);
  const { run, asked } = await serve(ledger);
  expect((await run("--json")).code).toBe(0);
  const first = asked.length;
  for (let n = 2501; n <= 2510; n++) ledger.unshift(fillAt(n));
  const again = await run("--json");
  const second = asked.length;
  expect({ code: again.code, stderr: again.stderr }).toEqual({ code: 0, stderr: "" });
  expect(second).toBeLessThan(first / 2);
  const anew = await run("--json", "--no-cache");
  const { proof: _, ...cached } = JSON.parse(again.stdout);
  const { proof: __, ...whole } = JSON.parse(anew.stdout);
  expect(cached).toEqual(whole);
  expect(whole.totals.fills).toBe(2510);
});

test("what persists can be read by its owner only, and nothing persists with --no-cache", async () => {
  const { run } = await serve(fillsDownFrom(10));
  await run("--no-cache");
  expect(existsSync(fillsFolder())).toBe(false);
  await run();
  const names = readdirSync(fillsFolder());
  expect(names.map((name) => name.replace(/^[0-9a-f]+/, "")).sort()).toEqual([".csv", ".json"]);
  for (const name of names) expect(statSync(join(fillsFolder(), name)).mode & 0o777).toBe(0o600);
  expect(statSync(fillsFolder()).mode & 0o777).toBe(0o700);
});

test("fills that were amended since are found and said, and all are asked for again", async () => {
  const ledger = fillsDownFrom(1500);
  const { run } = await serve(ledger);
  await run();
  // The oldest: the farthest from what a second opening has to ask for.
  ledger[1499] = fillAt(1, { price: "90", quote_notional: "180" });
  const { code, stdout, stderr } = await run("--json");
  expect(code).toBe(0);
  expect(stderr).toMatch(
    /the listing is not what it was when fills were persisted: .*asked for again/,
  );
  const anew = await run("--json", "--no-cache");
  expect(JSON.parse(stdout).totals).toEqual(JSON.parse(anew.stdout).totals);
  expect((await run()).stderr).toBe("");
});

test("an amended fill between the places that are always compared is found in turn, and till then it is said since when it was not compared", async () => {
  const ledger = fillsDownFrom(12_000);
  const { run, asked } = await serve(ledger);
  await run();
  const amended = 4500;
  ledger[12_000 - amended] = fillAt(amended, { price: "90", quote_notional: "180" });
  ledger.unshift(fillAt(12_001));
  // Four stretches of 768 rows each time: the sixth is among the second four.
  const early = await run("--json");
  expect([early.stderr, asked.length <= 20]).toEqual(["", true]);
  const { proof, totals } = JSON.parse(early.stdout);
  expect(totals.fills).toBe(12_001);
  expect(proof).toMatch(
    /[67][0-9]{3} of 12000 rows of the file compared with the listing; the others were compared last on 20[0-9-]{8}T[0-9:.]+Z or later, 3072 more each time/,
  );
  ledger.unshift(fillAt(12_002));
  const found = await run("--json");
  expect(found.stderr).toMatch(/the listing is not what it was .* all of them are asked for again/);
  const anew = JSON.parse((await run("--json", "--no-cache")).stdout);
  expect(JSON.parse(found.stdout).totals).toEqual(anew.totals);
});

test("an amended fill of a service whose cursor is in no field is found in turn, too", async () => {
  const { ledger, run } = await serveHidden(6000);
  expect((await run()).code).toBe(0);
  const at = ledger.findIndex(({ tx_hash }) => Number(tx_hash) === 2200);
  ledger[at] = { ...ledger[at], price: "90", quote_notional: "180" };
  let said = "";
  for (let opened = 0; opened < 2 && said === ""; opened++) said = (await run()).stderr;
  expect(said).toMatch(/the listing is not what it was .* all of them are asked for again/);
  expect((await run()).stdout).not.toContain("not found there");
});

test("the last line of the text has the words of an export, of what persists, too", async () => {
  const { ledger, run } = await serveHidden(3700);
  const lastLine = async () => (await run()).stdout.trimEnd().split("\n").at(-1) ?? "";
  const reason = "pages joined by search; no older row in [0-9]+ requests below [0-9,]+";
  const assumed = "an opening position of 0 is assumed\\)$";
  expect(await lastLine()).toMatch(
    new RegExp(`^3700 fills, complete: yes \\(${reason}; ${assumed}`),
  );
  ledger.unshift(...fillsDownFrom(3705).slice(0, 5));
  const compared = "all 3700 rows of the file compared with the listing";
  expect(await lastLine()).toMatch(
    new RegExp(
      `^3705 fills, complete: yes \\(all on the first page; ${compared}; older fills on [0-9TZ:.-]+: ${reason}; ${assumed}`,
    ),
  );
});

test("every stretch of the persisted fills is compared within as many openings as there are fours of them", async () => {
  const ledger = fillsDownFrom(6000);
  const { run } = await serve(ledger);
  const facts = () => {
    const [name = ""] = readdirSync(fillsFolder()).filter((each) => each.endsWith(".json"));
    return JSON.parse(readFileSync(join(fillsFolder(), name), "utf8")).comparedAtMs as number[];
  };
  await run();
  const start = Math.max(...facts());
  for (let opened = 0; opened < 2; opened++) await run();
  expect(facts()).toHaveLength(Math.ceil(6000 / 768));
  expect(Math.min(...facts())).toBeGreaterThan(start);
});

test("a persisted fill that somebody took out or changed is noticed", async () => {
  const { run } = await serve(fillsDownFrom(50));
  const whole = JSON.parse((await run("--json")).stdout).totals;
  const [name = ""] = readdirSync(fillsFolder()).filter((each) => each.endsWith(".csv"));
  const path = join(fillsFolder(), name);
  const lines = readFileSync(path, "utf8").split("\r\n");
  writeFileSync(path, lines.toSpliced(20, 1).join("\r\n"));
  const { code, stdout, stderr } = await run("--json");
  expect(code).toBe(0);
  expect(stderr).toContain("the persisted fills are not as they were written");
  expect(JSON.parse(stdout).totals).toEqual(whole);
});

test("a listing that cannot be proven is shown as far as it is, with exit code 3", async () => {
  const ledger = fillsDownFrom(2200);
  // Below the second page the service answers the same rows whatever is asked for.
  const stuck = (page: Rows, _: number, query: URLSearchParams) =>
    query.has("before") && BigInt(query.get("before") ?? "0") < 6000n
      ? ledger.slice(1000, 1200)
      : page;
  for (const words of [[], ["--no-cache"], []]) {
    const { run } = await serve(ledger, stuck);
    const { code, stdout } = await run("--json", ...words);
    expect(code).toBe(3);
    const { complete, proof, totals } = JSON.parse(stdout);
    expect(complete).toBe(false);
    expect(proof).toMatch(/^not proven: /);
    expect(totals.fills).toBeGreaterThanOrEqual(1000);
  }
});

test("another service, another header or another subaccount is another file", async () => {
  const { run } = await serve(fillsDownFrom(5));
  await run();
  await run("--header", "X-Key: one");
  expect(readdirSync(fillsFolder()).length).toBe(4);
});

test("fills whose addresses do not show the side of the owner are in no sum, and the statement is not complete", async () => {
  const ledger = [fillAt(2, { taker_address: "base58likeAddress" }), fillAt(1)];
  const { run } = await serve(ledger);
  const { code, stdout } = await run();
  expect(code).toBe(3);
  expect(stdout).toMatch(/1 fill, complete: no \(.*1 fill in no sum/);
});

test("words of the service that a terminal would obey or hide are escapes in JSON and spelled out in text", async () => {
  const { run } = await serve([fillAt(1, { market_type: "x\u001b[2J\u202e" })]);
  const { stdout } = await run("--json");
  expect(stdout).toContain('"market":"x\\u001b[2J\\u202e/1"');
  expect(JSON.parse(stdout).days[0].market).toBe("x\u001b[2J\u202e/1");
  expect((await run()).stdout).toContain("x\\x1b[2J\\u202e/1");
});

test.each([
  ["price", "-3.25"],
  ["quantity", "-2"],
  ["quote_notional", "-200"],
])("a %s of %s is refused with one line that says so, whatever persists", async (field, value) => {
  const ledger = fillsDownFrom(20);
  const { run } = await serve(ledger);
  await run();
  ledger.unshift(fillAt(21, { [field]: value }));
  const { code, stdout, stderr } = await run();
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  const [line = "", advice, ...more] = stderr.trimEnd().split("\n");
  expect(line).toMatch(
    new RegExp(
      `^monitor: http.*: \\[0\\]\\.${field}: "${value}" is not numeric text without a sign$`,
    ),
  );
  expect([advice, ...more]).toHaveLength(1);
  ledger.shift();
  expect((await run()).code).toBe(0);
});

test("fees of any size and sign are summed up as they are listed, exactly", async () => {
  const { run } = await serve([
    fillAt(3, { taker_fee_quote: "-0.000000000000000000000000000001" }),
    fillAt(2, { taker_fee_quote: "123456789012345678901234567890.5" }),
    fillAt(1, { taker_fee_quote: "-0" }),
  ]);
  const { code, stdout } = await run("--json");
  expect(code).toBe(0);
  expect(JSON.parse(stdout).totals).toMatchObject({
    fees_quote: "123456789012345678901234567890.499999999999999999999999999999",
    maker_fees_quote: "0",
  });
});

test("forty markets, fills with oneself on both sides and prices of 0 come to the same with and without what persists", async () => {
  const ledger = fillsDownFrom(400).map((fill, i) => ({
    ...fill,
    market_id: 1 + (i % 40),
    ...(i % 4 === 0 && { maker_address: OWNER }),
    ...(i % 9 === 0 && { price: "0", quote_notional: "0" }),
  }));
  const { run } = await serve(ledger);
  await run();
  const cached = JSON.parse((await run("--json")).stdout);
  const { code, stdout } = await run("--json", "--no-cache");
  const { proof: _, ...whole } = JSON.parse(stdout);
  expect(code).toBe(0);
  expect(cached).toMatchObject(whole);
  expect(Object.keys(whole.books)).toHaveLength(40);
  expect(whole.totals).toMatchObject({ fills: 400, maker_fills: 100 });
});

test("a value that is not price times quantity is said", async () => {
  const { run } = await serve([fillAt(2, { quote_notional: "20400" }), fillAt(1)]);
  expect((await run()).stdout).toContain("1 fill with a value that is not price × quantity");
});

test("Koinly gets a line for each fill, and needs to be given both assets", async () => {
  const { run } = await serve([
    fillAt(3, { maker_address: OWNER, taker_address: OTHER, maker_fee_quote: "-0.1" }),
    fillAt(2),
  ]);
  const none = await run("--format", "koinly", "--base-asset", "BTC");
  expect(none.code).toBe(2);
  expect(none.stderr).toContain("--quote-asset");
  const { code, stdout } = await run(
    "--format",
    "koinly",
    "--base-asset",
    "BTC",
    "--quote-asset",
    "USDC",
  );
  expect(code).toBe(0);
  expect(stdout.trimEnd().split("\r\n")).toEqual([
    "Date,Sent Amount,Sent Currency,Received Amount,Received Currency,Fee Amount,Fee Currency,Net Worth Amount,Net Worth Currency,Label,Description,TxHash",
    "2026-05-28 02:00:00 UTC,204,USDC,2,BTC,0.25,USDC,,,,buy perp/1 as taker,0x2",
    "2026-05-28 03:00:00 UTC,206,USDC,2,BTC,,,,,,buy perp/1 as maker,0x3",
    "2026-05-28 03:00:00 UTC,,,0.1,USDC,,,,,reward,rebate of perp/1,0x3",
  ]);
});

test.each([
  [["--month", "2026-13"], "--month cannot be"],
  [["--time-zone", "Mars/Olympus"], "--time-zone cannot be"],
  [["--format", "csv"], "--format cannot be csv with statement"],
  [["--base-asset", "BTC"], "have no meaning alone"],
])("%j is refused before anything is asked", async (words, message) => {
  const { run, asked } = await serve([]);
  const { code, stderr } = await run(...words);
  expect({ code, asked: asked.length }).toEqual({ code: 2, asked: 0 });
  expect(stderr).toContain(message);
});
