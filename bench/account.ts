// P2: cost of a watched account with many fills beside the market, compared with one without any: 60 updates a second of an account
// that trades, folded and drawn, including its marks in the book, the tape and the chart.
import type { FramedPane } from "../src/screen/panes/frame.tsx";
import { accountView } from "../src/screen/views/account/account.tsx";
import { runBench } from "./harness/bench.ts";
import { CHAIN, cpuOf, Desk } from "./harness/desk.ts";
import { atMost, type Effort, type Figure } from "./harness/figure.ts";
import { measureInTurns, median, medianRatio } from "./harness/statistics.ts";

const FILLS = 4000;
const ADDRESS = "gtSFx2ZaJ8MqyRzT3mWJrDvC9wPbLkHnUeQaXsVoJNeD";
const ACCOUNT = `account/${ADDRESS}/0`;
const START_MS = 1_800_000_000_000;
const PANES = ["orderbook", "trades", "candles"] as const;
const TABLES = ["positions", "orders", "fills", "balances"] as const;
const [COLUMNS, LINES] = [60, 40];

const timeOf = (n: number) => `${BigInt(START_MS + n * 250) * 1_000_000n}`;
const priceOf = (n: number) => `${100_000 + ((n * 7919) % 997)}`;

function fill(n: number): object {
  return {
    fill_id: `${n}`,
    market_type: "perp",
    market_id: 1,
    side: n % 2 ? "buy" : "sell",
    price_ticks: priceOf(n),
    size_base_lots: "5",
    role: "taker",
    timestamp_ns: timeOf(n),
  };
}

/** A market and an account on screen, with the given number of past fills. */
class AccountDesk extends Desk {
  #n: number;

  constructor(fills: number) {
    super([COLUMNS, LINES], START_MS, { account: { address: ADDRESS, subaccountId: "0" } });
    this.#n = FILLS;
    const levels = (sign: number) =>
      Array.from({ length: 200 }, (_, i) => ({
        price_ticks: `${100_000 + sign * (i + 1)}`,
        size_base_lots: `${i + 1}`,
      }));
    const chain = { previous_sequence: null, sequence: "1" };
    for (const channel of ["orderbook/perp/1", "candles/perp/1/1m", ACCOUNT]) {
      this.emit({ type: "subscribing", channel });
    }
    const book = { orderbook: { bids: levels(-1), asks: levels(1) } };
    this.update("orderbook/perp/1", { ...chain, ...book }, true);
    for (let n = FILLS - 500; n < FILLS; n++) this.#trade(n);
    for (let i = 0; i < 60; i++) {
      const candle = {
        open_time_ms: START_MS + i * 60_000,
        open: "1000",
        high: "1010",
        low: "990",
        close: "1003",
        volume_base: "1.5",
        volume_quote: "2",
        trades: 3,
      };
      this.update("candles/perp/1/1m", { candles: [candle] }, i === 0);
    }
    const held = Array.from({ length: fills }, (_, i) => fill(FILLS - fills + i));
    this.update(ACCOUNT, { ...chain, ...this.#lists(), fills: held }, true);
    this.frame();
  }

  /** One update of the account, one trade of the market, and all panes repainted. */
  frame(): void {
    this.#n++;
    const chain = { previous_sequence: `${this.#n - 1}`, sequence: `${this.#n}` };
    this.#trade(this.#n);
    this.update(ACCOUNT, { ...chain, ...this.#lists(), fills: [fill(this.#n)] });
    const account = this.dashboard.modelOf(accountView).one.panes;
    for (const pane of [
      ...PANES.map((name) => this.market.panes[name]),
      ...TABLES.map((name) => account[name]),
    ]) {
      this.surface.clear();
      this.paint<never>(pane as FramedPane<never>, COLUMNS, LINES);
    }
    this.store.settle();
  }

  #lists(): object {
    const orders = Array.from({ length: 10 }, (_, i) => ({
      order_id: `${i}`,
      market_type: "perp",
      market_id: 1,
      side: "buy",
      status: "open",
      price_ticks: `${99_990 - i}`,
      size_base_lots: `${10 + ((this.#n + i) % 7)}`,
    }));
    return {
      account: { equity: `${1000 + this.#n}.50` },
      positions: [{ market_type: "perp", market_id: 1, side: "long", size: `${this.#n}` }],
      orders,
      balances: [{ asset: "USDC", total: `${1000 + this.#n}` }],
    };
  }

  #trade(n: number): void {
    const trade = { price_ticks: priceOf(n), size_base_lots: "5", timestamp_ns: timeOf(n) };
    this.update("trades/perp/1", { ...CHAIN, trades: [{ ...trade, taker_is_bid: n % 2 === 1 }] });
  }
}

async function measure(effort: Effort): Promise<readonly Figure[]> {
  const frames = effort.pick(60, 2);
  const ways = [new AccountDesk(FILLS), new AccountDesk(0)].map((desk) =>
    cpuOf(frames, () => desk.frame()),
  );
  const [with4000 = [], without = []] = await measureInTurns(ways, effort.pick(21, 1));
  return [
    {
      id: "P2",
      what: `an account of ${FILLS} fills, an update folded and drawn`,
      unit: "ms",
      ours: median(with4000),
      other: { name: "without fills", value: median(without) },
      ratio: medianRatio(with4000, without),
      goal: atMost("ratio", 1.25),
    },
  ];
}

runBench(measure);
