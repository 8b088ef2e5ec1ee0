// F1 to F3: cost of the order flow per frame of a busy market: its fold alone, with a whole day; after an hour with all its views on
// the chart and in the order book, compared with the same panes without them; and its fold while none of it is shown.
import { dayAnchor } from "../src/select/flow.ts";
import { openScales } from "../src/select/scale.ts";
import { TradesState } from "../src/state/trades.ts";
import { nsOfMs } from "../src/units/time.ts";
import type { Trade } from "../src/wire/channels/trades.ts";
import { runBench } from "./harness/bench.ts";
import { CHAIN, cpuOf, Desk } from "./harness/desk.ts";
import { atMost, type Effort, type Figure, figure } from "./harness/figure.ts";
import { measureInTurns, median, medianRatio } from "./harness/statistics.ts";

const MINUTE_MS = 60_000;
const START_MS = 1_795_305_600_000;
const DAY_MS = dayAnchor(START_MS);
const FRAME_MS = 1000 / 60;
const WARM_TURNS = 31;
/** 300 a second, more than the average of a large market; 1,200, its busiest minutes. */
const TRADES_A_FRAME = [5, 20] as const;
const TRADES_A_MINUTE = 120;
/** Trades a minute in the hour before the measurement. */
const HOUR_TRADES = 2000;
const HOUR_MINUTES = 60;
const COLUMNS = 160;
const LINES = 50;
const LEVELS = 25;
const MAX_MS = 0.1;
const MAX_RATIO = 1.05;
const SCALE = { tickSize: { mantissa: 1n, places: 2 }, lotSize: { mantissa: 1n, places: 4 } };
const BOOK = "orderbook/perp/1";
const TRADES = "trades/perp/1";
const CANDLES = "candles/perp/1/1m";

/** Trades and books of a random walk. */
class Market {
  #price = 9_700_000;
  #seed = 7;

  #random(below: number): number {
    this.#seed = (this.#seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((this.#seed / 2_147_483_648) * below);
  }

  trades(ms: number, count: number): readonly Trade[] {
    return Array.from({ length: count }, (_, i) => {
      this.#price += this.#random(11) - 5;
      return {
        timestamp_ns: `${BigInt(nsOfMs(Math.floor(ms))) + BigInt(i)}`,
        price_ticks: `${this.#price}`,
        size_base_lots: `${1 + this.#random(5000)}`,
        taker_is_bid: this.#random(2) === 0,
      };
    });
  }

  book() {
    const side = (sign: number) =>
      Array.from({ length: LEVELS }, (_, i) => ({
        price_ticks: `${this.#price + sign * (i + 1)}`,
        size_base_lots: `${1 + this.#random(5000)}`,
      }));
    return { bids: side(-1), asks: side(1) };
  }

  candle(minute: number) {
    const [price, low, high] = [this.#price, this.#price - 2000, this.#price + 2000].map(
      (ticks = 0) => (ticks / 100).toFixed(2),
    );
    const volumes = { volume_base: "1.5", volume_quote: "145500", trades: 12 };
    const prices = { open: price, high, low, close: price };
    return { open_time_ms: DAY_MS + minute * MINUTE_MS, ...prices, ...volumes };
  }
}

type Flow = "shown" | "hidden" | "none";

/** A session of one market with book and chart. */
class MarketDesk extends Desk {
  readonly #market = new Market();
  readonly #perFrame: number;

  constructor(minutes: number, perFrame: number, flow: Flow) {
    super([COLUMNS, LINES], DAY_MS, (store) => ({
      scales: openScales(store, { "perp/1": SCALE }),
    }));
    this.#perFrame = perFrame;
    const { market } = this;
    if (flow === "shown") {
      market.change({ study: "cvd", isVwapShown: true, isProfileShown: true });
      market.change({ book: { ...market.choices.book, extras: ["traded", "profile"] } });
    } else market.change({ study: "volume", isVwapShown: false, isProfileShown: false });
    if (flow === "none") {
      const { data: tape } = this.store.slice("trades", TRADES);
      tape.flow.add = () => {};
      tape.flow.remove = () => {};
    }
    for (let minute = 0; minute < minutes; minute++) {
      this.nowMs = DAY_MS + minute * MINUTE_MS;
      this.#trade(HOUR_TRADES, minute === 0);
      this.#candle();
    }
    this.nowMs += MINUTE_MS;
    this.frame();
  }

