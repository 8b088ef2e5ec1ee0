// Metrics of a watch as an operator meets them: a service, and what is scraped of it.
import { createServer, request } from "node:http";
import { describe, expect, onTestFinished, test } from "vitest";
import { listen } from "../support/listen.ts";
import { runMonitor } from "../support/monitor-inside.ts";
import { type Payload, ScriptedService } from "../support/scripted-service.ts";

// The Prometheus text format 0.0.4, read as its description says, apart from the program's writer.
interface ScrapedSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

interface Scraped {
  readonly types: ReadonlyMap<string, string>;
  readonly samples: readonly ScrapedSample[];
}

const ESCAPES: Readonly<Record<string, string>> = { "\\\\": "\\", '\\"': '"', "\\n": "\n" };

/** @throws {Error} for a line that is not of the format, or samples with the same labels */
function readPrometheusText(text: string): Scraped {
  if (!text.endsWith("\n")) throw new Error("the last line has no end");
  const types = new Map<string, string>();
  const samples = new Map<string, ScrapedSample>();
  for (const line of text.split("\n").filter(Boolean)) {
    const type = /^# TYPE (\S+) (\S+)$/.exec(line);
    if (type) types.set(type[1] ?? "", type[2] ?? "");
    if (line.startsWith("#")) continue;
    const sample = readSample(line);
    const key = JSON.stringify([sample.name, Object.entries(sample.labels).sort()]);
    if (samples.has(key)) throw new Error(`twice: ${line}`);
    samples.set(key, sample);
  }
  return { types, samples: [...samples.values()] };
}

