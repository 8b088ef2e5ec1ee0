// How far each pane of a market is scrolled: as far as the user wants, as long as there is something to see.

import { type AlertMark, selectAlertMarks } from "../../../alerts/alert-marks.ts";
import { accountChannel, chosenSubaccount } from "../../../select/account.ts";
import { SteadyColumns } from "../../../select/columns.ts";
import {
  createMarketChannels,
  formatMarket,
  type Market,
  type MarketChannels,
} from "../../../select/market.ts";
import { GROUPINGS, selectLadder } from "../../../select/orderbook.ts";
import { type PaneStatus, selectPaneStatus, WAITING } from "../../../select/status.ts";
import { MINIMUM_SIZES } from "../../../select/trades.ts";
import type { PaneState } from "../../../state/pane-state.ts";
import type { Slice } from "../../../state/slices.ts";
import type { Store } from "../../../state/store.ts";
import type { Scale } from "../../../units/scale.ts";
import { INTERVALS, type Interval } from "../../../wire/channels.ts";
import type { Dashboard } from "../../dashboard.ts";
import type { Action, KeyContext } from "../../keys.ts";
import type { ViewPointer } from "../../pointer.ts";
import { TextField } from "../../text-field.ts";
import type { FeedStatus, HeldGroup, Typing, ViewModel } from "../view.ts";
import { copiedBook, copiedCandles, copiedLevel, copiedTrades, type MarketCopy } from "./copied.ts";
import {
  CANDLE_SOURCES,
  type CandleSource,
  freezeMarketData,
  liveMarketData,
  type MarketData,
  type PaneName,
  paneChannel,
  paneSlice,
} from "./data.ts";
import { noMarks, type OwnMarks, OwnMarksReader } from "./own-marks.ts";
import {
  type Arrangement,
  focusAfter,
  focusAmong,
  hidePane,
  type Layout,
  layOut,
  PANES,
  type Pane,
  PRESETS,
  paneAt,
  resizePane,
  showPane,
  USUAL_ARRANGEMENT,
} from "./panes.ts";

const NOT_SCROLLED: Readonly<Record<Pane, number>> = { orderbook: 0, trades: 0, candles: 0 };

/**
 * Rows or candles that panes are scrolled by; 0 is the newest, or the spread in the middle. The book scrolls both ways from
 * there, up with negative numbers, the others only into the past.
 */
class PaneScroll {
  #wanted = NOT_SCROLLED;
  #ends: Readonly<Partial<Record<Pane, number>>> = {};

  /** What the user wants: a pane that is painted shows as much of it as there is. */
  wanted(pane: Pane): number {
    return this.#wanted[pane];
  }

  /** How far a pane is scrolled. */
  of(pane: Pane): number {
    const wanted = this.#wanted[pane];
    const end = this.#ends[pane] ?? wanted;
    return wanted < 0 ? Math.max(wanted, Math.min(0, end)) : Math.min(wanted, Math.max(0, end));
  }

  /** Scrolls a pane further, or back, from where it is. */
  by(pane: Pane, rows: number): void {
    const next = this.of(pane) + rows;
    this.#wanted = { ...this.#wanted, [pane]: pane === "orderbook" ? next : Math.max(0, next) };
    this.endAt(pane, undefined);
  }

  /** A pane that was painted with what is wanted could be scrolled no further than to here. */
  endAt(pane: Pane, rows: number | undefined): void {
    this.#ends = { ...this.#ends, [pane]: rows };
  }

  /** Back to where these panes begin. */
  reset(...panes: readonly Pane[]): void {
    for (const pane of panes) this.#wanted = { ...this.#wanted, [pane]: 0 };
  }
}

/** A step of the ladder. */
export interface BookLevel {
  readonly side: "bid" | "ask";
  readonly priceTicks: bigint;
}

/** What stands in one row of the ladder. */
export type BookLine = BookLevel | "spread";

