// F1 to F3: what the order flow costs a frame of a busy market: the fold alone, of a whole day; after an hour with all its views
// on the chart and in the order book, over the same panes without them; and the fold while none of it is shown.
import { Dashboard } from "../src/screen/dashboard.ts";
import type { FramedPane } from "../src/screen/panes/frame.tsx";
import { createTheme } from "../src/screen/theme/theme.ts";
import { marketView } from "../src/screen/views/market/market.tsx";
import { VIEWS } from "../src/screen/views/views.ts";
import { dayAnchor } from "../src/select/flow.ts";
import { openScales } from "../src/select/scale.ts";
import { Store } from "../src/state/store.ts";
import { TradesState } from "../src/state/trades.ts";
import { Grid } from "../src/terminal/cells/grid.ts";
import { StyleTable } from "../src/terminal/cells/style-table.ts";
import { Surface } from "../src/terminal/cells/surface.ts";
import { nsOfMs } from "../src/units/time.ts";
import type { Trade } from "../src/wire/channels/trades.ts";
import { createDecoder } from "../src/wire/decode.ts";
import type { StreamEvent } from "../src/wire/stream-event.ts";
import { runBench } from "./harness/bench.ts";
import { atMost, type Effort, type Figure } from "./harness/figure.ts";
import { cpuMs, median, medianRatio, takeTurns } from "./harness/statistics.ts";

const MINUTE_MS = 60_000;
const START_MS = 1_795_305_600_000;
const DAY_MS = dayAnchor(START_MS);
const FRAME_MS = 1000 / 60;
const WARM_TURNS = 31;
/** 300 a second: more than a large market has on average; 1,200: its busiest minutes. */
const TRADES_A_FRAME = [5, 20] as const;
const TRADES_A_MINUTE = 120;
/** Of the hour before what is measured, a minute. */
const HOUR_TRADES = 2000;
const HOUR_MINUTES = 60;
const COLUMNS = 160;
const LINES = 50;
const LEVELS = 25;
const MOST_MS = 0.1;
const MOST_RATIO = 1.05;
const SCALE = { tickSize: { mantissa: 1n, places: 2 }, lotSize: { mantissa: 1n, places: 4 } };
const CHAIN = { previous_sequence: null, sequence: null };
const BOOK = "orderbook/perp/1";
const TRADES = "trades/perp/1";
const CANDLES = "candles/perp/1/1m";

/** Trades and books of a price that wanders. */
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

interface DeskOptions {
  readonly minutes: number;
  readonly perFrame: number;
  readonly flow: "shown" | "hidden" | "none";
}

/** A session of one market with its book and its chart. */
class Desk {
  readonly #store = new Store();
  readonly #dashboard: Dashboard;
  readonly #decoder = createDecoder(false);
  readonly #styles = new StyleTable();
  readonly #surface = new Surface(new Grid(COLUMNS, LINES), this.#styles);
  readonly #theme = createTheme(this.#styles);
  readonly #market = new Market();
  readonly #seen = new Set<string>();
  readonly #perFrame: number;
  #nowMs = DAY_MS;

