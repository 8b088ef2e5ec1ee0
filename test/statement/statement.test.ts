// monitor statement: sums beside an oracle in exact fractions, the JSON that scripts read, books, and fills that are stored.
import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { createNames } from "../../src/dialect/names.ts";
import { RestClient } from "../../src/listing/rest-client.ts";
import { readFills } from "../../src/statement/fills.ts";
import { StatementFold } from "../../src/statement/fold.ts";
import { assetsOf } from "../../src/statement/koinly.ts";
import { hasDifference, reconcile } from "../../src/statement/reconcile.ts";
import { formatDecimal, parseDecimal } from "../../src/units/decimal.ts";
import type { TradeRecord } from "../../src/wire/rest/trades.ts";
import { OWNER, serveListing } from "../support/composed-listing.ts";
import { rowsOf } from "../support/csv-rows.ts";
import { monitor } from "../support/export-run.ts";
import { hurriedClock } from "../support/hurried-clock.ts";
import { listedTrade } from "../support/listed-trade.ts";
import { runInside } from "../support/monitor-inside.ts";
import { runMonitor as runProcess } from "../support/monitor-process.ts";
import { firstFrames, ScriptedService } from "../support/scripted-service.ts";
import { runs } from "../support/soak.ts";
import { folderOfTest } from "../support/temporary-folder.ts";
import { AverageCost, fractionOf, type OwnFill, printed, times } from "./average-cost.ts";

const OTHER = `0x${"ab".repeat(20)}`;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const START_MS = Date.UTC(2026, 4, 28);
const utc = (ms: number) => new Date(ms).toISOString().slice(0, 10);