function readSample(line: string): ScrapedSample {
  const match = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/s.exec(line);
  if (match === null) throw new Error(`no sample: ${line}`);
  const [, name = "", inner = "", number = ""] = match;
  const value = Number(number);
  if (number === "" || Number.isNaN(value)) throw new Error(`no value: ${line}`);
  const pairs = [...inner.matchAll(/([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\["\\n])*)"(?:,|$)/g)];
  if (pairs.map(([all]) => all).join("") !== inner) throw new Error(`no labels: ${line}`);
  const labels = pairs.map(([, label = "", text = ""]) => [
    label,
    text.replace(/\\["\\n]/g, (spelled) => ESCAPES[spelled] ?? spelled),
  ]);
  return { name, labels: Object.fromEntries(labels), value };
}

/** The value of the one sample with these labels, or undefined. */
function scrapedValue(
  { samples }: Scraped,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  return samples.find(
    (sample) =>
      sample.name === name &&
      Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  )?.value;
}

const ADDRESS = "7xKXtg2CWvuPzqd1sH7M5vqHkqrhmhmkFk6Q9qHTqkFk";
const PRICES = /^monitor_(?:bid|ask|last|mark|equity|liquidation_distance_ratio)$/;
const RULE = "perp/1 bid > 70000 every 1s";

const level = (price_ticks: string) => ({ price_ticks, size_base_lots: "5" });
const bbo = (bid: string): Payload => ({ bbo: { bid: level(bid), ask: level("7500000") } });
const CHANNELS: Readonly<Record<string, () => Payload>> = {
  markets: () => ({
    markets: [{ market_type: "perp", market_id: 1, tick_size: "0.01", lot_size: "0.0001" }],
  }),
  "bbo/perp/1": () => bbo("6500010"),
  "trades/perp/1": () => ({
    trades: [
      { timestamp_ns: "1", price_ticks: "6500015", size_base_lots: "1", taker_is_bid: true },
    ],
  }),
  "market-stats/perp/1": () => ({ market_stats: [{ market_id: 1, mark_price: "65000" }] }),
  [`account/${ADDRESS}/0`]: () => ({
    account: { equity: "1234.5" },
    positions: [{ market_id: 1, side: "long", size: "1", liquidation_price: "52000" }],
  }),
};

async function startService() {
  const service = new ScriptedService({ channels: CHANNELS });
  const listening = await service.listen();
  let isOpen = true;
  const close = async () => {
    if (isOpen) await listening.close();
    isOpen = false;
  };
  onTestFinished(close);
  return { service, wsUrl: listening.wsUrl, close };
}

/** A watch that serves metrics on a port of its own. */
async function startWatch(wsUrl: string, ...more: string[]) {
  let said = "";
  let end = (_: NodeJS.Signals) => {};
  const finished = runMonitor(["watch", "perp/1", "--ws-url", wsUrl, "--metrics", "0", ...more], {
    onOutput: (_, kill) => {
      end = kill;
    },
    until: (_, stderr) => {
      said = stderr;
      return false;
    },
  });
  onTestFinished(() => end("SIGTERM"));
  await expect.poll(() => said).toMatch(/metrics at /);
  const url = /http:\S+/.exec(said)?.[0] ?? "";
  const scrape = async (): Promise<Scraped> => readPrometheusText(await (await fetch(url)).text());
  return {
    url,
    scrape,
    /** The first scrape that is as it should be. */
    async until(isRight: (scraped: Scraped) => boolean): Promise<Scraped> {
      let scraped = await scrape();
      await expect
        .poll(async () => {
          scraped = await scrape();
          return isRight(scraped);
        })
        .toBe(true);
      return scraped;
    },
    async end() {
      end("SIGTERM");
      return (await finished).code;
    },
  };
}

const countOf = ({ samples }: Scraped, pattern: RegExp) =>
  samples.filter(({ name }) => pattern.test(name)).length;

describe("metrics of a watch", () => {
  test("are prices and states while the service is there, and states alone when it is not", async () => {
    const { service, wsUrl, close } = await startService();
    const watch = await startWatch(wsUrl, "--account", `${ADDRESS}/0`, "--alert", RULE);
    const market = "perp/1";
    const whole = await watch.until((scraped) => countOf(scraped, PRICES) === 6);
    expect(scrapedValue(whole, "monitor_bid", { market })).toBe(65000.1);
    expect(scrapedValue(whole, "monitor_last", { market })).toBe(65000.15);
    expect(scrapedValue(whole, "monitor_equity", { account: `${ADDRESS}/0` })).toBe(1234.5);
    expect(scrapedValue(whole, "monitor_liquidation_distance_ratio", { market })).toBe(0.2);
    expect(scrapedValue(whole, "monitor_alert_firings_total", { rule: RULE })).toBe(0);
    // The frames of this service are of 1970.
    const offset = scrapedValue(whole, "monitor_clock_offset_seconds") ?? 0;
    expect(Math.abs(offset - Date.now() / 1000)).toBeLessThan(3600);
    service.publish("bbo/perp/1", bbo("7100000"));
    const fired = await watch.until(
      (scraped) => scrapedValue(scraped, "monitor_alert_firings_total", { rule: RULE }) === 1,
    );
    expect(scrapedValue(fired, "monitor_bid", { market })).toBe(71000);
    await close();
    const offline = await watch.until((scraped) => countOf(scraped, PRICES) === 0);
    const states = offline.samples.filter(
      ({ name, value }) => name === "monitor_channel_state" && value === 1,
    );
    expect(states.map(({ labels }) => labels.state)).toEqual(states.map(() => "offline"));
    expect(states).toHaveLength(5);
    expect(await watch.end()).toBe(0);
  });

  test("are states alone while the service has never been there", async () => {
    const { wsUrl, close } = await startService();
    await close();
    const watch = await startWatch(wsUrl, "--account", `${ADDRESS}/0`);
    const { samples } = await watch.scrape();
    const states = samples.filter(({ labels, value }) => "state" in labels && value === 1);
    expect(states.map(({ labels }) => labels.state)).toEqual(Array(5).fill("offline"));
    expect(countOf({ samples, types: new Map() }, PRICES)).toBe(0);
    expect(await watch.end()).toBe(0);
  });

  test("go on when no alert can fire any more, and name no address with --mask", async () => {
    const { wsUrl } = await startService();
    const rule = `account/${ADDRESS}/0 equity > 987654321`;
    const watch = await startWatch(wsUrl, "--mask", "--alert", rule);
    const scraped = await watch.until((each) => countOf(each, /^monitor_liquidation/) === 1);
    expect(JSON.stringify(scraped)).not.toContain(ADDRESS.slice(4, 20));
    expect(JSON.stringify(scraped)).not.toContain("987654321");
    expect(countOf(scraped, /^monitor_equity$/)).toBe(0);
    expect(await watch.end()).toBe(0);
  });

  test("on a port in use end in one line and 1, of another form in 2", async () => {
    const { wsUrl } = await startService();
    const other = createServer();
    const port = await listen(other);
    onTestFinished(() => void other.close());
    const run = (...args: string[]) => runMonitor(["watch", "perp/1", "--ws-url", wsUrl, ...args]);
    const taken = await run("--metrics", String(port));
    expect([taken.code, taken.stderr]).toEqual([
      1,
      expect.stringMatching(new RegExp(`${port}.*\\n.*--metrics.*\\n$`)),
    ]);
    for (const word of ["70000", "nine", "::1:9464", "localhost:", "a b:9", "*:9464"]) {
      const wrong = await run("--metrics", word);
      expect([wrong.code, wrong.stderr]).toEqual([
        2,
        expect.stringContaining("expected: --metrics [HOST:]PORT"),
      ]);
    }
  });

  test("are OpenMetrics for who asks for it, and are answered under names of loopback alone", async () => {
    const { wsUrl } = await startService();
    const watch = await startWatch(wsUrl);
    await watch.until((scraped) => countOf(scraped, PRICES) === 4);
    const accept = "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5";
    const open = await fetch(watch.url, { headers: { accept } });
    expect(open.headers.get("content-type")).toMatch(/^application\/openmetrics-text; version=1/);
    const text = await open.text();
    expect(text).toContain("# TYPE monitor_gaps counter\n");
    expect(text).toContain('monitor_gaps_total{channel="bbo/perp/1"} 0\n');
    expect(text.endsWith("\n# EOF\n")).toBe(true);
    const plain = await fetch(watch.url);
    expect(plain.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    const { hostname, port } = new URL(watch.url);
    const status = (path: string, more: object = {}) =>
      new Promise((done) =>
        request({ host: hostname, port, path, ...more }, (answer) => {
          answer.resume();
          done(answer.statusCode);
        }).end(),
      );
    expect(await status("/metrics", { headers: { host: "evil.example" } })).toBe(421);
    expect(await status("/metrics", { headers: { host: `localhost:${port}` } })).toBe(200);
    expect(await status("/")).toBe(404);
    expect(await status("/metrics", { method: "POST" })).toBe(405);
    expect(await watch.end()).toBe(0);
  });
});
