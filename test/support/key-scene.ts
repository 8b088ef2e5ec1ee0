// A dashboard with something in every view, for tests that press keys in all of them, and what the keys led to.

import { AlertManager } from "../../src/alerts/alert-manager.ts";
import { getRecording } from "../../src/commands/replay/replay-dashboard.ts";
import { Clipboard } from "../../src/screen/clipboard.ts";
import type { Timeline } from "../../src/screen/shown.ts";
import { Display, EXACT } from "../../src/select/display.ts";
import { openScales } from "../../src/select/scale.ts";
import type { Store } from "../../src/state/store.ts";
import { Player } from "../../src/timeline/player.ts";
import type { LiquidationRecord } from "../../src/wire/rest/liquidations.ts";
import type { TradeRecord } from "../../src/wire/rest/trades.ts";
import liquidations from "../fixtures/rest/liquidations.json" with { type: "json" };
import trades from "../fixtures/rest/trades.json" with { type: "json" };
import { alertRule } from "./alert-rule.ts";
import { CHANNELS, MarketFeed, traded } from "./market-feed.ts";
import { openDashboard } from "./open-dashboard.ts";
import { createVirtualClock } from "./virtual-clock.ts";

const ADDRESS = "gtSFx2ZaJ8MqyRzT3mWJrDvC9wPbLkHnUeQaXsVoJNeD";
const CHAIN = { previous_sequence: null, sequence: "1" };
const WALL_MS = Date.UTC(2026, 0, 1);
const LISTED = 30;

const aTrade = trades.good[0]?.message?.[0] as TradeRecord;
const aLiquidation = liquidations.good[0]?.message?.[0] as unknown as LiquidationRecord;
const OWNER = { owner: aTrade.maker_address, subaccountId: aTrade.maker_subaccount_id };

/** Rows of a listing, the newest first. */
function listed(kind: string, count: number): object[] {
  const model = kind.includes("liquidations") ? aLiquidation : aTrade;
  const id = kind.includes("liquidations") ? "liquidation_id" : "trade_id";
  return Array.from({ length: count }, (_, i) => ({
    ...model,
    [id]: `${count - i}`,
    timestamp_ms: WALL_MS + (count - i) * 1000,
  }));
}

export interface KeyScene {
  readonly dashboard: ReturnType<typeof openDashboard>["dashboard"];
  /** What was asked of the world outside of the screen, in order. */
  readonly log: string[];
}

/** @param isReplay a recording is played */
export function openKeyScene(isReplay: boolean): KeyScene {
  const feed = new MarketFeed();
  const clock = createVirtualClock(WALL_MS);
  const log: string[] = [];
  const scales = openScales(feed.store, {});
  const alerts = new AlertManager({ store: feed.store, scales, now: clock.now, wall: clock.wall });
  for (const rule of ["perp/1 last > 2500", "perp/1 last > 3000", "perp/1 last > 2050 ticks"]) {
    alerts.add(alertRule(rule), "screen");
  }
  const player = new Player({
    clock,
    startMs: 0,
    open: () => Promise.reject(new Error("not read")),
    apply: () => undefined,
    onRestart: () => log.push("restart"),
    onChange: () => dashboard.notify(),
  });
  const { dashboard } = openDashboard(feed, {
    display: new Display({ ...EXACT.choice, timeZone: "Asia/Tokyo" }),
    scales,
    alerts,
    account: { address: ADDRESS, subaccountId: "0" },
    wall: clock.wall,
    clipboard: new Clipboard({
      send: (text) => log.push(`copied ${text}`),
      now: clock.now,
      isTaken: true,
    }),
    past: { startMs: -1e6, open: (ms) => aPast(feed.store, ms) },
    save: () => log.push("saved the last minutes"),
    onQuit: () => log.push("quit"),
    onRedraw: () => log.push("redraw"),
    onSuspend: () => log.push("suspend"),
    ...(isReplay && {
      replay: getRecording(player, { store: feed.store, startMs: 0, wall: clock.wall }),
    }),
  });
  alerts.onChange = () => dashboard.notify();
  feedListings(dashboard, clock, log);
  dashboard.open({ type: "perp", id: "1" });
  feed.link("open");
  feed.trade(2000, 1);
  alerts.tick();
  fill(feed);
  alerts.tick();
  return { dashboard, log };
}

