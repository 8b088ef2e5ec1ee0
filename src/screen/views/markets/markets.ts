// The views of all markets and of the watchlist: tables of the same rows.

import { formatMarket, type Market } from "../../../select/market.ts";
import { MARKET_LIST_CHANNELS, MarketList } from "../../../select/market-list.ts";
import {
  type PaneStatus,
  selectPaneStatus,
  selectShownState,
  WAITING,
} from "../../../select/status.ts";
import { isCurrent } from "../../../state/pane-state.ts";
import { Memo } from "../../../units/memo.ts";
import { SECOND_MS } from "../../../units/time.ts";
import type { OpenRecord } from "../../../wire/update.ts";
import type { Action, KeyContext } from "../../keys.ts";
import { Freezable } from "../../shown.ts";
import { TableModel, TablePane } from "../../table/pane.ts";
import { marketView } from "../market/market.tsx";
import type { FeedStatus, Parts, View } from "../view.ts";
import { SCREENER_COLUMNS, type ScreenedMarket, Screener } from "./screener.ts";

const FEEDS = [
  ["markets", "markets", "markets"],
  ["perp", "market-stats", "market-stats/perp"],
  ["spot", "market-stats", "market-stats/spot"],
] as const;

interface ScreenerKind {
  readonly title: string;
  readonly emptyText: string;
  /** For the status line: each row of the watchlist has its own state. */
  readonly feeds: readonly (typeof FEEDS)[number][];
  channels(parts: Parts): readonly string[];
  markets(parts: Parts, list: MarketList): readonly ScreenedMarket[] | undefined;
  notes(parts: Parts): readonly string[];
  /** What thousands of rows depend on: while it is the same, none of them is rebuilt. */
  follows?(parts: Parts, list: MarketList): readonly unknown[];
}

const NO_MARKET = { market: undefined, name: undefined };

const ALL: ScreenerKind = {
  title: "Markets",
  emptyText: "the service lists no market",
  feeds: FEEDS,
  channels: () => MARKET_LIST_CHANNELS,
  markets({ shown: { store, now } }, list) {
    const nowMs = now();
    const statusOf = Object.fromEntries(
      FEEDS.map(([name, kind, channel]) => {
        const slice = store.slice(kind, channel);
        return [
          name,
          { isFilled: slice.feed.frames > 0, ...selectPaneStatus(store, slice, nowMs) },
        ];
      }),
    ) as Record<(typeof FEEDS)[number][0], PaneStatus & { readonly isFilled: boolean }>;
    return list.rows?.map((joined) => {
      const { market, name } = list.marketOf(joined) ?? NO_MARKET;
      const figures = statusOf[market?.type ?? "markets"];
      const status = figures.isFilled ? figures : statusOf.markets;
      return { market, name, joined, status, isWatched: false };
    });
  },
  follows({ shown, watchlist }, list) {
    const { store, now, wall, market, ownChannels } = shown;
    const nowMs = now();
    return [
      store,
      list.rows,
      market,
      watchlist.markets,
      Math.floor(wall() / SECOND_MS),
      ...ownChannels.map((channel) => store.versionOf(channel)),
      ...FEEDS.map(([, kind, channel]) =>
        selectShownState(store, store.slice(kind, channel), nowMs),
      ),
    ];
  },
  notes({ shown, watchlist }) {
    const { isCut, records } = shown.store.slice("markets", "markets").data;
    const count = watchlist.markets.length;
    return [
      // A market missing from a truncated list may exist all the same.
      isCut ? `only the first ${records.length}` : "",
      count === 0 ? "" : `${count} watched${watchlist.isFull ? ", full" : ""}`,
    ];
  },
};

const WATCHED: ScreenerKind = {
  title: "Watchlist",
  emptyText: "Watchlist is empty. Press a on a market to add it (M lists all markets).",
  feeds: FEEDS.slice(0, 1),
  channels: ({ watchlist: { markets } }) => [
    "markets",
    ...new Set(markets.map(({ type }) => `market-stats/${type}`)),
    ...markets.map(formatMarket).flatMap((name) => [`bbo/${name}`, `trades/${name}`]),
  ],
  markets({ shown: { store, now }, watchlist }, list) {
    const nowMs = now();
    void list.rows;
    return watchlist.markets.map((market) => {
      const name = formatMarket(market);
      const trades = store.slice("trades", `trades/${name}`);
      const last = selectPaneStatus(store, trades, nowMs);
      const best = selectPaneStatus(store, store.slice("bbo", `bbo/${name}`), nowMs);
      const isOld = trades.feed.frames > 0 && !isCurrent(last.state);
      const joined = list.rowOf(market);
      return { market, name, joined, status: isOld ? last : best, isWatched: true };
    });
  },
  notes: ({ watchlist }) => [watchlist.isFull ? "full" : ""],
};

