// monitor markets as its user runs it without a terminal, against services that name their markets in other ways.
import { expect, onTestFinished, test } from "vitest";
import { runMonitorSettled as runMonitor } from "../support/monitor-inside.ts";
import { firstFrames, type Script, ScriptedService } from "../support/scripted-service.ts";

const [PERP, SPOT] = ["market-stats/perp", "market-stats/spot"];

async function print(script: Script, ...args: string[]) {
  const service = await new ScriptedService(script).listen();
  onTestFinished(service.close);
  return runMonitor(["markets", "--ws-url", service.wsUrl, ...args]);
}

const LIST = {
  markets: [
    { market_id: 2, type: "perp", symbol: "ETH-PERP" },
    { market_id: 1, type: "perp", symbol: "BTC\u202e\u200b\u0007" },
  ],
};
const STATS = {
  market_stats: [
    { market_id: 1, mark_price: "10.50", change_ratio_24h: "-0.01", funding_rate: "0.000012" },
  ],
};

/** Every figure has its age, and nothing else has. */
function withoutAges({ age_ms, ...row }: { readonly age_ms: object }) {
  const named = ["market", "symbol", "state"];
  const figures = Object.keys(row).filter((name) => !named.includes(name));
  expect(Object.keys(age_ms).sort()).toEqual(figures.sort());
  for (const age of Object.values(age_ms)) expect(age).toBeGreaterThanOrEqual(0);
  return row;
}

test("--json is one array in the order of the list, with what the service says under the names of the contract", async () => {
  const { code, stdout, stderr } = await print(
    firstFrames({ markets: LIST, [PERP]: STATS }),
    "--json",
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout.trimEnd()).not.toContain("\n");
  expect(stdout).toContain("BTC\\u202e\\u200b\\u0007");
  expect(JSON.parse(stdout).map(withoutAges)).toEqual([
    { market: "perp/2", symbol: "ETH-PERP", state: "live" },
    {
      market: "perp/1",
      symbol: "BTC\u202e\u200b\u0007",
      state: "live",
      mark: "10.50",
      change_24h: "-0.01",
      funding_rate: "0.000012",
    },
  ]);
});

test("figures of a type of which no market is listed are not waited for", async () => {
  const lists = { markets: LIST, [PERP]: STATS };
  const { code, stdout } = await print(firstFrames(lists, true), "--json", "--timeout", "20s");
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toHaveLength(2);
});

test("figures that never come, and a list that is refused, are named on stderr, and what came is printed", async () => {
  const late = await print(firstFrames({ markets: LIST }, true), "--timeout", "300ms", "--json");
  expect(late.code).toBe(1);
  expect(late.stderr).toBe("monitor: not complete: market-stats/perp (no data received)\n");
  expect(JSON.parse(late.stdout)).toHaveLength(2);
  const spot = { market_stats: [{ market_id: 7, last_price: "3" }] };
  const refused = await print(firstFrames({ [PERP]: STATS, [SPOT]: spot }), "--json");
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(/^monitor: not complete: markets \(refused: .*\)\n$/);
  const rows = JSON.parse(refused.stdout).map(withoutAges);
  expect(rows.map((row: { market: string }) => row.market)).toEqual(["perp/1", "spot/7"]);
});

test("the figures of a market go before what the list says, and ids of both types are kept apart", async () => {
  const markets = [
    { market_id: 1, type: "perp", symbol: "A", last_price: "1", index_price: "2" },
    { market_id: 1, type: "spot", symbol: "B" },
    { symbol: "nameless" },
  ];
  const perp = { market_stats: [{ market_id: 1, last_price: "3" }] };
  const spot = { market_stats: [{ market_id: 1, last_price: "4" }] };
  const { stdout } = await print(
    firstFrames({ markets: { markets }, [PERP]: perp, [SPOT]: spot }),
    "--json",
  );
  expect(JSON.parse(stdout).map(withoutAges)).toEqual([
    { market: "perp/1", symbol: "A", state: "live", last: "3", index: "2" },
    { market: "spot/1", symbol: "B", state: "live", last: "4" },
    { market: null, symbol: "nameless", state: "live" },
  ]);
});

test("without --json it is one table, and it ends", async () => {
  const { code, stdout } = await print(firstFrames({ markets: LIST, [PERP]: STATS }));
  expect(code).toBe(0);
  const [head, first, second] = stdout.split("\n");
  expect(head).toMatch(/^market +symbol +last +24h % +volume 24h +funding % +OI +mark +state$/);
  expect(first).toMatch(/^perp\/2 +ETH-PERP +– +– +– +– +– +– +live$/);
  expect(second).toMatch(/^perp\/1 +BTC\\u202e\\u200b\\x07 +– +-1 +– +\+0\.0012 +– +10\.50 +live$/);
});
