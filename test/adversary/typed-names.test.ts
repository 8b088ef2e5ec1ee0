// A market, a channel, an account or a listing as a person types it: one that exists is asked for by its one name, one that
// cannot exist is refused before anything is sent, the same in every command.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { formatAlert, parseAlert } from "../../src/alerts/alert-rule.ts";
import { checkConfig } from "../../src/config/config-file.ts";
import { settle } from "../../src/config/settings.ts";
import { type ListeningService, startListeningService } from "../support/listening-service.ts";
import { runInside } from "../support/monitor-inside.ts";

const A = "Demo1Address1Demo1Address1Demo1Addr";
const OWNER = `0x${"ab".repeat(20)}`;
const INT32 = "2147483647";
const ABOVE = "2147483648";
const UINT16 = "65535";

let service: ListeningService;
let folder = "";
const waiting = new Map<number, () => void>();
beforeAll(async () => {
  service = await startListeningService((run) => waiting.get(run)?.());
  folder = await mkdtemp(join(tmpdir(), "monitor-typed-"));
});
afterAll(async () => {
  service.close();
  await rm(folder, { recursive: true });
});

let runs = 0;

/** Runs a command until it has sent the word, and answers all that it has sent. */
async function sentBy(args: readonly string[], word: string): Promise<string> {
  runs++;
  const run = runs;
  const controller = new AbortController();
  const sent = () =>
    service
      .received(run)
      .map(({ url, messages = [] }) => [url, ...messages].join("\n"))
      .join("\n");
  waiting.set(run, () => {
    if (sent().includes(word)) controller.abort("SIGTERM");
  });
  await runInside([...args, ...service.addresses(run)], controller.signal);
  return sent();
}