/** Its level stays where it is while the book changes. */
export class BookCursor {
  #level: BookLevel | undefined;
  #lines: readonly BookLine[] = [];

  /** Undefined while there is no cursor. */
  get level(): BookLevel | undefined {
    return this.#level;
  }

  /** The rows as they are painted, from top to bottom. */
  setLines(lines: readonly BookLine[]): void {
    this.#lines = lines;
  }

  isAt(line: BookLine): boolean {
    if (line === "spread" || this.#level === undefined) return false;
    return line.side === this.#level.side && line.priceTicks === this.#level.priceTicks;
  }

  /** Sets it at the best bid that is shown, or takes it away. */
  toggle(): void {
    const best = this.#lines.find((line) => line !== "spread" && line.side === "bid");
    this.#level = this.#level === undefined && best !== "spread" ? best : undefined;
  }

  clear(): void {
    this.#level = undefined;
  }

  /** Chooses what stands in a row; a row without a level changes nothing. */
  select(row: number): void {
    const line = this.#lines[row];
    if (line !== undefined && line !== "spread") this.#level = line;
  }

  /** Up (negative) or down, over the spread, to the edge of what is shown. */
  move(steps: number): void {
    const levels = this.#lines.filter((line) => line !== "spread");
    const level = this.#level;
    if (level === undefined || levels.length === 0) return;
    const exact = levels.findIndex((each) => this.isAt(each));
    const lower = levels.findIndex(({ priceTicks }) => priceTicks < level.priceTicks);
    // From a level that has gone since, the first step goes to its neighbour.
    const below = (lower < 0 ? levels.length : lower) - (steps > 0 ? 1 : 0);
    const next = (exact < 0 ? below : exact) + steps;
    this.#level = levels[Math.max(0, Math.min(levels.length - 1, next))];
  }
}

/** Tells of every change. */
class AmountField {
  readonly #onChange: () => void;
  #field: TextField | undefined;
  #text = "";

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** Empty while there is none. */
  get text(): string {
    return this.#text;
  }

  /** Defined while the user types. */
  get typing(): TextField | undefined {
    return this.#field;
  }

  /** True while the book has something to show of it. */
  get isShown(): boolean {
    return this.#field !== undefined || this.#text !== "";
  }

  /** Sets the text, and ends the typing. */
  set(text: string): void {
    this.#text = text.trim();
    this.#field = undefined;
    this.#onChange();
  }

  /** Lets the user type another amount: Enter keeps it, or the one before where nothing is typed; Escape takes it away. */
  open(): void {
    const before = this.#text;
    this.#text = "";
    this.#field = new TextField({
      text: "",
      onChange: (text) => {
        this.#text = text;
        this.#onChange();
      },
      onEnd: (isKept) => this.set(isKept ? this.#text.trim() || before : ""),
    });
    this.#onChange();
  }
}

const COPIES: Readonly<
  Record<Pane, (data: MarketData, how: MarketCopy) => readonly (readonly string[])[]>
> = {
  orderbook: copiedBook,
  trades: copiedTrades,
  candles: copiedCandles,
};

/** By the action of the key. */
const COPY_ACTIONS: Readonly<Partial<Record<Action, (model: MarketModel) => void>>> = {
  copyValue: (model) => {
    const cells = levelAtCursor(model);
    const [, price = ""] = cells ?? [];
    if (cells !== undefined) model.dashboard.options.clipboard?.copyValue(price);
    model.dashboard.tell();
  },
  copyRow: (model) => {
    const cells = levelAtCursor(model);
    const { clipboard } = model.dashboard.options;
    if (cells !== undefined) clipboard?.copyRows({ rows: [cells], hasTitles: false });
    model.dashboard.tell();
  },
  copyTable: (model) => {
    const { data, settings } = model;
    const rows = data === undefined ? [] : COPIES[settings.focus](data, model);
    model.dashboard.options.clipboard?.copyRows({ rows, hasTitles: true });
    model.dashboard.tell();
  },
};

