// monitor markets as its user runs it without a terminal, against services that name their markets in other ways.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runMonitorSettled as runMonitor } from "../support/monitor-inside.ts";
import { firstFrames, type Script, ScriptedService } from "../support/scripted-service.ts";
import { folderOfTest } from "../support/temporary-folder.ts";

const [PERP, SPOT] = ["market-stats/perp", "market-stats/spot"];

async function run(script: Script, ...args: string[]) {
  const service = await new ScriptedService(script).listen();
  onTestFinished(service.close);
  return runMonitor([...args, "--ws-url", service.wsUrl]);
}
const print = (script: Script, ...args: string[]) => run(script, "markets", ...args);

const LIST = {
  markets: [
    { market_id: 2, type: "perp", symbol: "ETH-PERP", tick_size: "0.5", lot_size: "0.1" },
    { market_id: 1, type: "perp", symbol: "BTC\u202e\u200b\u0007" },
  ],
};
const STATS = {
  market_stats: [
    {
      market_id: 1,
      mark_price: "10.50",
      change_ratio_24h: "-0.01",
      funding_rate: "0.000012",
    },
    { market_id: 2, mark_price_ticks: "7", open_interest_base_lots: "30", change_24h: "0.1" },
  ],
};

/** Every figure has its age, and nothing else has. */
function withoutAges({
  age_ms,
  state,
  ...row
}: {
  readonly age_ms: object;
  readonly state: string;
}) {
  const figures = Object.keys(row).filter((name) => name !== "market" && name !== "symbol");
  expect(Object.keys(age_ms).sort()).toEqual(figures.sort());
  for (const age of Object.values(age_ms)) expect(age).toBeGreaterThanOrEqual(0);
  expect(state).toMatch(/^(?:live|quiet)$/);
  return row;
}

test("--json is one array in the order of the list, with what the service says under the names of the contract", async () => {
  const frames = firstFrames({ markets: LIST, [PERP]: STATS });
  const { code, stdout, stderr } = await print(frames, "--json");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout.trimEnd()).not.toContain("\n");
  expect(stdout).toContain("BTC\\u202e\\u200b\\u0007");
  expect(JSON.parse(stdout).map(withoutAges)).toEqual([
    { market: "perp/2", symbol: "ETH-PERP", mark: "3.5", open_interest: "3.0" },
    {
      ...{ market: "perp/1", symbol: "BTC\u202e\u200b\u0007" },
      ...{ mark: "10.50", change_24h: "-0.01", funding_rate: "0.000012" },
    },
  ]);
});

test("figures of a type of which no market is listed are not needed; others that never come are named", async () => {
  const whole = await print(firstFrames({ markets: LIST, [PERP]: STATS }, true), "--json");
  expect(whole.code).toBe(0);
  const late = await print(firstFrames({ markets: LIST }, true), "--timeout", "300ms", "--json");
  expect(late.code).toBe(1);
  expect(late.stderr).toBe("monitor: not complete: market-stats/perp (no data received)\n");
  expect(JSON.parse(late.stdout)).toHaveLength(2);
  const refused = await print(firstFrames({ [PERP]: STATS }), "--json");
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(/^monitor: not complete: markets \(refused: .*\)\n$/);
});

test("a rate is an hour's and a year's in text, too, by the interval that rates have", async () => {
  const funding_rates = [
    { timestamp_ms: 1_780_000_000_000, funding_rate: "0.000012" },
    { timestamp_ms: 1_780_014_400_000, funding_rate: "0.000012" },
  ];
  const frames = { markets: LIST, [PERP]: STATS, "funding-rates/1": { funding_rates } };
  const { stdout } = await print(firstFrames(frames));
  expect(stdout).toMatch(/funding\/h % +APR %.*\n.*ETH-PERP.*\n.* 0\.0003 +2\.63 /);
});

