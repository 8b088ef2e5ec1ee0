// The last minutes of a run as its user saves them: the built program on a real terminal, and a replay of what it wrote.
import { mkdtempSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startMarketService } from "../support/market-service.ts";
import { runMonitor as runInside } from "../support/monitor-inside.ts";
import { runMonitor } from "../support/monitor-process.ts";
import { MonitorScreen } from "../support/monitor-screen.ts";
import { folderOfFile } from "../support/temporary-folder.ts";

const SIZE = { columns: 160, rows: 40 };
const folder = folderOfFile();

/** A market that stands at 7000 until a test moves it. */
async function startMarket() {
  const service = await startMarketService({ quietAfterMs: 0 });
  onTestFinished(service.close);
  service.trade(7000n);
  return { service, args: ["perp/1", "--ws-url", service.wsUrl] };
}

/** A config file with an alert above a price, which records to a folder. */
const alertText = (level: number, record: string, more = "") =>
  `[[alerts]]\nwhen = "perp/1 last > ${level} ticks${more}"\nrecord = ${JSON.stringify(record)}\n`;

/** The only file of a folder. */
function onlyFile(place: string): string {
  const [name = "", ...more] = readdirSync(place);
  expect(more).toEqual([]);
  return name;
}

/** Prices of the newest trades that a recording ends with. */
async function replayed(file: string) {
  const { code, stdout, stderr } = await runInside(["replay", file, "--json"]);
  const trades = JSON.parse(stdout).trades as { price_ticks: string }[];
  return { code, stderr, prices: trades.map(({ price_ticks }) => price_ticks) };
}

test("a key saves the last minutes, which replay", async () => {
  const { service, args } = await startMarket();
  const place = mkdtempSync(join(folder, "saved-"));
  const screen = new MonitorScreen(args, { ...SIZE, cwd: place });
  await screen.until((text) => text.includes("7,000"));
  service.trade(7100n);
  await screen.until((text) => text.includes("7,100"));
  screen.type("W");
  await screen.until((text) => text.includes("the last two minutes are in "));
  await screen.leave();
  const name = onlyFile(place);
  expect(name).toMatch(/^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ-perp-1\.ndjson$/);
  expect(statSync(join(place, name)).mode & 0o777).toBe(0o600);
  const { code, stderr, prices } = await replayed(join(place, name));
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(prices.slice(0, 2)).toEqual(["7100", "7000"]);
});

test("a watch records beside its line, and says in one line what it could not record", async () => {
  const { service, args } = await startMarket();
  const incidents = join(folder, "of-watch");
  const config = join(folder, "watch.toml");
  const nowhere = join(folder, "no", "folder");
  writeFileSync(
    config,
    alertText(7500, incidents, " every 1s") + alertText(7400, nowhere, " every 1s"),
  );
  const prices = [7100n, 7600n];
  const { code, stdout, stderr } = await runMonitor(
    ["watch", ...args, "--events", "--config", config],
    {
      until: (out, err) => {
        if (out.includes('"what":"connected"') && service.isStill)
          for (const price of prices.splice(0)) service.trade(price);
        return out.split('"event":"alert"').length > 2 && err.includes("not recorded");
      },
    },
  );
  expect(code).toBe(0);
  expect(stderr).toMatch(/^monitor: alert not recorded: ENOENT: [^\n]*folder'\n$/);
  const lines = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines.filter(({ event }) => event === "alert")).toHaveLength(2);
  const name = onlyFile(incidents);
  expect(name).toMatch(/Z-perp-1\.ndjson$/);
  expect((await replayed(join(incidents, name))).prices).toEqual(["7600", "7100", "7000"]);
});
