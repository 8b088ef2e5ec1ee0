import { describe, expect, test } from "vitest";
import { HEAT_SECONDS } from "../../src/state/heatmap.ts";
import { Scales } from "../../src/state/scales.ts";
import { formatDecimal, parseDecimal } from "../../src/units/decimal.ts";
import type { Scale } from "../../src/units/scale.ts";
import { CHANNELS, MarketFeed } from "../support/market-feed.ts";
import { type RawTrade, restTrade, type Sizes } from "../support/two-tapes.ts";

const CENTS: Sizes = { tick: 1n, tickPlaces: 2, lot: 1n, lotPlaces: 4 };
const TENTHS: Sizes = { ...CENTS, tickPlaces: 1 };
const MARKET = "perp/1";
const UNKNOWN = { scale: undefined, source: "none", inconsistency: "" };
const MEASURED = { scale: "0.01 0.0001", source: "measured" };
const MINUTE_MS = 60_000;
const START_MS = 1_800_000_000_000;

function scaleOf(tick: string, lot: string): Scale {
  const [tickSize, lotSize] = [parseDecimal(tick), parseDecimal(lot)];
  if (tickSize === undefined || lotSize === undefined) throw new Error("not a scale");
  return { tickSize, lotSize };
}

/** A feed on which a trade comes each second, and the scales above it. */
class Rig {
  readonly feed = new MarketFeed();
  readonly trades: RawTrade[] = [];
  claim: Scale | undefined;
  readonly scales: Scales;

  constructor(known: Readonly<Record<string, Scale>> = {}) {
    const { store } = this.feed;
    this.feed.say({ type: "subscribing", channel: CHANNELS.trades });
    this.feed.say({ type: "subscribing", channel: CHANNELS.candles });
    this.scales = new Scales({ store, known, claimOf: () => this.claim });
  }

  trade(count: number): void {
    for (let i = 0; i < count; i++) {
      const n = this.trades.length;
      const timeNs = BigInt(START_MS + n * 1000) * 1_000_000n;
      const [ticks, lots] = [BigInt(1000 + (n % 7)), BigInt(1 + n)];
      this.trades.push({ timeNs, ticks, lots, takerIsBid: true });
      this.feed.trade(ticks, lots, true, `${timeNs}`);
    }
  }

  observe(sizes: Sizes, from = 0): void {
    this.scales.observe(
      MARKET,
      this.trades.slice(from).map((trade) => restTrade(trade, sizes)),
    );
  }

  get shown() {
    const { scale, source, evidence, inconsistency } = this.scales.of(MARKET);
    const text = scale && `${formatDecimal(scale.tickSize)} ${formatDecimal(scale.lotSize)}`;
    return { scale: text, source, evidence, inconsistency };
  }
}

describe("a scale that has changed", () => {
  const BOTH = "tick 0.1 lot 0.0001 now, tick 0.01 lot 0.0001 before: what is held is of both";

  test.each([["by the market's record"], ["by its trades alone"]])(
    "%s is that of no trade while some of before are held: they stay in ticks and lots",
    (how) => {
      const rig = new Rig();
      rig.claim = how === "by its trades alone" ? undefined : scaleOf("0.01", "0.0001");
      rig.trade(40);
      rig.observe(CENTS);
      expect(rig.shown.scale).toBe("0.01 0.0001");
      if (rig.claim !== undefined) {
        rig.claim = scaleOf("0.1", "0.0001");
        rig.trade(5);
        rig.observe(CENTS, 40);
        expect(rig.shown).toMatchObject({ scale: undefined });
      }
      for (let i = 0; i < 30; i++) {
        rig.trade(12);
        rig.observe(TENTHS, 45);
      }
      expect(rig.shown).toMatchObject({ scale: undefined, source: "none", inconsistency: BOTH });
      // Then no trade or book of before is held, and sums begin with those of now.
      rig.trade(HEAT_SECONDS + 2100);
      const { flow } = rig.feed.store.slice("trades", CHANNELS.trades).data;
      const [first] = flow.minutes;
      expect(first?.openMs).toBeLessThan(START_MS + 40_000);
      expect(rig.shown).toMatchObject({ scale: "0.1 0.0001", inconsistency: "" });
      expect(flow.minutes[0]?.openMs).toBeGreaterThan(START_MS + 40_000);
      expect(flow.sinceMs).toBeGreaterThan(START_MS + 40_000);
    },
  );

  test("and comes back is that of all trades", () => {
    const rig = new Rig();
    rig.trade(40);
    rig.observe(CENTS);
    expect(rig.shown.scale).toBe("0.01 0.0001");
    rig.trade(12);
    rig.observe(TENTHS, 40);
    expect(rig.shown.scale).toBeUndefined();
    for (let i = 0; i < 10; i++) {
      rig.trade(300);
      rig.observe(CENTS, 52);
    }
    expect(rig.shown).toMatchObject({ scale: "0.01 0.0001", inconsistency: "" });
  });

  test("was none where trades refute what the market says: the measured one is that of all", () => {
    const rig = new Rig();
    rig.claim = scaleOf("5", "1");
    expect(rig.shown.scale).toBe("5 1");
    rig.trade(60);
    rig.observe(CENTS);
    expect(rig.shown).toMatchObject(MEASURED);
  });
});

