// The user's choices in the view of a market, and the data that it shows. No React, no drawing: panes read it when they
// paint, the layout when it renders.

import { type AlertMark, selectAlertMarks } from "../../../alerts/alert-rows.ts";
import {
  formatMarket,
  type Market,
  type MarketChannels,
  marketChannels,
} from "../../../select/market.ts";
import {
  GROUPINGS,
  refineGrouping,
  selectGrouping,
  selectLadder,
} from "../../../select/orderbook.ts";
import {
  type PaneStatus,
  selectPaneStatus,
  selectShownState,
  WAITING,
} from "../../../select/status.ts";
import { MINIMUM_SIZES, MINIMUM_VALUES } from "../../../select/trades.ts";
import type { Heatmap } from "../../../state/heatmap.ts";
import type { PaneState } from "../../../state/pane-state.ts";
import { Memo } from "../../../units/memo.ts";
import { formatUnits, type Scale } from "../../../units/scale.ts";
import { INTERVALS, type Interval } from "../../../wire/channels.ts";
import { SUM } from "../../changes.ts";
import type { Action, KeyContext } from "../../keys.ts";
import { type FramedPane, focusAfter, focusAmong } from "../../panes/frame.tsx";
import type { ViewPointer } from "../../pointer.ts";
import { Freezable } from "../../shown.ts";
import { TextField } from "../../text-field.ts";
import type { FeedStatus, HeldGroup, Parts, ViewModel } from "../view.ts";
import { getCapacity } from "./chart.ts";
import {
  BOOK_DEPTHS,
  type BookChoices,
  type ChartChoices,
  DEFAULT_BOOK,
  DEFAULT_CHART,
  groupBook,
  nextTraded,
  STUDIES,
  selectChartChoices,
  toggleExtra,
} from "./choices.ts";
import {
  CANDLE_SOURCES,
  type CandleSource,
  freezeMarketData,
  liveMarketData,
  type MarketData,
} from "./data.ts";
import { findNoRoom } from "./flow-chart.ts";
import { FlowCache } from "./flow-views.ts";
import { HeatKeeper } from "./heat-keeper.ts";
import { HEAT_COLUMNS, type HeatColumnSeconds, type HeatCursor } from "./heatmap.ts";
import { type Layout, layOut, paneAt } from "./layout.ts";
import { type BookLevel, copiedLevel, findNoBars } from "./orderbook.ts";
import { noMarks, type OwnMarks, OwnMarksReader } from "./own-marks.ts";
import {
  DEFAULT_PANES,
  forEachPane,
  type MarketPane,
  PANE_NAMES,
  PANES,
  type PaintedPane,
  type Pane,
  type PaneCursor,
  type PaneFeed,
  PRESETS,
} from "./panes.ts";

export interface MarketChoices extends ChartChoices {
  readonly interval: Interval;
  readonly source: CandleSource;
  readonly book: BookChoices;
  /** Index into MINIMUM_VALUES, or into MINIMUM_SIZES while the scale is unknown. */
  readonly minimum: number;
  /** The panes that the user wants to see. The size of the terminal decides which of them are on the screen (`layout.ts`). */
  readonly panes: readonly Pane[];
  readonly isZoomed: boolean;
  readonly focus: Pane;
  /**
   * Scroll offset of each pane in rows or candles at the moment of scrolling, as far as there are that many; 0 is the newest,
   * or the spread in the middle. The book scrolls both ways from there, up if negative, the others only into the past.
   */
  readonly scroll: Readonly<Record<Pane, number>>;
  readonly crosshair: Crosshair | undefined;
  /** Seconds of a column of the heatmap, and its cursor; undefined while it has none. */
  readonly heatSeconds: HeatColumnSeconds;
  readonly heatCursor: HeatCursor | undefined;
  /** The level of the book at the cursor, which stays in place while the book changes. */
  readonly level: BookLevel | undefined;
  /** The amount whose cost the book shows; empty if there is none. */
  readonly amount: string;
}

