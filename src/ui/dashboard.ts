// What the user has chosen on the screen, and the data that it makes visible. No React, no drawing: panes
// read it when they paint, the layout when it renders.
import { INTERVALS, type Interval } from "../protocol/channel.ts";
import type { Store } from "../store/store.ts";
import { type Market, type MarketChannels, marketChannels } from "../view/market.ts";
import {
  type CandleSource,
  freezeMarketData,
  liveMarketData,
  type MarketData,
  type PaneName,
  paneChannel,
  paneSlice,
} from "../view/market-data.ts";
import { GROUPINGS } from "../view/orderbook.ts";
import { type PaneStatus, selectPaneStatus } from "../view/status.ts";
import { MINIMUM_SIZES } from "../view/trades.ts";
import { type Action, KEYS } from "./keys.ts";
import type { LayoutView, Pane } from "./layout.ts";

/** What can be changed with a key. */
export interface Settings {
  readonly interval: Interval;
  readonly source: CandleSource;
  /** Places in GROUPINGS and MINIMUM_SIZES. */
  readonly grouping: number;
  readonly minimum: number;
  readonly view: LayoutView;
  readonly focus: Pane;
  /** Rows or candles that each pane is scrolled by; 0 is the newest, or the spread in the middle. */
  readonly scroll: Readonly<Record<Pane, number>>;
  readonly isHelpOpen: boolean;
  readonly helpScroll: number;
}

export interface DashboardOptions {
  readonly store: Store;
  /** Monotonic milliseconds, the clock of the store's events. */
  readonly now: () => number;
  readonly interval: Interval;
  readonly isSimulated: boolean;
  readonly onQuit: () => void;
  readonly onRedraw: () => void;
  readonly onSuspend: () => void;
}

const NOT_SCROLLED: Settings["scroll"] = { orderbook: 0, trades: 0, candles: 0 };
const PAGE = 10;

export class Dashboard {
  readonly isSimulated: boolean;
  readonly store: Store;
  readonly now: () => number;
  readonly #options: DashboardOptions;
  readonly #listeners = new Set<() => void>();
  readonly #clockHands = new Set<() => void>();
  #settings: Settings;
  #market: Market | undefined;
  #order: readonly Pane[] = [];
  #live: MarketData | undefined;
  #frozen: { readonly data: MarketData; readonly atMs: number } | undefined;
  /** What stands in the way of showing anything, such as a symbol that is not known yet. */
  #notice = "";

