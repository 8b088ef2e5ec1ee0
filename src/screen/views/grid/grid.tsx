// Which markets the grid shows, which of them has the focus, and what each cell shows.

import { withSign } from "../../../select/fields.ts";
import {
  dayAnchor,
  minuteAnchor,
  roundVwap,
  selectCvd,
  selectVwapLine,
} from "../../../select/flow.ts";
import {
  findMarketRecord,
  findOwnRecord,
  formatMarket,
  listedIn,
  type Market,
  marketChannels,
  selectStat,
} from "../../../select/market.ts";
import { selectChangePercent } from "../../../select/stats.ts";
import { type PaneStatus, selectPaneStatus, WAITING } from "../../../select/status.ts";
import { isCurrent } from "../../../state/pane-state.ts";
import { PastCandles } from "../../../state/rebuilt-candles.ts";
import type { TradesState } from "../../../state/trades.ts";
import { visible } from "../../../terminal/visible.ts";
import { formatDecimal } from "../../../units/decimal.ts";
import { areSame, Memo } from "../../../units/memo.ts";
import { formatUnits, type Scale } from "../../../units/scale.ts";
import { INTERVAL_MS } from "../../../wire/channels.ts";
import { useSelected } from "../../changes.ts";
import type { Action, KeyContext } from "../../keys.ts";
import { type FramedPane, PaneGroup } from "../../panes/frame.tsx";
import type { ViewPointer } from "../../pointer.ts";
import { Freezable } from "../../shown.ts";
import { type CandleData, CandleJoin } from "../market/data.ts";
import { formatSince, formatTradeDelta } from "../market/flow-views.ts";
import { marketView } from "../market/market.tsx";
import type { FeedStatus, Parts, View, ViewModel, ViewProps } from "../view.ts";
import { type PaintedCell, paintCell } from "./paint.ts";

/** Maximum number of cells per row and column, and in total: each takes three channels. */
const MAX_SIDE = 3;
const MAX_CELLS = MAX_SIDE * MAX_SIDE;
const MIN_WIDTH = 24;
const MIN_HEIGHT = 6;

export interface GridCell {
  readonly market: Market;
  /** The service's symbol, else type and id. */
  readonly name: string;
  readonly last: string | undefined;
  readonly direction: "up" | "down" | "none";
  readonly change: string | undefined;
  /** Lots bought minus lots sold in the current candle. */
  readonly delta: string | undefined;
  /** `CVD +2.27  VWAP 97,037.73  since 20:15`; empty if unknown or without room. */
  readonly day: string;
  readonly candles: CandleData;
  readonly status: PaneStatus;
}

/** Cells of the grid, for this size of the view and number of markets. */
interface GridLayout {
  readonly columns: number;
  readonly rows: number;
  readonly width: number;
  readonly height: number;
  readonly count: number;
}

const NO_PAST = new PastCandles();
const MIN_DAY_WIDTH = 60;
const EMPTY = "Watchlist is empty. Press a on a market to add it (M lists all markets).";
const NOT_SHOWN = "not shown when the screen was frozen";
const FLOW_NOTICE = "here: delta, wider cells CVD and VWAP; Enter opens the market with the rest";

