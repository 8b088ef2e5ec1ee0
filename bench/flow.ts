// F1 to F3: what the order flow costs a frame of a busy market whose sums are of a whole day: the fold alone, with all its views
// on the chart and in the order book, and the dearest frame.
import { KeptViews } from "../src/screen/views/market/flow-views.ts";
import type { MarketModel } from "../src/screen/views/market/model.ts";
import {
  dayAnchor,
  selectCvd,
  selectProfile,
  selectTradedAtLevels,
  selectVwapLine,
} from "../src/select/flow.ts";
import { TradesState } from "../src/state/trades.ts";
import { nsOfMs } from "../src/units/time.ts";
import type { Trade } from "../src/wire/channels/trades.ts";
import { runBench } from "./harness/bench.ts";
import { atMost, type Effort, type Figure } from "./harness/figure.ts";
import { median, quantile } from "./harness/statistics.ts";

const MINUTE_MS = 60_000;
const START_MS = 1_795_305_600_000;
const FRAME_MS = 1000 / 60;
/** 300 a second: more than a large market has on average. */
const TRADES_A_FRAME = 5;
const TRADES_A_MINUTE = 120;
const PERIODS = 60;
const ROW_TICKS = 500n;
const MOST_MS = 0.1;

class Market {
  readonly tape = new TradesState();
  #price = 9_700_000;
  #seed = 7;
  #isFirst = true;

  #random(below: number): number {
    this.#seed = (this.#seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((this.#seed / 2_147_483_648) * below);
  }

  trades(ms: number, count: number): readonly Trade[] {
    return Array.from({ length: count }, (_, i) => {
      this.#price += this.#random(41) - 20;
      return {
        timestamp_ns: `${BigInt(nsOfMs(Math.floor(ms))) + BigInt(i)}`,
        price_ticks: `${this.#price}`,
        size_base_lots: `${1 + this.#random(5000)}`,
        taker_is_bid: this.#random(2) === 0,
      };
    });
  }

  send(ms: number, trades: readonly Trade[]): void {
    const chain = { previous_sequence: null, sequence: null };
    const frame = { channel: "trades/perp/1", timestamp_ns: nsOfMs(Math.floor(ms)), trades };
    this.tape.update({ type: "update", ...chain, ...frame }, this.#isFirst, ms);
    this.#isFirst = false;
  }
}

function readViews(kept: KeptViews, { tape }: Market, nowMs: number): void {
  const shown = { now: () => nowMs, isFrozen: false };
  const model = { parts: { shown } } as unknown as MarketModel;
  const newestMs = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS;
  const anchorMs = dayAnchor(nowMs);
  const periods = Array.from({ length: PERIODS }, (_, i) => {
    const fromMs = newestMs - (PERIODS - 1 - i) * MINUTE_MS;
    return { fromMs, untilMs: fromMs + MINUTE_MS };
  });
  const all = [{ fromMs: anchorMs, untilMs: periods[0]?.fromMs ?? newestMs }, ...periods];
  const options = { model, tape, again: () => {}, of: [newestMs] };
  const span = { fromMs: anchorMs, untilMs: nowMs + 1 };
  kept.read("study", options, () => selectCvd(tape, anchorMs, all));
  kept.read("vwap", options, () => selectVwapLine(tape, anchorMs, all));
  kept.read("profile", options, () => selectProfile(tape.flow, span, ROW_TICKS));
  const since = { fromMs: nowMs - 8 * MINUTE_MS };
  const levels = kept.read("ladder", options, () => selectTradedAtLevels(tape.flow, since, 10n));
  // The best prices change with every frame.
  const bid = BigInt(tape.recent(1)[0]?.price_ticks ?? 1);
  levels.across({ bid, ask: bid + 1n });
}

async function measure(effort: Effort): Promise<Figure[]> {
  const market = new Market();
  const minutes = effort.pick(1200, 30);
  const dayMs = dayAnchor(START_MS);
  for (let minute = 0; minute < minutes; minute++) {
    const ms = dayMs + minute * MINUTE_MS;
    market.send(ms, market.trades(ms, TRADES_A_MINUTE));
  }
  const kept = new KeptViews();
  const folds: number[] = [];
  const frames: number[] = [];
  for (let index = 0; index < effort.pick(6000, 30); index++) {
    const nowMs = dayMs + minutes * MINUTE_MS + index * FRAME_MS;
    const trades = market.trades(nowMs, TRADES_A_FRAME);
    const start = performance.now();
    market.send(nowMs, trades);
    const folded = performance.now();
    readViews(kept, market, nowMs);
    frames.push(performance.now() - start);
    folds.push(folded - start);
  }
  const mean = frames.reduce((sum, each) => sum + each, 0) / frames.length;
  const unit = "ms";
  return [
    {
      id: "F1",
      what: "tape and fold a frame",
      unit,
      ours: median(folds),
      goal: atMost("ours", MOST_MS),
    },
    {
      id: "F2",
      what: "with its views, a frame on average",
      unit,
      ours: mean,
      goal: atMost("ours", MOST_MS),
    },
    { id: "F3", what: "with its views, 99 of 100 frames", unit, ours: quantile(frames, 0.99) },
  ];
}

await runBench(measure);