  constructor(options: DashboardOptions) {
    this.#options = options;
    this.isSimulated = options.isSimulated;
    this.store = options.store;
    this.now = options.now;
    this.#settings = {
      interval: options.interval,
      source: "last",
      grouping: 0,
      minimum: 0,
      view: "all",
      focus: "orderbook",
      scroll: NOT_SCROLLED,
      isHelpOpen: false,
      helpScroll: 0,
    };
  }

  get settings(): Settings {
    return this.#settings;
  }

  /** The market that is shown; undefined while its symbol is being looked up. */
  get market(): Market | undefined {
    return this.#market;
  }

  get notice(): string {
    return this.#notice;
  }

  get channels(): MarketChannels | undefined {
    return this.#market && marketChannels(this.#market, this.#settings.interval);
  }

  /** Since when the screen is frozen, by our clock; undefined while it is live. */
  get frozenAtMs(): number | undefined {
    return this.#frozen?.atMs;
  }

  /** What the panes show: live, or frozen. */
  get data(): MarketData | undefined {
    return this.#frozen?.data ?? this.#live;
  }

  get grouping(): bigint {
    return GROUPINGS[this.#settings.grouping] ?? 1n;
  }

  get minimumLots(): bigint {
    return MINIMUM_SIZES[this.#settings.minimum] ?? 0n;
  }

  /** Calls back after every change of settings. Returns its undo. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * When something that reads these channels must be drawn again: after a change of one of them (but not while the
   * screen is frozen), after a change of settings, and every second, because ages grow.
   */
  source(channels: () => readonly string[]): (onChange: () => void) => () => void {
    return (onChange) => {
      const onFeed = () => {
        if (this.#frozen === undefined) onChange();
      };
      const listen = () => channels().map((channel) => this.store.subscribe(channel, onFeed));
      let undo = listen();
      const stop = () => {
        for (const each of undo) each();
      };
      const unsubscribe = this.subscribe(() => {
        stop();
        undo = listen();
        onChange();
      });
      this.#clockHands.add(onChange);
      return () => {
        stop();
        unsubscribe();
        this.#clockHands.delete(onChange);
      };
    };
  }

  /** A second has passed: ages have grown. */
  tick(): void {
    for (const onSecond of this.#clockHands) onSecond();
  }

  /** Shows a market. */
  open(market: Market): void {
    this.#market = market;
    this.#notice = "";
    this.#refresh();
  }

  /** Says why there is nothing to show. */
  notify(notice: string): void {
    this.#notice = notice;
    this.#tell();
  }

  /** The panes that are on the screen now: the focus goes through these. */
  setOrder(order: readonly Pane[]): void {
    this.#order = order;
  }

  /** The channel behind a pane; undefined while there is no market. */
  channelOf(pane: PaneName): string | undefined {
    const { channels } = this;
    return channels && paneChannel(pane, channels, this.#settings.source);
  }

  /** State and age of a pane's own feed. */
  statusOf(pane: PaneName): PaneStatus {
    const { channels } = this;
    if (channels === undefined) return { state: "waiting", age: "", note: "" };
    const slice = paneSlice(this.store, pane, channels, this.#settings.source);
    return selectPaneStatus(this.store, slice, this.now());
  }

  /** Does what a key asks for. */
  perform(action: Action): void {
    ACTIONS[action](this, this.#options);
  }

  change(part: Partial<Settings>): void {
    this.#settings = { ...this.#settings, ...part };
    if ("interval" in part || "source" in part) this.#refresh();
    else this.#tell();
  }

  toggleFrozen(): void {
    if (this.#frozen !== undefined) this.#frozen = undefined;
    else if (this.#live !== undefined) {
      this.#frozen = { data: freezeMarketData(this.#live), atMs: this.now() };
    }
    this.#tell();
  }

  scrollBy(rows: number): void {
    const { focus, scroll, isHelpOpen, helpScroll } = this.#settings;
    if (isHelpOpen) {
      this.change({ helpScroll: bounded(helpScroll + rows, KEYS) });
      return;
    }
    const next = (scroll[focus] ?? 0) + rows;
    // The book scrolls both ways from its middle; the others only into the past.
    const rowsOut = focus === "orderbook" ? next : Math.max(0, next);
    this.change({ scroll: { ...scroll, [focus]: rowsOut } });
  }

  focusBy(steps: number): void {
    const count = this.#order.length;
    if (count === 0) return;
    const at = Math.max(0, this.#order.indexOf(this.#settings.focus));
    const focus = this.#order[(at + steps + count) % count];
    if (focus !== undefined) this.change({ focus });
  }

  #refresh(): void {
    const { channels, market, store } = this;
    if (market !== undefined && channels !== undefined) {
      this.#live = liveMarketData({ store, market, channels, source: this.#settings.source });
    }
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

function step<T>(values: readonly T[], value: T): T {
  return values[(values.indexOf(value) + 1) % values.length] ?? value;
}

function bounded(place: number, values: readonly unknown[]): number {
  return Math.max(0, Math.min(values.length - 1, place));
}

type Perform = (dashboard: Dashboard, options: DashboardOptions) => void;

const view =
  (name: LayoutView): Perform =>
  (dashboard) =>
    dashboard.change({ view: name, ...(name !== "all" && { focus: name }) });

const scroll =
  (rows: number): Perform =>
  (dashboard) =>
    dashboard.scrollBy(rows);

const ACTIONS: Readonly<Record<Action, Perform>> = {
  quit: (_, { onQuit }) => onQuit(),
  redraw: (_, { onRedraw }) => onRedraw(),
  suspend: (_, { onSuspend }) => onSuspend(),
  help: (dashboard) =>
    dashboard.change({ isHelpOpen: !dashboard.settings.isHelpOpen, helpScroll: 0 }),
  back: (dashboard) => dashboard.change({ isHelpOpen: false }),
  freeze: (dashboard) => dashboard.toggleFrozen(),
  interval: (dashboard) => {
    // What is frozen has the candles of one interval only.
    if (dashboard.frozenAtMs !== undefined) return;
    dashboard.change({ interval: step(INTERVALS, dashboard.settings.interval) });
  },
  candleSource: (dashboard) => {
    if (dashboard.frozenAtMs !== undefined || dashboard.market?.type !== "perp") return;
    dashboard.change({ source: dashboard.settings.source === "last" ? "mark" : "last" });
  },
  groupingDown: (dashboard) =>
    dashboard.change({ grouping: bounded(dashboard.settings.grouping - 1, GROUPINGS) }),
  groupingUp: (dashboard) =>
    dashboard.change({ grouping: bounded(dashboard.settings.grouping + 1, GROUPINGS) }),
  minimumUp: (dashboard) =>
    dashboard.change({ minimum: bounded(dashboard.settings.minimum + 1, MINIMUM_SIZES) }),
  minimumDown: (dashboard) =>
    dashboard.change({ minimum: bounded(dashboard.settings.minimum - 1, MINIMUM_SIZES) }),
  focusNext: (dashboard) => dashboard.focusBy(1),
  focusPrevious: (dashboard) => dashboard.focusBy(-1),
  scrollUp: scroll(-1),
  scrollDown: scroll(1),
  scrollPageUp: scroll(-PAGE),
  scrollPageDown: scroll(PAGE),
  scrollHome: (dashboard) => {
    const { focus, scroll: now } = dashboard.settings;
    dashboard.change({ scroll: { ...now, [focus]: 0 } });
  },
  viewAll: view("all"),
  viewBook: view("orderbook"),
  viewTape: view("trades"),
  viewChart: view("candles"),
};