describe("an id that is typed", () => {
  test.each([
    ["tail", ["tail", "bbo/perp/01", "--for", "5s"], '"bbo/perp/1"'],
    ["tail", ["tail", `orderbook/spot/${INT32}`, "--for", "5s"], `"orderbook/spot/${INT32}"`],
    ["tail", ["tail", "candles/perp/000/1m", "--for", "5s"], '"candles/perp/0/1m"'],
    ["tail", ["tail", "mark-candles/007/1d", "--for", "5s"], '"mark-candles/7/1d"'],
    ["tail", ["tail", "market-stats/perp", "--for", "5s"], '"market-stats/perp"'],
    ["tail", ["tail", "market-stats/spot/02", "--for", "5s"], '"market-stats/spot/2"'],
    ["tail", ["tail", "funding-rates/0001", "--for", "5s"], '"funding-rates/1"'],
    ["tail", ["tail", `account/${A}/007`, "--for", "5s"], `"account/${A}/7"`],
    [
      "record",
      ["record", "trades/perp/01", "-o", "FOLDER/r.ndjson", "--for", "5s"],
      '"trades/perp/1"',
    ],
    ["a market", ["perp/01", "--once", "--timeout", "5s"], '"bbo/perp/1"'],
    ["a market", ["0002", "--once", "--timeout", "5s"], '"bbo/perp/2"'],
    ["an account", ["account", A, "007", "--once", "--timeout", "5s"], `"account/${A}/7"`],
    [
      "--account",
      ["perp/1", "--account", `${A}/007`, "--once", "--timeout", "5s"],
      `"account/${A}/7"`,
    ],
    ["doctor", ["doctor", "spot/09", "--timeout", "2s"], '"orderbook/spot/9"'],
    ["trades", ["trades", "spot/03", "--once", "--json"], "/markets/3/trades"],
    ["liquidations", ["liquidations", "004", "--once", "--json"], "/markets/4/liquidations"],
    ["fills", ["fills", OWNER, "000007", "--once", "--json"], "/subaccounts/7/trades"],
    ["fills", ["fills", OWNER, UINT16, "--once", "--json"], `/subaccounts/${UINT16}/trades`],
    ["export", ["export", "trades", "perp/01"], "/markets/1/trades"],
    ["export", ["export", "fills", OWNER, "00"], "/subaccounts/0/trades"],
  ])("is sent without zeros before it: %s %j", async (_, args, sent) => {
    const received = await sentBy(
      args.map((word) => word.replace("FOLDER", folder)),
      sent,
    );
    expect(received).toContain(sent);
    expect(received).not.toMatch(/\/0\d/);
  });

  const MARKET = /market id out of range: .*\nexpected: 0 to 2147483647/;
  const CHANNEL = /expected: bbo\/<spot\|perp>\/<market_id>.*from 0 to 2147483647/;
  test.each([
    [["tail", `bbo/perp/${ABOVE}`], CHANNEL],
    [["tail", "bbo/perp/1", `account/${A}/${ABOVE}`], CHANNEL],
    [["tail", "perp/1"], CHANNEL],
    [["tail", "candles/perp/1/2m"], CHANNEL],
    [["tail", "candles/perp/1/1M"], CHANNEL],
    [["tail", "bbo/perp/-1"], CHANNEL],
    [["tail", "bbo/perp/1.0"], CHANNEL],
    [["record", `trades/spot/${ABOVE}`, "-o", "never.ndjson"], CHANNEL],
    [[`perp/${ABOVE}`], MARKET],
    [[ABOVE], MARKET],
    [["perp/-1"], /expected: perp\/1, spot\/2, 1 \(= perp\/1\), or a symbol/],
    [["doctor", `perp/${ABOVE}`], MARKET],
    [["trades", `perp/${ABOVE}`], MARKET],
    [["liquidations", ABOVE], MARKET],
    [["export", "trades", ABOVE], MARKET],
    [["export", "liquidations", `perp/${ABOVE}`], MARKET],
    [["perp/1", "--interval", "01m"], /expected: one of 1m, 5m/],
    [["account", A, ABOVE], /expected: a subaccount id from 0 to 2147483647/],
    [["account", A, "-1"], /expected|unknown option/],
    [["account", A, "1x"], /expected: a subaccount id from 0 to 2147483647/],
    [["perp/1", "--account", `${A}/${ABOVE}`], /expected: a subaccount id from 0 to 2147483647/],
    [["fills", OWNER, "65536"], /expected: 0 to 65535/],
    [["export", "fills", OWNER, "99999999999999999999"], /expected: 0 to 65535/],
  ])("is refused before anything is sent when it cannot be one: %j", async (args, expected) => {
    runs++;
    const { code, stderr, stdout } = await runInside([...args, ...service.addresses(runs)]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(expected);
    expect(service.received(runs)).toEqual([]);
  });

  test.each([
    [`account/${A}/007 fill`, `account/${A}/7 fill`],
    ["perp/01 last > 5", "perp/1 last > 5"],
    [`account/${A}/00 position perp/01 < 0`, `account/${A}/0 position perp/1 < 0`],
    [`account/${A}/${ABOVE} fill`, undefined],
    [`perp/${ABOVE} last > 5`, undefined],
  ])("means the same in an alert: %s", (text, expected) => {
    const parsed = parseAlert(text);
    expect("rule" in parsed ? formatAlert(parsed.rule) : undefined).toBe(expected);
  });

  test("means the same in the config file: watched markets, aliases and what is known of a market", () => {
    const size = 'tick_size = "1"\nlot_size = "1"';
    const { config } = checkConfig(`watchlist = ["perp/007"]\n[markets."spot/01"]\n${size}`);
    expect(config?.watchlist).toEqual(["perp/7"]);
    const { knownScales } = settle({ options: {}, env: {} }, config ?? {});
    expect(Object.keys(knownScales)).toEqual(["spot/1"]);
    const wrong = checkConfig(
      `watchlist = ["perp/${ABOVE}"]\n[markets."spot/${ABOVE}"]\n${size}`,
    ).problems;
    expect(wrong.map(({ at, message }) => [at?.line, message])).toEqual([
      [1, 'expected a market, such as "perp/1"'],
      [2, 'expected a market, such as "perp/1"'],
    ]);
  });
});