let folder = "";
beforeEach(() => {
  folder = folderOfTest();
  vi.stubEnv("XDG_DATA_HOME", folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
});
const stored = () => join(folder, "monitor", "fills");

/** Fill number n, from 1: an hour after the one before it; every third one is sold. */
function fillAt(n: number, fields: Partial<TradeRecord> = {}): TradeRecord {
  return listedTrade({
    trade_id: `${n * 5}`,
    tx_hash: `0x${n.toString(16)}`,
    price: `${100 + (n % 7)}`,
    quantity: "2",
    quote_notional: `${200 + 2 * (n % 7)}`,
    taker_is_bid: n % 3 !== 0,
    taker_address: OWNER,
    taker_subaccount_id: 1,
    maker_address: OTHER,
    taker_fee_quote: "0.25",
    ...fields,
    timestamp_ms: START_MS + n * HOUR_MS,
  });
}

const fillsDownFrom = (newest: number) =>
  Array.from({ length: newest }, (_, i) => fillAt(newest - i));

/** A service of these fills, newest first, which may change. */
async function serve(ledger: TradeRecord[]) {
  const service = await serveListing({ kind: "fills", transactions: 0 });
  service.insteadOf = (_, query) => {
    const before = BigInt(query.get("before") ?? 2n ** 62n);
    const below = ledger.filter(({ trade_id }) => BigInt(trade_id) < before);
    return [200, JSON.stringify(below.slice(0, Number(query.get("limit"))))];
  };
  const run = (words = "--json") => monitor(`statement ${OWNER} 1 ${words}`.trim(), service);
  return { service, run };
}

test("the JSON has days, markets, totals in quote alone, books, and how the fills are proven", async () => {
  const { run } = await serve([
    fillAt(25, { market_type: "spot", market_id: 2 }),
    ...fillsDownFrom(24),
  ]);
  const { code, stdout, stderr } = await run();
  expect([code, stderr]).toEqual([0, ""]);
  const { days, markets, totals, ...rest } = JSON.parse(stdout);
  expect(rest).toEqual({
    owner: OWNER,
    subaccount_id: 1,
    complete: true,
    proof: "one page; nothing older in 4 probes; an opening position of 0 is assumed",
    books: {
      "perp/1": { fills: "16", position: null, difference: null },
      "spot/2": { fills: "2", position: null, difference: null },
    },
  });
  expect(days.map(({ day, market, fills }: never) => [day, market, fills])).toEqual([
    ["2026-05-28", "perp/1", 23],
    ["2026-05-29", "perp/1", 1],
    ["2026-05-29", "spot/2", 1],
  ]);
  expect(days[0]).toEqual({
    day: "2026-05-28",
    market: "perp/1",
    symbol: null,
    fills: 23,
    maker_fills: 0,
    bought: "32",
    sold: "14",
    bought_quote: expect.any(String),
    sold_quote: expect.any(String),
    volume_quote: expect.any(String),
    fees_quote: "5.75",
    maker_fees_quote: "0",
    taker_fees_quote: "5.75",
    realised_quote: expect.any(String),
  });
  expect(markets["perp/1"]).toMatchObject({ fills: 24, bought: "32", sold: "16" });
  expect(Object.keys(totals)).toEqual([
    ...["bought_quote", "sold_quote", "volume_quote", "fees_quote"],
    ...["maker_fees_quote", "taker_fees_quote", "realised_quote"],
  ]);
  expect(totals).toMatchObject({ fees_quote: "6.25" });
});

test("amounts in several currencies have no sum, and a position of unknown size balances nothing: both are said", async () => {
  const spot = { market_type: "spot", market_id: 2 };
  const { service } = await serve([fillAt(2, spot), fillAt(1)]);
  const address = "1".repeat(32);
  const markets = [
    { market_id: 1, market_type: "perp", symbol: "BTC-PERP", quote_asset: "USDC" },
    { market_id: 2, market_type: "spot", symbol: "STETH/WETH", quote_asset: "WETH" },
  ];
  const frames = {
    markets: { markets },
    [`account/${address}/1`]: { positions: [{ market_id: 1, side: "long", extent: "2" }] },
  };
  const stream = await new ScriptedService(firstFrames(frames)).listen();
  onTestFinished(stream.close);
  const urls = ["--ws-url", stream.wsUrl, "--base-url", service.baseUrl];
  const args = ["statement", OWNER, "1", "--account", `${address}/1`, ...urls];
  const { code, stdout, stderr } = await runInside([...args, "--json"]);
  expect(stderr).toMatch(/nothing to compare the fills with: .*perp\/1/);
  expect(code).toBe(1);
  const { totals, proof } = JSON.parse(stdout);
  expect(totals).toBeNull();
  expect(proof).toMatch(/no sum over USDC and WETH/);
  const koinly = await runInside([...args, "--format", "koinly"]);
  expect(koinly.stdout).toContain(",204,WETH,2,STETH,0.25,WETH,");
});

test("the text has a line for each day and market, and the words of an export at its end", async () => {
  const { run } = await serve(fillsDownFrom(24));
  const lines = (await run("")).stdout.trimEnd().split("\n");
  expect(lines).toHaveLength(5);
  expect(lines[1]).toMatch(/^2026-05-28 +perp\/1 +23 /);
  expect(lines[4]).toMatch(/^24 fills, complete: yes \(one page; nothing older in [0-9]+ probes; /);
});

test("a month and a time zone choose the days", async () => {
  const { run } = await serve(fillsDownFrom(100));
  const daysOf = async (words: string) =>
    JSON.parse((await run(`--json ${words}`)).stdout).days.map(({ day }: { day: string }) => day);
  expect(await daysOf("--month 2026-06")).toEqual(["2026-06-01"]);
  expect((await daysOf("--time-zone Asia/Tokyo"))[0]).toBe("2026-05-28");
  expect((await daysOf("--time-zone America/New_York"))[0]).toBe("2026-05-27");
  expect(await daysOf("--month 2027-01")).toEqual([]);
});

test("of a month it says whether it has begun and is over", async () => {
  const { service } = await serve(fillsDownFrom(30));
  const clock = { ...hurriedClock, wall: () => Date.UTC(2026, 4, 31, 23) };
  const closing = async (month: string) => {
    const args = ["statement", OWNER, "1", "--base-url", service.baseUrl, "--month", month];
    const { stdout } = await runInside(args, new AbortController().signal, clock);
    return stdout.trimEnd().split("\n").at(-1);
  };
  expect(await closing("2026-06")).toContain(
    "2026-06 has not begun: by this machine's clock today is 2026-05-31",
  );
  expect(await closing("2026-05")).toContain(
    "2026-05 is not over: by this machine's clock today is 2026-05-31",
  );
  expect(await closing("2026-04")).not.toContain("today is");
});

describe("sums", () => {
  const ownFill = (record: TradeRecord): OwnFill => {
    const size = fractionOf(record.quantity);
    const sides = (["maker", "taker"] as const).map((role) => ({
      role,
      isBuy: record.taker_is_bid === (role === "taker"),
      fee: fractionOf(record[`${role}_fee_quote`]),
    }));
    return {
      day: utc(record.timestamp_ms),
      market: `${record.market_type}/${record.market_id}`,
      size,
      value: times(size, fractionOf(record.price)),
      sides: sides.filter(({ role }) => record[`${role}_address`] === OWNER),
    };
  };
  const decimal = (value: bigint, places: number) => formatDecimal({ mantissa: value, places });
  const fold = (fills: readonly TradeRecord[]) => {
    const folded = new StatementFold({ owner: OWNER, subaccountId: 1 }, utc);
    for (const fill of fills) folded.add(fill);
    return folded;
  };
  const trade = (isBuy: boolean, price: string, quantity: string) => {
    const [n, d] = times(fractionOf(price), fractionOf(quantity));
    return fillAt(1, {
      ...{ price, quantity, taker_is_bid: isBuy, taker_fee_quote: "0" },
      quote_notional: decimal((n * 10n ** 20n) / d, 20),
    });
  };

  const someFills = fc.array(
    fc.record({
      isBuy: fc.boolean(),
      role: fc.constantFrom("maker", "taker", "both"),
      market_type: fc.constantFrom("perp", "spot"),
      market_id: fc.constantFrom(2, 7, 11),
      price: fc.bigInt({ min: 0n, max: 10n ** 12n }),
      size: fc.bigInt({ min: 0n, max: 10n ** 9n }),
      fees: fc.tuple(fc.maxSafeInteger(), fc.maxSafeInteger()),
      gapMs: fc.integer({ min: 0, max: DAY_MS / 4 }),
    }),
    { minLength: 300, maxLength: 300 },
  );

  test("over fills of any kind are exact, each day and market, and what is realised is within half of a millionth", () => {
    fc.assert(
      fc.property(someFills, (drawn) => {
        let ms = START_MS;
        const fills = drawn.map(({ isBuy, role, price, size, fees, gapMs, ...market }) => {
          ms += gapMs;
          const isTaker = role !== "maker";
          const fill = fillAt(1, {
            ...market,
            price: decimal(price, 7),
            quantity: decimal(size, 4),
            quote_notional: decimal(price * size, 11),
            taker_is_bid: isTaker ? isBuy : !isBuy,
            taker_address: isTaker ? OWNER : OTHER,
            maker_address: role === "taker" ? OTHER : OWNER,
            maker_subaccount_id: 1,
            maker_fee_quote: decimal(BigInt(fees[0]), 9),
            taker_fee_quote: decimal(BigInt(fees[1]), 9),
          });
          return { ...fill, timestamp_ms: ms };
        });
        const folded = fold(fills);
        const oracle = new AverageCost(fills.map(ownFill));
        const { days, totals, books } = printed(folded);
        oracle.expectShown(days, totals);
        for (const [market, { fills: net }] of Object.entries<{ fills: string }>(books))
          expect(fractionOf(net)).toEqual(oracle.position.get(market) ?? [0n, 1n]);
      }),
      { numRuns: runs(4, 200), seed: 1, endOnFailure: true },
    );
  });

  test("of a fill that turns a position close all of it and open the rest at its own price", () => {
    const folded = fold([trade(true, "10", "1"), trade(false, "12", "3"), trade(true, "11", "2")]);
    // 1 × (12 - 10), then short 2 at 12, bought back at 11.
    expect(formatDecimal(folded.statement().totals.realisedQuote)).toBe("4");
  });

  test("of a day are rounded half-even to six decimals, and the total is the sum of rounded days", () => {
    const gains = ["1.0000005", "1.0000015", "0.9999985"];
    const folded = fold(
      gains.flatMap((gain, day) =>
        [trade(true, "1", "1"), trade(false, gain, "1")].map((fill) => ({
          ...fill,
          timestamp_ms: START_MS + day * DAY_MS,
        })),
      ),
    );
    const { days, totals } = folded.statement();
    const realised = days.map(({ realisedQuote }) => formatDecimal(realisedQuote));
    expect(realised).toEqual(["0", "0.000002", "-0.000002"]);
    expect(formatDecimal(totals.realisedQuote)).toBe("0");
  });

  test("of a fill whose addresses do not show the side of the owner are none, and it is not complete", async () => {
    const { run } = await serve([fillAt(2, { taker_address: "base58like" }), fillAt(1)]);
    const { code, stdout } = await run("");
    expect(code).toBe(3);
    expect(stdout).toMatch(/1 fill, complete: no \(.*1 in no sum/);
  });
});

test("of fills that are not stored it is told how far they are", async () => {
  const { service } = await serve(fillsDownFrom(1100));
  const options = { baseUrl: service.baseUrl, headers: {}, clock: hurriedClock, random: () => 0 };
  const client = new RestClient(options);
  const onProgress = vi.fn();
  const read = await readFills({
    ...{ owner: { owner: OWNER, subaccountId: 1 }, baseUrl: service.baseUrl, client },
    ...{ signal: new AbortController().signal, folder: undefined, onProgress },
  });
  const rows: TradeRecord[] = [];
  for await (const page of read.pages()) rows.push(...page);
  await client.close();
  expect(rows.map(({ trade_id }) => trade_id)).toEqual(
    fillsDownFrom(1100)
      .map(({ trade_id }) => trade_id)
      .reverse(),
  );
  const newestMs = START_MS + 1100 * HOUR_MS;
  const at = (n: number) => START_MS + n * HOUR_MS;
  expect(onProgress.mock.calls).toMatchObject([
    [{ rows: 1000, newestMs, oldestMs: at(101), pages: 1 }],
    [{ rows: 1100, newestMs, oldestMs: at(1), pages: 2 }],
  ]);
  const requests = onProgress.mock.calls.map(([reached]) => reached.requests);
  expect(requests[0]).toBeGreaterThan(0);
  expect(requests[1]).toBeGreaterThan(requests[0]);
});

describe("books", () => {
  const size = (text: string) => parseDecimal(text);
  const nets = new Map([
    [
      "perp/1",
      [
        { ms: 10_000, net: size("1") as never },
        { ms: 20_000, net: size("3") as never },
        { ms: 21_000, net: size("2") as never },
      ],
    ],
  ]);
  test.each<[what: string, ms: number, held: string | undefined, difference: string | undefined]>([
    ["balance at the time of the position", 15_000, "1", "0"],
    ["balance with a fill that one of the two has a moment earlier", 19_000, "3", "0"],
    ["show a difference that no moment explains", 30_000, "5", "3"],
    ["are flat where the stream shows no position", 5000, undefined, "0"],
  ])("%s", (_, ms, held, difference) => {
    const sizes = new Map(held === undefined ? [] : [["perp/1", size(held)]]);
    const books = reconcile(nets, { ms, sizes });
    const found = books.get("perp/1")?.difference;
    expect(found && formatDecimal(found)).toBe(difference);
    expect(hasDifference(books)).toBe(difference !== "0");
  });

  test("compare nothing where a size is unknown, and no balance of a spot market", () => {
    const held = { ms: 30_000, sizes: new Map([["perp/1", undefined]]) };
    expect(reconcile(nets, held).get("perp/1")?.difference).toBeUndefined();
    const spot = new Map([["spot/2", nets.get("perp/1") ?? []]]);
    expect(
      reconcile(spot, { ms: 30_000, sizes: new Map() }).get("spot/2")?.difference,
    ).toBeUndefined();
  });
});

describe("stored fills", () => {
  const sumsOf = ({ stdout }: { readonly stdout: string }) => {
    const { proof, ...rest } = JSON.parse(stdout);
    return rest;
  };

  test("are added to: a second run asks only for what is newer, and comes to the same", async () => {
    const ledger = fillsDownFrom(2500);
    const { run, service } = await serve(ledger);
    expect((await run()).code).toBe(0);
    const first = service.requests;
    ledger.unshift(...fillsDownFrom(2510).slice(0, 10));
    const again = await run();
    expect([again.code, again.stderr]).toEqual([0, ""]);
    expect(service.requests - first).toBeLessThanOrEqual(3);
    expect(JSON.parse(again.stdout).proof).toMatch(
      /^joins the file: [0-9]+ of its rows compared; older fills: /,
    );
    rmSync(stored(), { recursive: true });
    expect(sumsOf(await run())).toEqual(sumsOf(again));
  });

  test("can be read by their owner only", async () => {
    await (await serve(fillsDownFrom(10))).run();
    const names = readdirSync(stored());
    expect(names).toHaveLength(2);
    for (const name of names) expect(statSync(join(stored(), name)).mode & 0o777).toBe(0o600);
    expect(statSync(stored()).mode & 0o777).toBe(0o700);
  });

  test("that somebody changed, or that the listing does not continue, are asked for again, and that is said", async () => {
    const ledger = fillsDownFrom(50);
    const { run } = await serve(ledger);
    const whole = sumsOf(await run());
    const [name = ""] = readdirSync(stored()).filter((each) => each.endsWith(".ndjson"));
    const path = join(stored(), name);
    writeFileSync(path, readFileSync(path, "utf8").split("\n").toSpliced(20, 1).join("\n"));
    const changed = await run();
    expect(changed.stderr).toContain("stored fills are not as they were written");
    expect(sumsOf(changed)).toEqual(whole);
    ledger[0] = { ...fillAt(50), price: "1" };
    const other = await run();
    expect(other.stderr).toContain("all fills are asked for again");
    expect((await run()).stderr).toBe("");
  });

  test.runIf(process.platform !== "win32").each<[string, (path: string, victim: string) => void]>([
    ["a pipe that nobody writes to", (path) => execFileSync("sh", ["-c", `mkfifo ${path}`])],
    ["a folder", (path) => mkdirSync(path)],
    ["a link to a file of somebody else", (path, victim) => symlinkSync(victim, path)],
    ["a link to a device without an end", (path) => symlinkSync("/dev/zero", path)],
  ])("%s in their place costs no more than asking again", async (_, put) => {
    const { run } = await serve(fillsDownFrom(5));
    const before = sumsOf(await run());
    const [name = ""] = readdirSync(stored()).filter((each) => each.endsWith(".ndjson"));
    const victim = join(folder, "victim");
    writeFileSync(victim, "of somebody else");
    rmSync(join(stored(), name));
    put(join(stored(), name), victim);
    const after = await run();
    expect(after.code).toBe(0);
    expect(sumsOf(after)).toEqual(before);
    expect(readFileSync(victim, "utf8")).toBe("of somebody else");
  });

  test("where no folder can be made are none, and the statement is the same", async () => {
    const { run } = await serve(fillsDownFrom(5));
    const before = sumsOf(await run());
    writeFileSync(join(folder, "file"), "");
    vi.stubEnv("XDG_DATA_HOME", join(folder, "file"));
    const { code, stdout, stderr } = await run();
    expect([code, stderr]).toEqual([0, expect.stringContaining("fills are not stored")]);
    expect(sumsOf({ stdout })).toEqual(before);
  });
});

test("a listing that cannot be proven is shown as far as it is, with exit code 3", async () => {
  // Of one transaction alone: nothing shows that a page can hold more of them.
  const { run } = await serve(Array.from({ length: 30 }, (_, i) => fillAt(1, { price: `${i}` })));
  for (let i = 0; i < 2; i++) {
    const { code, stdout } = await run();
    expect(code).toBe(3);
    const markets = { "perp/1": { fills: 30 } };
    expect(JSON.parse(stdout)).toMatchObject({ complete: false, markets });
  }
});

test.each([
  ["America/New_York", "2026-05-27"],
  ["Asia/Tokyo", "2026-05-28"],
])("the machine's own days are those of TZ=%s", async (TZ, day) => {
  const { service } = await serve([fillAt(2)]);
  const words = `statement ${OWNER} 1 --json --time-zone local --base-url ${service.baseUrl}`;
  const { stdout } = await runProcess(words.split(" "), { env: { TZ, HOME: folder } });
  expect(JSON.parse(stdout).days[0].day).toBe(day);
});

test("of a month without fills that is said", async () => {
  const { run } = await serve(fillsDownFrom(10));
  const { stdout } = await run("--month 2020-01");
  expect(stdout).toMatch(/^0 fills, complete: yes \(none of 2020-01, but 10 of other months; /);
});

test("a market has the interface's name of its type where the service's begins with it", async () => {
  const { run } = await serve([fillAt(2, { market_type: "PERPETUAL" }), fillAt(1)]);
  expect(JSON.parse((await run()).stdout).markets).toMatchObject({ "perp/1": { fills: 2 } });
});

test("words of the service that a terminal would obey or hide are escapes in JSON and spelled out in text", async () => {
  const { run } = await serve([fillAt(2), fillAt(1, { market_type: "x\u001b[2J\u202e" })]);
  const { stdout } = await run();
  expect(stdout).toContain('"market":"x\\u001b[2j\\u202e/1"');
  expect((await run("")).stdout).toContain("x\\x1b[2j\\u202e/1");
});

test("fees of any size and sign are summed up as they are listed, exactly", async () => {
  const { run } = await serve([
    fillAt(3, { taker_fee_quote: "-0.000000000000000000000000000001" }),
    fillAt(2, { taker_fee_quote: "123456789012345678901234567890.5" }),
    fillAt(1, { taker_fee_quote: "-0" }),
  ]);
  expect(JSON.parse((await run()).stdout).totals).toMatchObject({
    fees_quote: "123456789012345678901234567890.499999999999999999999999999999",
    maker_fees_quote: "0",
  });
});

const KOINLY =
  "Date,Sent Amount,Sent Currency,Received Amount,Received Currency,Fee Amount,Fee Currency,Net Worth Amount,Net Worth Currency,Label,Description,TxHash";

test("Koinly gets exchanges of a spot market, and needs to be given both assets", async () => {
  const spot = { market_type: "spot" } as const;
  const rebate = { maker_address: OWNER, maker_subaccount_id: 1, taker_address: OTHER };
  const { run } = await serve([
    fillAt(3, { ...spot, ...rebate, maker_fee_quote: "-0.1" }),
    fillAt(2, spot),
  ]);
  const none = await run("--format koinly --base-asset BTC");
  expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining("--quote-asset") });
  const { code, stdout } = await run("--format koinly --base-asset BTC --quote-asset USDC");
  expect(code).toBe(0);
  expect(stdout.trimEnd().split("\r\n")).toEqual([
    KOINLY,
    "2026-05-28 02:00:00.000 UTC,204,USDC,2,BTC,0.25,USDC,,,,buy spot/1 as taker (trade 10),0x2-10",
    "2026-05-28 03:00:00.000 UTC,206,USDC,2,BTC,,,,,,buy spot/1 as maker (trade 15),0x3-15",
    "2026-05-28 03:00:00.000 UTC,,,0.1,USDC,,,,,fee refund,rebate of spot/1 (trade 15),0x3-15-fee",
  ]);
});

test("Koinly gets one base asset for one spot market only", async () => {
  const spot = { market_type: "spot" } as const;
  const { run } = await serve([fillAt(3), fillAt(2, { ...spot, market_id: 2 }), fillAt(1, spot)]);
  const { code, stderr } = await run("--format koinly --base-asset BTC --quote-asset USDC");
  expect(code).toBe(2);
  expect(stderr).toMatch(/the fills are of spot\/1, spot\/2\n.*leave it out/);
});

test.each<[record: object, assets: object]>([
  [{ symbol: "BTC/USDC" }, { base: "BTC", quote: "USDC" }],
  [{ symbol: "ETH-PERP" }, { base: "ETH" }],
  [{ symbol: "ETH-SPOTS" }, { base: "ETH", quote: "SPOTS" }],
  [{ symbol: "BTC-XPERP" }, { base: "BTC", quote: "XPERP" }],
  [{ symbol: "BTC-260327" }, { base: "BTC" }],
  [{ symbol: "BTC-27MAR26" }, { base: "BTC" }],
  [{ symbol: "BTCUSDC" }, {}],
  [{ symbol: "BTC/USDC/X" }, {}],
  [
    { symbol: "BTC-PERP", base_asset: "WBTC", quote_asset: "USD" },
    { base: "WBTC", quote: "USD" },
  ],
  [{}, {}],
])("%j names the assets %j", (record, assets) => {
  expect(assetsOf(record as never, createNames())).toEqual(assets);
});

test("Koinly gets what is sold of a spot market, only the fee of a fill on both sides, and none of a fill on no side", async () => {
  const spot = { market_type: "spot" } as const;
  const { run } = await serve([
    fillAt(3, { ...spot, taker_address: "base58like" }),
    fillAt(2, { ...spot, maker_address: OWNER, maker_subaccount_id: 1, maker_fee_quote: "0" }),
    fillAt(1, { ...spot, taker_is_bid: false, taker_fee_quote: "0" }),
  ]);
  const { stdout } = await run("--format koinly --base-asset BTC --quote-asset USDC");
  expect(stdout.trimEnd().split("\r\n").slice(1)).toEqual([
    "2026-05-28 01:00:00.000 UTC,2,BTC,202,USDC,,,,,,sell spot/1 as taker (trade 5),0x1-5",
    "2026-05-28 02:00:00.000 UTC,0.25,USDC,,,,,,,cost,fee on both sides of spot/1 (trade 10),0x2-10-fee",
  ]);
});

test("no two lines for Koinly have time, amounts and transaction in common, which it takes for duplicates", async () => {
  const same = { tx_hash: "0xa", quantity: "1", quote_notional: "100", taker_fee_quote: "10" };
  const loss = { ...same, taker_is_bid: false, quote_notional: "90" };
  const { run } = await serve(
    [loss, loss, same, same].map((fill, i) => ({
      ...fillAt(4 - i, fill),
      timestamp_ms: START_MS,
    })),
  );
  const { stdout } = await run("--format koinly --quote-asset USDC");
  const rows = rowsOf(stdout);
  expect(rows.map((row) => `${row["Sent Amount"]} ${row.Label}`)).toEqual([
    "10 margin fee",
    "10 margin fee",
    "10 realized gain",
    "10 margin fee",
    "10 realized gain",
    "10 margin fee",
  ]);
  expect(new Set(rows.map(({ Label, Description, ...told }) => JSON.stringify(told))).size).toBe(6);
});

test("Koinly gets what a derivative realised and its fees, in lines that differ", async () => {
  const sold = { taker_is_bid: false, price: "100", quantity: "1", quote_notional: "100" };
  const bought = { taker_is_bid: true, price: "90", quantity: "1", quote_notional: "90" };
  const half = { ...bought, quantity: "0.5", quote_notional: "45", taker_fee_quote: "0.05" };
  const same = { tx_hash: "0xa", timestamp_ms: START_MS };
  const fills = [fillAt(3, half), fillAt(2, half)].map((fill) => ({ ...fill, ...same }));
  const { run } = await serve([...fills, fillAt(1, { ...sold, taker_fee_quote: "0" })]);
  const { code, stdout } = await run("--format koinly --quote-asset USDC");
  expect(code).toBe(0);
  expect(stdout.trimEnd().split("\r\n")).toEqual([
    KOINLY,
    "2026-05-28 00:00:00.000 UTC,,,5,USDC,,,,,realized gain,buy as taker of perp/1 (trade 10),0xa-10",
    "2026-05-28 00:00:00.000 UTC,0.05,USDC,,,,,,,margin fee,fee of perp/1 (trade 10),0xa-10-fee",
    "2026-05-28 00:00:00.000 UTC,,,5,USDC,,,,,realized gain,buy as taker of perp/1 (trade 15),0xa-15",
    "2026-05-28 00:00:00.000 UTC,0.05,USDC,,,,,,,margin fee,fee of perp/1 (trade 15),0xa-15-fee",
  ]);
});

test.each([
  ["--month 2026-13", "--month cannot be"],
  ["--time-zone Mars/Olympus", "--time-zone cannot be"],
  ["--format csv", "--format cannot be csv with statement"],
  ["--base-asset BTC", "have no meaning alone"],
])("%s is refused before anything is asked", async (words, message) => {
  const { run, service } = await serve([]);
  const { code, stderr } = await run(words);
  expect([code, service.requests]).toEqual([2, 0]);
  expect(stderr).toContain(message);
});

test("more fills than a page are added to those that are stored", async () => {
  const ledger = fillsDownFrom(900);
  const { run } = await serve(ledger);
  await run();
  ledger.splice(0, ledger.length, ...fillsDownFrom(2200));
  const { code, stdout, stderr } = await run("");
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/2200 fills, complete: yes \(joins the file: 900 of its rows compared; /);
});