  #trade(count: number, isFirst = false): void {
    this.update(TRADES, { ...CHAIN, trades: this.#market.trades(this.nowMs, count) }, isFirst);
  }

  #candle(): void {
    const minute = Math.floor((this.nowMs - DAY_MS) / MINUTE_MS);
    this.update(CANDLES, { candles: [this.#market.candle(minute)] });
  }

  /** Draws a frame, with the data received since the last one. */
  frame(): void {
    this.nowMs += FRAME_MS;
    this.#trade(this.#perFrame);
    this.update(BOOK, { ...CHAIN, orderbook: this.#market.book() });
    this.#candle();
    this.paintMarket();
  }
}

function measureFold(effort: Effort): Figure {
  const market = new Market();
  const tape = new TradesState();
  const folds: number[] = [];
  const send = (ms: number, trades: readonly Trade[], isFirst: boolean) => {
    const frame = { channel: TRADES, timestamp_ns: nsOfMs(Math.floor(ms)), trades };
    tape.update({ type: "update", ...CHAIN, ...frame }, isFirst, ms);
  };
  const minutes = effort.pick(1200, 30);
  for (let minute = 0; minute < minutes; minute++) {
    const ms = DAY_MS + minute * MINUTE_MS;
    send(ms, market.trades(ms, TRADES_A_MINUTE), minute === 0);
  }
  for (let index = 0; index < effort.pick(6000, 30); index++) {
    const nowMs = DAY_MS + minutes * MINUTE_MS + index * FRAME_MS;
    const trades = market.trades(nowMs, TRADES_A_FRAME[1]);
    const start = performance.now();
    send(nowMs, trades, false);
    folds.push(performance.now() - start);
  }
  const what = "tape and fold a frame, 1,200 trades a second";
  return figure("F1", what, "ms", median(folds), atMost("ours", MAX_MS));
}

/** CPU milliseconds a frame, taking turns: with all its views, with none, and without the fold. */
async function measureFrames(effort: Effort, perFrame: number): Promise<Figure[]> {
  const minutes = effort.pick(HOUR_MINUTES, 5);
  const frames = effort.pick(120, 2);
  const ways = (["shown", "hidden", "none"] as const).map((flow) => {
    const desk = new MarketDesk(minutes, perFrame, flow);
    return cpuOf(frames, () => desk.frame());
  });
  // V8 compiles during the first minute of frames.
  await measureInTurns(ways, effort.pick(WARM_TURNS, 1));
  const [all = [], plain = [], without = []] = await measureInTurns(ways, effort.pick(31, 1));
  const rate = `${(perFrame * 60).toLocaleString("en")} trades a second`;
  return [
    {
      id: "F2",
      what: `fold and views on chart and book of 160 × 50, a warm frame, ${rate}`,
      unit: "ms",
      ours: median(all.map((ms, i) => ms - (without[i] ?? 0))),
      other: { name: "without them", value: median(without) },
      goal: atMost("ours", MAX_MS),
    },
    {
      id: "F3",
      what: `a frame while none of it is shown, ${rate}`,
      unit: "ms",
      ours: median(plain),
      other: { name: "without it", value: median(without) },
      ratio: medianRatio(plain, without),
      goal: atMost("ratio", MAX_RATIO),
    },
  ];
}

await runBench(async (effort) => {
  const figures = [measureFold(effort)];
  for (const perFrame of TRADES_A_FRAME) figures.push(...(await measureFrames(effort, perFrame)));
  return figures;
});
