// P10: the heatmap: memory of an hour of books that all differ, cost of its fold per update and of its pane per frame, and cost
// while it is not shown.
import { HEAT_SECONDS } from "../src/state/heatmap.ts";
import { runBench } from "./harness/bench.ts";
import { cpuOf, Desk } from "./harness/desk.ts";
import { atMost, type Effort, type Figure, figure } from "./harness/figure.ts";
import { measureInTurns, median, medianRatio } from "./harness/statistics.ts";
import { Traffic } from "./harness/traffic.ts";

const COLUMNS = 120;
const LINES = 40;
const LEVELS = 100;
const FRAME_MS = 1000 / 60;
const UPDATES_A_FRAME = 10;
const MEGABYTE = 1024 * 1024;
const CHANNELS = ["bbo/perp/1", "orderbook/perp/1", "trades/perp/1"];

/** A session of one market, with or without the heatmap on screen. */
class HeatDesk extends Desk {
  readonly #traffic = new Traffic(7);
  #hasHeatmap: boolean;
  #bbo = "";

  constructor(hasHeatmap: boolean) {
    super([COLUMNS, LINES], 1_800_000_000_000);
    this.#hasHeatmap = hasHeatmap;
    this.market.layoutFor(COLUMNS, LINES);
    this.#alive();
    for (const channel of CHANNELS) this.emit({ type: "subscribing", channel });
    if (hasHeatmap) this.dashboard.press("4");
    this.market.layoutFor(COLUMNS, LINES);
    this.book(true);
    this.events(true);
  }

  get heat() {
    return this.market.panes.heatmap.painted?.heat?.plan.heat;
  }

  #alive(): void {
    const times = { aliveAtMs: this.nowMs, roundTripMs: 1, retryAtMs: undefined };
    const link = { state: "open", reconnects: 0, protocolVersion: 1, fault: undefined, ...times };
    this.emit({ type: "link", link });
  }

  /** A book with a matching bbo: otherwise the book would be resynced. */
  book(isFirst = false): void {
    this.nowMs += 0.1;
    const text = this.#traffic.move().book(LEVELS);
    this.receive(text, isFirst);
    const { timestamp_ns, orderbook } = JSON.parse(text);
    const bbo = { bid: orderbook.bids[0], ask: orderbook.asks[0] };
    this.#bbo = JSON.stringify({ type: "update", channel: CHANNELS[0], timestamp_ns, bbo });
    this.receive(this.#bbo, isFirst);
  }

  events(isFirst = false): void {
    this.receive(this.#bbo);
    this.receive(this.#traffic.trades(2), isFirst);
  }

  /** Receives the data of one frame's time. */
  receiveFrame(): void {
    this.nowMs += FRAME_MS;
    for (let i = 0; i < UPDATES_A_FRAME; i++) this.events();
    this.book();
    if (this.#hasHeatmap) this.look();
  }

  /** The heatmap is maintained as long as this is called. */
  look(): void {
    this.market.heatmapFor(() => {});
  }

  /** The heatmap is no longer shown. */
  leave(): void {
    this.#hasHeatmap = false;
    for (let i = 0; i < 10; i++) this.second();
  }

  /** Paints the pane alone. */
  paintHeat(): void {
    this.surface.clear();
    this.paint(this.market.panes.heatmap, 72, 36);
  }

  second(): void {
    this.book();
    this.events();
    this.nowMs += 1000;
    this.#alive();
  }
}

function measureHour(effort: Effort): Figure {
  const desk = new HeatDesk(true);
  desk.paintHeat();
  const seconds = effort.pick(HEAT_SECONDS, 120);
  for (let i = 0; i < seconds; i++) {
    desk.second();
    desk.look();
  }
  return figure(
    "P10",
    "memory of an hour, 100 levels of each side, a book a second",
    "MB",
    ((desk.heat?.bytes ?? 0) * (HEAT_SECONDS / seconds)) / MEGABYTE,
    atMost("ours", 2),
  );
}

/** CPU milliseconds a frame of each desk, for receiving and for painting. */
async function measureFrames(effort: Effort): Promise<Figure[]> {
  const [shown, hidden, left] = [new HeatDesk(true), new HeatDesk(false), new HeatDesk(true)];
  for (let i = 0; i < effort.pick(140, 5); i++) {
    shown.second();
    shown.paintHeat();
    hidden.second();
    left.second();
    left.look();
  }
  left.leave();
  const frames = effort.pick(300, 5);
  const [withIt = [], without = [], after = []] = await measureInTurns(
    [shown, hidden, left].map((desk) => cpuOf(frames, () => desk.receiveFrame())),
    effort.pick(21, 1),
  );
  shown.paintHeat();
  const [painted = []] = await measureInTurns(
    [cpuOf(frames, () => shown.paintHeat())],
    effort.pick(21, 1),
  );
  const fold = median(withIt) - median(without);
  return [
    {
      id: "P10",
      what: "its fold, of a frame of 21 updates at 60 Hz",
      unit: "ms",
      ours: Math.max(0, fold),
      other: { name: "without it", value: median(without) },
      ratio: medianRatio(withIt, without),
      goal: atMost("ratio", 1.05),
    },
    {
      id: "P10",
      what: "the same while nobody looks at it, after it was shown",
      unit: "ms",
      ours: median(after),
      other: { name: "without it", value: median(without) },
      ratio: medianRatio(after, without),
      goal: atMost("ratio", 1.05),
    },
    figure(
      "P10",
      "its paint of a frame, beside the book of 120 × 40, hardly two cells alike",
      "ms",
      median(painted),
      atMost("ours", 0.1),
    ),
  ];
}

await runBench(async (effort) => [measureHour(effort), ...(await measureFrames(effort))]);
