// The same seed and scenario are the same exchange in every version: what clients receive, and what is listed, is held
// to digests. A change of who trades, and how, changes them all; a change of how the code is laid out changes none.
import { createHash } from "node:crypto";
import { request } from "undici";
import { expect, test } from "vitest";
import { startFaultRig } from "./faults/fault-rig.ts";
import type { Client } from "./rig.ts";

const OTHER_READINGS = {
  book: "delta-with-resets",
  book_reset_every: 20,
  book_depth: 12,
  account_lists: "changed-lists",
  first_previous: "same",
  trades_backlog: 7,
  cursor: "timestamp",
  rest_prefix: "/api",
  extra_tick_digits: 3,
  extra_lot_digits: 2,
};

const channelsOf = (address: string) => [
  "markets",
  "market-stats/perp",
  "market-stats/spot/1",
  "funding-rates/1",
  "mark-candles/2/1m",
  `accounts/${address}`,
  `account/${address}/0`,
  `account/${address}/1`,
  ...["perp/1", "perp/2", "spot/1"].flatMap((market) => [
    `bbo/${market}`,
    `orderbook/${market}`,
    `trades/${market}`,
    `candles/${market}/1m`,
    `candles/${market}/1d`,
  ]),
];

/** What a client gets, with a new connection whenever one has ended, and what is listed at the end. */
async function digestOf(scenario: string, seconds: number): Promise<string> {
  const rig =
    scenario === "other readings"
      ? await startFaultRig([], OTHER_READINGS)
      : await startFaultRig(scenario);
  const { account, base_url } = rig.simulator.announcement;
  const channels = channelsOf(account.address);
  const hash = createHash("sha256");
  const note = ({ texts, binaries, closeCode, refused }: Client) =>
    hash.update(JSON.stringify([texts, binaries, closeCode, refused]));
  let client = await rig.connect(...channels);
  for (let second = 0; second < seconds; second++) {
    await rig.pass(1000);
    if (second % 7 === 3) {
      sendCommands(client);
      await rig.settle();
    }
    if (client.socket.readyState === client.socket.OPEN) continue;
    note(client);
    client.socket.terminate();
    await rig.settle();
    client = await rig.connect(...channels);
  }
  note(client);
  if (scenario === "storm") return hash.digest("hex").slice(0, 16);
  for (const text of await listings(base_url, account.owner)) hash.update(text);
  return hash.digest("hex").slice(0, 16);
}

/** A new subscription, and some that are wrong. */
function sendCommands(client: Client): void {
  for (const type of ["unsubscribe", "subscribe"]) client.command(type, "orderbook/perp/1");
  client.command("subscribe", "bbo/spot/1");
  client.command("subscribe", "bbo/perp/01");
  client.command("subscribe", "bbo");
}

/** A page of each listing, older pages, and refusals. */
async function listings(base: string, owner: string): Promise<string[]> {
  const texts: string[] = [];
  const get = async (path: string) => {
    const { statusCode, body } = await request(base + path);
    const text = await body.text();
    texts.push(`${statusCode} ${text}`);
    return JSON.parse(text);
  };
  for (const path of [
    "/markets/1/trades?limit=300",
    "/markets/1/trades?market_type=spot",
    "/markets/2/liquidations?limit=100",
    `/accounts/${owner}/subaccounts/0/trades?limit=50`,
    "/markets/1/trades?limit=0",
    "/markets/7/trades",
  ]) {
    const row = (await get(path))[40];
    if (row === undefined) continue;
    await get(`${path}&before=${row.timestamp_ms}`);
    await get(`${path}&before=52009000`);
  }
  return texts;
}

test.each([
  ["steady", "7773e6912db25fb1"],
  ["drift", "f24b2869dc1f659f"],
  ["storm", "49c24ed813f1657a"],
  ["other readings", "f08f8f1b51830d68"],
])("%s is the exchange that it was", async (scenario, digest) => {
  expect(await digestOf(scenario, 20)).toBe(digest);
});
