// `node scripts/scale.mjs`: the load that one watch can carry, for docs/scale.md. Runs the built program as a process of its own,
// against `monitor simulate` with many markets, and against a minimal service in this script. CPU is that of the watch alone, from
// the system's accounting, so that other load on the machine affects only its timing.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { root, say, setUp } from "./setup.mjs";

await setUp();
const { WebSocket, WebSocketServer } = await import("ws");

const TICKS_PER_SECOND = 100;
const SETTLE_MS = 6000;
const MEASURE_MS = 20_000;
/** The most rules that a watch accepts. */
const MAX_RULES = 200;
const PAYLOADS = {
  bbo: "bbo",
  trades: "trades",
  "market-stats": "market_stats",
  markets: "markets",
};
const children = new Set();
const folder = mkdtempSync(join(tmpdir(), "monitor-scale-"));
process.on("exit", () => {
  for (const child of children) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

function start(...args) {
  const env = { PATH: process.env.PATH, HOME: folder };
  const child = spawn(process.execPath, [join(root, "bin", "monitor.js"), ...args], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.add(child);
  return child;
}

async function end(child) {
  child.kill("SIGTERM");
  await once(child, "close");
  children.delete(child);
}

/** CPU seconds so far, and resident megabytes. */
function costOf({ pid }) {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const pages = Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]);
  return {
    cpu: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND,
    mb: (pages * 4096) / 1e6,
  };
}

/** Measures one watch. @param framesSoFar returns the number of frames sent to it */
async function measure(wsUrl, args, framesSoFar) {
  const watch = start("watch", ...args, "--ws-url", wsUrl, "--metrics", "0");
  let said = "";
  watch.stderr.on("data", (data) => {
    said += data;
  });
  watch.stdout.resume();
  await pause(SETTLE_MS);
  const before = { ...costOf(watch), frames: framesSoFar(), at: performance.now() };
  await pause(MEASURE_MS);
  const after = { ...costOf(watch), frames: framesSoFar(), at: performance.now() };
  const url = /http:\S+/.exec(said)?.[0];
  const scrapedFrom = performance.now();
  const text = await (await fetch(url)).text();
  const scrapeMs = performance.now() - scrapedFrom;
  const isLive = (text.match(/state="(?:live|quiet)"\} 1/g) ?? []).length;
  await end(watch);
  const seconds = (after.at - before.at) / 1000;
  const frames = after.frames - before.frames;
  return {
    live: isLive,
    "frames/s": Math.round(frames / seconds),
    "CPU %": Number((((after.cpu - before.cpu) / seconds) * 100).toFixed(1)),
    "µs/frame": Number((((after.cpu - before.cpu) / frames) * 1e6).toFixed(1)),
    MB: Math.round(after.mb),
    "scrape ms": Math.round(scrapeMs),
    "scrape kB": Math.round(text.length / 1000),
  };
}

const ruleOf = (name) => ["--alert", `${name} last > 900000000 every`];

/** Markets of the simulated exchange; frames are counted by a second client with the same channels. */
async function againstSimulator(count) {
  const markets = Array.from({ length: count }, (_, i) => ({
    type: "perp",
    id: i + 1,
    symbol: `M${i}-PERP`,
    base_asset: `M${i}`,
    tick_size: "0.01",
    lot_size: "0.0001",
    start_price: "97000",
    activity: 1,
  }));
  const scenario = join(folder, "scale.json");
  writeFileSync(scenario, JSON.stringify({ name: "scale", description: "", markets }));
  const simulator = start("simulate", "--scenario", scenario, "--history", "1000");
  const [line] = await once(simulator.stdout, "data");
  const { ws_url } = JSON.parse(String(line));
  const names = markets.map(({ id }) => `perp/${id}`);
  let frames = 0;
  const client = new WebSocket(ws_url);
  await once(client, "open");
  client.on("message", () => frames++);
  for (const kind of Object.keys(PAYLOADS)) {
    for (const name of kind === "markets" ? [""] : names) {
      const channel = name === "" ? kind : `${kind}/${name}`;
      client.send(JSON.stringify({ type: "subscribe", channel }));
    }
  }
  const result = await measure(ws_url, [...names, ...names.flatMap(ruleOf)], () => frames);
  client.terminate();
  await end(simulator);
  return { against: "simulate", markets: count, accounts: 0, ...result };
}

const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const level = (ticks) => ({ price_ticks: `${ticks}`, size_base_lots: "12345" });