test("ids of both types are kept apart", async () => {
  const markets = [
    { market_id: 1, type: "perp", symbol: "A" },
    { market_id: 1, type: "spot", symbol: "B" },
  ];
  const perp = { market_stats: [{ market_id: 1, last_price: "3" }] };
  const spot = { market_stats: [{ market_id: 1, last_price: "4" }] };
  const frames = firstFrames({ markets: { markets }, [PERP]: perp, [SPOT]: spot });
  expect(JSON.parse((await print(frames, "--json")).stdout).map(withoutAges)).toEqual([
    { market: "perp/1", symbol: "A", last: "3" },
    { market: "spot/1", symbol: "B", last: "4" },
  ]);
});

test("without --json it is one table, and it ends", async () => {
  const { code, stdout } = await print(firstFrames({ markets: LIST, [PERP]: STATS }));
  expect(code).toBe(0);
  const [head, ...rows] = stdout.split("\n");
  expect(head).toMatch(/^.* symbol +last +24h .* market +mark$/);
  expect(rows.find((row) => row.includes("perp/2"))).toContain("ETH-PERP");
  expect(rows.find((row) => row.includes("perp/1"))).toMatch(/BTC\\u202e\\u200b\\x07 .*10\.50$/);
});

const NAMES = [
  "@107",
  "$WIF",
  "比特币-PERP",
  "🐕-PERP",
  "🚀",
  "1000 PEPE",
  "Ünited",
  "UBTC/USDC",
  "PERP",
];

test.each(NAMES)("%s, which markets lists, can be typed", async (symbol) => {
  const markets = NAMES.map((each, market_id) => ({ market_id, type: "perp", symbol: each }));
  const script = firstFrames({ markets: { markets } }, true);
  const typed = symbol.normalize("NFD");
  const { stdout } = await run(script, typed, "--once", "--json", "--timeout", "1500ms");
  expect(JSON.parse(stdout).market).toMatchObject({ id: NAMES.indexOf(symbol), symbol });
  const rule = typed.includes(" ") ? ["--events"] : ["--alert", `${typed} last > 5`];
  const watched = await run(script, "watch", typed, ...rule, "--for", "1200ms");
  expect(watched).toMatchObject({ code: 0, stderr: "" });
});

test("an alias of any script stands for any symbol", async () => {
  const config = join(folderOfTest(), "config.toml");
  writeFileSync(config, '[aliases]\n"büro" = "$WIF"\n');
  const markets = NAMES.map((each, market_id) => ({ market_id, type: "perp", symbol: each }));
  const script = firstFrames({ markets: { markets } }, true);
  const args = ["büro", "--once", "--json", "--timeout", "1500ms", "--config", config];
  expect(JSON.parse((await run(script, ...args)).stdout).market).toMatchObject({ symbol: "$WIF" });
});

test("near a name of any script, the one that is listed is offered", async () => {
  const markets = NAMES.map((symbol, market_id) => ({ market_id, symbol }));
  const script = firstFrames({ markets: { markets } });
  for (const [typed, near] of [
    ["@10", "@107"],
    ["比特币", "比特币-PERP"],
    ["$WIFE", "$WIF"],
  ] as const)
    expect((await run(script, typed, "--once")).stderr).toContain(`did you mean ${near}?`);
});

test("a market is found by its symbol, whatever the letters' case; a near one is offered for one that is not listed", async () => {
  const markets = Array.from({ length: 20_000 }, (_, id) => ({
    market_id: id,
    symbol: `M${id}-P`,
  }));
  const script = firstFrames({ markets: { markets } });
  const found = await run(script, "m15000-p", "--for", "1s", "--json");
  expect(JSON.parse(found.stdout).market).toMatchObject({ type: "perp", id: 15_000 });
  const near = await run(script, "m15000", "--once");
  expect(near).toMatchObject({
    code: 2,
    stdout: "",
    stderr: "monitor: the service lists no market m15000\ndid you mean M15000-P?\n",
  });
  const unlisted = await run(firstFrames({ markets: LIST }), "XMR-PERP", "--once");
  expect(unlisted.code).toBe(2);
  expect(unlisted.stderr).toContain("monitor markets names those that it lists");
  const silent = await run(firstFrames({}, true), "XMR-PERP", "--once", "--timeout", "300ms");
  expect(silent.code).toBe(1);
  expect(silent.stderr).toContain("no list of markets came, to say what XMR-PERP is");
});