/** A position on the chart: the period with this open time, and a row of the plot; without a row, the close of its candle. */
export interface Crosshair {
  readonly openTimeMs: number;
  readonly row: number | undefined;
}

/** What has a state of its own: the panes, and the best prices in the header. */
const STATED = ["bbo", ...PANE_NAMES] as const;
type Stated = (typeof STATED)[number];
type FigureStates = Readonly<Record<"stats" | "funding", PaneState>>;

const NO_PLACES = {
  level: undefined,
  crosshair: undefined,
  heatCursor: undefined,
};
const CONTEXTS: readonly KeyContext[] = ["market", "panes", "scroll"];
const WALKED: readonly KeyContext[] = ["chart", ...CONTEXTS];
const TAB_ORDER: readonly Pane[] = ["candles", "heatmap", "trades", "orderbook"];
const PAGE = 10;

export class MarketModel implements ViewModel {
  readonly parts: Parts;
  readonly panes: Readonly<Record<Pane, FramedPane<PaintedPane & { readonly wanted: number }>>>;
  readonly shows = new Freezable(
    () => this.#select(),
    ({ data, own, statusOf, getFigureStates }) => {
      const statuses = new Map(STATED.map((of) => [of, statusOf(of)]));
      const states = getFigureStates();
      return {
        data: data && freezeMarketData(data),
        own,
        statusOf: (of: Stated) => statuses.get(of) ?? WAITING,
        getFigureStates: () => states,
      };
    },
  );
  choices: MarketChoices;
  typing: TextField | undefined;
  readonly #channels = new Memo<MarketChannels>();
  readonly #ownMarks: OwnMarksReader;
  readonly heat: HeatKeeper;
  readonly flowCache = new FlowCache();
  /** For markets without a chosen grouping; never changes once the market was first seen. */
  readonly #defaultGroupings = new Map<string, bigint>();
  #market: Market | undefined;
  /** The panes that the heatmap was added to. */
  #panesBefore: readonly Pane[] = DEFAULT_PANES;
  #layout: Layout | undefined;
  readonly #live = new Memo<MarketData>();

