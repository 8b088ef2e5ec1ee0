// monitor simulate as a service: a process of its own, checked by a schema that was written from the interface
// document and not from the program.
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { request } from "undici";
import { describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import {
  conformsLiquidationPage,
  conformsServerFrame,
  conformsTradePage,
} from "../support/interface-schema.ts";
import { runMonitor } from "../support/monitor-process.ts";
import { simulateForFile } from "../support/simulate-process.ts";
import { folderOfTest } from "../support/temporary-folder.ts";
import { words } from "../support/words.ts";

const announced = simulateForFile("--port", "0", "--seed", "11");

function allChannels(): string[] {
  const { markets, account } = announced();
  const perps = markets.filter(({ type }) => type === "perp");
  return [
    "markets",
    "market-stats/perp",
    "market-stats/spot",
    ...markets.flatMap(({ type, id }) => [
      `bbo/${type}/${id}`,
      `orderbook/${type}/${id}`,
      `trades/${type}/${id}`,
      `market-stats/${type}/${id}`,
      ...["1m", "5m", "15m", "1h", "4h", "1d"].map((period) => `candles/${type}/${id}/${period}`),
    ]),
    ...perps.flatMap(({ id }) => [`mark-candles/${id}/1m`, `funding-rates/${id}`]),
    `accounts/${account.address}`,
    `account/${account.address}/${account.subaccount_id}`,
  ];
}

interface SequencedFrame {
  readonly type: string;
  readonly channel: string;
  readonly previous_sequence?: string | null;
  readonly sequence?: string | null;
}

describe("monitor simulate", () => {
  test("announces markets of both types and an account in one JSON line", () => {
    const announcement = announced();
    expect(announcement.ws_url).toMatch(/^ws:\/\/127\.0\.0\.1:\d+\/v1\/ws$/);
    const markets = [
      { type: "perp", id: 1 },
      { type: "spot", id: 1 },
    ];
    expect(announcement.markets).toEqual(expect.arrayContaining(markets));
    expect(announcement.account.address).toMatch(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/);
    expect(announcement.account.owner).toMatch(/^0x[0-9a-f]{40}$/i);
  });

  test("sends nothing but what the document describes, on all channels at once, in unbroken chains", async () => {
    const socket = new WebSocket(announced().ws_url);
    const frames: SequencedFrame[] = [];
    const channels = allChannels();
    const received = new Set<string>();
    const isEnough = new Promise<void>((resolve) => {
      socket.on("message", (data) => {
        const frame = JSON.parse(String(data)) as SequencedFrame;
        frames.push(frame);
        received.add(frame.channel);
        const isAll = channels.every((channel) => received.has(channel));
        if (isAll && frames.length > channels.length * 2) resolve();
      });
    });
    await once(socket, "open");
    for (const channel of channels) socket.send(JSON.stringify({ type: "subscribe", channel }));
    await isEnough;
    socket.close();
    await once(socket, "close");

    const faults = frames.flatMap((frame) => conformsServerFrame(frame) ?? []);
    expect(faults).toEqual([]);
    const last = new Map<string, string | null>();
    for (const { type, channel, previous_sequence, sequence } of frames) {
      if (type !== "update" || sequence === undefined) continue;
      if (last.has(channel)) expect(previous_sequence).toBe(last.get(channel));
      last.set(channel, sequence);
    }
  });

  test("lists trades, liquidations and fills that conform, newest first", async () => {
    const { base_url, account } = announced();
    const page = async (path: string) => {
      const { statusCode, headers, body } = await request(`${base_url}${path}`);
      expect(statusCode).toBe(200);
      expect(headers["content-type"]).toContain("application/json");
      return (await body.json()) as { timestamp_ms: number }[];
    };
    const trades = await page("/markets/1/trades?limit=1000");
    const spot = await page("/markets/1/trades?market_type=spot");
    const fills = await page(
      `/accounts/${account.owner}/subaccounts/${account.subaccount_id}/trades`,
    );
    const liquidations = await page("/markets/1/liquidations");
    for (const records of [trades, spot, fills]) expect(conformsTradePage(records)).toBeUndefined();
    expect(conformsLiquidationPage(liquidations)).toBeUndefined();
    expect(trades.length).toBe(1000);
    expect(spot.length).toBe(100);
    for (const records of [trades, spot, fills, liquidations]) {
      const times = records.map(({ timestamp_ms }) => timestamp_ms);
      expect(times).toEqual([...times].sort((a, b) => b - a));
    }
  });
});

test("monitor tail prints frames of all ten kinds of channels", async () => {
  const { ws_url, account } = announced();
  const { address, subaccount_id } = account;
  const channels = words(`
    bbo/perp/1 orderbook/perp/1 trades/perp/1 candles/perp/1/1m mark-candles/1/1m markets
    market-stats/perp funding-rates/1 accounts/${address} account/${address}/${subaccount_id}
  `);
  const args = ["tail", ...channels, "--ws-url", ws_url];
  const { code, stdout, stderr } = await runMonitor(args, {
    until: (text) => channels.every((channel) => text.includes(`"channel":"${channel}"`)),
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const frames = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(frames.flatMap((frame) => conformsServerFrame(frame) ?? [])).toEqual([]);
  expect([...new Set(frames.map(({ channel }) => channel))].sort()).toEqual([...channels].sort());
});

test.each([
  ["simulate", ["simulate"]],
  ["demo --once", ["demo", "--once"]],
])("a signal ends monitor %s while it is still making a long past", async (_, args) => {
  const file = join(folderOfTest(), "signal.mjs");
  // As soon as the program listens for signals.
  writeFileSync(
    file,
    `process.on("newListener", (name) => {
       if (name === "SIGHUP") setImmediate(() => process.kill(process.pid, "SIGINT"));
     });`,
  );
  const { code, stdout, stderr } = await runMonitor([...args, "--history", "3000000"], {
    env: { NODE_OPTIONS: `--import ${file}` },
  });
  expect({ code, stdout, stderr }).toEqual({ code: 130, stdout: "", stderr: "" });
});
