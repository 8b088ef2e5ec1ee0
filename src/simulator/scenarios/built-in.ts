// The built-in scenarios, in the form of a scenario file (docs/scenarios.md). The first one is the default.

const BITCOIN = {
  symbol: "BTC-PERP",
  base_asset: "BTC",
  tick_size: "0.01",
  lot_size: "0.0001",
  start_price: "97000",
};
const ETHER = {
  symbol: "ETH-PERP",
  base_asset: "ETH",
  tick_size: "0.01",
  lot_size: "0.001",
  start_price: "3400",
  activity: 0.6,
  volatility_ppm: 26,
};
const SPOT = {
  ...BITCOIN,
  symbol: "BTC/USDC",
  maker_fee_ppm: 0,
  taker_fee_ppm: 500,
  activity: 0.4,
};

/** Three markets, each with some fields of its own. */
function marketsWith(bitcoin: object, ether: object, spot: object): readonly object[] {
  return [
    { type: "perp", id: 1, ...BITCOIN, ...bitcoin },
    { type: "perp", id: 2, ...ETHER, ...ether },
    { type: "spot", id: 1, ...SPOT, ...spot },
  ];
}

/** Those of a scenario that names none. */
export const DEFAULT_MARKETS = marketsWith({}, {}, {});

const WILD = { activity: 3, volatility_ppm: 400 };
const STORMY = { for_ms: 60_000, every_ms: 120_000 };

export const BUILT_IN: Readonly<Record<string, object>> = {
  steady: {
    description: "A plausible day in three markets, without faults.",
  },
  busy: {
    description:
      "Everybody trades in perp/1: more than 10,000 update frames a second on its bbo, orderbook, trades and 1m candles.",
    turn_ms: 4,
    mark_interval_ms: 100,
    markets: marketsWith({ activity: 560 }, { activity: 1 }, { activity: 1 }),
  },
  volatile: {
    description: "Prices move twenty times as far as on a calm day, and liquidations follow.",
    markets: marketsWith(WILD, WILD, WILD),
  },
  gaps: {
    description: "Frames of chained channels are lost, so that a client must subscribe again.",
    faults: [
      { kind: "gap", channels: "orderbook/*", probability: 0.003 },
      { kind: "gap", channels: "trades/*", probability: 0.005 },
      { kind: "gap", channels: "market*", probability: 0.02 },
      { kind: "gap", channels: "funding-rates/*", probability: 0.02 },
      { kind: "gap", channels: "account*", probability: 0.01 },
    ],
  },
  drops: {
    description: "The connection is lost every 25 s, and one new connection of five is refused.",
    faults: [
      { kind: "lost-connection", after_ms: 25_000, every_ms: 25_000 },
      { kind: "refused", probability: 0.2 },
    ],
  },
  unavailable: {
    description:
      "Order books answer 503 for the first 8 s, trades and accounts for some seconds of every minute, mark candles always.",
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
  slow: {
    description: "Frames come 3 s late for 20 s of every minute, and first frames after 2 s.",
    faults: [
      { kind: "late-first-frame", delay_ms: 2000 },
      { kind: "slow", delay_ms: 3000, after_ms: 20_000, for_ms: 20_000, every_ms: 60_000 },
    ],
  },
  storm: {
    description: "All faults at once, for a minute of every two.",
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