  constructor(parts: Parts) {
    const { options, shown, changes } = parts;
    this.parts = parts;
    this.#ownMarks = new OwnMarksReader(shown.store.aliases);
    this.heat = new HeatKeeper(options);
    this.choices = {
      interval: options.interval,
      source: "last",
      book: options.book ?? DEFAULT_BOOK,
      minimum: 0,
      panes: DEFAULT_PANES,
      isZoomed: false,
      focus: "orderbook",
      scroll: forEachPane(() => 0),
      heatSeconds: HEAT_COLUMNS[0],
      ...NO_PLACES,
      ...(options.chart ?? DEFAULT_CHART),
      amount: "",
    };
    this.panes = forEachPane((pane) => this.#framed(pane));
    this.#market = shown.market;
    changes.subscribe(() => this.#follow());
  }

  get contexts(): readonly KeyContext[] {
    return this.isWalked ? WALKED : CONTEXTS;
  }

  /** Periods from the newest candle back to the left edge of the chart; 0 before the first frame. */
  get periods(): number {
    const { chart } = this.panes.candles.painted ?? {};
    return chart === undefined ? 0 : this.scrolledBy("candles") + getCapacity(chart);
  }

  /** True while left and right move along the chart: with a cursor, or if it is the only pane. */
  get isWalked(): boolean {
    const cursor = this.#cursor;
    if (cursor?.walk === undefined) return false;
    return cursor.isSet(this.choices) || this.shownPanes?.length === 1;
  }

  get marketChannels(): MarketChannels | undefined {
    const { market } = this.parts.shown;
    const { interval } = this.choices;
    return market && this.#channels.get([market, interval], () => marketChannels(market, interval));
  }

  get channels(): readonly string[] {
    const channels = this.marketChannels;
    if (channels === undefined) return ["markets"];
    const { bbo, marketStats, fundingRates, markets } = channels;
    const shown = new Set(
      PANE_NAMES.flatMap((pane) => this.feedsOf(pane)).map(({ channel }) => channel),
    );
    const figures = fundingRates === undefined ? [marketStats] : [marketStats, fundingRates];
    return [bbo, ...shown, ...figures, markets, ...this.parts.shown.ownChannels];
  }

  get held(): HeldGroup | undefined {
    const { market } = this.parts.shown;
    return market && { kind: "market", name: formatMarket(market) };
  }

  feedsOf(pane: Pane): readonly PaneFeed[] {
    const channels = this.marketChannels;
    return channels === undefined ? [] : PANES[pane].feeds(channels, this.choices);
  }

  feedOf(pane: Pane): PaneFeed | undefined {
    return this.feedsOf(pane)[0];
  }

  /** Of what is shown: of a frozen screen that of the moment at which it was frozen. */
  statusOf(of: Stated): PaneStatus {
    return this.shows.data.statusOf(of);
  }

  get figureStates(): FigureStates {
    return this.shows.data.getFigureStates();
  }

  readonly #selectStatus = (of: Stated): PaneStatus => {
    const channels = this.marketChannels;
    const feed =
      of === "bbo" ? channels && { kind: "bbo" as const, channel: channels.bbo } : this.feedOf(of);
    if (feed === undefined) return WAITING;
    const { store, now } = this.parts.shown;
    return selectPaneStatus(store, store.slice(feed.kind, feed.channel), now());
  };

  get feeds(): readonly FeedStatus[] {
    return [
      { label: "bbo", status: this.statusOf("bbo") },
      ...DEFAULT_PANES.map((pane) => ({ label: PANES[pane].label, status: this.statusOf(pane) })),
    ];
  }

  readonly #selectFigureStates = (): FigureStates => {
    const channels = this.marketChannels;
    const { store, now } = this.parts.shown;
    const stateOf = (kind: "market-stats" | "funding-rates", channel: string | undefined) =>
      channel === undefined
        ? "waiting"
        : selectShownState(store, store.slice(kind, channel), now());
    return {
      stats: stateOf("market-stats", channels?.marketStats),
      funding: stateOf("funding-rates", channels?.fundingRates),
    };
  };

  get data(): MarketData | undefined {
    return this.shows.data.data;
  }

  get own(): OwnMarks {
    return this.shows.data.own;
  }

  /** Alerts with a price in this market. They stay live while the screen is frozen. */
  get alertMarks(): readonly AlertMark[] {
    const { shown, alerts } = this.parts;
    if (shown.market === undefined || alerts === undefined) return [];
    const formatNumber = (text: string) => shown.display.number(text);
    return selectAlertMarks(alerts.alerts, shown.market, this.scale, formatNumber);
  }

  /** Tick and lot size; undefined while prices are shown in ticks and sizes in lots. */
  get scale(): Scale | undefined {
    return this.data?.scale.scale;
  }

  get hints() {
    return { interval: this.choices.interval };
  }