export class GridModel implements ViewModel {
  readonly contexts: readonly KeyContext[] = ["grid", "panes", "scroll"];
  /** By slot. */
  readonly panes: readonly FramedPane<PaintedCell>[];
  /** Cells by market; those of one moment while the screen is frozen. */
  readonly shows = new Freezable<(market: Market) => GridCell | undefined>(
    () => (market) => this.#select(market),
    (live) => {
      const cells = new Map(this.page.map((market) => [formatMarket(market), live(market)]));
      return (market) => cells.get(formatMarket(market));
    },
  );
  readonly #parts: Parts;
  readonly #cells = Array.from({ length: MAX_CELLS }, () => new Memo<GridCell>());
  readonly #joins = new Map<string, CandleJoin>();
  #layout: GridLayout = { columns: MAX_SIDE, rows: MAX_SIDE, width: 0, height: 0, count: 0 };
  #position = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.panes = Array.from({ length: MAX_CELLS }, (_, slot) => this.#pane(slot));
  }

  /** All candidates: the watchlist, or the current market while it is empty. */
  get markets(): readonly Market[] {
    const { watchlist, shown } = this.#parts;
    if (watchlist.markets.length > 0) return watchlist.markets;
    return shown.market === undefined ? [] : [shown.market];
  }

  /** The page in the cells: as many as fit, including the focused one. */
  get page(): readonly Market[] {
    const room = this.#layout.columns * this.#layout.rows;
    const first = Math.floor(this.position / room) * room;
    return this.markets.slice(first, first + room);
  }

  get charts(): readonly Market[] {
    return this.page;
  }

  /** Index of the focused market; clamped, since markets may have been removed elsewhere. */
  get position(): number {
    return Math.max(0, Math.min(this.markets.length - 1, this.#position));
  }

  get channels(): readonly string[] {
    return ["markets", ...this.page.flatMap((market) => this.#channelsOf(market))];
  }

  get feeds(): readonly FeedStatus[] {
    return this.page.flatMap((market) => {
      const cell = this.shows.data(market);
      return cell === undefined ? [] : [{ label: cell.name, status: cell.status }];
    });
  }

  /** Up to three by three cells, as large as possible; the same object until size or number of markets change. */
  layoutFor(width: number, height: number): GridLayout {
    const { length: count } = this.markets;
    const { width: before, height: heightBefore, count: countBefore } = this.#layout;
    if (areSame([before, heightBefore, countBefore], [width, height, count])) return this.#layout;
    const mostColumns = Math.max(1, Math.min(MAX_SIDE, Math.floor(width / MIN_WIDTH)));
    const mostRows = Math.max(1, Math.min(MAX_SIDE, Math.floor(height / MIN_HEIGHT)));
    const cells = Math.max(1, Math.min(count, mostColumns * mostRows));
    const columnsNeeded = Math.max(Math.ceil(Math.sqrt(cells)), Math.ceil(cells / mostRows));
    const columns = Math.min(mostColumns, columnsNeeded);
    this.#layout = { columns, rows: Math.ceil(cells / columns), width, height, count };
    return this.#layout;
  }

  perform(action: Action): boolean {
    const { columns, rows } = this.#layout;
    const steps: Readonly<Partial<Record<Action, number>>> = {
      focusNext: 1,
      focusPrevious: -1,
      scrollDown: columns,
      scrollUp: -columns,
      scrollPageDown: columns * rows,
      scrollPageUp: -columns * rows,
      scrollHome: -this.markets.length,
    };
    const by = steps[action];
    const market = this.markets[this.position];
    if (by !== undefined) this.#moveBy(by, action === "focusNext" || action === "focusPrevious");
    else if (action === "openCell" && market !== undefined) {
      this.#parts.open(market);
      this.#parts.show(marketView);
    } else if (action === "explainFlow") this.#parts.showNotice(FLOW_NOTICE);
    else return false;
    return true;
  }

  point({ kind, x, y, steps }: ViewPointer): void {
    const { columns, rows, width, height } = this.#layout;
    const slot = Math.floor((y * rows) / height) * columns + Math.floor((x * columns) / width);
    const first = this.position - (this.position % (columns * rows));
    if (kind === "wheel") this.#moveBy(Math.sign(steps) * columns, false);
    else if (kind === "press" && slot < this.page.length)
      this.#moveBy(first + slot - this.position, false);
  }

  /** @param isRound wraps around at the ends */
  #moveBy(steps: number, isRound: boolean): void {
    const count = Math.max(1, this.markets.length);
    const next = this.position + steps;
    this.#position = isRound ? (next + count) % count : Math.max(0, Math.min(count - 1, next));
    this.#parts.changes.notify();
  }

  #channelsOf(market: Market): readonly string[] {
    const { candles, trades, marketStats } = marketChannels(market, this.#parts.options.interval);
    return [candles, trades, marketStats];
  }

  /** Cached: each frame asks for it several times. */
  #select(market: Market): GridCell | undefined {
    const { shown, scales, pastCandles } = this.#parts;
    const { store } = shown;
    const name = formatMarket(market);
    const past = pastCandles.held(name);
    const inputs = [
      market,
      this.#layout,
      store,
      store.link,
      shown.now(),
      scales.of(name).scale,
      past,
      past?.version,
      ...["markets", ...this.#channelsOf(market)].map((channel) => store.versionOf(channel)),
    ];
    return this.#cells[this.page.indexOf(market)]?.get(inputs, () => this.#make(market));
  }

  #make(market: Market): GridCell {
    const { shown, scales, pastCandles, options } = this.#parts;
    const { store, now } = shown;
    const name = formatMarket(market);
    const channels = marketChannels(market, options.interval);
    const trades = store.slice("trades", channels.trades);
    const candles = store.slice("candles", channels.candles);
    const { records: allStats } = store.slice("market-stats", channels.marketStats).data;
    const stats = findOwnRecord(allStats, market, listedIn(store));
    const { records: markets } = store.slice("markets", "markets").data;
    const listed = findMarketRecord(markets, market, store.aliases);
    const [last] = trades.data.recent(1);
    const join = this.#joins.get(name) ?? new CandleJoin();
    this.#joins.set(name, join);
    const ofTrades = selectPaneStatus(store, trades, now());
    const intervalMs = INTERVAL_MS[options.interval];
    const openMs = candles.data.candles.at(-1)?.open_time_ms;
    const { scale } = scales.of(name);
    const isOld = trades.feed.frames > 0 && !isCurrent(ofTrades.state);
    return {
      market,
      name: visible(selectStat(listed ?? stats, "symbol", store.aliases) ?? name),
      last:
        last === undefined
          ? selectStat(stats, "lastPrice", store.aliases)
          : formatUnits(last.price_ticks, scale?.tickSize),
      direction: last === undefined ? "none" : last.taker_is_bid ? "up" : "down",
      change: stats && selectChangePercent(stats, store.aliases),
      ...this.#formatFlow(trades.data, openMs, scale),
      candles: join.of(pastCandles.held(name) ?? NO_PAST, candles.data, intervalMs),
      status: isOld ? ofTrades : selectPaneStatus(store, candles, now()),
    };
  }

  /** @param openMs open time of the current candle */
  #formatFlow(
    tape: TradesState,
    openMs: number | undefined,
    scale: Scale | undefined,
  ): Pick<GridCell, "delta" | "day"> {
    if (openMs === undefined) return { delta: undefined, day: "" };
    const { shown, options } = this.#parts;
    const span = { fromMs: openMs, untilMs: openMs + INTERVAL_MS[options.interval] };
    return {
      delta: formatTradeDelta(tape, span, { scale, display: shown.display }),
      day: this.#formatDay(tape, span.untilMs, scale),
    };
  }

  /** To the end of the current candle, from the UTC day's start or the first known trade; no sum if trades are missing since. */
  #formatDay(tape: TradesState, untilMs: number, scale: Scale | undefined): string {
    const { shown } = this.#parts;
    const { columns, width } = this.#layout;
    const { sinceMs } = tape.flow;
    if (sinceMs === undefined || width / columns < MIN_DAY_WIDTH) return "";
    const fromMs = Math.max(dayAnchor(untilMs - 1), minuteAnchor(sinceMs));
    if (fromMs >= untilMs) return "";
    const span = { fromMs, untilMs };
    const { display } = shown;
    const [cvd] = selectCvd(tape, span.fromMs, [span]);
    const [vwap] = scale === undefined ? [] : selectVwapLine(tape, span.fromMs, [span]);
    const [since = ""] = formatSince(tape, { span }, display).slice(-1);
    const parts: string[] = [];
    if (cvd?.lots !== undefined) {
      const sum = display.compact(formatUnits(`${cvd.lots}`, scale?.lotSize));
      parts.push(`CVD ${withSign(sum)}`);
    }
    if (vwap !== undefined && scale !== undefined)
      parts.push(`VWAP ${display.number(formatDecimal(roundVwap(vwap, scale)))}`);
    return [...parts, since].join("  ");
  }

  #pane(slot: number): FramedPane<PaintedCell> {
    const { shown, options } = this.#parts;
    const cell = () => {
      const market = this.page[slot];
      return market && this.shows.data(market);
    };
    return {
      channels: () => {
        const market = this.page[slot];
        return market === undefined ? [] : ["markets", ...this.#channelsOf(market)];
      },
      title: () => {
        const market = this.page[slot];
        return market === undefined ? [] : [cell()?.name ?? formatMarket(market), options.interval];
      },
      status: () => cell()?.status ?? WAITING,
      isFocused: () => this.position % (this.#layout.columns * this.#layout.rows) === slot,
      paint: (surface, inner, theme, before, repaintAfter) =>
        paintCell(
          { surface, inner, theme, display: shown.display, nowMs: shown.now(), repaintAfter },
          cell() ?? (this.page[slot] === undefined ? EMPTY : NOT_SHOWN),
          INTERVAL_MS[options.interval],
          before,
        ),
    };
  }
}