/** Rates and payloads: 10 bbo, 1 trade and 1 market-stats a second for each market; 1 update a second for each subaccount. */
const FEEDS = {
  bbo: {
    perSecond: 10,
    payload: (n) => ({
      bbo: { bid: level(9_700_000 + (n % 50)), ask: level(9_700_060 + (n % 50)) },
    }),
  },
  trades: {
    perSecond: 1,
    payload: (n) => ({
      trades: [
        {
          ...level(9_700_000 + (n % 50)),
          timestamp_ns: `${BigInt(Date.now()) * 1_000_000n}`,
          taker_is_bid: true,
        },
      ],
    }),
  },
  "market-stats": {
    perSecond: 1,
    payload: (n, [, id]) => ({
      market_stats: [{ market_id: Number(id), mark_price: `97000.${n % 90}` }],
    }),
  },
  markets: {
    perSecond: 0,
    payload: () => ({ markets: [{ market_id: 1, tick_size: "0.01", lot_size: "0.0001" }] }),
  },
  account: {
    perSecond: 1,
    payload: (n) => ({
      account: { equity: `${100_000 + (n % 1000)}.5`, margin: "1000" },
      positions: [1, 2, 3].map((id) => ({
        market_type: "perp",
        market_id: id,
        side: "long",
        size: "1.5",
        entry_price: "97000",
        ...{
          mark_price: `97000.${n % 90}`,
          liquidation_price: "60000",
          unrealized_pnl: `${n % 90}.5`,
        },
      })),
      ...(n % 10 === 0 && {
        orders: [
          {
            order_id: `${n}`,
            market_id: 1,
            side: "buy",
            size: "1",
            price: "96000",
            status: "open",
          },
        ],
      }),
    }),
  },
};

/** A service that sends the subscribed channels at a fixed rate. */
async function againstFeed(markets, accounts) {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0, perMessageDeflate: false });
  await once(server, "listening");
  let frames = 0;
  const timers = [];
  server.on("connection", (socket) => {
    const channels = new Map();
    const send = (channel, entry) => {
      if (socket.readyState !== WebSocket.OPEN) return;
      const chain = {
        previous_sequence: entry.n === 0 ? null : `${entry.n}`,
        sequence: `${entry.n + 1}`,
      };
      const timestamp_ns = `${BigInt(Date.now()) * 1_000_000n}`;
      const payload = entry.feed.payload(entry.n, entry.parts);
      socket.send(
        JSON.stringify({
          type: "update",
          channel,
          timestamp_ns,
          ...(entry.kind !== "bbo" && chain),
          ...payload,
        }),
      );
      entry.n++;
      frames++;
    };
    socket.send('{"type":"hello","protocol_version":1,"keepalive_timeout_ms":120000}');
    socket.on("message", (text) => {
      const { type, channel } = JSON.parse(String(text));
      const [kind, ...parts] = channel.split("/");
      if (type !== "subscribe" || channels.has(channel)) return;
      const entry = { n: 0, kind, parts, feed: FEEDS[kind], due: Math.random() };
      channels.set(channel, entry);
      send(channel, entry);
    });
    let last = performance.now();
    timers.push(
      setInterval(() => {
        const now = performance.now();
        for (const [channel, entry] of channels) {
          entry.due += ((now - last) / 1000) * entry.feed.perSecond;
          for (; entry.due >= 1; entry.due--) send(channel, entry);
        }
        last = now;
      }, 20),
    );
  });
  const names = Array.from({ length: markets }, (_, i) => `perp/${i + 1}`);
  const addresses = Array.from({ length: accounts }, (_, i) =>
    Array.from(
      { length: 40 },
      (_, at) => ALPHABET[(i * 7 + Math.floor(i / 58 ** (at % 4)) + at) % 58],
    ).join(""),
  );
  const args = [
    ...names,
    ...names.slice(0, MAX_RULES / 2).flatMap(ruleOf),
    ...[...new Set(addresses)].flatMap((address) => ["--account", `${address}/0`]),
  ];
  const result = await measure(`ws://127.0.0.1:${server.address().port}/v1/ws`, args, () => frames);
  for (const timer of timers) clearInterval(timer);
  for (const client of server.clients) client.terminate();
  server.close();
  return { against: "feed", markets, accounts, ...result };
}

say(`${cpus()[0]?.model.trim()}, ${availableParallelism()} cores, Node ${process.version}`);
const loads = [
  ...[3, 10, 20].map((markets) => () => againstSimulator(markets)),
  ...[
    [10, 0],
    [100, 0],
    [300, 0],
    [1000, 0],
    [1, 100],
    [1, 1000],
    [200, 500],
  ].map(
    ([markets, accounts]) =>
      () =>
        againstFeed(markets, accounts),
  ),
];
for (const [i, load] of loads.entries()) {
  const row = await load();
  if (i === 0) {
    const titles = Object.keys(row);
    process.stdout.write(`| ${titles.join(" | ")} |\n|${"---|".repeat(titles.length)}\n`);
  }
  process.stdout.write(`| ${Object.values(row).join(" | ")} |\n`);
}
process.exit();
