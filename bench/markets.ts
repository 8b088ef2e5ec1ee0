// S9: the list of 1,000 markets and as many stars as there may be, with changing figures and prices and a user who scrolls and filters: cost of
// each frame, and of matching a page of trades to find the scale.

import type { TablePane } from "../src/screen/table/pane.ts";
import { marketsView } from "../src/screen/views/markets/markets.ts";
import { Scales } from "../src/state/scales.ts";
import type { TradeRecord } from "../src/wire/rest/trades.ts";
import { runBench } from "./harness/bench.ts";
import { Desk } from "./harness/desk.ts";
import { type Effort, type Figure, medianAndP99 } from "./harness/figure.ts";
import { cpuMs } from "./harness/statistics.ts";

const MARKETS = 1000;
const STARRED = 32;
const COLUMNS = 120;
const LINES = 40;
const CHAIN = { previous_sequence: null, sequence: "1" };
const START_NS = 1_800_000_000_000_000_000n;

const EVERY = Array.from({ length: MARKETS }, (_, i) => i);

const idOf = (i: number) => ({ market_type: "perp", market_id: i + 1 });

function statsOf(i: number, price: number): object {
  return {
    ...idOf(i),
    symbol: `COIN${i + 1}-PERP`,
    last_price: `${price}.25`,
    mark_price: `${price}.27`,
    index_price: `${price}.31`,
    price_change_ratio_24h: `0.${String(price % 1000).padStart(6, "0")}`,
    volume_quote_24h: `${price * 1007}.123456`,
    open_interest_base: `${price * 3}.0001`,
    funding_rate: "0.00001250",
  };
}

class MarketsDesk extends Desk {
  constructor() {
    const watchlist = Array.from({ length: STARRED }, (_, i) => ({
      type: "perp" as const,
      id: `${i + 1}`,
    }));
    super([COLUMNS, LINES], 0, { watchlist });
    const markets = Array.from({ length: MARKETS }, (_, i) => ({
      ...idOf(i),
      symbol: `COIN${i + 1}-PERP`,
      status: "open",
      tick_size: "0.01",
      lot_size: "0.0001",
    }));
    this.update("markets", { ...CHAIN, markets }, true);
    this.stats(EVERY, 100, true);
  }

  stats(places: readonly number[], price: number, isFirst = false): void {
    const market_stats = places.map((i) => statsOf(i, price + i));
    this.update("market-stats/perp", { ...CHAIN, market_stats }, isFirst);
  }

  trade(i: number, n: number): void {
    const price_ticks = `${100_000 + ((i * 7 + n * 13) % 997)}`;
    const trade = { timestamp_ns: `${START_NS + BigInt(n)}`, price_ticks, size_base_lots: "5" };
    this.update(`trades/perp/${i + 1}`, { ...CHAIN, trades: [{ ...trade, taker_is_bid: true }] });
  }

  paintTable(pane: TablePane): void {
    this.surface.clear();
    this.paint(pane, COLUMNS, LINES);
  }
}

/** CPU milliseconds of each frame, including the action before it. */
function times(count: number, paint: () => void, act: (i: number) => void): number[] {
  return Array.from({ length: count }, (_, i) => {
    const start = cpuMs();
    act(i);
    paint();
    return cpuMs() - start;
  });
}

/** A page of listed trades that are also on the tape. */
function listed(count: number): TradeRecord[] {
  return Array.from({ length: count }, (_, i) => ({
    trade_id: `${i}`,
    tx_hash: "0x0",
    market_type: "perp",
    market_id: 1,
    taker_is_bid: true,
    price: "1000.00",
    quantity: "0.0005",
    quote_notional: "1",
    maker_address: "m",
    maker_subaccount_id: 0,
    taker_address: "t",
    taker_subaccount_id: 0,
    maker_fee_quote: "0",
    taker_fee_quote: "0",
    maker_client_order_id: "0",
    taker_client_order_id: "0",
    timestamp_ms: 1_800_000_000_000 + i,
  }));
}

function matching(effort: Effort): number[] {
  const desk = new MarketsDesk();
  for (let n = 0; n < 2000; n++) desk.trade(0, n * 1_000_000);
  const page = listed(500);
  return Array.from({ length: effort.pick(60, 2) }, () => {
    const scales = new Scales({ store: desk.store, known: {}, claimOf: () => undefined });
    const start = cpuMs();
    scales.observe("perp/1", page);
    return cpuMs() - start;
  });
}

async function measure(effort: Effort): Promise<Figure[]> {
  const desk = new MarketsDesk();
  const { pane } = desk.dashboard.modelOf(marketsView);
  const markets = () => desk.paintTable(pane);
  for (let i = 0; i < 20; i++) markets();
  const count = effort.pick(600, 5);
  const scrolling = times(count, markets, () => pane.perform("scrollDown"));
  const typing = ["coin99", "perp 7", "xyz"].flatMap((words) =>
    times(words.length, markets, (i) => pane.table.setFilter(words.slice(0, i + 1))),
  );
  pane.table.setFilter("");
  const one = times(count, markets, (i) => desk.stats([i % MARKETS], 200 + i));
  const all = times(effort.pick(60, 2), markets, (i) => desk.stats(EVERY, 300 + i));
  for (let n = 0; n < 100; n++) for (let i = 0; i < STARRED; i++) desk.trade(i, n);
  const moving = times(effort.pick(300, 3), markets, (n) => {
    for (let i = 0; i < STARRED; i++) desk.trade(i, 1000 + n);
  });
  const still = times(count, markets, () => {});
  return [
    ...medianAndP99("1,000 markets: a row further", scrolling),
    ...medianAndP99("1,000 markets: a letter more in the filter", typing),
    ...medianAndP99("1,000 markets: figures of one change", one),
    ...medianAndP99("1,000 markets: figures of all change, frame decoded", all, false),
    ...medianAndP99("32 stars: nothing changes", still),
    ...medianAndP99("32 stars: all trade, 32 frames decoded", moving),
    ...medianAndP99("scale: 500 listed trades matched with 2,000", matching(effort), false),
  ];
}

await runBench(measure);