  constructor({ minutes, perFrame, flow }: DeskOptions) {
    const nothing = () => {};
    const clock = () => this.#nowMs;
    this.#perFrame = perFrame;
    this.#dashboard = new Dashboard({
      ...{ store: this.#store, views: VIEWS, interval: "1m", isSimulated: false },
      ...{ scales: openScales(this.#store, { "perp/1": SCALE }) },
      ...{ now: clock, wall: clock, onQuit: nothing, onRedraw: nothing, onSuspend: nothing },
    });
    this.#dashboard.open({ type: "perp", id: "1" });
    this.#surface.place({ left: 0, top: 0, right: COLUMNS, bottom: LINES });
    const model = this.#dashboard.modelOf(marketView);
    if (flow === "shown") {
      model.change({ study: "cvd", vwap: "day", isProfileShown: true });
      model.change({ book: { ...model.choices.book, extras: ["traded", "profile"] } });
    } else model.change({ study: "volume", vwap: "off", isProfileShown: false });
    const { tape } = this;
    if (flow === "none") {
      tape.flow.add = nothing;
      tape.flow.remove = nothing;
    }
    for (let minute = 0; minute < minutes; minute++) {
      this.#nowMs = DAY_MS + minute * MINUTE_MS;
      this.#trade(HOUR_TRADES);
      this.#update(CANDLES, { candles: [this.#market.candle(minute)] });
    }
    this.#nowMs += MINUTE_MS;
    model.layoutFor(COLUMNS, LINES);
    this.frame();
  }

  get tape(): TradesState {
    return this.#store.slice("trades", TRADES).data;
  }

  #update(channel: string, fields: object): void {
    const frame = { type: "update", channel, timestamp_ns: nsOfMs(Math.floor(this.#nowMs)) };
    const decoded = this.#decoder.decode(JSON.stringify({ ...frame, ...fields }));
    if (!decoded.ok || decoded.received.type !== "update") throw new Error(JSON.stringify(decoded));
    this.#store.slice(decoded.received.kind, channel);
    const place = { isFirst: !this.#seen.has(channel), isSnapshot: channel === BOOK };
    this.#seen.add(channel);
    const event = { atMs: this.#nowMs, type: "update", channel, update: decoded.received };
    this.#store.dispatch({ ...event, continues: false, ...place } as StreamEvent);
  }

  #trade(count: number): void {
    this.#update(TRADES, { ...CHAIN, trades: this.#market.trades(this.#nowMs, count) });
  }

  /** What comes in the time of a frame. */
  receive(): void {
    this.#nowMs += FRAME_MS;
    this.#trade(this.#perFrame);
    this.#update(BOOK, { ...CHAIN, orderbook: this.#market.book() });
    this.#update(CANDLES, { candles: [this.#market.candle(this.#minute)] });
  }

  get #minute(): number {
    return Math.floor((this.#nowMs - DAY_MS) / MINUTE_MS);
  }

  frame(): void {
    this.receive();
    this.#surface.clear();
    const model = this.#dashboard.modelOf(marketView);
    for (const { width, panes } of model.layoutFor(COLUMNS, LINES).columns) {
      for (const { pane, height } of panes) this.#paint(model.panes[pane], width, height);
    }
  }

  #paint(pane: FramedPane, width: number, height: number): void {
    pane.title();
    const inner = { x: 1, y: 1, width: width - 2, height: height - 2 };
    pane.painted = pane.paint(this.#surface, inner, this.#theme, pane.painted, () => {});
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
  return { id: "F1", what, unit: "ms", ours: median(folds), goal: atMost("ours", MOST_MS) };
}

/** CPU milliseconds a frame, in turns: with all views of it, with none, and without the fold. */
async function measureFrames(effort: Effort, perFrame: number): Promise<Figure[]> {
  const minutes = effort.pick(HOUR_MINUTES, 5);
  const frames = effort.pick(120, 2);
  const deskOf = (flow: DeskOptions["flow"]) => new Desk({ minutes, perFrame, flow });
  const [shown, hidden, none] = [deskOf("shown"), deskOf("hidden"), deskOf("none")];
  const slice = (frame: () => void) => () => {
    const start = cpuMs();
    for (let i = 0; i < frames; i++) frame();
    return (cpuMs() - start) / frames;
  };
  const ways = [slice(() => shown.frame()), slice(() => hidden.frame()), slice(() => none.frame())];
  // V8 compiles for the first minute of frames.
  await takeTurns(ways, effort.pick(WARM_TURNS, 1));
  const [all = [], plain = [], without = []] = await takeTurns(ways, effort.pick(31, 1));
  const rate = `${(perFrame * 60).toLocaleString("en")} trades a second`;
  return [
    {
      id: "F2",
      what: `fold and views on chart and book of 160 × 50, a warm frame, ${rate}`,
      unit: "ms",
      ours: median(all.map((ms, i) => ms - (without[i] ?? 0))),
      other: { name: "without them", value: median(without) },
      goal: atMost("ours", MOST_MS),
    },
    {
      id: "F3",
      what: `a frame while none of it is shown, ${rate}`,
      unit: "ms",
      ours: median(plain),
      other: { name: "without it", value: median(without) },
      ratio: medianRatio(plain, without),
      goal: atMost("ratio", MOST_RATIO),
    },
  ];
}

await runBench(async (effort) => {
  const figures = [measureFold(effort)];
  for (const perFrame of TRADES_A_FRAME) figures.push(...(await measureFrames(effort, perFrame)));
  return figures;
});
