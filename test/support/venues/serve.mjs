// Serves one house style in real time until it is stopped: node test/support/venues/serve.mjs STYLE [SEED] [SWITCHES as JSON]
// Prints one JSON line with the addresses. SIGUSR1 cuts all connections, SIGUSR2 stops the market and lets it go on. A picture
// of the program (its `--json` object) on a line of stdin is answered by how it differs from the ledger.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const [name = "lighter", seed = "1", switches = "{}"] = process.argv.slice(2);
const STEP_MS = 100;

const folder = mkdtempSync(join(tmpdir(), "venue-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => process.exit());
const outfile = join(folder, "venues.mjs");
await build({
  stdin: {
    contents: ["./service.ts", "./styles/all.ts", "./truth.ts"]
      .map((file) => `export * from "${file}";`)
      .join(""),
    resolveDir: fileURLToPath(new URL(".", import.meta.url)),
  },
  outfile,
  bundle: true,
  platform: "node",
  format: "esm",
  external: ["bufferutil", "utf-8-validate"],
  banner: {
    js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
  },
});
const venues = await import(pathToFileURL(outfile).href);

const style = venues.STYLES.find((each) => each.name === name);
if (!style) throw new Error(`styles: ${venues.STYLES.map((each) => each.name).join(", ")}`);
const startMs = Date.now() - (Date.now() % STEP_MS);
const service = await venues.startVenue(style, JSON.parse(switches), Number(seed), startMs);
const { wsUrl, baseUrl, account, exchange } = service;
let isResting = false;
process.on("SIGUSR1", () => service.cut());
process.on("SIGUSR2", () => {
  isResting = !isResting;
});
setInterval(() => {
  while (exchange.nowMs + STEP_MS <= Date.now()) service.advance(STEP_MS, isResting);
}, STEP_MS / 2);
createInterface({ input: process.stdin }).on("line", (line) => {
  const json = JSON.parse(line);
  const differences = json.account
    ? venues.accountDifferences(json, service)
    : venues.marketDifferences(json, service, exchange.markets[0]);
  process.stdout.write(`${JSON.stringify(differences)}\n`);
});
const markets = exchange.markets
  .filter(({ isListed }) => isListed)
  .map((market) => ({ type: market.type, id: style.id(market), symbol: style.symbol(market) }));
process.stdout.write(`${JSON.stringify({ ws_url: wsUrl, base_url: baseUrl, markets, account })}\n`);
