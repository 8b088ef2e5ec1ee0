// What the user has chosen in the view of a market, and the data that it makes visible. No React, no drawing: panes
// read it when they paint, the layout when it renders.
import { INTERVALS, type Interval } from "../../../protocol/channel.ts";
import type { Scale } from "../../../units/scale.ts";
import { accountChannel } from "../../../view/account.ts";
import { formatMarket, type MarketChannels, marketChannels } from "../../../view/market.ts";
import {
  CANDLE_SOURCES,
  type CandleSource,
  freezeMarketData,
  liveMarketData,
  type MarketData,
  type PaneName,
  paneChannel,
  paneSlice,
} from "../../../view/market-data.ts";
import { GROUPINGS } from "../../../view/orderbook.ts";
import { noMarks, type OwnMarks, OwnMarksReader } from "../../../view/own-marks.ts";
import { type PaneStatus, selectPaneStatus } from "../../../view/status.ts";
import { MINIMUM_SIZES } from "../../../view/trades.ts";
import type { Dashboard } from "../../dashboard.ts";
import type { Action, KeyContext } from "../../keys.ts";
import type { LayoutView, Pane } from "../../layout.ts";
import type { FeedStatus, ViewModel } from "../view.ts";

/** What can be changed with a key. */
export interface MarketSettings {
  readonly interval: Interval;
  readonly source: CandleSource;
  /** Places in GROUPINGS and MINIMUM_SIZES. */
  readonly grouping: number;
  readonly minimum: number;
  readonly layout: LayoutView;
  readonly focus: Pane;
  /** Rows or candles that each pane is scrolled by; 0 is the newest, or the spread in the middle. */
  readonly scroll: Readonly<Record<Pane, number>>;
}

const NOT_SCROLLED: MarketSettings["scroll"] = { orderbook: 0, trades: 0, candles: 0 };
const PAGE = 10;
const FEEDS: readonly (readonly [pane: PaneName, label: string])[] = [
  ["bbo", "bbo"],
  ["orderbook", "book"],
  ["trades", "trades"],
  ["candles", "candles"],
];

export class MarketModel implements ViewModel {
  readonly contexts: readonly KeyContext[] = ["market", "panes", "scroll"];
  readonly dashboard: Dashboard;
  #settings: MarketSettings;
  #order: readonly Pane[] = [];
  #live: { readonly data: MarketData; readonly of: string } | undefined;
  #frozen: MarketData | undefined;
  #frozenOwn: OwnMarks | undefined;
  readonly #ownMarks: OwnMarksReader;

