// monitor statement --account: the fills beside what the stream shows, on the simulated exchange and on one that leaves a fill out.

import { createServer, type Server } from "node:http";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { decodeScenario } from "../../src/simulator/scenarios/scenario.ts";
import { type Simulator, startSimulator } from "../../src/simulator/simulator.ts";
import type { TradeRecord } from "../../src/wire/rest/trades.ts";
import { listen } from "../support/listen.ts";
import { runInside } from "../support/monitor-inside.ts";
import { runSettled } from "../support/settled-run.ts";
import { folderOfFile } from "../support/temporary-folder.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

let simulator: Simulator;
let server: Server;
let url = "";
/** What of a page of fills is listed. */
let listed = (rows: readonly TradeRecord[]) => rows;
const clock = createVirtualClock();
const folder = folderOfFile();

beforeAll(async () => {
  vi.stubEnv("XDG_DATA_HOME", folder);
  const fields = { name: "slow", description: "", turn_ms: 250 };
  const scenario = decodeScenario(fields, "slow");
  simulator = await startSimulator({ seed: 5, scenario, history: 600, port: 0, clock });
  server = createServer(async ({ url: path = "" }, response) => {
    const answer = await fetch(`${simulator.announcement.base_url}${path}`);
    const rows = (await answer.json()) as TradeRecord[];
    const shown = path.startsWith("/accounts/") && answer.ok ? listed(rows) : rows;
    response.writeHead(answer.status, { "content-type": "application/json" });
    response.end(JSON.stringify(shown));
  });
  url = `http://127.0.0.1:${await listen(server)}`;
});
afterAll(async () => {
  vi.unstubAllEnvs();
  server.closeAllConnections();
  server.close();
  await simulator.close();
});
beforeEach(() => {
  listed = (rows) => rows;
});

const run = (args: readonly string[]) => runSettled(() => runInside(args, undefined, clock), clock);

function statement(...words: string[]) {
  const { ws_url, account } = simulator.announcement;
  const { owner, address, subaccount_id } = account;
  const args = ["statement", owner, `${subaccount_id}`, "--account", address, "--base-url", url];
  return run([...args, "--ws-url", ws_url, ...words]);
}

describe.sequential("books", () => {
  test("balance while the account goes on trading, with and without the cache", async () => {
    for (const words of [[], ["--no-cache"]]) {
      const { code, stdout } = await statement("--json", ...words);
      const { books, complete } = JSON.parse(stdout);
      expect({ code, complete }).toEqual({ code: 0, complete: true });
      for (const market of ["perp/1", "perp/2"]) expect(books[market].difference).toBe("0");
      // Nothing on the stream says what of a balance was bought.
      expect(books["spot/1"]).toMatchObject({ position: null, difference: null });
    }
  });

  test("differ by a fill that the service leaves out, which is found among the trades of the market and named", async () => {
    let left: TradeRecord | undefined;
    listed = (rows) => {
      left ??= rows.filter((row) => row.market_type === "perp")[60];
      return rows.filter((row) => row.trade_id !== left?.trade_id);
    };
    const { code, stdout } = await statement("--json", "--no-cache");
    expect(code).toBe(3);
    const { trade_id, market_id, quantity } = left as TradeRecord;
    const { difference, could_explain: words } = JSON.parse(stdout).books[`perp/${market_id}`];
    expect(Math.abs(Number(difference))).toBe(Number(quantity));
    expect(words[0]).toContain(`missing fill: trade ${trade_id} of `);
    expect(words[1]).toBe("missing fills explain all of it");
    expect(words.at(-1)).toContain("what no listing shows: a transfer of the position");
  });

  test("differ where older fills are not listed, and nothing is hidden", async () => {
    const { owner } = simulator.announcement.account;
    const all = await fetch(`${url}/accounts/${owner}/subaccounts/0/trades?limit=1000`);
    const first = ((await all.json()) as TradeRecord[]).findLast(
      ({ market_type }) => market_type === "perp",
    );
    listed = (rows) => rows.filter(({ timestamp_ms }) => timestamp_ms > (first?.timestamp_ms ?? 0));
    const { code, stdout } = await statement("--no-cache");
    expect(code).toBe(3);
    expect(stdout).toMatch(/perp\/[12]: fills .* DIFFERENCE -?[0-9.]+\n {2}missing fill/);
    expect(stdout).toMatch(/fills older than those listed \(the oldest is of /);
  });

  test("say which funding was seen, and that no listing has what was before", async () => {
    const { stdout } = await statement();
    expect(stdout).toMatch(/^funding.*no listing has what was paid before$/m);
    const { funding } = JSON.parse((await statement("--json")).stdout);
    expect(typeof funding.payments).toBe("number");
  });

  test("of several markets go to Koinly by the assets that the service names for them, and a symbol that names one half is refused", async () => {
    const all = await statement("--format", "koinly");
    expect(all.code).toBe(0);
    expect(all.stdout).toMatch(/,BTC,.*USDC,.*buy perp\/1 as |USDC,.*,BTC,.*buy perp\/1 as /);
    expect(all.stdout).toMatch(/ETH/);
    const one = await statement("--format", "koinly", "--base-asset", "BTC");
    expect(one.code).toBe(2);
    expect(one.stderr).toContain(
      "--base-asset names one asset, and the fills are of perp/1, perp/2",
    );
  });

  test("without an address of the stream are refused; without an account on it, the statement ends with 1 and says why", async () => {
    const { owner, address } = simulator.announcement.account;
    const args = ["statement", owner, "0", "--account", address, "--base-url", url];
    expect((await runInside(args)).code).toBe(2);
    const other = `${address.slice(0, 43)}${address.endsWith("2") ? "3" : "2"}`;
    const { ws_url } = simulator.announcement;
    const missing = await run([...args.with(4, other), "--ws-url", ws_url]);
    expect(missing.code).toBe(1);
    expect(missing.stderr).toContain("nothing to compare the fills with");
    expect(missing.stdout).toContain("complete: yes");
  });
});
