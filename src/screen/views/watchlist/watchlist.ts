// The view of the markets that the user watches.

import { SteadyColumns } from "../../../select/columns.ts";
import type { Market } from "../../../select/market.ts";
import { selectPaneStatus, WAITING } from "../../../select/status.ts";
import type { Dashboard } from "../../dashboard.ts";
import type { Action, KeyContext } from "../../keys.ts";
import { type FramedPane, type PaneModel, PaneView } from "../../panes/frame.tsx";
import { marketView } from "../market/market.tsx";
import type { FeedStatus, View } from "../view.ts";
import { paintWatchlist } from "./paint.ts";
import { WatchReader, type WatchRow, watchChannels } from "./select.ts";

const PAGE = 10;

/** What the user has chosen in the list of watched markets. */
export class WatchlistModel implements PaneModel {
  readonly contexts: readonly KeyContext[] = ["watchlist", "scroll"];
  readonly dashboard: Dashboard;
  readonly #reader: WatchReader;
  #selected = 0;
  #top = 0;
  #frozen: readonly WatchRow[] | undefined;

  constructor(dashboard: Dashboard) {
    this.dashboard = dashboard;
    this.#reader = new WatchReader(dashboard, dashboard.scales);
  }

  get markets(): readonly Market[] {
    return this.dashboard.watchlist.markets;
  }

  get channels(): readonly string[] {
    return watchChannels(this.markets);
  }

  /** Every line has a state of its own; the status line has that of the list they are named by. */
  get feeds(): readonly FeedStatus[] {
    const { store, now } = this.dashboard;
    const status = selectPaneStatus(store, store.slice("markets", "markets"), now());
    return [{ label: "markets", status }];
  }

  /** One for each market, in their order; those of the moment at which the screen was frozen. */
  get rows(): readonly WatchRow[] {
    const { now, watchlist } = this.dashboard;
    this.#reader.keep(this.markets);
    if (this.#frozen !== undefined)
      return this.#frozen.filter(({ market }) => watchlist.has(market));
    const nowMs = now();
    return this.markets.map((market) => this.#reader.read(market, nowMs));
  }

  /** Place of the selected row; markets may have been taken away elsewhere. */
  get selected(): number {
    return Math.max(0, Math.min(this.markets.length - 1, this.#selected));
  }

  /** The first row in sight of so many, with the selected one among them. */
  scrolledTo(room: number): number {
    const { selected } = this;
    const lowest = Math.max(0, this.markets.length - room);
    const top = Math.max(selected - room + 1, Math.min(this.#top, selected));
    this.#top = Math.max(0, Math.min(lowest, top));
    return this.#top;
  }

  /** No longer watches a market. */
  drop(market: Market): void {
    this.dashboard.watchlist.toggle(market);
    this.moveBy(0);
  }

  moveBy(rows: number): void {
    const last = this.markets.length - 1;
    this.#selected = Math.max(0, Math.min(last, this.selected + rows));
    this.dashboard.tell();
  }

  perform(action: Action): boolean {
    const act = ACTIONS[action];
    act?.(this, this.markets[this.selected]);
    return act !== undefined;
  }

  createPane(): FramedPane {
    return watchlistPane(this);
  }

  freeze(): void {
    this.#frozen = this.rows;
  }

  thaw(): void {
    this.#frozen = undefined;
  }

  /** What the user has chosen to watch, in words. */
  get title(): readonly string[] {
    return [`Watchlist ${this.markets.length}`, this.dashboard.watchlist.isFull ? "full" : ""];
  }
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
  openWatched({ dashboard }, market) {
    if (market === undefined) return;
    dashboard.open(market);
    dashboard.show(marketView);
  },
  watch(model, market) {
    if (market !== undefined) model.drop(market);
  },
};

/** The longest that fits is shown. */
const EMPTY = [
  "nothing is watched: a in the dashboard or in the list of markets adds one",
  "nothing is watched: a adds a market",
  "nothing is watched",
];

/** The pane of the watched markets. */
function watchlistPane(model: WatchlistModel): FramedPane {
  const columns = new SteadyColumns();
  return {
    channels: () => model.channels,
    title: () => model.title,
    status: () => model.feeds[0]?.status ?? WAITING,
    isFocused: () => true,
    isAlwaysCurrent: true,
    paint(surface, inner, theme) {
      const { rows, selected } = model;
      const first = model.scrolledTo(Math.max(1, inner.height - 1));
      if (rows.length > 0)
        paintWatchlist({ surface, inner, theme, columns }, rows, selected, first);
      else {
        const words = EMPTY.find((text) => text.length <= inner.width) ?? "";
        surface.text(inner.x, inner.y, words, theme.dim);
      }
    },
  };
}

/** The view of the markets that the user watches. */
export const watchlistView: View<WatchlistModel> = {
  name: "watchlist",
  title: "Watchlist",
  action: "showWatchlist",
  isThere: () => true,
  createModel: (dashboard) => new WatchlistModel(dashboard),
  Component: PaneView,
};
