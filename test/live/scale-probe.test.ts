// What a tick and a lot are worth, measured from the first trades of a service that names no scale: one virtual clock,
// a tape and a listing that tell the same trades.

import { expect, onTestFinished, test } from "vitest";
import { AccountScaleProbes, ScaleProbe } from "../../src/live/scale-probe.ts";
import { openScales } from "../../src/select/scale.ts";
import { formatUnits } from "../../src/units/scale.ts";
import type { TradeRecord } from "../../src/wire/rest/trades.ts";
import { CHANNELS, MarketFeed } from "../support/market-feed.ts";
import { sourceOf } from "../support/source-of.ts";
import { restTrade, type Sizes } from "../support/two-tapes.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const TICK_AND_LOT: Sizes = { tick: 1n, tickPlaces: 2, lot: 1n, lotPlaces: 4 };
const START_NS = 1_800_000_000_000_000_000n;
const BETWEEN_TRADES_MS = 250;
/** A price beyond what a float holds. */
const TICKS = 2n ** 62n;

/** @param tellsTruth false: every third listed price is another */
function startMarket(tellsTruth = true) {
  const clock = createVirtualClock();
  const feed = new MarketFeed();
  const scales = openScales(feed.store, {});
  const listed: TradeRecord[] = [];
  const listing = sourceOf(() => [...listed].reverse());
  feed.link("open");
  feed.say({ type: "subscribing", channel: CHANNELS.trades });
  feed.update(CHANNELS.trades, { previous_sequence: null, sequence: null, trades: [] }, true);
  let count = 0n;
  const trade = () => {
    const timeNs = START_NS + BigInt(clock.now()) * 1_000_000n;
    const raw = { timeNs, ticks: TICKS + (count % 5n), lots: 1n + (count % 7n), takerIsBid: true };
    const isFalse = !tellsTruth && count % 3n === 2n;
    feed.trade(raw.ticks, raw.lots, true, `${timeNs}`);
    listed.push(restTrade(isFalse ? { ...raw, ticks: raw.ticks * 2n } : raw, TICK_AND_LOT));
    count++;
  };
  return {
    clock,
    feed,
    scales,
    listing,
    store: feed.store,
    scale: () => scales.of("perp/1"),
    /** Lets time pass with its trades; what is asked meanwhile is answered at once. */
    async pass(ms: number): Promise<void> {
      for (let passed = 0; passed < ms; passed += BETWEEN_TRADES_MS) {
        feed.nowMs = clock.now();
        trade();
        clock.advance(BETWEEN_TRADES_MS);
        await new Promise(setImmediate);
      }
    },
  };
}

function probe(rig: ReturnType<typeof startMarket>): void {
  const market = { type: "perp", id: "1" } as const;
  const running = new ScaleProbe({ ...rig, market, onReceived: () => {} });
  onTestFinished(() => running.stop());
}

test("prices are exact decimals within ten seconds of the first trades", async () => {
  const rig = startMarket();
  probe(rig);
  expect(rig.scale().source).toBe("none");
  await rig.pass(10_000);
  const { scale, source, contradictions } = rig.scale();
  expect({ source, contradictions }).toEqual({ source: "measured", contradictions: 0 });
  expect(formatUnits(`${TICKS + 1n}`, scale?.tickSize)).toBe("46116860184273879.05");
  expect(formatUnits("70001", scale?.lotSize)).toBe("7.0001");
});

test("a listing that contradicts the tape leaves ticks and lots, and says why", async () => {
  const rig = startMarket(false);
  probe(rig);
  await rig.pass(20_000);
  expect(rig.scale()).toMatchObject({ source: "none", scale: undefined });
  expect(rig.scale().contradictions).toBeGreaterThan(0);
  expect(rig.scale().inconsistency).toMatch(/^price [0-9]+ is /);
});

const ADDRESS = "9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin";
const account = { address: ADDRESS, subaccountId: "0" };

function startAccount(orders?: readonly object[]) {
  const rig = startMarket();
  const channel = `account/${ADDRESS}/0`;
  const asked: string[] = [];
  const probes = new AccountScaleProbes({
    ...rig,
    stream: {
      subscribe(wanted) {
        asked.push(wanted);
        return () => asked.splice(asked.indexOf(wanted), 1);
      },
    },
    trades: {
      of: () => rig.listing,
      sourceOf: () => rig.listing as never,
      close() {},
    },
    onReceived: () => {},
  });
  onTestFinished(() => probes.stop());
  const rows = (orders: readonly object[]) => {
    rig.feed.update(channel, { previous_sequence: null, sequence: "1", orders }, true);
    probes.follow(account);
  };
  rig.feed.say({ type: "subscribing", channel });
  probes.follow(account);
  if (orders !== undefined) rows(orders);
  return { ...rig, probes, asked, rows };
}

test("markets of an account are measured from its first frame on, however soon after the first look that comes", () => {
  const rig = startAccount();
  expect(rig.asked).toEqual([]);
  rig.clock.advance(50);
  rig.rows([{ order_id: 1, market_id: 1, price_ticks: "5", size_base_lots: "1" }]);
  expect(rig.asked).toEqual(["trades/perp/1"]);
  expect(rig.probes.hasTried).toBe(false);
});

test("the markets of an account's rows in ticks and lots are measured, no others, and no longer than it is shown", async () => {
  const rig = startAccount([
    { order_id: 1, market_id: 1, price_ticks: "5", size_base_lots: "1" },
    { order_id: 2, market_id: 1, price_ticks: "6", size_base_lots: "1" },
    { order_id: 3, market_id: 7, price: "5", size: "1" },
  ]);
  expect(rig.asked).toEqual(["trades/perp/1"]);
  expect(rig.probes.hasTried).toBe(false);
  await rig.pass(10_000);
  expect(rig.scale().source).toBe("measured");
  rig.feed.say({ type: "refused", channel: "markets", code: 404, message: "" });
  expect(rig.probes.hasTried).toBe(true);
  rig.probes.follow(undefined);
  expect(rig.asked).toEqual([]);
});
