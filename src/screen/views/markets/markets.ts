// The view of all markets: a table, the starred ones first.

import { formatMarket, type Market } from "../../../select/market.ts";
import { MARKET_LIST_CHANNELS, MarketList } from "../../../select/market-list.ts";
import {
  type PaneStatus,
  selectPaneStatus,
  selectShownState,
  WAITING,
} from "../../../select/status.ts";
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

const NO_MARKET = { market: undefined, name: undefined };

class MarketsModel extends TableModel {
  readonly pane: TablePane;
  readonly shows: Freezable<readonly OpenRecord[] | undefined>;
  readonly #parts: Parts;
  readonly #list: MarketList;
  readonly #screener: Screener;
  isStarredOnly = false;

  constructor(parts: Parts) {
    super();
    const { shown, scales, watchlist } = parts;
    const screener = new Screener(parts);
    this.#parts = parts;
    this.#list = new MarketList(shown);
    this.#screener = screener;
    const rows = new Memo<readonly OpenRecord[] | undefined>();
    this.shows = new Freezable(() => rows.get(this.#inputs(), () => this.#select()));
    const marketOf = (row: OpenRecord) => screener.metaOf(row)?.market;
    this.pane = new TablePane(parts, {
      fields: { scales, marketOf, show: screener.show },
      title: "Markets",
      channels: () => this.channels,
      status: () => this.feeds[0]?.status ?? WAITING,
      isAlwaysCurrent: true,
      records: () => this.shows.data,
      original: (row) => screener.metaOf(row)?.original ?? row,
      keyOf: (row) => {
        const market = marketOf(row);
        return market && formatMarket(market);
      },
      first: SCREENER_COLUMNS,
      stateOf: (row) => screener.metaOf(row)?.state ?? "waiting",
      styleOf: (row, column) => screener.metaOf(row)?.styles[column],
      emptyText: () =>
        this.isStarredOnly ? "no market is starred: * in the list" : "the service lists no market",
      notes: () => {
        const { isCut, records } = shown.store.slice("markets", "markets").data;
        return [
          this.isStarredOnly ? "starred only" : "",
          // A market missing from a truncated list may exist all the same.
          isCut ? `only the first ${records.length}` : "",
          watchlist.isFull ? `${watchlist.markets.length} starred, full` : "",
        ];
      },
      onOpen: (row) => {
        const market = marketOf(row);
        if (market === undefined) return;
        parts.open(market);
        parts.show(marketView);
      },
    });
  }

  /** The trades of starred markets fill their last hour. */
  get channels(): readonly string[] {
    const { shown, watchlist } = this.#parts;
    const starred = watchlist.markets.map((market) => `trades/${formatMarket(market)}`);
    return [...MARKET_LIST_CHANNELS, ...starred, ...shown.ownChannels];
  }

  get feeds(): readonly FeedStatus[] {
    const { store, now } = this.#parts.shown;
    return FEEDS.map(([label, kind, channel]) => ({
      label,
      status: selectPaneStatus(store, store.slice(kind, channel), now()),
    }));
  }

  override get contexts(): readonly KeyContext[] {
    return [...super.contexts, "markets"];
  }

  readonly keyDescriptions = { openRow: "open the market" } as const;
  readonly hints = { openRow: "open" } as const;

  override perform(action: Action): boolean {
    if (action !== "star") return super.perform(action);
    const market = this.#selected;
    if (market !== undefined) this.#parts.watchlist.toggle(market);
    this.#parts.changes.notify();
    return true;
  }

  showStarredOnly(isStarredOnly: boolean): void {
    this.isStarredOnly = isStarredOnly;
    this.#parts.changes.notify();
  }

  /** What thousands of rows depend on: while it is the same, none of them is rebuilt. */
  #inputs(): readonly unknown[] {
    const { shown, watchlist } = this.#parts;
    const { store, now, wall, market, ownChannels } = shown;
    const nowMs = now();
    return [
      store,
      this.#list.rows,
      market,
      watchlist.markets,
      this.isStarredOnly,
      Math.floor(wall() / SECOND_MS),
      ...ownChannels.map((channel) => store.versionOf(channel)),
      ...FEEDS.map(([, kind, channel]) =>
        selectShownState(store, store.slice(kind, channel), nowMs),
      ),
    ];
  }

  /** The starred markets first, the others in the order of the list. */
  #select(): readonly OpenRecord[] | undefined {
    const { shown, watchlist } = this.#parts;
    const { store, now } = shown;
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
    const starred = new Set(watchlist.markets.map(formatMarket));
    const all = this.#list.rows?.map((joined): ScreenedMarket => {
      const { market, name } = this.#list.marketOf(joined) ?? NO_MARKET;
      const figures = statusOf[market?.type ?? "markets"];
      const { state } = figures.isFilled ? figures : statusOf.markets;
      return { market, name, joined, state, isStarred: name !== undefined && starred.has(name) };
    });
    if (all === undefined) return undefined;
    const first = all.filter(({ isStarred }) => isStarred);
    const others = this.isStarredOnly ? [] : all.filter(({ isStarred }) => !isStarred);
    return this.#screener.select([...first, ...others]);
  }

  get #selected(): Market | undefined {
    this.pane.table.update(this.shows.data ?? []);
    const { selected } = this.pane.table;
    return selected && this.#screener.metaOf(selected)?.market;
  }
}

export const marketsView: View<MarketsModel> = {
  name: "markets",
  title: "Markets",
  action: "showMarkets",
  isAvailable: () => true,
  createModel: (parts) => new MarketsModel(parts),
};
