// The built-in markets and scenarios. The first scenario is the default.
import { type Decimal, multiplyDecimal, parseDecimal } from "../units/decimal.ts";
import { toUnits } from "../units/scale.ts";
import type { MarketType } from "../wire/channels.ts";
import type { MarketSpec } from "./exchange/market.ts";
import { QUOTE_ASSET, QUOTE_PLACES } from "./exchange/money.ts";
import type { ScenarioInput } from "./scenario.ts";

/** Base asset, tick, lot, price, activity, volatility; the largest first. */
type Row = [base: string, tick: string, lot: string, price: string, activity: number, ppm: number];
const PERPS: readonly Row[] = [
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
];
const SPOTS: readonly Row[] = [
  ["BTC", "0.01", "0.0001", "97000", 0.4, 18],
  ["ETH", "0.01", "0.001", "3400", 0.24, 26],
];

const ATOM: Decimal = { mantissa: 1n, places: QUOTE_PLACES };

/** A tick of a lot is a whole number of atoms, so that every value is exact; the price a whole number of ticks. */
function marketOf(type: MarketType, id: number, [base, ...row]: Row): MarketSpec {
  const [tick, lot, price, activity, volatilityPpm] = row;
  const [tickSize = ATOM, lotSize = ATOM, start = ATOM] = [tick, lot, price].map(parseDecimal);
  return {
    ...{ type, id, baseAsset: base, tickSize, lotSize, activity, volatilityPpm },
    symbol: type === "perp" ? `${base}-PERP` : `${base}/${QUOTE_ASSET}`,
    atomsPerTickLot: Number(toUnits(multiplyDecimal(tickSize, lotSize), ATOM)),
    startTicks: Number(toUnits(start, tickSize)),
  };
}

export const MARKETS: readonly MarketSpec[] = [
  ...PERPS.map((row, i) => marketOf("perp", i + 1, row)),
  ...SPOTS.map((row, i) => marketOf("spot", i + 1, row)),
];

const STORMY = { for_ms: 60_000, every_ms: 120_000 };

export const BUILT_IN: Readonly<Record<string, ScenarioInput>> = {
  // A plausible day in twenty markets, without faults.
  steady: {},
  // Everybody trades in perp/1: more than 10,000 updates a second on its bbo, orderbook, trades and 1m candles.
  busy: { markets: ["perp/1"], activity: 720 },
  // Prices move twenty times as far as on a calm day, and liquidations follow.
  volatile: { markets: ["perp/1", "perp/2", "spot/1"], activity: 3, volatility: 20 },
  // Frames of chained channels are lost, so that a client must subscribe again.
  gaps: {
    faults: [
      { kind: "gap", on: "orderbook/*", probability: 0.003 },
      { kind: "gap", on: "trades/*", probability: 0.005 },
      { kind: "gap", on: "market*", probability: 0.02 },
      { kind: "gap", on: "funding-rates/*", probability: 0.02 },
      { kind: "gap", on: "account*", probability: 0.01 },
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
      { kind: "unavailable", on: "orderbook/*", for_ms: 8000 },
      { kind: "unavailable", on: "trades/*", after_ms: 20_000, for_ms: 7000, every_ms: 60_000 },
      { kind: "unavailable", on: "account/*", after_ms: 35_000, for_ms: 5000, every_ms: 60_000 },
      { kind: "unavailable", on: "mark-candles/*" },
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
      { kind: "rest-429", probability: 0.05, ...STORMY },
      { kind: "rest-500", probability: 0.1, ...STORMY },
    ],
  },
};