  /**
   * Width of a step of the book in ticks: as chosen for the market, else about a basis point of the first price seen, or
   * finer if the first book is shallow.
   */
  get grouping(): bigint {
    const { market } = this.parts.shown;
    const name = market === undefined ? "" : formatMarket(market);
    const { [name]: chosen = this.#defaultGroupings.get(name) } = this.choices.book.groupings;
    if (chosen !== undefined) return chosen;
    const { bid, ask } = this.data?.bbo ?? {};
    const [one, other] = [bid ?? ask, ask ?? bid];
    if (!one || !other) return GROUPINGS[0] ?? 1n;
    const near = selectGrouping(BigInt(one.price_ticks) + BigInt(other.price_ticks));
    const book = this.data?.depth(Number.POSITIVE_INFINITY);
    if (book === undefined || book.bids.length + book.asks.length === 0) return near;
    const grouping = refineGrouping(near, book);
    this.#defaultGroupings.set(name, grouping);
    return grouping;
  }

  groupBy(steps: number): void {
    const { market } = this.parts.shown;
    // Before the first price there is no default to start from.
    if (market === undefined || !this.data?.bbo) return;
    const place = bounded(GROUPINGS.indexOf(this.grouping) + steps, GROUPINGS);
    const { book } = this.choices;
    this.changeBook(groupBook(book, formatMarket(market), GROUPINGS[place] ?? 1n));
  }

  /** Changes the book, now and in the next run. */
  changeBook(book: BookChoices): void {
    this.change({ book });
    this.parts.options.onBook?.(book);
  }

  changeMinimum(steps: number): void {
    this.change({ minimum: bounded(this.choices.minimum + steps, MINIMUM_VALUES) });
  }

  /** Of the trades shown, while the scale is unknown. */
  get minimumLots(): bigint {
    return this.scale === undefined ? (MINIMUM_SIZES[this.choices.minimum] ?? 0n) : 0n;
  }

  /** Layout of the panes in a view of this size. Clicks use the last one: the same object until it changes. */
  layoutFor(width: number, height: number): Layout {
    const { panes, isZoomed } = this.choices;
    const { focus } = this;
    const layout = layOut(width, height, isZoomed ? [focus] : panes, focus);
    if (JSON.stringify(layout) !== JSON.stringify(this.#layout)) this.#layout = layout;
    return this.#layout ?? layout;
  }

  get shownPanes(): readonly Pane[] | undefined {
    return this.#layout?.shown;
  }

  /** The focused pane: on the screen at any size that has room for a pane. */
  get focus(): Pane {
    return this.choices.focus;
  }

  get #cursor(): PaneCursor | undefined {
    const { cursor }: MarketPane = PANES[this.focus];
    return cursor;
  }

  /** Scroll offset of a pane: as requested, until it was painted. There may be less, and a scrolled tape stays in place. */
  scrolledBy(pane: Pane): number {
    const target = this.choices.scroll[pane];
    const { painted } = this.panes[pane];
    if (painted === undefined || painted.wanted !== target) return target;
    const { scrolled } = painted;
    if (target === 0) return 0;
    return target < 0 ? Math.min(0, scrolled) : Math.max(0, scrolled);
  }

  /** The heatmap of the market with the rows of the book, updated while it is shown; undefined without a market. */
  heatmapFor(repaintAfter: (afterMs: number) => void): Heatmap | undefined {
    const channels = this.marketChannels;
    // Before the first price the size of its rows is unknown.
    if (channels === undefined || !this.data?.bbo) return undefined;
    return this.heat.follow(channels, this.grouping, repaintAfter);
  }

  get isAmountShown(): boolean {
    return this.typing !== undefined || this.choices.amount !== "";
  }

  perform(action: Action): boolean {
    const act = ACTIONS[action];
    act?.(this);
    return act !== undefined;
  }

  /** @param panes the only panes that show it */
  change(part: Partial<MarketChoices>, panes?: readonly Pane[]): void {
    const { focus, contexts } = this;
    this.choices = { ...this.choices, ...part };
    const hasOtherKeys = focus !== this.focus || contexts !== this.contexts;
    const shown = panes?.map((pane) => this.panes[pane]);
    this.parts.changes.notify(shown && hasOtherKeys ? [...shown, SUM] : shown);
  }

  /** The focus stays if possible. */
  showPanes(panes: readonly Pane[], focus = this.focus): void {
    this.change({ panes, focus: focusAmong(panes, focus), isZoomed: false });
  }

  show(pane: Pane, part: Partial<MarketChoices> = {}): void {
    const { panes } = this.choices;
    const shown = panes.includes(pane) ? panes : [...panes, pane];
    this.change({ panes: shown, focus: pane, ...part });
  }

  /** Focuses the pane under the pointer; the wheel scrolls it, a press in the book chooses a level. */
  point({ kind, x, y, steps }: ViewPointer): void {
    const place = this.#layout && paneAt(this.#layout, x, y);
    if (place === undefined) return;
    this.#focusOn(place.pane);
    if (kind === "wheel") this.scrollBy(steps);
    else this.#cursor?.point(this, x - place.left, y - place.top);
  }

  /** Adds the heatmap to the panes, or takes it away. */
  toggleHeatmap(): void {
    const { panes } = this.choices;
    if (panes.includes("heatmap")) this.showPanes(this.#panesBefore);
    else {
      this.#panesBefore = panes;
      this.showPanes([...panes, "heatmap"], "heatmap");
    }
  }

  scrollBy(rows: number): void {
    const { focus } = this;
    const { scroll } = this.choices;
    if (this.#cursor?.scroll(this, rows)) return;
    const next = this.scrolledBy(focus) + rows;
    const { scrollsUp = false }: MarketPane = PANES[focus];
    const place = scrollsUp ? next : Math.max(0, next);
    this.change({ scroll: { ...scroll, [focus]: place } }, [focus]);
  }

  scrollHome(): void {
    const { focus } = this;
    const scroll = { ...this.choices.scroll, [focus]: 0 };
    this.change({ scroll, ...this.#cursor?.home?.(this) }, [focus]);
  }

  /** Moves the cursor by columns, scrolling as needed; without a cursor, scrolls. */
  walkBy(columns: number): void {
    this.#cursor?.walk?.(this, columns);
  }

  focusBy(steps: number): void {
    const focus = focusAfter(
      TAB_ORDER.filter((pane) => this.choices.panes.includes(pane)),
      this.focus,
      steps,
    );
    if (focus !== undefined) this.#focusOn(focus);
  }

  #focusOn(focus: Pane): void {
    this.change({ focus }, [this.focus, focus]);
  }

  setAmount(text: string): void {
    this.typing = undefined;
    this.change({ amount: text.trim() });
  }

  /** Lets the user type another amount: Enter accepts it, or the previous one if nothing is typed; Escape removes it. */
  typeAmount(): void {
    const before = this.choices.amount;
    this.typing = new TextField({
      text: "",
      onChange: (amount) => this.change({ amount }),
      onEnd: (isAccepted) => this.setAmount(isAccepted ? this.choices.amount.trim() || before : ""),
    });
    this.change({ amount: "" });
    this.show("orderbook");
  }

  /** Lets the user finish an alert at the cursor of the book, or at the last price. */
  typeAlert(): void {
    const { market } = this.parts.shown;
    const last = this.data?.trades(1)[0]?.price_ticks;
    const ticks = this.choices.level?.priceTicks ?? (last === undefined ? undefined : BigInt(last));
    if (market === undefined || ticks === undefined) return;
    const comparison = last !== undefined && ticks < BigInt(last) ? "<" : ">";
    const price = formatUnits(`${ticks}`, this.scale?.tickSize);
    const unit = this.scale === undefined ? " ticks" : "";
    this.parts.typeCommand(`alert ${formatMarket(market)} last ${comparison} ${price}${unit}`);
  }

  back(): void {
    if (this.isAmountShown) this.setAmount("");
    else if (this.choices.crosshair !== undefined) this.change({ crosshair: undefined });
    else if (this.choices.heatCursor !== undefined) this.change({ heatCursor: undefined });
    else if (this.choices.level !== undefined) this.change({ level: undefined });
    else if (this.choices.isZoomed) this.change({ isZoomed: false });
  }

  zoom(): void {
    this.change({ isZoomed: !this.choices.isZoomed });
  }

  toggleStar(): void {
    const { shown, watchlist, changes } = this.parts;
    if (shown.market === undefined) return;
    watchlist.toggle(shown.market);
    changes.notify();
  }

  /** The next period of a candle, or of a column of the heatmap if that is focused. */
  nextPeriod(): void {
    const { interval, heatSeconds } = this.choices;
    if (this.focus === "heatmap") this.change({ heatSeconds: next(HEAT_COLUMNS, heatSeconds) });
    else this.changeCandles({ interval: next(INTERVALS, interval) });
  }

  /** Frozen data has candles of one interval and source only. */
  changeCandles(part: Pick<Partial<MarketChoices>, "interval" | "source">): void {
    if (!this.parts.shown.isFrozen) this.change(part);
  }

  /** Changes what the chart shows besides its candles, now and in the next run, and shows the chart. */
  changeChart(part: Partial<ChartChoices>): void {
    const { panes } = this.choices;
    const shown: readonly Pane[] = panes.includes("candles") ? panes : [...panes, "candles"];
    this.change({ ...part, panes: shown });
    this.parts.options.onChart?.(selectChartChoices(this.choices));
    const missing = findNoRoom(this, part);
    if (missing !== "") this.parts.showNotice(missing);
  }

  copyTable(): void {
    const rows = this.data === undefined ? [] : PANES[this.focus].copy(this.data, this);
    this.parts.clipboard?.copyRows({ rows, hasTitles: true });
    this.parts.changes.notify();
  }

  copyLevel(isWhole: boolean): void {
    const { clipboard, changes } = this.parts;
    const cells = this.#levelAtCursor();
    const [, price = ""] = cells ?? [];
    if (cells !== undefined && isWhole) clipboard?.copyRows({ rows: [cells], hasTitles: false });
    else if (cells !== undefined) clipboard?.copyValue(price);
    changes.notify();
  }

  #levelAtCursor(): readonly string[] | undefined {
    const { clipboard } = this.parts;
    const { data, grouping } = this;
    const { level } = this.choices;
    if (level === undefined || data === undefined) {
      clipboard?.showNotice("nothing to copy: the book has no cursor");
      return undefined;
    }
    const all = { grouping, rows: Number.POSITIVE_INFINITY, scale: data.scale.scale };
    const { bids, asks } = selectLadder(data.depth(Number.POSITIVE_INFINITY), all);
    const rows = level.side === "bid" ? bids : asks;
    const row = rows.find(({ priceTicks }) => priceTicks === level.priceTicks);
    if (row === undefined) clipboard?.showNotice("nothing to copy: the level is gone");
    return row && copiedLevel(level.side, row);
  }

  /** Positions in one market mean nothing in another. */
  #follow(): void {
    const { market } = this.parts.shown;
    if (market === this.#market) return;
    this.#market = market;
    this.choices = { ...this.choices, scroll: forEachPane(() => 0), ...NO_PLACES };
  }

  #select() {
    const data = this.#liveData;
    return {
      data,
      own: this.#selectOwn(data),
      statusOf: this.#selectStatus,
      getFigureStates: this.#selectFigureStates,
    };
  }

  #selectOwn(data: MarketData | undefined): OwnMarks {
    const { market, store, ownChannels } = this.parts.shown;
    const [channel] = ownChannels;
    if (market === undefined || channel === undefined) return noMarks;
    const account = store.slice("account", channel).data;
    return this.#ownMarks.select(account, market, data?.scale.scale);
  }

  /** Rebuilt when the market, the interval or the source of the candles changes. */
  get #liveData(): MarketData | undefined {
    const { shown, scales, pastCandles } = this.parts;
    const { store, market } = shown;
    const channels = this.marketChannels;
    if (market === undefined || channels === undefined) return undefined;
    const { source, interval } = this.choices;
    const past = pastCandles.of(formatMarket(market));
    return this.#live.get([channels, source, store, store.epoch], () =>
      liveMarketData({ store, scales, market, channels, source, interval, past, now: shown.now }),
    );
  }

