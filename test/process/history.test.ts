// monitor trades, liquidations and fills without a screen, against a foreign service.
import { createServer } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { OWNER, serveListing } from "../support/composed-listing.ts";
import { listen } from "../support/listen.ts";
import { startMarketService } from "../support/market-service.ts";
import { runInside, runInsideSettled } from "../support/monitor-inside.ts";
import { MonitorScreen } from "../support/monitor-screen.ts";

test("a listing is printed as JSON with its records as they were sent, and how they are proven", async () => {
  const service = await serveListing({ cursor: "hidden" });
  const args = ["trades", "perp/1", "--json", "--max", "250", "--base-url", service.baseUrl];
  const { code, stdout } = await runInside(args);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    listing: "trades perp/1",
    as_of: new Date(Number(service.rows[0]?.timestamp_ms)).toISOString(),
    complete: true,
    proof: "one page; the newest 250",
    rows: service.rows.slice(0, 250),
  });
});

test("as JSON, numbers that the interface does not list keep their text", async () => {
  const [newest] = (await serveListing({ transactions: 1 })).rows;
  const text = JSON.stringify(newest).replace("{", '{"seq":9007199254740993,"rate":1.10,');
  const pages = [`[${text}]`];
  const server = createServer((_, response) => response.end(pages.shift() ?? "[]"));
  const baseUrl = `http://127.0.0.1:${await listen(server)}`;
  onTestFinished(() => void server.close());
  const args = ["trades", "1", "--json", "--max", "1", "--base-url", baseUrl];
  const { stdout } = await runInside(args);
  expect(stdout).toContain(`"rows":[${text}]`);
});

test("a span that ends before it begins is refused, and of one without rows that is said", async () => {
  const { baseUrl } = await serveListing({});
  const run = (...bounds: string[]) =>
    runInside(["trades", "1", "--once", ...bounds, "--base-url", baseUrl]);
  const turned = await run("--since", "2026-01-02", "--until", "2026-01-01");
  expect(turned).toMatchObject({ code: 2, stderr: expect.stringContaining("is after --until") });
  expect((await run("--since", "2100-01-01")).stdout).toMatch(
    /^0 of .*nothing of that time, the newest/,
  );
});

test("fills are printed as a table with role, side and fee", async () => {
  const service = await serveListing({ kind: "fills" });
  const args = ["fills", OWNER, "1", "--max", "5", "--base-url", service.baseUrl];
  const { code, stdout } = await runInside(args);
  expect(code).toBe(0);
  const lines = stdout.trimEnd().split("\n");
  expect(lines[0]).toMatch(/^time +symbol +side +price +size +value +fee +role +realised/);
  expect(lines).toHaveLength(7);
  expect(lines[6]).toBe(`5 of fills ${OWNER} 1, complete: yes (one page; the newest 5)`);
});

test("fills with --mask hide the owner, sizes, fees and ids, and no JSON is made of them", async () => {
  const service = await serveListing({ kind: "fills" });
  const args = ["fills", OWNER, "1", "--max", "3", "--mask", "--base-url", service.baseUrl];
  const [shown, json] = await Promise.all([runInside(args), runInside([...args, "--json"])]);
  expect(shown.code).toBe(0);
  const lines = shown.stdout.trimEnd().split("\n");
  expect(lines).toHaveLength(5);
  expect(lines[4]).toMatch(/^3 of fills ••• 1, complete: yes/);
  const names = "quantity quote_notional trade_id tx_hash maker_address taker_address".split(" ");
  for (const fill of service.rows.slice(0, 3)) {
    for (const name of names) expect(lines.join(" ").split(/ +/)).not.toContain(fill[name]);
  }
  expect(shown.stdout).not.toContain("0x");
  expect(lines[1]).toMatch(
    /^[-0-9]+T\S+Z +perp\/1 +\w+ +[0-9.]+ +••• +••• +••• +(?:maker|taker|both) /,
  );
  expect(json).toMatchObject({ code: 2, stdout: "" });
  expect(json.stderr).toMatch(/^monitor: --json prints records as received/);
});

test("liquidations have a line for each position, and what hides in their words is spelled out", async () => {
  const service = await serveListing({ kind: "liquidations", transactions: 30 });
  service.insteadOf = (_, __, page) => [
    200,
    JSON.stringify(page.map((row) => ({ ...row, liquidation_type: "\u202ehidden" }))),
  ];
  const { code, stdout } = await runInside(["liquidations", "1", "--base-url", service.baseUrl]);
  expect(code).toBe(0);
  const positions = service.rows.map(({ positions: all }) => (all as unknown[]).length);
  const rows = positions.reduce((sum, count) => sum + Math.max(1, count), 0);
  expect(stdout.trimEnd().split("\n")).toHaveLength(rows + 2);
  expect(stdout).toContain("\\u202ehidden");
});

test("a market may be named by a symbol, which the stream's list of markets explains", async () => {
  // It stands still: of a listing that is caught with its first trade alone, no export can be proven.
  const service = await startMarketService({
    quietAfterMs: 0,
    scale: { tickPlaces: 2, lotPlaces: 4 },
    records: { markets: [{ marketId: 1, kind: "PERPETUAL", ticker: "BTCUSD" }] },
  });
  onTestFinished(service.close);
  for (const price of [5000n, 5001n, 5000n]) service.trade(price);
  const addresses = ["--ws-url", service.wsUrl, "--base-url", service.baseUrl];
  const run = (...words: string[]) => runInsideSettled([...words, ...addresses]);
  const listed = await run("trades", "btcusd", "--json");
  const exported = await run("export", "trades", "BTCUSD", "--format", "ndjson");
  const unknown = await run("export", "trades", "ETHUSD");
  expect(JSON.parse(listed.stdout)).toMatchObject({ listing: "trades perp/1", complete: true });
  expect(exported).toMatchObject({ code: 0 });
  expect(unknown).toMatchObject({ code: 2, stdout: "" });
  expect(unknown.stderr).toMatch(
    /^monitor: the service lists no market ETHUSD\ndid you mean BTCUSD\?\n$/,
  );
  expect(service.held).toEqual([]);
  const screen = new MonitorScreen(["trades", "BTCUSD", ...addresses]);
  await screen.until((text) => text.includes("no gap"));
  await screen.leave();
});
