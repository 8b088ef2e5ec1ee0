// What may stand where a statement persists its fills: whatever it is, the fills are asked for again and nothing else is touched.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runHurried } from "../support/export-rig.ts";
import { listedTrade } from "../support/listed-trade.ts";
import { folderOfTest } from "../support/temporary-folder.ts";
import { serveTrades } from "../support/trades-server.ts";

const OWNER = `0x${"ab".repeat(20)}`;

const ROWS = Array.from({ length: 5 }, (_, i) =>
  listedTrade({
    trade_id: `${(5 - i) * 10}`,
    timestamp_ms: 1_700_000_000_000 - i,
    price: "10",
    quantity: "2",
    quote_notional: "20",
    taker_address: OWNER,
    taker_fee_quote: "0",
  }),
);

async function start() {
  const folder = folderOfTest();
  const service = await serveTrades(ROWS, () => undefined);
  const before = process.env.XDG_DATA_HOME;
  process.env.XDG_DATA_HOME = folder;
  onTestFinished(() => {
    if (before === undefined) delete process.env.XDG_DATA_HOME;
    else process.env.XDG_DATA_HOME = before;
  });
  const args = ["statement", OWNER, "0", "--base-url", service.baseUrl, "--json"];
  const run = () => runHurried(args);
  await run();
  const fills = join(folder, "monitor", "fills");
  const [name = ""] = readdirSync(fills).filter((each) => each.endsWith(".csv"));
  const victim = join(folder, "victim");
  writeFileSync(victim, "of somebody else");
  const path = join(fills, name);
  rmSync(path);
  return { run, path, victim };
}

test.runIf(process.platform !== "win32").each<[string, (path: string, victim: string) => void]>([
  ["a pipe that nobody writes to", (path) => execFileSync("sh", ["-c", `mkfifo ${path}`])],
  ["a folder", (path) => mkdirSync(path)],
  ["a link to a file of somebody else", (path, victim) => symlinkSync(victim, path)],
  ["a link to a device without an end", (path) => symlinkSync("/dev/zero", path)],
])("%s in the place of persisted fills costs no more than asking again", async (_, put) => {
  const { run, path, victim } = await start();
  put(path, victim);
  const { code, stdout } = await run();
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ complete: true, totals: { fills: 5, bought: "10" } });
  expect(readFileSync(victim, "utf8")).toBe("of somebody else");
});
