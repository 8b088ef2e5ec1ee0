// The view of the markets that the user watches: which of them is selected, and its pane.

import type { SteadyColumns } from "../../../select/columns.ts";
import type { Market } from "../../../select/market.ts";
import { selectPaneStatus, WAITING } from "../../../select/status.ts";
import type { Action, KeyContext } from "../../keys.ts";
import { type FramedPane, PaneView } from "../../panes/frame.tsx";
import { Freezable } from "../../shown.ts";
import { firstInSight } from "../../table/table.ts";
import { marketView } from "../market/market.tsx";
import type { FeedStatus, Parts, View, ViewModel } from "../view.ts";
import { paintWatchlist } from "./paint.ts";
import { WatchReader, type WatchRow, watchChannels } from "./select.ts";

const PAGE = 10;

/** The longest that fits is shown. */
const EMPTY = [
  "nothing is watched: a in the dashboard or in the list of markets adds one",
  "nothing is watched: a adds a market",
  "nothing is watched",
];

/** The first row that is in sight, and the columns. */
interface PaintedWatchlist {
  readonly first: number;
  readonly columns?: SteadyColumns;
}

class WatchlistModel implements ViewModel {
  readonly contexts: readonly KeyContext[] = ["watchlist", "scroll"];
  readonly parts: Parts;
  readonly pane: FramedPane<PaintedWatchlist>;
  readonly shows: Freezable<readonly WatchRow[]>;
  #selected = 0;

  constructor(parts: Parts) {
    const { shown, watchlist, scales } = parts;
    const reader = new WatchReader(shown, scales);
    this.parts = parts;
    this.pane = watchlistPane(this);
    this.shows = new Freezable<readonly WatchRow[]>(() => {
      const nowMs = shown.now();
      reader.keep(watchlist.markets);
      return watchlist.markets.map((market) => reader.read(market, nowMs));
    });
  }

  get markets(): readonly Market[] {
    return this.parts.watchlist.markets;
  }

  get channels(): readonly string[] {
    return watchChannels(this.markets);
  }

  /** Every line has a state of its own; the status line has that of the list they are named by. */
  get feeds(): readonly FeedStatus[] {
    const { store, now } = this.parts.shown;
    const status = selectPaneStatus(store, store.slice("markets", "markets"), now());
    return [{ label: "markets", status }];
  }

  /** One for each market, in their order; frozen ones may have been taken away since. */
  get rows(): readonly WatchRow[] {
    return this.shows.data.filter(({ market }) => this.parts.watchlist.has(market));
  }

  /** Place of the selected row; markets may have been taken away elsewhere. */
  get selected(): number {
    return Math.max(0, Math.min(this.markets.length - 1, this.#selected));
  }

  moveBy(rows: number): void {
    this.#selected = Math.max(0, Math.min(this.markets.length - 1, this.selected + rows));
    this.parts.changes.notify();
  }

  perform(action: Action): boolean {
    const act = ACTIONS[action];
    act?.(this, this.markets[this.selected]);
    return act !== undefined;
  }
}

function watchlistPane(model: WatchlistModel): FramedPane<PaintedWatchlist> {
  const { watchlist } = model.parts;
  return {
    channels: () => model.channels,
    title: () => [`Watchlist ${model.markets.length}`, watchlist.isFull ? "full" : ""],
    status: () => model.feeds[0]?.status ?? WAITING,
    isFocused: () => true,
    isAlwaysCurrent: true,
    paint(surface, inner, theme, before) {
      const { rows, selected } = model;
      const room = Math.max(1, inner.height - 1);
      const first = firstInSight(selected, before?.first ?? 0, room, rows.length);
      if (rows.length === 0) {
        const words = EMPTY.find((text) => text.length <= inner.width) ?? "";
        surface.text(inner.x, inner.y, words, theme.dim);
        return { first };
      }
      const paint = { surface, inner, theme, display: model.parts.shown.display };
      return { first, columns: paintWatchlist(paint, rows, selected, first, before?.columns) };
    },
  };
}

type Act = (model: WatchlistModel, selected: Market | undefined) => void;

const scroll =
  (rows: number): Act =>
  (model) =>
    model.moveBy(rows);

const ACTIONS: Readonly<Partial<Record<Action, Act>>> = {
  scrollUp: scroll(-1),
  scrollDown: scroll(1),
  scrollPageUp: scroll(-PAGE),
  scrollPageDown: scroll(PAGE),
  scrollHome: scroll(-Number.MAX_SAFE_INTEGER),
  openWatched({ parts: { go } }, market) {
    if (market === undefined) return;
    go.open(market);
    go.show(marketView);
  },
  watch(model, market) {
    if (market === undefined) return;
    model.parts.watchlist.toggle(market);
    model.moveBy(0);
  },
};

/** The view of the markets that the user watches. */
export const watchlistView: View<WatchlistModel> = {
  name: "watchlist",
  title: "Watchlist",
  action: "showWatchlist",
  isThere: () => true,
  createModel: (parts) => new WatchlistModel(parts),
  Component: PaneView,
};
