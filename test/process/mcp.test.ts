// monitor mcp as an assistant uses it, through the SDK's own client: the answers are those of the commands.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { describe, expect, onTestFinished, test } from "vitest";
import { ROOT } from "../support/documents.ts";
import { runMonitor } from "../support/monitor-inside.ts";
import { simulateForFile } from "../support/simulate-process.ts";
import { startVenue } from "../support/venues/service.ts";
import { hyperliquid } from "../support/venues/styles/hyperliquid.ts";
import { accountDifferences, marketDifferences } from "../support/venues/truth.ts";
import { words } from "../support/words.ts";

const announced = simulateForFile("--seed", "1", "--history", "2000");

interface Answer {
  readonly isError: boolean;
  readonly text: string;
  readonly more: readonly string[];
  // biome-ignore lint/suspicious/noExplicitAny: any JSON
  readonly json: any;
}

/** A server, and a client of it. */
async function connect(...args: readonly string[]) {
  const { PATH = "" } = process.env;
  const client = new Client({ name: "test", version: "1" });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [`${ROOT}bin/monitor.js`, "mcp", ...args],
      env: { PATH, HOME: "/dev/null" },
      stderr: "ignore",
    }),
  );
  onTestFinished(() => client.close());
  const { tools } = await client.listTools();
  return {
    tools,
    async ask(name: string, given: Record<string, unknown> = {}): Promise<Answer> {
      const { content, structuredContent, isError } = await client.callTool({
        name,
        arguments: given,
      });
      const [text = "", ...more] = (content as { text: string }[]).map((each) => each.text);
      return { isError: isError === true, text, more, json: structuredContent };
    },
  };
}

const addressesOf = (where: { readonly ws_url: string; readonly base_url: string }) => [
  ...["--ws-url", where.ws_url],
  ...["--base-url", where.base_url],
];

describe("at the simulated exchange", () => {
  test("every tool only reads, and says what it takes", async () => {
    const { tools } = await connect(...addressesOf(announced()));
    expect(tools.map(({ name }) => name).sort()).toEqual(
      words("account doctor fills listing market markets statement"),
    );
    for (const { annotations, description = "", inputSchema } of tools) {
      expect(annotations).toMatchObject({ readOnlyHint: true });
      expect(description.length).toBeGreaterThan(40);
      expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false });
    }
  });

  test("an answer is the object of the command, as text and as content", async () => {
    const where = announced();
    const { ask } = await connect(...addressesOf(where));
    const { address, subaccount_id } = where.account;
    const asked: [string, Record<string, unknown>, string[]][] = [
      ["market", { market: "btc-perp" }, ["perp/1"]],
      ["account", { address }, ["account", address]],
      ["account", { address, subaccount_id }, ["account", address, `${subaccount_id}`]],
    ];
    for (const [name, given, command] of asked) {
      const { text, json, more } = await ask(name, given);
      const printed = await runMonitor([...command, "--once", "--json", ...addressesOf(where)]);
      expect(Object.keys(json)).toEqual(Object.keys(JSON.parse(printed.stdout)));
      expect(JSON.parse(text)).toEqual(json);
      expect(more).toEqual([]);
      for (const pane of Object.values<{ state: string }>(json.panes))
        expect(["live", "quiet"]).toContain(pane.state);
    }
    const { orderbook, trades, candles } = (await ask("market", { market: "perp/1", rows: 3 }))
      .json;
    const lengths = [orderbook.bids, orderbook.asks, trades].map((all) => all.length);
    expect(lengths).toEqual([3, 3, 3]);
    expect(candles.items.length).toBeLessThanOrEqual(3);
    const { json } = await ask("markets");
    expect(json.markets).toHaveLength(where.markets.length);
    expect(json.markets[0]).toMatchObject({ market: "perp/1", state: "live" });
  });

  test("pages of a listing follow each other without a gap and without a row twice", async () => {
    const where = announced();
    const { ask } = await connect(...addressesOf(where));
    const { owner, subaccount_id } = where.account;
    const pages: Answer[] = [];
    for (let before: string | undefined; pages.length < 5; before = pages.at(-1)?.json.next)
      pages.push(await ask("listing", { kind: "trades", market: "perp/1", limit: 7, before }));
    const rows = pages.flatMap(({ json }) => json.rows);
    const until = `${rows[0].timestamp_ms}`;
    const command = ["trades", "perp/1", "--once", "--json", "--max", "60", "--until", until];
    const listed = JSON.parse((await runMonitor([...command, ...addressesOf(where)])).stdout).rows;
    const first = listed.findIndex(
      ({ trade_id: id }: { trade_id: string }) => id === rows[0].trade_id,
    );
    expect(rows).toEqual(listed.slice(first, first + 35));
    for (const { json } of pages) expect(json.complete).toBe(true);
    const fills = await ask("fills", { owner, subaccount_id, limit: 3 });
    expect(fills.json.rows).toHaveLength(3);
    const statement = await ask("statement", { owner, subaccount_id });
    expect(statement.json).toMatchObject({ owner, subaccount_id, complete: true });
  });

  test("what is wrong with a question is an answer that says what is right", async () => {
    const { ask } = await connect(...addressesOf(announced()));
    const asked: [string, object, string][] = [
      ["market", { market: "BTC-PRP" }, "did you mean BTC-PERP?"],
      ["market", { market: "perp/x" }, "expected: perp/1"],
      ["market", { market: "perp/1", ws_url: "ws://127.0.0.1:1" }, "ws_url"],
      ["account", { address: "0x52908400098527886E0F7030069857D2E4169EE7" }, "base58"],
      ["fills", { owner: "abc", subaccount_id: 0 }, "0x and 40 hex digits"],
      ["listing", { kind: "trades", market: "perp/1", limit: 5000 }, "limit"],
      ["order", {}, "no such tool"],
    ];
    for (const [name, given, hint] of asked) {
      const { isError, text } = await ask(name, given as Record<string, unknown>);
      expect({ isError, text }).toEqual({ isError: true, text: expect.stringContaining(hint) });
    }
  });

  test("--mask answers nothing about accounts", async () => {
    const { address } = announced().account;
    const { tools, ask } = await connect(...addressesOf(announced()), "--mask");
    expect(tools.map(({ name }) => name).sort()).toEqual(words("doctor listing market markets"));
    expect((await ask("account", { address })).isError).toBe(true);
  });
});

test("of a service of another style the answers are what its ledger says; when it is gone they say so", async () => {
  const service = await startVenue(hyperliquid);
  onTestFinished(() => service.close());
  const market = service.exchange.markets.find(({ base }) => base === "BTC");
  if (!market) throw new Error("no market BTC");
  const { ask } = await connect("--ws-url", service.wsUrl, "--base-url", service.baseUrl);
  const [, address, subaccount] = service.accountChannel.split("/");
  service.advance(10_000);
  service.advance(2000, true);
  const id = `perp/${service.style.id(market)}`;
  const shown = await ask("market", { market: id, rows: 1000 });
  const account = await ask("account", { address, subaccount_id: Number(subaccount), rows: 1000 });
  expect([
    ...marketDifferences(shown.json, service, market),
    ...accountDifferences(account.json, service),
  ]).toEqual([]);
  service.refuse(true);
  service.cut();
  const refused = await ask("market", { market: id });
  expect({ ...refused }).toMatchObject({ json: { bbo: null } });
});
