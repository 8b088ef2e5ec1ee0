// A session without a terminal: a store fed with frames, a dashboard, and a surface to paint on.
import { Dashboard, type DashboardOptions } from "../../src/screen/dashboard.ts";
import type { FramedPane } from "../../src/screen/panes/frame.tsx";
import { createTheme, DEFAULT_THEME } from "../../src/screen/theme/theme.ts";
import { marketView } from "../../src/screen/views/market/market.tsx";
import { VIEWS } from "../../src/screen/views/views.ts";
import { Store } from "../../src/state/store.ts";
import { Grid } from "../../src/terminal/cells/grid.ts";
import { StyleTable } from "../../src/terminal/cells/style-table.ts";
import { Surface } from "../../src/terminal/cells/surface.ts";
import { createDecoder } from "../../src/wire/decode.ts";
import type { StreamEvent } from "../../src/wire/stream-event.ts";
import { cpuMs, type Slice } from "./statistics.ts";

export const CHAIN = { previous_sequence: null, sequence: null };

const nothing = () => {};

export class Desk {
  readonly store = new Store();
  readonly dashboard: Dashboard;
  readonly surface: Surface;
  readonly theme;
  /** Time of both clocks. */
  nowMs: number;
  readonly #columns: number;
  readonly #lines: number;
  readonly #decoder = createDecoder();

  constructor(
    [columns, lines]: readonly [columns: number, lines: number],
    nowMs: number,
    options: Partial<DashboardOptions> | ((store: Store) => Partial<DashboardOptions>) = {},
  ) {
    const styles = new StyleTable();
    this.#columns = columns;
    this.#lines = lines;
    this.nowMs = nowMs;
    this.surface = new Surface(new Grid(columns, lines), styles);
    this.surface.place({ left: 0, top: 0, right: columns, bottom: lines });
    this.theme = createTheme(styles, { ...DEFAULT_THEME, theme: "dark" });
    this.dashboard = new Dashboard({
      store: this.store,
      views: VIEWS,
      interval: "1m",
      isSimulated: false,
      now: () => this.nowMs,
      wall: () => this.nowMs,
      onQuit: nothing,
      onRedraw: nothing,
      onSuspend: nothing,
      ...(typeof options === "function" ? options(this.store) : options),
    });
    this.dashboard.open({ type: "perp", id: "1" });
  }

  get market() {
    return this.dashboard.modelOf(marketView);
  }

  emit(event: { type: string; [key: string]: unknown }): void {
    this.store.dispatch({ atMs: this.nowMs, ...event } as unknown as StreamEvent);
  }

  update(channel: string, fields: object, isFirst = false): void {
    const timestamp_ns = `${BigInt(Math.floor(this.nowMs)) * 1_000_000n}`;
    this.receive(JSON.stringify({ type: "update", channel, timestamp_ns, ...fields }), isFirst);
  }

  /** Receives a frame as text; every book is a snapshot. */
  receive(text: string, isFirst = false): void {
    const decoded = this.#decoder.decode(text);
    if (!decoded.ok || decoded.received.type !== "update") throw new Error(JSON.stringify(decoded));
    const { channel } = decoded.received.frame;
    this.store.slice(decoded.received.kind, channel);
    const isSnapshot = channel.startsWith("orderbook");
    const place = { isFirst, isSnapshot, continues: false };
    this.emit({ type: "update", channel, update: decoded.received, ...place });
  }

  paint<P>(pane: FramedPane<P>, width: number, height: number): void {
    const inner = { x: 1, y: 1, width: width - 2, height: height - 2 };
    pane.title();
    pane.painted = pane.paint(this.surface, inner, this.theme, pane.painted, nothing);
  }

  /** Paints all panes of the market. */
  paintMarket(): void {
    this.surface.clear();
    for (const { width, panes } of this.market.layoutFor(this.#columns, this.#lines).columns) {
      for (const { pane, height } of panes)
        this.paint<unknown>(this.market.panes[pane], width, height);
    }
  }
}

/** Mean CPU milliseconds of each call in a row of `calls`. */
export function cpuOf(calls: number, act: (call: number) => void): Slice {
  return () => {
    const start = cpuMs();
    for (let call = 0; call < calls; call++) act(call);
    return (cpuMs() - start) / calls;
  };
}
