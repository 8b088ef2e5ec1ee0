// A store with a market and an account, folded from frames as a service sends them.
import { createDialect } from "../../src/dialect/dialect.ts";
import { addBook, createHeatmap } from "../../src/state/heatmap.ts";
import { createStore, reduce, type Store, select } from "../../src/state/store.ts";
import { createStatus } from "../../src/stream/status.ts";
import { kindOf } from "../../src/wire/channels.ts";
import { decode } from "../../src/wire/decode.ts";

const ADDRESS = "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV";
export const ACCOUNT_NAME = `${ADDRESS}/0`;
const START_MS = Date.UTC(2026, 0, 1);

const ns = (ms: number) => `${START_MS + ms}000000`;

/** Folds one update in, as received at this time after the start. */
export function fold(store: Store, channel: string, body: object, ms = 0): void {
  const kind = kindOf(channel);
  if (kind === undefined) throw new Error(`no channel: ${channel}`);
  const numbers = { previous_sequence: null, sequence: null };
  const update = decode(
    JSON.stringify({ type: "update", channel, timestamp_ns: ns(ms), ...numbers, ...body }),
  );
  if (update.type !== "update") throw new Error(JSON.stringify(update));
  const isFirst = !store.channels.has(channel);
  const status = store.channels.get(channel) ?? createStatus(channel, kind);
  status.phase = "open";
  status.lastAtMs = ms;
  store.channels.set(channel, status);
  reduce(store, update, {
    ...{ dialect: store.dialect, nowMs: ms, isContinuous: false },
    place: isFirst ? "first" : "next",
  });
}

const level = (price: number, size: number) => ({
  price_ticks: String(price),
  size_base_lots: String(size),
});

export function createFilledStore(): Store {
  const store = createStore(createDialect());
  store.link.state = "open";
  store.link.aliveAtMs = 0;
  fold(store, "markets", {
    markets: [
      { market_id: 1, type: "perp", symbol: "BTC-PERP", tick_size: "0.01", lot_size: "0.0001" },
      { market_id: 2, type: "perp", symbol: "ETH-PERP", tick_size: "0.05", lot_size: "0.001" },
      { market_id: 1, type: "spot", symbol: "BTC/USDC", tick_size: "0.01", lot_size: "0.0001" },
    ],
  });
  const stats = {
    ...{ market_id: 1, last_price: "96967.83", mark_price: "96966.78", index_price: "96964.10" },
    ...{ change_percent_24h: "1.93", high_24h: "97839.47", low_24h: "95128.74" },
    ...{ volume_quote_24h: "1720000000.5", open_interest: "30.79", funding_rate: "0.000055" },
    ...{ next_funding_ms: START_MS + 28_000, funding_interval_ms: 3_600_000 },
  };
  fold(store, "market-stats/perp/1", { market_stats: [stats] });
  fold(store, "market-stats/perp", {
    market_stats: [stats, { market_id: 2, last_price: "3390.10", mark_price: "3385.96" }],
  });
  fold(store, "bbo/perp/1", { bbo: { bid: level(9_696_781, 817), ask: level(9_696_783, 457) } });
  const bids = Array.from({ length: 60 }, (_, i) => level(9_696_781 - i * 37, 100 + i * 7));
  const asks = Array.from({ length: 60 }, (_, i) => level(9_696_783 + i * 37, 90 + i * 5));
  fold(store, "orderbook/perp/1", { orderbook: { bids, asks } });
  const heat = createHeatmap(100);
  for (let second = 0; second < 30; second++)
    addBook(heat, select(store, "orderbook", "orderbook/perp/1"), START_MS + second * 1000);
  store.heat.set("perp/1", heat);
  fold(store, "trades/perp/1", {
    trades: Array.from({ length: 40 }, (_, i) => ({
      timestamp_ns: ns(-60_000 + i * 1500),
      ...level(9_696_700 + i * 3, 10 + i),
      taker_is_bid: i % 3 > 0,
    })),
  });
  for (let i = 30; i >= 0; i -= 2)
    fold(store, "candles/perp/1/1m", { candles: [i, i - 1].filter((at) => at >= 0).map(candle) });
  fold(store, "funding-rates/1", {
    funding_rates: Array.from({ length: 24 }, (_, i) => ({
      market_id: 1,
      funding_rate: i % 5 === 0 ? "-0.00001" : `0.0000${i + 10}`,
      funding_time_ms: START_MS - (24 - i) * 3_600_000,
    })),
  });
  foldAccount(store);
  return store;
}

const candle = (minutesAgo: number) => ({
  open_time_ms: START_MS - minutesAgo * 60_000,
  open: `${96_900 + minutesAgo}.00`,
  high: `${96_980 + minutesAgo}.00`,
  low: `${96_850 + minutesAgo}.00`,
  close: `${96_960 - minutesAgo}.50`,
  volume_base: `${1 + (minutesAgo % 7)}.5`,
  volume_quote: "1000",
  trades: 12,
});

function foldAccount(store: Store): void {
  fold(store, `accounts/${ADDRESS}`, {
    subaccounts: [
      { subaccount_id: 0, status: "active", created_at_ns: ns(0) },
      { subaccount_id: 7, status: "restricted", created_at_ns: ns(0) },
    ],
    delegations: [],
  });
  fold(store, `account/${ACCOUNT_NAME}`, {
    account: { equity: "1059858.67", free_collateral: "986015.75", margin_used: "3414.70" },
    balances: [{ asset: "USDC", total: "1060000.123456", available: "986015.75" }],
    positions: [
      {
        ...{ market_id: 1, side: "long", size: "0.2883", entry_price: "96971.15" },
        ...{
          unrealized_pnl: "-1.25",
          liquidation_price: "48210.00",
          margin: "2795.70",
          leverage: 10,
        },
      },
      {
        ...{ symbol: "ETH-PERP", side: "short", size: "6.542", entry_price: "3391.32" },
        ...{ liquidation_price: "3600", margin: "619", leverage: 8 },
      },
    ],
    orders: [
      {
        ...{ order_id: 11, market_id: 1, side: "buy", price: "96960.00", size: "0.05" },
        ...{ filled_size: "0.01", order_type: "limit", created_at_ns: ns(-5000) },
      },
    ],
    fills: [
      {
        ...{ trade_id: 5, market_id: 1, side: "buy", price: "96967.30", size: "0.01" },
        ...{ fee: "0.30", role: "taker", realized_pnl: "1.10", timestamp_ns: ns(-1500) },
      },
    ],
    funding_payments: [
      {
        market_id: 1,
        payment: "-0.64",
        funding_rate: "0.0001",
        funding_time_ms: START_MS - 3_600_000,
      },
    ],
  });
}