describe("the scale of a market", () => {
  test("is measured when nothing tells it, and says how far the measuring has come", () => {
    const rig = new Rig();
    expect(rig.shown).toEqual({ ...UNKNOWN, evidence: "0 of 20 trades" });
    rig.trade(12);
    rig.observe(CENTS);
    expect(rig.shown).toEqual({ ...UNKNOWN, evidence: "10 of 20 trades" });
    expect(rig.scales.isMeasuring(MARKET)).toBe(true);
    rig.trade(30);
    rig.observe(CENTS);
    expect(rig.shown).toEqual({ ...MEASURED, evidence: "40 trades", inconsistency: "" });
    expect(rig.scales.isMeasuring(MARKET)).toBe(false);
  });

  test("says why nothing can be measured, until trades are listed", () => {
    const rig = new Rig();
    rig.scales.markUnavailable(MARKET, "not measured: no --base-url");
    expect(rig.shown).toMatchObject({ source: "none", evidence: "not measured: no --base-url" });
    rig.observe(CENTS);
    expect(rig.shown.evidence).toBe("0 of 20 trades");
  });

  test("is taken from the market's own fields until a trade contradicts them", () => {
    const rig = new Rig();
    rig.claim = scaleOf("0.1", "0.0001");
    rig.trade(10);
    rig.observe(TENTHS);
    const claimed = { scale: "0.1 0.0001", source: "market", inconsistency: "" };
    expect(rig.shown).toEqual({ ...claimed, evidence: "8 of 20 trades" });

    const other = new Rig();
    other.claim = scaleOf("0.1", "0.0001");
    expect(other.shown).toEqual({ ...claimed, evidence: "untested" });
    other.trade(10);
    other.observe(CENTS);
    expect(other.shown).toEqual({
      ...UNKNOWN,
      evidence: "8 of 20 trades",
      inconsistency: "market says tick 0.1 lot 0.0001, trades say tick 0.01 lot 0.0001",
    });
    other.trade(30);
    other.observe(CENTS);
    expect(other.shown).toMatchObject(MEASURED);
  });

  test("of the config stands before everything, and what trades say against it is told", () => {
    const rig = new Rig({ [MARKET]: scaleOf("0.1", "0.0001") });
    rig.claim = scaleOf("5", "5");
    const configured = { scale: "0.1 0.0001", source: "config" };
    expect(rig.shown).toEqual({ ...configured, evidence: "untested", inconsistency: "" });
    rig.trade(40);
    rig.observe(CENTS);
    expect(rig.shown).toMatchObject({
      ...configured,
      inconsistency: "config says tick 0.1 lot 0.0001, trades say tick 0.01 lot 0.0001",
    });
  });

  test("is dropped when one listed trade contradicts the others, and the user is told which", () => {
    const rig = new Rig();
    rig.trade(42);
    rig.observe(CENTS);
    expect(rig.shown.source).toBe("measured");
    rig.trade(5);
    rig.observe(TENTHS, 42);
    expect(rig.shown).toEqual({
      ...UNKNOWN,
      evidence: "2 of 200 trades",
      inconsistency: "price 1001 is 100.1, which is not × 0.01",
    });
  });
});

describe("candles as second evidence", () => {
  const candle = (rig: Rig, minute: number, close: string, volume = "0.5") => {
    const open_time_ms = START_MS + minute * MINUTE_MS;
    const rest = { volume_base: volume, volume_quote: "1", trades: 3 };
    const prices = { open: close, high: close, low: close, close };
    rig.feed.update(CHANNELS.candles, { candles: [{ open_time_ms, ...prices, ...rest }] });
  };

  /** Three minutes of trades, of which the second is told by a candle that has ended. */
  function threeMinutes(close: string, volume?: string): Rig {
    const rig = new Rig();
    rig.claim = scaleOf("0.01", "0.0001");
    rig.trade(190);
    candle(rig, 1, close, volume);
    candle(rig, 2, "10.01");
    return rig;
  }

  test("a candle whose prices are those of trades leaves a scale in force", () => {
    const rig = threeMinutes("10.06");
    rig.scales.observe(MARKET, []);
    expect(rig.shown).toMatchObject({ source: "market", inconsistency: "" });
  });

  test.each([
    ["a price that no trade had", "100.6", "0.5", "candle price 100.6 is no trade's price × 0.01"],
    [
      "a volume that is no whole number of lots",
      "10.06",
      "0.50005",
      "candle volume 0.50005 is not × 0.0001",
    ],
  ])("%s unsettles it", (_, close, volume, words) => {
    const rig = threeMinutes(close, volume);
    rig.scales.observe(MARKET, []);
    expect(rig.shown).toMatchObject({ scale: undefined, source: "none" });
    expect(rig.shown.inconsistency).toBe(`market says tick 0.01 lot 0.0001, ${words}`);
  });

  test("a candle of a minute that the tape does not cover says nothing", () => {
    const rig = new Rig();
    rig.claim = scaleOf("0.01", "0.0001");
    rig.trade(70);
    candle(rig, 0, "777");
    candle(rig, 1, "777");
    candle(rig, 2, "777");
    rig.scales.observe(MARKET, []);
    expect(rig.shown).toMatchObject({ source: "market", inconsistency: "" });
  });
});
