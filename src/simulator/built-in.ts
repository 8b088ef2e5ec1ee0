// The built-in scenarios, as they would stand in a file. The first one is the default.
import type { MarketInput, ScenarioInput } from "./scenario.ts";

/** Base asset, tick, lot, price, activity, volatility; the largest first. */
const PERPS = [
  ["BTC", "0.01", "0.0001", "97000", 1, 18],
  ["ETH", "0.01", "0.001", "3400", 0.6, 26],
  ["SOL", "0.001", "0.01", "184.25", 0.4, 34],
  ["XRP", "0.0001", "0.1", "2.3104", 0.2, 34],
  ["HYPE", "0.0001", "0.01", "38.2150", 0.2, 44],
  ["BNB", "0.01", "0.001", "652.40", 0.1, 22],
  ["DOGE", "0.00001", "1", "0.32145", 0.1, 40],
  ["SUI", "0.0001", "0.1", "3.8420", 0.1, 42],
  ["LINK", "0.001", "0.1", "22.418", 0.1, 36],
  ["AVAX", "0.001", "0.1", "36.725", 0.06, 38],
  ["ADA", "0.0001", "1", "0.9034", 0.06, 36],
  ["LTC", "0.01", "0.01", "103.62", 0.06, 30],
  ["NEAR", "0.0001", "0.1", "5.1280", 0.05, 42],
  ["APT", "0.0001", "0.1", "9.0415", 0.05, 42],
  ["ARB", "0.0001", "1", "0.7418", 0.05, 44],
  ["TIA", "0.0001", "0.1", "4.6550", 0.05, 48],
  ["AAVE", "0.01", "0.001", "318.55", 0.04, 38],
  ["UNI", "0.001", "0.1", "13.082", 0.04, 38],
] as const;
const SPOT_FEES = { maker_fee_ppm: 0, taker_fee_ppm: 500 };

/** A spot market of the same scale and price, with less trading. */
function spotOf(id: number, { base_asset, activity = 1, ...rest }: MarketInput): MarketInput {
  const name = { base_asset, symbol: `${base_asset}/USDC` };
  return { ...rest, ...name, type: "spot", id, activity: activity * 0.4, ...SPOT_FEES };
}

const perps = PERPS.map(
  ([base_asset, tick_size, lot_size, start_price, activity, volatility_ppm], i): MarketInput => ({
    type: "perp",
    id: i + 1,
    symbol: `${base_asset}-PERP`,
    ...{ base_asset, tick_size, lot_size, start_price, activity, volatility_ppm },
  }),
);
const [bitcoin, ether] = perps as [MarketInput, MarketInput];
/** Of a scenario that names none. */
export const MARKETS: readonly MarketInput[] = [...perps, spotOf(1, bitcoin), spotOf(2, ether)];

/** Three markets, each with some fields of its own. */
function three(...fields: readonly Partial<MarketInput>[]): MarketInput[] {
  return [bitcoin, ether, spotOf(1, bitcoin)].map((market, i) => ({ ...market, ...fields[i] }));
}

const WILD = { activity: 3, volatility_ppm: 400 };
const STORMY = { for_ms: 60_000, every_ms: 120_000 };

export const BUILT_IN: Readonly<Record<string, ScenarioInput>> = {
  // A plausible day in twenty markets, without faults.
  steady: {},
  // Everybody trades in perp/1: more than 10,000 updates a second on its bbo, orderbook, trades and 1m candles.
  busy: {
    turn_ms: 4,
    mark_interval_ms: 100,
    markets: three({ activity: 720 }, { activity: 1 }, { activity: 1 }),
  },
  // Prices move twenty times as far as on a calm day, and liquidations follow.
  volatile: { markets: three(WILD, WILD, WILD) },
  // Frames of chained channels are lost, so that a client must subscribe again.
  gaps: {
    faults: [
      { kind: "gap", channels: "orderbook/*", probability: 0.003 },
      { kind: "gap", channels: "trades/*", probability: 0.005 },
      { kind: "gap", channels: "market*", probability: 0.02 },
      { kind: "gap", channels: "funding-rates/*", probability: 0.02 },
      { kind: "gap", channels: "account*", probability: 0.01 },
    ],
  },
  // The connection is lost every 25 s, and one new connection of five is refused.
  drops: {
    faults: [
      { kind: "lost-connection", after_ms: 25_000, every_ms: 25_000 },
      { kind: "refused", probability: 0.2 },
    ],
  },
  // Order books answer 503 for the first 8 s, trades and accounts for some seconds of every minute, mark candles always.
  unavailable: {
    faults: [
      { kind: "unavailable", channels: "orderbook/*", for_ms: 8000 },
      {
        kind: "unavailable",
        channels: "trades/*",
        after_ms: 20_000,
        for_ms: 7000,
        every_ms: 60_000,
      },
      {
        kind: "unavailable",
        channels: "account/*",
        after_ms: 35_000,
        for_ms: 5000,
        every_ms: 60_000,
      },
      { kind: "unavailable", channels: "mark-candles/*" },
    ],
  },
  // Frames come 3 s late for 20 s of every minute, and first frames after 2 s.
  slow: {
    faults: [
      { kind: "late-first-frame", delay_ms: 2000 },
      { kind: "slow", delay_ms: 3000, after_ms: 20_000, for_ms: 20_000, every_ms: 60_000 },
    ],
  },
  // All faults at once, for a minute of every two.
  storm: {
    faults: [
      { kind: "bad-frame", probability: 0.001, ...STORMY },
      { kind: "crossed-book", probability: 0.001, ...STORMY },
      { kind: "gap", probability: 0.002, ...STORMY },
      { kind: "duplicate", probability: 0.01, ...STORMY },
      { kind: "late-first-frame", delay_ms: 500, probability: 0.5, ...STORMY },
      { kind: "lost-connection", after_ms: 10_000, every_ms: 30_000 },
      { kind: "refused", probability: 0.3, ...STORMY },
      { kind: "unavailable", after_ms: 30_000, for_ms: 4000, every_ms: 120_000 },
      { kind: "unsubscribed", after_ms: 20_000, every_ms: 120_000 },
      { kind: "slow", delay_ms: 700, after_ms: 50_000, for_ms: 8000, every_ms: 120_000 },
      { kind: "rest-429", probability: 0.05, retry_after_s: 1, ...STORMY },
      { kind: "rest-500", probability: 0.1, ...STORMY },
    ],
  },
};
