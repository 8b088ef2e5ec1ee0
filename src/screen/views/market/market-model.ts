// What the user has chosen in the view of a market, and the data that it makes visible. No React, no drawing: panes
// read it when they paint, the layout when it renders.

import { type AlertMark, selectAlertMarks } from "../../../alerts/alert-marks.ts";
import { accountChannel, chosenSubaccount } from "../../../select/account.ts";
import {
  createMarketChannels,
  formatMarket,
  type Market,
  type MarketChannels,
} from "../../../select/market.ts";
import {
  type CandleSource,
  freezeMarketData,
  liveMarketData,
  type MarketData,
  type PaneName,
  paneChannel,
  paneSlice,
} from "../../../select/market-data.ts";
import { GROUPINGS } from "../../../select/orderbook.ts";
import { noMarks, type OwnMarks, OwnMarksReader } from "../../../select/own-marks.ts";
import { type PaneStatus, selectPaneStatus, WAITING } from "../../../select/status.ts";
import { SteadyColumns } from "../../../select/steady-columns.ts";
import { MINIMUM_SIZES } from "../../../select/trades.ts";
import type { PaneState } from "../../../state/pane-state.ts";
import type { Slice } from "../../../state/slices.ts";
import type { Store } from "../../../state/store.ts";
import type { Scale } from "../../../units/scale.ts";
import type { Interval } from "../../../wire/channels.ts";
import {
  type Arrangement,
  PANES,
  type Pane,
  resizePane,
  USUAL_ARRANGEMENT,
} from "../../arrangement.ts";
import type { Dashboard } from "../../dashboard.ts";
import { focusAfter, focusAmong } from "../../focus-order.ts";
import type { KeyContext } from "../../key-contexts.ts";
import type { Action } from "../../keys.ts";
import { type Layout, layOut, paneAt } from "../../layout.ts";
import type { ViewPointer } from "../../pointer.ts";
import type { FeedStatus, HeldGroup, Typing, ViewModel } from "../view.ts";
import { AmountField } from "./amount-field.ts";
import { BookCursor } from "./book-cursor.ts";
import { MARKET_ACTIONS } from "./market-actions.ts";
import { PaneScroll } from "./pane-scroll.ts";

/** What can be changed with a key. */
export interface MarketSettings {
  readonly interval: Interval;
  readonly source: CandleSource;
  /** Places in GROUPINGS and MINIMUM_SIZES. */
  readonly grouping: number;
  readonly minimum: number;
  readonly arrangement: Arrangement;
  /** True while the focused pane has the screen alone. */
  readonly isZoomed: boolean;
  readonly focus: Pane;
}

/** Rows of a pane above its first level: the frame and the titles. */
const TOP_ROWS = 2;
const FEEDS: readonly (readonly [pane: PaneName, label: string])[] = [
  ["bbo", "bbo"],
  ["orderbook", "book"],
  ["trades", "trades"],
  ["candles", "candles"],
];

/** What the user has chosen in the view of a market. */
export class MarketModel implements ViewModel {
  readonly contexts: readonly KeyContext[] = ["market", "panes", "scroll"];
  readonly dashboard: Dashboard;
  #settings: MarketSettings;
  readonly scroll = new PaneScroll();
  readonly cursor = new BookCursor();
  /** Of the panes that are tables. */
  readonly columns = { orderbook: new SteadyColumns(), trades: new SteadyColumns() };
  readonly amount = new AmountField(() => this.dashboard.tell());
  /** Asked for many times a frame. */
  readonly #channelsOf = createMarketChannels();
  #market: Market | undefined;
  #layout: Layout | undefined;
  #live: { readonly data: MarketData; readonly store: Store; readonly of: string } | undefined;
  #frozen: MarketData | undefined;
  #frozenOwn: OwnMarks | undefined;
  readonly #ownMarks: OwnMarksReader;

  constructor(dashboard: Dashboard) {
    this.dashboard = dashboard;
    this.#ownMarks = new OwnMarksReader(dashboard.store.aliases);
    const arrangement = dashboard.options.arrangement ?? USUAL_ARRANGEMENT;
    this.#settings = {
      interval: dashboard.options.interval,
      source: "last",
      grouping: 0,
      minimum: 0,
      arrangement,
      isZoomed: false,
      focus: focusAmong(arrangement.shown, "orderbook"),
    };
    this.#market = dashboard.market;
    dashboard.subscribe(() => this.#follow());
  }

  get settings(): MarketSettings {
    return this.#settings;
  }

  /** The market's channels; undefined while its symbol is being looked up. */
  get marketChannels(): MarketChannels | undefined {
    const { market } = this.dashboard;
    return market && this.#channelsOf(market, this.#settings.interval);
  }

  get channels(): readonly string[] {
    const channels = this.marketChannels;
    if (channels === undefined) return ["markets"];
    const { bbo, orderbook, trades, marketStats, fundingRates, markets } = channels;
    const figures = fundingRates === undefined ? [marketStats] : [marketStats, fundingRates];
    const rest = [...this.candleChannels, ...figures, markets, ...this.accountChannels];
    return [bbo, orderbook, trades, ...rest];
  }

