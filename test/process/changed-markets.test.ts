// Markets whose list is longer than anybody thought, or whose ids are given to other symbols while they are watched.
import { expect, onTestFinished, test } from "vitest";
import { runInsideSettled as runInside } from "../support/monitor-inside.ts";
import { MonitorScreen } from "../support/monitor-screen.ts";
import { type Script, startScriptedStream } from "../support/scripted-stream.ts";

async function start(script: Script) {
  const service = await startScriptedStream(script);
  onTestFinished(service.close);
  return { service, address: ["--ws-url", service.wsUrl] };
}

const market = (id: number, symbol: string) =>
  JSON.stringify({ market_type: "perp", market_id: id, symbol });
const list = (...markets: readonly string[]) => `"markets":[${markets}]`;
const count = (length: number) => list(...Array.from({ length }, (_, i) => market(i, `M${i}`)));

const FEEDS: Script = {
  "bbo/perp/1": [
    '"bbo":{"bid":{"price_ticks":"10","size_base_lots":"1"},"ask":{"price_ticks":"11","size_base_lots":"1"}}',
  ],
};

test("a symbol is found among 20,000 markets", async () => {
  const { address } = await start({ markets: [count(20_000)] });
  const { stdout } = await runInside(["M15000", ...address, "--for", "1s", "--json"]);
  expect(JSON.parse(stdout).market).toMatchObject({ type: "perp", id: 15_000 });
});

test("a symbol is not called unlisted when the list is longer than what is held of it", async () => {
  const { address } = await start({ markets: [count(50_001)] });
  const { code, stderr } = await runInside(["M60000", ...address, "--once"]);
  expect(code).toBe(1);
  expect(stderr).toContain(
    "M60000 is not among the 50000 markets that are held, and the service lists more",
  );
  const unlisted = await start({ markets: [count(3)] });
  const other = await runInside(["M60000", ...unlisted.address, "--once"]);
  expect([other.code, other.stderr]).toEqual([
    2,
    expect.stringContaining("lists no market M60000"),
  ]);
});

test("lines of a market end when its id is given to another symbol", async () => {
  const markets = [list(market(1, "BTC-PERP")), list(market(1, "ETH-PERP"))];
  const { address } = await start({ ...FEEDS, markets });
  const { code, stderr } = await runInside(["perp/1", ...address, "--for", "20s"]);
  expect(stderr).toContain("monitor: perp/1 is now ETH-PERP, no longer BTC-PERP\n");
  expect(code).toBe(1);
});

test("a market is closed on the screen, with a notice, when its id is given to another symbol", async () => {
  const markets = [
    list(market(1, "BTC-PERP"), market(2, "SOL-PERP")),
    list(market(1, "ETH-PERP"), market(2, "SOL-PERP")),
  ];
  const { address, service } = await start({ ...FEEDS, markets });
  const screen = new MonitorScreen(["perp/1", ...address], { rows: 30 });
  await screen.until((text) => text.includes("perp/1 is now ETH-PERP, no longer BTC-PERP: closed"));
  await screen.until((text) => !/bid +10/.test(text));
  await screen.until(() => service.commands.some((text) => /unsubscribe.*bbo\/perp\/1/.test(text)));
  await screen.leave();
});