  constructor(dashboard: Dashboard) {
    this.dashboard = dashboard;
    this.#ownMarks = new OwnMarksReader(dashboard.store.aliases);
    this.#settings = {
      interval: dashboard.options.interval,
      source: "last",
      grouping: 0,
      minimum: 0,
      layout: "all",
      focus: "orderbook",
      scroll: NOT_SCROLLED,
    };
  }

  get settings(): MarketSettings {
    return this.#settings;
  }

  /** The market's channels; undefined while its symbol is being looked up. */
  get marketChannels(): MarketChannels | undefined {
    const { market } = this.dashboard;
    return market && marketChannels(market, this.#settings.interval);
  }

  get channels(): readonly string[] {
    const channels = this.marketChannels;
    if (channels === undefined) return ["markets"];
    const { bbo, orderbook, trades, marketStats, markets } = channels;
    const candles = this.candleChannels;
    return [bbo, orderbook, trades, ...candles, marketStats, markets, ...this.accountChannels];
  }

  /** The channels behind the chart: two where mark prices stand beside the last. */
  get candleChannels(): readonly string[] {
    const channels = this.marketChannels;
    if (channels === undefined) return [];
    const { source } = this.#settings;
    const main = paneChannel("candles", channels, source);
    const beside = source === "both" ? channels.markCandles : undefined;
    return beside === undefined ? [main] : [main, beside];
  }

  /** The channel of the subaccount that is watched beside the market; none without one. */
  get accountChannels(): readonly string[] {
    const { account } = this.dashboard;
    if (account?.subaccountId === undefined) return [];
    return [accountChannel({ ...account, subaccountId: account.subaccountId })];
  }

  /** What the watched subaccount has in this market: as it is, or frozen. */
  get own(): OwnMarks {
    return this.#frozenOwn ?? this.#liveOwn;
  }

  get feeds(): readonly FeedStatus[] {
    return FEEDS.map(([pane, label]) => ({ label, status: this.statusOf(pane) }));
  }

  /** What the panes show: live, or frozen. */
  get data(): MarketData | undefined {
    return this.#frozen ?? this.#liveData;
  }

  /** What a tick and a lot are worth; undefined while ticks and lots are shown. */
  get scale(): Scale | undefined {
    return this.data?.scale.scale;
  }

  get grouping(): bigint {
    return GROUPINGS[this.#settings.grouping] ?? 1n;
  }

  get minimumLots(): bigint {
    return MINIMUM_SIZES[this.#settings.minimum] ?? 0n;
  }

  /** The panes that are on the screen now: the focus goes through these. */
  setOrder(order: readonly Pane[]): void {
    this.#order = order;
  }

  /** The channel behind a pane; undefined while there is no market. */
  channelOf(pane: PaneName): string | undefined {
    const channels = this.marketChannels;
    return channels && paneChannel(pane, channels, this.#settings.source);
  }

  /** State and age of a pane's own feed. */
  statusOf(pane: PaneName): PaneStatus {
    const channels = this.marketChannels;
    if (channels === undefined) return { state: "waiting", age: "", note: "" };
    const { store, now } = this.dashboard;
    const slice = paneSlice(store, pane, channels, this.#settings.source);
    return selectPaneStatus(store, slice, now());
  }

  perform(action: Action): boolean {
    const act = ACTIONS[action];
    act?.(this);
    return act !== undefined;
  }

  freeze(): void {
    const live = this.#liveData;
    this.#frozen = live && freezeMarketData(live);
    this.#frozenOwn = this.#liveOwn;
  }

  thaw(): void {
    this.#frozen = undefined;
    this.#frozenOwn = undefined;
  }

  change(part: Partial<MarketSettings>): void {
    this.#settings = { ...this.#settings, ...part };
    this.dashboard.tell();
  }

  scrollBy(rows: number): void {
    const { focus, scroll } = this.#settings;
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

  get #liveOwn(): OwnMarks {
    const { market, store } = this.dashboard;
    const [channel] = this.accountChannels;
    if (market === undefined || channel === undefined) return noMarks;
    return this.#ownMarks.select(store.slice("account", channel).data, market, this.scale);
  }

  /** Made anew when the market, the interval or the source of the candles has changed. */
  get #liveData(): MarketData | undefined {
    const { store, scales, pasts, market } = this.dashboard;
    const channels = this.marketChannels;
    if (market === undefined || channels === undefined) return undefined;
    const { source, interval } = this.#settings;
    const past = pasts.of(formatMarket(market));
    const of = `${channels.candles} ${source} ${store.epoch}`;
    if (this.#live?.of !== of) {
      const options = { store, scales, market, channels, source, interval, past };
      this.#live = { data: liveMarketData(options), of };
    }
    return this.#live.data;
  }
}

function step<T>(values: readonly T[], value: T): T {
  return values[(values.indexOf(value) + 1) % values.length] ?? value;
}

function bounded(place: number, values: readonly unknown[]): number {
  return Math.max(0, Math.min(values.length - 1, place));
}

type Act = (model: MarketModel) => void;

const layout =
  (name: LayoutView): Act =>
  (model) =>
    model.change({ layout: name, ...(name !== "all" && { focus: name }) });

const scroll =
  (rows: number): Act =>
  (model) =>
    model.scrollBy(rows);

/** What is frozen has the candles of one interval and source only. */
const whileLive =
  (act: Act): Act =>
  (model) => {
    if (model.dashboard.frozenAtMs === undefined) act(model);
  };

const group =
  (steps: number): Act =>
  (model) =>
    model.change({ grouping: bounded(model.settings.grouping + steps, GROUPINGS) });

const hide =
  (steps: number): Act =>
  (model) =>
    model.change({ minimum: bounded(model.settings.minimum + steps, MINIMUM_SIZES) });

const ACTIONS: Readonly<Partial<Record<Action, Act>>> = {
  watch({ dashboard }) {
    if (dashboard.market === undefined) return;
    dashboard.watchlist.toggle(dashboard.market);
    dashboard.tell();
  },
  interval: whileLive((model) =>
    model.change({ interval: step(INTERVALS, model.settings.interval) }),
  ),
  candleSource: whileLive((model) => {
    if (model.dashboard.market?.type !== "perp") return;
    model.change({ source: step(CANDLE_SOURCES, model.settings.source) });
  }),
  groupingDown: group(-1),
  groupingUp: group(1),
  minimumUp: hide(1),
  minimumDown: hide(-1),
  focusNext: (model) => model.focusBy(1),
  focusPrevious: (model) => model.focusBy(-1),
  scrollUp: scroll(-1),
  scrollDown: scroll(1),
  scrollPageUp: scroll(-PAGE),
  scrollPageDown: scroll(PAGE),
  scrollHome: (model) => {
    const { focus, scroll: now } = model.settings;
    model.change({ scroll: { ...now, [focus]: 0 } });
  },
  layoutAll: layout("all"),
  layoutBook: layout("orderbook"),
  layoutTape: layout("trades"),
  layoutChart: layout("candles"),
};