/** Something to go back to, in which something happened every second. */
function aPast(store: Store, openedMs: number): Timeline {
  let atMs = openedMs;
  return {
    store,
    startMs: -1e6,
    endMs: openedMs,
    get atMs() {
      return atMs;
    },
    get wallMs() {
      return WALL_MS + atMs;
    },
    goTo: (ms) => {
      atMs = ms;
    },
    step: (by) => {
      atMs += by * 1000;
    },
  };
}

function feedListings(
  dashboard: KeyScene["dashboard"],
  clock: ReturnType<typeof createVirtualClock>,
  log: string[],
): void {
  dashboard.listings.feed = {
    clock,
    owner: OWNER,
    sourceOf: (listing) => ({
      listing,
      async page(before, limit) {
        const kind = JSON.stringify(listing);
        if (before === undefined) log.push("asked for the newest rows");
        const rows = listed(kind, LISTED).filter((row) => {
          const id = Object.values(row).find((value) => /^[0-9]{1,2}$/.test(String(value)));
          return before === undefined || BigInt(String(id)) < before;
        });
        return rows.slice(0, limit) as never;
      },
    }),
    readFills: async () => ({
      isComplete: true,
      proof: "",
      evidence: "",
      notes: [],
      async *pages() {
        log.push("asked for all fills");
        yield (listed("fills", LISTED) as TradeRecord[]).reverse();
      },
    }),
    running: "",
    fileName: (name) => `${name.replace(/[^0-9a-z]+/g, "-")}.csv`,
    export: ({ name, path }) => log.push(`export ${name} ${path}`),
  };
}

function fill(feed: MarketFeed): void {
  const account = `account/${ADDRESS}/0`;
  const accounts = `accounts/${ADDRESS}`;
  const others = ["market-stats/perp", "market-stats/spot", "funding-rates/1", account, accounts];
  const more = ["mark-candles/1/1m", "candles/perp/1/5m"];
  feed.link("open");
  for (const channel of [...Object.values(CHANNELS), ...others, ...more]) {
    feed.say({ type: "subscribing", channel });
  }
  const side = (sign: number): [number, number][] =>
    Array.from({ length: 60 }, (_, i) => [2000 + sign * (i + 1), 10 + i]);
  feed.book(side(-1), side(1), 1, true);
  feed.bbo(1999, 2001);
  for (let i = 0; i < 40; i++) feed.candle(i, "2000", "2010", "1990", `${1995 + (i % 9)}`);
  const trades = Array.from({ length: 60 }, (_, i) =>
    traded(2000 + i, (i % 7) + 1, true, `${i + 1}000000000`),
  );
  feed.update(CHANNELS.trades, { previous_sequence: null, sequence: null, trades });
  const markets = Array.from({ length: 50 }, (_, i) => ({
    market_type: "perp",
    market_id: i + 1,
    symbol: `COIN${i + 1}`,
  }));
  const stats = markets.map(({ market_id }) => ({ market_id, last_price: `${900 - market_id}.5` }));
  feed.update("markets", { ...CHAIN, markets }, true);
  feed.update("market-stats/perp", { ...CHAIN, market_stats: stats }, true);
  feed.update(
    "funding-rates/1",
    { ...CHAIN, funding_rates: [{ market_id: 1, funding_rate: "0.0001", funding_time: "1" }] },
    true,
  );
  feed.update(
    accounts,
    {
      ...CHAIN,
      subaccounts: [{ subaccount_id: 0, status: "active", created_at_ns: "1767225692255689000" }],
      delegations: [],
    },
    true,
  );
  feed.update(
    account,
    {
      ...CHAIN,
      account: { equity: "1000.50" },
      positions: [{ market_id: 1, side: "long", size: "0.375", entry_price: "1999" }],
      orders: [{ order_id: "11", market_id: 1, side: "bid", price: "1950", size: "0.1" }],
      balances: [{ asset: "USDC", total: "1003.75" }],
    },
    true,
  );
}