/** Says why there is none. */
function levelAtCursor({
  cursor: { level },
  data,
  grouping,
  dashboard,
}: MarketModel): readonly string[] | undefined {
  const { clipboard } = dashboard.options;
  if (level === undefined || data === undefined) {
    clipboard?.say("nothing to copy: the book has no cursor");
    return undefined;
  }
  const ladder = selectLadder(data.depth(Number.POSITIVE_INFINITY), {
    grouping,
    rows: Number.POSITIVE_INFINITY,
    scale: data.scale.scale,
  });
  const rows = level.side === "bid" ? ladder.bids : ladder.asks;
  const row = rows.find(({ priceTicks }) => priceTicks === level.priceTicks);
  if (row === undefined) clipboard?.say("nothing to copy: the level is gone");
  return row && copiedLevel(level.side, row);
}

const PAGE = 10;

function step<T>(values: readonly T[], value: T): T {
  return values[(values.indexOf(value) + 1) % values.length] ?? value;
}

function bounded(place: number, values: readonly unknown[]): number {
  return Math.max(0, Math.min(values.length - 1, place));
}

type Act = (model: MarketModel) => void;

const preset =
  (name: keyof typeof PRESETS): Act =>
  (model) =>
    model.arrange({ ...model.settings.arrangement, shown: PRESETS[name] });

const scroll =
  (rows: number): Act =>
  (model) =>
    model.scrollBy(rows);

/** What is frozen has the candles of one interval and source only. */
const whileLive =
  (act: Act): Act =>
  (model) => {
    if (model.dashboard.still.sinceMs === undefined) act(model);
  };

const group =
  (steps: number): Act =>
  (model) =>
    model.change({ grouping: bounded(model.settings.grouping + steps, GROUPINGS) });

const hide =
  (steps: number): Act =>
  (model) =>
    model.change({ minimum: bounded(model.settings.minimum + steps, MINIMUM_SIZES) });

/** The book comes to the screen, and has the focus. */
export function showBook(model: MarketModel): void {
  const { arrangement, isZoomed } = model.settings;
  model.arrange(showPane(arrangement, "orderbook"), { focus: "orderbook", isZoomed });
}

/** By the action of the key. */
const MARKET_ACTIONS: Readonly<Partial<Record<Action, Act>>> = {
  ...COPY_ACTIONS,
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
  cursor: (model) => {
    model.cursor.toggle();
    showBook(model);
  },
  amount: (model) => {
    model.amount.open();
    showBook(model);
  },
  back: (model) => {
    const { amount, cursor, dashboard, settings } = model;
    if (amount.isShown) amount.set("");
    else if (cursor.level !== undefined) cursor.clear();
    else if (settings.isZoomed) model.change({ isZoomed: false });
    else dashboard.back();
    dashboard.tell();
  },
  zoom: (model) => {
    const { arrangement, isZoomed } = model.settings;
    // Where one pane is alone already, the others come back.
    if (arrangement.shown.length === 1) model.arrange({ ...arrangement, shown: PRESETS.layoutAll });
    else model.change({ isZoomed: !isZoomed });
  },
  hidePane: (model) => {
    const { arrangement, focus, isZoomed } = model.settings;
    if (!isZoomed && model.order.includes(focus)) model.arrange(hidePane(arrangement, focus));
  },
  paneLarger: (model) => model.resizeBy(1),
  paneSmaller: (model) => model.resizeBy(-1),
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
    model.scroll.reset(model.settings.focus);
    model.dashboard.tell();
  },
  layoutAll: preset("layoutAll"),
  layoutBook: preset("layoutBook"),
  layoutTape: preset("layoutTape"),
  layoutChart: preset("layoutChart"),
  layoutBookTape: preset("layoutBookTape"),
  layoutChartBook: preset("layoutChartBook"),
  layoutChartTape: preset("layoutChartTape"),
  layoutReset: (model) => model.arrange(USUAL_ARRANGEMENT),
};

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