class ScreenerModel extends TableModel {
  readonly pane: TablePane;
  readonly shows: Freezable<readonly OpenRecord[] | undefined>;
  readonly #parts: Parts;
  readonly #kind: ScreenerKind;
  readonly #screener: Screener;

  constructor(parts: Parts, kind: ScreenerKind) {
    super();
    const { shown, scales } = parts;
    const list = new MarketList(shown);
    const screener = new Screener(parts);
    this.#parts = parts;
    this.#kind = kind;
    this.#screener = screener;
    const rows = new Memo<readonly OpenRecord[] | undefined>();
    const select = () => {
      const markets = kind.markets(parts, list);
      return markets && screener.select(markets);
    };
    this.shows = new Freezable(() => {
      const inputs = kind.follows?.(parts, list);
      return inputs === undefined ? select() : rows.get(inputs, select);
    });
    const marketOf = (row: OpenRecord) => screener.metaOf(row)?.market;
    this.pane = new TablePane(parts, {
      fields: { scales, marketOf, show: screener.show },
      title: kind.title,
      channels: () => this.channels,
      status: () => this.feeds[0]?.status ?? WAITING,
      isAlwaysCurrent: true,
      records: () => this.#rows,
      original: (row) => screener.metaOf(row)?.original ?? row,
      keyOf: (row) => {
        const market = marketOf(row);
        return market && formatMarket(market);
      },
      first: SCREENER_COLUMNS,
      stateOf: (row) => screener.metaOf(row)?.state ?? "waiting",
      styleOf: (row, column) => screener.metaOf(row)?.styles[column],
      emptyText: kind.emptyText,
      notes: () => kind.notes(parts),
      onOpen: (row) => {
        const market = marketOf(row);
        if (market === undefined) return;
        parts.open(market);
        parts.show(marketView);
      },
    });
  }

  get channels(): readonly string[] {
    return [...this.#kind.channels(this.#parts), ...this.#parts.shown.ownChannels];
  }

  get feeds(): readonly FeedStatus[] {
    const { store, now } = this.#parts.shown;
    return this.#kind.feeds.map(([label, kind, channel]) => ({
      label,
      status: selectPaneStatus(store, store.slice(kind, channel), now()),
    }));
  }

  override get contexts(): readonly KeyContext[] {
    return [...super.contexts, "markets"];
  }

  readonly keyDescriptions = { openRow: "open the market" } as const;

  get hints() {
    const market = this.#selected;
    const isWatched = market !== undefined && this.#parts.watchlist.has(market);
    return { openRow: "open", watch: isWatched ? "remove from watchlist" : "add to watchlist" };
  }

  override perform(action: Action): boolean {
    const market = this.#selected;
    if (action !== "watch" || market === undefined) return super.perform(action);
    this.#parts.watchlist.toggle(market);
    this.#parts.changes.notify();
    return true;
  }

  /** Frozen rows may contain markets removed from the watchlist since. */
  get #rows(): readonly OpenRecord[] | undefined {
    const rows = this.shows.data;
    if (this.#kind !== WATCHED || !this.#parts.shown.isFrozen) return rows;
    return rows?.filter((row) => {
      const market = this.#screener.metaOf(row)?.market;
      return market !== undefined && this.#parts.watchlist.has(market);
    });
  }

  /** Markets may have been removed elsewhere. */
  get #selected(): Market | undefined {
    this.pane.table.update(this.#rows ?? []);
    const { selected } = this.pane.table;
    return selected && this.#screener.metaOf(selected)?.market;
  }
}

export const marketsView: View<ScreenerModel> = {
  name: "markets",
  title: "Markets",
  action: "showMarkets",
  isAvailable: () => true,
  createModel: (parts) => new ScreenerModel(parts, ALL),
};

export const watchlistView: View<ScreenerModel> = {
  name: "watchlist",
  title: "Watchlist",
  action: "showWatchlist",
  isAvailable: () => true,
  createModel: (parts) => new ScreenerModel(parts, WATCHED),
};
