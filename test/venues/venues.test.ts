// Twenty seconds of changes and one lost connection in each house style: two seconds after the last change, what is held is what the
// service's ledger says.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { POINTS, VALUES } from "../../src/dialect/dialect.ts";
import { openSession, type Session } from "../../src/live/session.ts";
import { marketJson, marketsJson } from "../../src/print/json.ts";
import { ownOrderTicks, selectFills } from "../../src/rows/account.ts";
import { createWsSocket } from "../../src/stream/ws-socket.ts";
import { createRandom } from "../../src/units/random.ts";
import { msOfNs } from "../../src/units/time.ts";
import { formatJson } from "../../src/wire/json.ts";
import { settleLoopback, watchLoopback } from "../support/loopback.ts";
import { folderOfTest } from "../support/temporary-folder.ts";
import type { Market } from "../support/venues/exchange.ts";
import { type Switches, startVenue, type VenueService } from "../support/venues/service.ts";
import { STYLES } from "../support/venues/styles/all.ts";
import { binance } from "../support/venues/styles/binance.ts";
import { drift } from "../support/venues/styles/drift.ts";
import { hyperliquid } from "../support/venues/styles/hyperliquid.ts";
import { lighter } from "../support/venues/styles/lighter.ts";
import { paradex } from "../support/venues/styles/paradex.ts";
import { phoenix } from "../support/venues/styles/phoenix.ts";
import type { Style } from "../support/venues/styles/style.ts";
import {
  accountDifferences,
  marketDifferences,
  marketsDifferences,
} from "../support/venues/truth.ts";
import { createVirtualClock, type VirtualClock } from "../support/virtual-clock.ts";

const STEP_MS = 100;

interface Run {
  readonly service: VenueService;
  readonly clock: VirtualClock;
  readonly session: Session;
  readonly market: Market;
  readonly events: string[];
}

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function start(
  style: Style,
  switches: Switches = {},
  base = "BTC",
  learnedPath?: string,
): Promise<Run> {
  watchLoopback();
  const service = await startVenue(style, switches);
  const market = service.exchange.markets.find((each) => each.base === base);
  if (!market) throw new Error(`no market ${base}`);
  const clock = createVirtualClock(service.startMs);
  const events: string[] = [];
  const session = open(service, market, clock, learnedPath, events);
  ends.push(() => {
    session.close();
    return service.close();
  });
  return { service, clock, session, market, events };
}

function open(
  service: VenueService,
  market: Market,
  clock: VirtualClock,
  learnedPath: string | undefined,
  events: string[],
): Session {
  const name = nameOf(service, market);
  return openSession({
    url: service.wsUrl,
    openSocket: createWsSocket({ url: service.wsUrl, headers: {}, clock, environment: {} }),
    clock,
    random: createRandom(1),
    channels: [
      ...["bbo", "orderbook", "trades", "market-stats"].map((kind) => `${kind}/${name}`),
      `candles/${name}/1m`,
      "markets",
      service.accountChannel,
    ],
    learnedPath,
    onEvent: ({ event, channel, detail }) =>
      events.push(`${clock.now()} ${event} ${channel} ${detail}`),
  });
}

/** Another run of the program at the same service. */
async function resume({ service, clock, market }: Run, learnedPath: string): Promise<Run> {
  const events: string[] = [];
  const session = open(service, market, clock, learnedPath, events);
  ends.push(async () => session.close());
  return { service, clock, session, market, events };
}

const nameOf = ({ style }: VenueService, market: Market) => `${market.type}/${style.id(market)}`;

/** Time passes for both, in steps; all that is sent arrives within its step. */
async function pass({ service, clock }: Run, ms: number, isResting = false): Promise<void> {
  for (let passed = 0; passed < ms; passed += STEP_MS) {
    clock.advance(STEP_MS);
    await settleLoopback();
    service.advance(STEP_MS, isResting);
    await settleLoopback();
  }
}

/** What is held, as `--json` prints it. */
function picture({ session: { store }, service, market, clock }: Run) {
  const choice = {
    market: nameOf(service, market),
    interval: "1m",
    account: service.accountChannel.replace("account/", ""),
  };
  return JSON.parse(formatJson(marketJson({ store, nowMs: clock.now() }, choice)));
}

