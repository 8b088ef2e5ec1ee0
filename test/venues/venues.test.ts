// Twenty seconds of changes and one lost connection in each house style: two seconds after the last change, what is held is what the
// service's ledger says.
import { afterEach, describe, expect, it } from "vitest";
import { marketJson, marketsJson } from "../../src/live/json.ts";
import { openSession, type Session } from "../../src/live/session.ts";
import { createWsSocket } from "../../src/stream/ws-socket.ts";
import { createRandom } from "../../src/units/random.ts";
import { formatJson } from "../../src/wire/json.ts";
import { settleLoopback, watchLoopback } from "../support/loopback.ts";
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

async function start(style: Style, switches: Switches = {}, base = "BTC"): Promise<Run> {
  watchLoopback();
  const service = await startVenue(style, switches);
  const market = service.exchange.markets.find((each) => each.base === base);
  if (!market) throw new Error(`no market ${base}`);
  const clock = createVirtualClock(service.startMs);
  const events: string[] = [];
  const name = nameOf(service, market);
  const session = openSession({
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
    learnedPath: undefined,
    onEvent: ({ event, channel, detail }) =>
      events.push(`${clock.now()} ${event} ${channel} ${detail}`),
  });
  ends.push(() => {
    session.close();
    return service.close();
  });
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

async function differencesOf(run: Run): Promise<readonly string[]> {
  await pass(run, 10_000);
  run.service.cut();
  await pass(run, 10_000);
  await pass(run, 2000, true);
  const shown = picture(run);
  const markets = marketsJson({ store: run.session.store, nowMs: run.clock.now() });
  return [
    ...marketDifferences(shown, run.service, run.market),
    ...accountDifferences(shown, run.service),
    ...marketsDifferences(markets, run.service),
  ];
}

function holds(name: string, style: Style, switches: Switches = {}, base = "BTC"): void {
  it(name, async () => {
    const run = await start(style, switches, base);
    expect(await differencesOf(run), run.events.join("\n")).toEqual([]);
  });
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