  #framed(pane: Pane): MarketModel["panes"][Pane] {
    const row = PANES[pane];
    return {
      channels: () => [
        ...this.feedsOf(pane).map(({ channel }) => channel),
        ...(this.marketChannels === undefined ? [] : this.parts.shown.ownChannels),
      ],
      title: () => row.title(this),
      status: () => this.statusOf(pane),
      isFocused: () => this.focus === pane,
      paint: (surface, inner, theme, before, repaintAfter) => {
        const { data } = this;
        const wanted = this.choices.scroll[pane];
        if (data === undefined) return { wanted, scrolled: 0 };
        return {
          wanted,
          ...row.paint({ surface, inner, data, model: this, theme, repaintAfter }, before),
        };
      },
    };
  }
}

type Act = (model: MarketModel) => void;

const presets = Object.fromEntries(
  Object.entries(PRESETS).map(([name, { shown, focus }]): [string, Act] => [
    name,
    (model) => model.showPanes(shown, focus),
  ]),
);

const ACTIONS: Readonly<Partial<Record<Action, Act>>> = {
  ...presets,
  copyValue: (model) => model.copyLevel(false),
  copyRow: (model) => model.copyLevel(true),
  copyTable: (model) => model.copyTable(),
  star: (model) => model.toggleStar(),
  interval: (model) => model.nextPeriod(),
  candleSource: (model) => {
    if (model.parts.shown.market?.type !== "perp") return;
    model.changeCandles({ source: next(CANDLE_SOURCES, model.choices.source) });
  },
  study: (model) => model.changeChart({ study: next(STUDIES, model.choices.study) }),
  vwap: (model) => model.changeChart({ isVwapShown: !model.choices.isVwapShown }),
  profile: (model) => model.changeChart({ isProfileShown: !model.choices.isProfileShown }),
  footprint: (model) => model.changeChart({ isFootprint: !model.choices.isFootprint }),
  crosshair: (model) =>
    PANES[model.focus === "heatmap" ? "heatmap" : "candles"].cursor?.toggle(model),
  heatmap: (model) => model.toggleHeatmap(),
  chartBack: (model) => model.walkBy(-1),
  chartOn: (model) => model.walkBy(1),
  cursor: (model) => PANES.orderbook.cursor?.toggle(model),
  amount: (model) => model.typeAmount(),
  alertHere: (model) => model.typeAlert(),
  back: (model) => model.back(),
  zoom: (model) => model.zoom(),
  depth: (model) => {
    const { book } = model.choices;
    model.changeBook({ ...book, depth: next(BOOK_DEPTHS, book.depth) });
    const missing = findNoBars(model);
    if (missing !== "") model.parts.showNotice(missing);
  },
  bookChanges: (model) => {
    model.changeBook(toggleExtra(model.choices.book, "change"));
    model.show("orderbook");
  },
  bookTraded: (model) => {
    model.changeBook(nextTraded(model.choices.book));
    model.show("orderbook");
  },
  groupingDown: (model) => model.groupBy(-1),
  groupingUp: (model) => model.groupBy(1),
  minimumUp: (model) => model.changeMinimum(1),
  minimumDown: (model) => model.changeMinimum(-1),
  focusNext: (model) => model.focusBy(1),
  focusPrevious: (model) => model.focusBy(-1),
  scrollUp: (model) => model.scrollBy(-1),
  scrollDown: (model) => model.scrollBy(1),
  scrollPageUp: (model) => model.scrollBy(-PAGE),
  scrollPageDown: (model) => model.scrollBy(PAGE),
  scrollHome: (model) => model.scrollHome(),
};

function next<T>(values: readonly T[], value: T): T {
  return values[(values.indexOf(value) + 1) % values.length] as T;
}

function bounded(place: number, values: readonly unknown[]): number {
  return Math.max(0, Math.min(values.length - 1, place));
}
