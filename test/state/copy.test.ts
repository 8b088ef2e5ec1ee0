// A copy of the store shares what does not change: nothing that happens to one of the two may be seen in the other.
import { expect, test } from "vitest";
import { addBook } from "../../src/state/heatmap.ts";
import { copyStore, type Store, select } from "../../src/state/store.ts";
import { ACCOUNT_NAME, createFilledStore, fold } from "../views/filled-store.ts";

const START_MS = Date.UTC(2026, 0, 1);
const MINUTE_MS = 60_000;

const level = (price: number, size: number) => ({
  price_ticks: `${price}`,
  size_base_lots: `${size}`,
});

/** Changes whatever can; trades are of this minute, of earlier ones, and of much later ones. */
function happen(store: Store, n: number): void {
  const trade = (ms: number) => ({
    ...{ timestamp_ns: `${START_MS + ms}000000`, ...level(9_696_700 + n, 3), taker_is_bid: true },
  });
  const times = [n * 20 * MINUTE_MS, n * MINUTE_MS, n * 20 * MINUTE_MS + 7];
  fold(store, "trades/perp/1", { trades: times.map(trade) }, n);
  fold(store, "orderbook/perp/1", { orderbook: { bids: [level(9_696_781 - n, n)], asks: [] } }, n);
  fold(store, "bbo/perp/1", { bbo: { bid: level(9_696_781 - n, n), ask: null } }, n);
  const candle = { open_time_ms: START_MS + n * MINUTE_MS, trades: n, volume_base: "1" };
  const prices = { open: "1", high: "2", low: "1", close: `1.${n}`, volume_quote: "1" };
  fold(store, "candles/perp/1/1m", { candles: [{ ...candle, ...prices }] }, n);
  const [balances, orders] = [[{ asset: "USDC", total: `${n}` }], [{ order_id: n, market_id: 1 }]];
  fold(store, `account/${ACCOUNT_NAME}`, { account: { equity: `${n}` }, balances, orders }, n);
  const heat = store.heat.get("perp/1");
  const book = select(store, "orderbook", "orderbook/perp/1");
  if (heat !== undefined) addBook(heat, book, START_MS + 29_000 + n * 300);
}

test("a copy stays as it is while its original goes on, and the other way round", () => {
  const store = createFilledStore();
  for (let n = 1; n < 20; n++) happen(store, n);
  const was = structuredClone(store);
  const copy = copyStore(store);
  expect(copy).toEqual(was);
  for (let n = 20; n < 40; n++) happen(store, n);
  expect(copy).toEqual(was);
  const other = copyStore(copy);
  for (let n = 20; n < 40; n++) happen(other, n);
  expect(copy).toEqual(was);
  expect(other).toEqual(store);
});