// Several watched markets at once: a small chart of each, with last price, change and state.
//
//   ╭ BTC-PERP ──── ● live ╮╭ ETH-PERP ──── ● live ╮
//   │ ▲ 97,114.00  +0.12%  ││ ▼ 3,399.94  -0.31%   │
//   │   ╷┃╻                ││ ╻┃╷                  │
//   ╰──────────────────────╯╰──────────────────────╯

function GridView({ parts, model, theme, width, height }: ViewProps<GridModel>) {
  const { columns, rows } = useSelected(parts.changes, () => model.layoutFor(width, height));
  const count = useSelected(parts.changes, () => Math.max(1, model.page.length));
  const slots = Array.from({ length: count }, (_, slot) => slot);
  const lines = Array.from({ length: rows }, (_, row) =>
    slots.slice(row * columns, (row + 1) * columns),
  ).filter((line) => line.length > 0);
  return (
    <>
      {lines.map((line, row) => (
        <PaneGroup
          key={line[0]}
          direction="row"
          placed={line.map((slot, column) => ({
            pane: slot,
            width: getPart(width, columns, column),
            height: getPart(height, rows, row),
          }))}
          panes={model.panes}
          parts={parts}
          theme={theme}
        />
      ))}
    </>
  );
}

/** The remainder goes to the first parts. */
function getPart(whole: number, parts: number, at: number): number {
  return Math.floor(whole / parts) + (at < whole % parts ? 1 : 0);
}

/** A grid of the watched markets, or of the current market while none is watched. */
export const gridView: View<GridModel> = {
  name: "grid",
  title: "Grid",
  action: "showGrid",
  isAvailable: ({ watchlist, shown }) => watchlist.markets.length > 0 || shown.market !== undefined,
  createModel: (parts) => new GridModel(parts),
  Component: GridView,
};
