// P10: the heatmap: memory of an hour of books that all differ, what its fold costs an update and its pane a frame, and what it
// costs while nobody looks at it.
import { Dashboard } from "../src/screen/dashboard.ts";
import { createTheme, DEFAULT_THEME } from "../src/screen/theme/theme.ts";
import { marketView } from "../src/screen/views/market/market.tsx";
import { VIEWS } from "../src/screen/views/views.ts";
import { HEAT_SECONDS } from "../src/state/heatmap.ts";
import { Store } from "../src/state/store.ts";
import { Grid } from "../src/terminal/cells/grid.ts";
import { StyleTable } from "../src/terminal/cells/style-table.ts";
import { Surface } from "../src/terminal/cells/surface.ts";
import { createDecoder } from "../src/wire/decode.ts";
import type { StreamEvent } from "../src/wire/stream-event.ts";
import { runBench } from "./harness/bench.ts";
import { atMost, type Effort, type Figure } from "./harness/figure.ts";
import { cpuMs, median, medianRatio, takeTurns } from "./harness/statistics.ts";
import { Traffic } from "./harness/traffic.ts";

const COLUMNS = 120;
const LINES = 40;
const LEVELS = 100;
const FRAME_MS = 1000 / 60;
const UPDATES_A_FRAME = 10;
const MEGABYTE = 1024 * 1024;
const CHANNELS = ["bbo/perp/1", "orderbook/perp/1", "trades/perp/1"];

/** A session of one market, with or without the heatmap on its screen. */
class Desk {
  readonly #store = new Store();
  readonly #dashboard: Dashboard;
  readonly #decoder = createDecoder(false);
  readonly #surface: Surface;
  readonly #theme;
  readonly #traffic = new Traffic(7);
  readonly #seen = new Set<string>();
  #nowMs = 1_800_000_000_000;

  #hasHeatmap: boolean;
  #bbo = "";

  constructor(hasHeatmap: boolean) {
    this.#hasHeatmap = hasHeatmap;
    const styles = new StyleTable();
    this.#surface = new Surface(new Grid(COLUMNS, LINES), styles);
    this.#theme = createTheme(styles, { ...DEFAULT_THEME, theme: "dark" });
    const clock = () => this.#nowMs;
    const nothing = () => {};
    this.#dashboard = new Dashboard({
      ...{ store: this.#store, views: VIEWS, interval: "1m", isSimulated: false },
      ...{ now: clock, wall: clock, onQuit: nothing, onRedraw: nothing, onSuspend: nothing },
    });
    this.#dashboard.open({ type: "perp", id: "1" });
    this.#surface.place({ left: 0, top: 0, right: COLUMNS, bottom: LINES });
    this.#model.layoutFor(COLUMNS, LINES);
    this.#alive();
    for (const channel of CHANNELS) this.#say({ type: "subscribing", channel });
    if (hasHeatmap) this.#dashboard.press("h");
    this.#model.layoutFor(COLUMNS, LINES);
    this.book();
    this.update();
  }

  get #model() {
    return this.#dashboard.modelOf(marketView);
  }

  get heat() {
    return this.#model.panes.heatmap.painted?.heat?.plan.heat;
  }

  #say(event: { type: string; [key: string]: unknown }): void {
    this.#store.dispatch({ atMs: this.#nowMs, ...event } as unknown as StreamEvent);
  }

  #alive(): void {
    const times = { aliveAtMs: this.#nowMs, roundTripMs: 1, retryAtMs: undefined };
    const link = { state: "open", reconnects: 0, protocolVersion: 1, fault: undefined, ...times };
    this.#say({ type: "link", link });
  }

  #receive(text: string): void {
    const decoded = this.#decoder.decode(text);
    if (!decoded.ok || decoded.received.type !== "update") throw new Error(JSON.stringify(decoded));
    const { channel } = decoded.received.frame;
    const place = {
      isFirst: !this.#seen.has(channel),
      isSnapshot: channel.startsWith("orderbook"),
    };
    this.#seen.add(channel);
    this.#say({ type: "update", channel, update: decoded.received, continues: false, ...place });
  }

  /** A book, and the best prices that are its own: else it would be fetched anew. */
  book(): void {
    this.pass(0.1);
    const text = this.#traffic.move().book(LEVELS);
    this.#receive(text);
    const { timestamp_ns, orderbook } = JSON.parse(text);
    const bbo = { bid: orderbook.bids[0], ask: orderbook.asks[0] };
    this.#bbo = JSON.stringify({ type: "update", channel: CHANNELS[0], timestamp_ns, bbo });
    this.#receive(this.#bbo);
  }

  update(): void {
    this.#receive(this.#bbo);
    this.#receive(this.#traffic.trades(2));
  }

  pass(ms: number): void {
    this.#nowMs += ms;
  }

  /** What comes in the time of a frame. */
  receive(): void {
    this.pass(FRAME_MS);
    for (let i = 0; i < UPDATES_A_FRAME; i++) this.update();
    this.book();
    if (this.#hasHeatmap) this.look();
  }

  /** It is kept up as long as somebody does. */
  look(): void {
    this.#model.lookAtHeat(() => {});
  }

  /** Nobody looks at it any more. */
  leave(): void {
    this.#hasHeatmap = false;
    for (let i = 0; i < 10; i++) this.second();
  }

  /** What the pane alone costs of a frame. */
  paint(): void {
    const pane = this.#model.panes.heatmap;
    const inner = { x: 2, y: 1, width: 70, height: 34 };
    this.#surface.clear();
    pane.painted = pane.paint(this.#surface, inner, this.#theme, pane.painted, () => {});
  }

  second(): void {
    this.book();
    this.update();
    this.pass(1000);
    this.#alive();
  }
}

function measureHour(effort: Effort): Figure {
  const desk = new Desk(true);
  desk.paint();
  const seconds = effort.pick(HEAT_SECONDS, 120);
  for (let i = 0; i < seconds; i++) {
    desk.second();
    desk.look();
  }
  return {
    id: "P10",
    what: "memory of an hour, 100 levels of each side, a book a second",
    unit: "MB",
    ours: ((desk.heat?.bytes ?? 0) * (HEAT_SECONDS / seconds)) / MEGABYTE,
    goal: atMost("ours", 2),
  };
}

/** CPU milliseconds a frame of each desk, what is received and what is painted. */
async function measureFrames(effort: Effort): Promise<Figure[]> {
  const [shown, hidden, left] = [new Desk(true), new Desk(false), new Desk(true)];
  for (let i = 0; i < effort.pick(140, 5); i++) {
    shown.second();
    shown.paint();
    hidden.second();
    left.second();
    left.look();
  }
  left.leave();
  const frames = effort.pick(300, 5);
  const slice = (act: () => void) => () => {
    const start = cpuMs();
    for (let i = 0; i < frames; i++) act();
    return (cpuMs() - start) / frames;
  };
  const [withIt = [], without = [], after = []] = await takeTurns(
    [slice(() => shown.receive()), slice(() => hidden.receive()), slice(() => left.receive())],
    effort.pick(21, 1),
  );
  shown.paint();
  const [painted = []] = await takeTurns([slice(() => shown.paint())], effort.pick(21, 1));
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
    {
      id: "P10",
      what: "its paint of a frame, beside the book of 120 × 40, hardly two cells alike",
      unit: "ms",
      ours: median(painted),
      goal: atMost("ours", 0.1),
    },
  ];
}

await runBench(async (effort) => [measureHour(effort), ...(await measureFrames(effort))]);