function differencesNow(run: Run): readonly string[] {
  const shown = picture(run);
  return [
    ...marketDifferences(shown, run.service, run.market),
    ...accountDifferences(shown, run.service),
  ];
}

async function differencesOf(run: Run): Promise<readonly string[]> {
  await pass(run, 10_000);
  run.service.cut();
  await pass(run, 10_000);
  await pass(run, 2000, true);
  const markets = marketsJson({ store: run.session.store, nowMs: run.clock.now() });
  return [...differencesNow(run), ...marketsDifferences(markets, run.service)];
}

function holds(name: string, style: Style, switches: Switches = {}, base = "BTC"): void {
  it(name, async () => {
    const run = await start(style, switches, base);
    expect(await differencesOf(run), run.events.join("\n")).toEqual([]);
    expect(missed(style, run)).toEqual([]);
    expect(Math.max(0, ...looks(run).values())).toBeLessThan(4);
  });
}

/** Gaps that nothing caused. Numbers that count the whole service show some at first. */
function missed(style: Style, { events }: Run): readonly string[] {
  return style.chain === "channel"
    ? events.filter((event) => / (gap|resync|rejected) /.test(event))
    : [];
}

/** How often each channel was asked for again to see what a frame meant. */
function looks({ session }: Run): ReadonlyMap<string, number> {
  const { channels } = session.store;
  return new Map(
    Array.from(channels.values(), ({ channel, counts }) => [channel, counts.refreshes]),
  );
}

describe("what is held of a service", () => {
  for (const style of STYLES) holds(`is what ${style.name} says`, style);

  const variants: readonly (readonly [Style, string, Switches])[] = [
    [binance, "with a bbo once a second", { bboEveryMs: 1000 }],
    [hyperliquid, "with a bbo that falls silent", { bboSilentFromMs: 5000 }],
    [phoenix, "with a book once a second", { bookEveryMs: 1000 }],
    [paradex, "with a bbo that is late", { bboBehindMs: 700 }],
    [lighter, "with changes from before a refresh", { isLateFromBefore: true }],
    [hyperliquid, "with changes from before a refresh", { isLateFromBefore: true }],
    [lighter, "with whole balances beside changes", { lists: { balances: "whole" } }],
    [lighter, "with marks in every frame", { isMarkedAlways: true }],
    [paradex, "with records in part", { isPartial: true }],
    [drift, "that closes after five commands a second", { commandsPerSecond: 5 }],
    [phoenix, "with a late hello", { hello: "late" }],
    [binance, "without hello", { hello: "never" }],
    [lighter, "that restarts every five seconds", { restartEveryMs: 5000 }],
    [lighter, "with isolated positions", { mode: "isolated" }],
  ];
  for (const [style, words, switches] of variants)
    holds(`is true of ${style.name} ${words}`, style, switches);

  holds("is true of a market that has not traded yet", lighter, {}, "QUIET");
  holds("is true of a market that is delisted", binance, {}, "GONE");
});

/** Own orders as the book marks them, fills as tape and chart do, and what has no market or side to be marked by. */
function ownMarks({ session: { store }, service, market }: Run) {
  const account = service.accountChannel.replace("account/", "");
  const name = nameOf(service, market);
  const orders = ownOrderTicks(store, account, name);
  const fills = selectFills(store, account) ?? [];
  return {
    orders: orders.map(({ side, ticks }) => `${side} ${ticks}`).sort(),
    unmarked: fills.filter((fill) => fill.market === undefined || fill.side === undefined),
    fills: fills
      .filter((fill) => fill.market === name && (fill.timeMs ?? 0) >= firstSecondMs(service))
      .map(({ side }) => side)
      .sort(),
  };
}

/** Some give times in seconds. */
const firstSecondMs = ({ startMs }: VenueService) => Math.floor(startMs / 1000) * 1000;

