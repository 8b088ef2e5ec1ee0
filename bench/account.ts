// P2: what a watched account of many fills costs beside the market, over one without any: 60 updates a second of an account
// that trades, folded and drawn, its marks in the book, the tape and the chart included.
import { Dashboard } from "../src/screen/dashboard.ts";
import { createTheme } from "../src/screen/theme/theme.ts";
import { accountView } from "../src/screen/views/account/account.tsx";
import { marketView } from "../src/screen/views/market/market.tsx";
import { VIEWS } from "../src/screen/views/views.ts";
import { Store } from "../src/state/store.ts";
import { Grid } from "../src/terminal/cells/grid.ts";
import { StyleTable } from "../src/terminal/cells/style-table.ts";
import { Surface } from "../src/terminal/cells/surface.ts";
import { createDecoder } from "../src/wire/decode.ts";
import type { StreamEvent } from "../src/wire/stream-event.ts";
import { runBench } from "./harness/bench.ts";
import { atMost, type Effort, type Figure } from "./harness/figure.ts";
import { cpuMs, median, medianRatio, takeTurns } from "./harness/statistics.ts";

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
    ...{ fill_id: `${n}`, market_type: "perp", market_id: 1, side: n % 2 ? "buy" : "sell" },
    ...{ price_ticks: priceOf(n), size_base_lots: "5", role: "taker", timestamp_ns: timeOf(n) },
  };
}

/** A market and an account on the screen, both with as many things of the past as asked for. */
class Watched {
  readonly #store = new Store();
  readonly #decoder = createDecoder(false);
  readonly #styles = new StyleTable();
  readonly #theme = createTheme(this.#styles);
  readonly #surface = new Surface(new Grid(COLUMNS, LINES), this.#styles);
  readonly #inner = { x: 0, y: 0, width: COLUMNS, height: LINES };
  readonly #dashboard: Dashboard;
  #n: number;

  constructor(fills: number) {
    const nothing = () => {};
    this.#dashboard = new Dashboard({
      ...{ store: this.#store, views: VIEWS, interval: "1m", isSimulated: false },
      ...{ account: { address: ADDRESS, subaccountId: "0" } },
      ...{ now: () => 0, wall: () => START_MS },
      ...{ onQuit: nothing, onRedraw: nothing, onSuspend: nothing },
    });
    this.#dashboard.open({ type: "perp", id: "1" });
    this.#surface.place({ left: 0, top: 0, right: COLUMNS, bottom: LINES });
    this.#n = FILLS;
    const levels = (sign: number) =>
      Array.from({ length: 200 }, (_, i) => ({
        ...{ price_ticks: `${100_000 + sign * (i + 1)}`, size_base_lots: `${i + 1}` },
      }));
    const chain = { previous_sequence: null, sequence: "1" };
    const book = { orderbook: { bids: levels(-1), asks: levels(1) } };
    this.#update("orderbook/perp/1", { ...chain, ...book }, true);
    for (let n = FILLS - 500; n < FILLS; n++) this.#trade(n);
    for (let i = 0; i < 60; i++) {
      const candle = {
        ...{ open_time_ms: START_MS + i * 60_000, open: "1000", high: "1010", low: "990" },
        ...{ close: "1003", volume_base: "1.5", volume_quote: "2", trades: 3 },
      };
      this.#update("candles/perp/1/1m", { candles: [candle] }, i === 0);
    }
    const held = Array.from({ length: fills }, (_, i) => fill(FILLS - fills + i));
    this.#update(ACCOUNT, { ...chain, ...this.#lists(), fills: held }, true);
    this.frame();
  }

  /** One update of the account, a trade of the market, and everything drawn anew. */
  frame(): void {
    this.#n++;
    const chain = { previous_sequence: `${this.#n - 1}`, sequence: `${this.#n}` };
    this.#trade(this.#n);
    this.#update(ACCOUNT, { ...chain, ...this.#lists(), fills: [fill(this.#n)] });
    const market = this.#dashboard.modelOf(marketView).panes;
    const account = this.#dashboard.modelOf(accountView).panes;
    const drawn = [...PANES.map((name) => market[name]), ...TABLES.map((name) => account[name])];
    for (const pane of drawn) {
      this.#surface.clear();
      pane.title();
      pane.painted = pane.paint(
        this.#surface,
        this.#inner,
        this.#theme,
        pane.painted as never,
        () => {},
      ) as never;
    }
    this.#store.settle();
  }

  #lists(): object {
    const orders = Array.from({ length: 10 }, (_, i) => ({
      ...{ order_id: `${i}`, market_type: "perp", market_id: 1, side: "buy", status: "open" },
      ...{ price_ticks: `${99_990 - i}`, size_base_lots: `${10 + ((this.#n + i) % 7)}` },
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
    const chain = { previous_sequence: null, sequence: null };
    this.#update("trades/perp/1", { ...chain, trades: [{ ...trade, taker_is_bid: n % 2 === 1 }] });
  }

  #update(channel: string, fields: object, isFirst = false): void {
    const frame = { type: "update", channel, timestamp_ns: timeOf(this.#n), ...fields };
    const decoded = this.#decoder.decode(JSON.stringify(frame));
    if (!decoded.ok || decoded.received.type !== "update") throw new Error(JSON.stringify(decoded));
    if (isFirst) this.#store.dispatch({ atMs: 0, type: "subscribing", channel });
    const event = { atMs: 0, type: "update", channel, update: decoded.received, isFirst };
    this.#store.dispatch(event as StreamEvent);
  }
}

async function measure(effort: Effort): Promise<readonly Figure[]> {
  const frames = effort.pick(60, 2);
  const [many, none] = [new Watched(FILLS), new Watched(0)];
  const way = (watched: Watched) => () => {
    const start = cpuMs();
    for (let i = 0; i < frames; i++) watched.frame();
    return (cpuMs() - start) / frames;
  };
  const [with4000 = [], without = []] = await takeTurns([way(many), way(none)], effort.pick(21, 1));
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