  get held(): HeldGroup | undefined {
    const { market } = this.dashboard;
    return market && { kind: "market", name: formatMarket(market) };
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
    const chosen = account && chosenSubaccount(account);
    return chosen === undefined ? [] : [accountChannel(chosen)];
  }

  /** What the watched subaccount has in this market: as it is, or frozen. */
  get own(): OwnMarks {
    return this.#frozenOwn ?? this.#liveOwn;
  }

  /** Alerts that have a price in this market. They go on while the screen is frozen. */
  get alertMarks(): readonly AlertMark[] {
    const { market, alerts } = this.dashboard;
    if (market === undefined || alerts === undefined) return [];
    return selectAlertMarks(alerts.alerts, market, this.scale);
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

  /** Where the panes are on the screen now. The focus goes through these, and never stays on another one. */
  setPlaces(layout: Layout): void {
    this.#layout = layout;
    this.#settings = { ...this.#settings, focus: focusAmong(layout.order, this.#settings.focus) };
  }

  /** Panes that are on the screen now. */
  get order(): readonly Pane[] {
    return this.#layout?.order ?? [];
  }

  /** The channel behind a pane; undefined while there is no market. */
  channelOf(pane: PaneName): string | undefined {
    const channels = this.marketChannels;
    return channels && paneChannel(pane, channels, this.#settings.source);
  }

  /** State and age of a pane's own feed. */
  statusOf(pane: PaneName): PaneStatus {
    const channels = this.marketChannels;
    if (channels === undefined) return WAITING;
    const { store, now } = this.dashboard;
    const slice = paneSlice(store, pane, channels, this.#settings.source);
    return selectPaneStatus(store, slice, now());
  }

  /** Of the figures of the market, and of its funding rate. */
  get figureStates(): Readonly<Record<"stats" | "funding", PaneState>> {
    const channels = this.marketChannels;
    const { store, now } = this.dashboard;
    const stateOf = (kind: "market-stats" | "funding-rates", channel: string | undefined) =>
      channel === undefined
        ? "waiting"
        : store.paneState(store.slice(kind, channel) as Slice, now());
    return {
      stats: stateOf("market-stats", channels?.marketStats),
      funding: stateOf("funding-rates", channels?.fundingRates),
    };
  }

  get typing(): Typing | undefined {
    return this.amount.typing;
  }

  perform(action: Action): boolean {
    const act = MARKET_ACTIONS[action];
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

  /** Other panes or sizes, from now on and in the next run. The focus stays where it can. */
  arrange(arrangement: Arrangement, part: Partial<MarketSettings> = {}): void {
    const { focus } = this.#settings;
    const settings = { isZoomed: false, focus: focusAmong(arrangement.shown, focus), ...part };
    this.change({ ...settings, arrangement });
    this.dashboard.options.onArrange?.(arrangement);
  }

  /** Makes the focused pane larger or smaller; a step for which there is no room is none. */
  resizeBy(steps: number): void {
    const { arrangement, focus, isZoomed } = this.#settings;
    const before = this.#layout;
    if (before === undefined || isZoomed) return;
    const next = resizePane(arrangement, focus, steps);
    const after = layOut(before.width, before.height, next);
    if (JSON.stringify(after) !== JSON.stringify(before)) this.arrange(next);
  }

  /** Focuses the pane under the pointer; the wheel scrolls it, a press in the book chooses a level. */
  point({ kind, x, y, steps }: ViewPointer): void {
    const place = this.#layout && paneAt(this.#layout, x, y);
    if (place === undefined) return;
    this.change({ focus: place.pane });
    if (kind === "wheel") this.scrollBy(steps);
    else if (place.pane === "orderbook") this.cursor.select(y - place.top - TOP_ROWS);
    this.dashboard.tell();
  }

  scrollBy(rows: number): void {
    const { focus } = this.#settings;
    if (focus === "orderbook" && this.cursor.level !== undefined) this.cursor.move(rows);
    else this.scroll.by(focus, rows);
    this.dashboard.tell();
  }

  focusBy(steps: number): void {
    const focus = focusAfter(this.order, this.#settings.focus, steps);
    if (focus !== undefined) this.change({ focus });
  }

  /** Places in one market are none in another. */
  #follow(): void {
    const { market } = this.dashboard;
    if (market === this.#market) return;
    this.#market = market;
    this.scroll.reset(...PANES);
    this.cursor.clear();
  }

  get #liveOwn(): OwnMarks {
    const { market, store } = this.dashboard;
    const [channel] = this.accountChannels;
    if (market === undefined || channel === undefined) return noMarks;
    return this.#ownMarks.select(store.slice("account", channel).data, market, this.scale);
  }

  /** Made anew when the market, the interval or the source of the candles has changed. */
  get #liveData(): MarketData | undefined {
    const { store, scales, pastCandles, market } = this.dashboard;
    const channels = this.marketChannels;
    if (market === undefined || channels === undefined) return undefined;
    const { source, interval } = this.#settings;
    const past = pastCandles.of(formatMarket(market));
    const of = `${channels.candles} ${source} ${store.epoch}`;
    if (this.#live?.of !== of || this.#live.store !== store) {
      const options = { store, scales, market, channels, source, interval, past };
      this.#live = { data: liveMarketData(options), store, of };
    }
    return this.#live.data;
  }
}