function trueMarks({ service, market }: Run) {
  const orders = [...service.exchange.orders.values()].filter((each) => each.market === market);
  return {
    orders: orders.map(({ side, price }) => `${side} ${price}`).sort(),
    unmarked: [],
    fills: service.exchange.fills
      .filter(({ order }) => order.market === market)
      .filter(({ trade }) => msOfNs(`${trade.timeNs}`) >= firstSecondMs(service))
      .map(({ order }) => (order.side === "bid" ? "buy" : "sell"))
      .sort(),
  };
}

describe("five seconds after the start, two of them quiet", () => {
  for (const style of STYLES)
    it(`all of ${style.name} is there, and nothing was asked again`, async () => {
      const run = await start(style);
      await pass(run, 3000);
      await pass(run, 2000, true);
      expect(differencesNow(run), run.events.join("\n")).toEqual([]);
      expect(ownMarks(run)).toEqual(trueMarks(run));
      expect(missed(style, run)).toEqual([]);
    });
});

it("what is missing or too much in a picture is told", async () => {
  const run = await start(lighter);
  await pass(run, 10_000);
  await pass(run, 2000, true);
  const shown = picture(run);
  const { trades, orderbook, account } = shown;
  const wrong = {
    ...shown,
    trades: [trades[0], ...trades.slice(0, 9), ...trades.slice(10)],
    orderbook: { ...orderbook, bids: orderbook.bids.slice(1) },
    account: {
      ...account,
      positions: account.positions.slice(1),
      fills: account.fills.toSpliced(Math.floor(account.fills.length / 2), 1),
    },
  };
  const differences = [
    ...marketDifferences(wrong, run.service, run.market),
    ...accountDifferences(wrong, run.service),
  ];
  expect(differences.map((each) => each.replace(/:.* is/, ""))).toEqual([
    "book bids missing",
    "tape missing",
    "tape too much",
    "positions missing",
    "fills missing",
  ]);
});

const learnedIn = ({ events }: Run) =>
  events.flatMap((event) => / learned \S+ (\S+) =/.exec(event)?.[1] ?? []);

describe("what was learned", () => {
  /** The wrong value of every point that has one. */
  const planted = (url: string) => {
    const points = POINTS.filter((point) => point !== "spacing" && !point.startsWith("cursor"));
    const wrong = points.map((point) => [
      point,
      { value: VALUES[point][1], learned: "2026-11-01" },
    ]);
    return JSON.stringify({ [url]: Object.fromEntries(wrong) });
  };

  it.each([lighter, hyperliquid, drift])(
    "in error is unlearned at $name",
    async (style) => {
      const path = join(folderOfTest(), "dialect.json");
      const first = await start(style);
      const url = first.service.wsUrl;
      first.session.close();
      writeFileSync(path, planted(url));
      const run = await resume(first, path);
      await pass(run, 20_000);
      await pass(run, 2000, true);
      expect(differencesNow(run), run.events.join("\n")).toEqual([]);
    },
    60_000,
  );

  it.each(STYLES)("counts from the beginning after a restart at $name", async (style) => {
    const path = join(folderOfTest(), "dialect.json");
    const first = await start(style, {}, "BTC", path);
    await pass(first, 10_000);
    first.session.close();
    const run = await resume(first, path);
    await pass(run, 3000);
    await pass(run, 2000, true);
    // What was filled before the second run is in the listing alone.
    const differences = accountDifferences(picture(run), run.service);
    expect(differences.filter((each) => !/^(fills|payments|funding)/.test(each))).toEqual([]);
    expect(run.events.filter((event) => / (gap|resync) /.test(event))).toEqual([]);
    const before = learnedIn(first);
    expect(learnedIn(run).filter((point) => before.includes(point))).toEqual([]);
  });

  it.each([
    ["a damaged file", '{"ws://127.0.0.1": {"book": 5, "lists.orders": {"value":'],
    [
      "another version's file",
      '{"version": 7, "services": [{"ws": "ws://127.0.0.1", "book": []}]}',
    ],
  ])("of %s is nothing", async (_, text) => {
    const path = join(folderOfTest(), "dialect.json");
    writeFileSync(path, text);
    const run = await start(paradex, {}, "BTC", path);
    await pass(run, 3000);
    await pass(run, 2000, true);
    expect(differencesNow(run), run.events.join("\n")).toEqual([]);
  });
});
