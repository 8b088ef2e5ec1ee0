// The view of all markets.
import { formatMarket } from "../../../select/market.ts";
import { ScaledFormat } from "../../../select/record-format.ts";
import { selectPaneStatus, WAITING } from "../../../select/status.ts";
import type { Meaning } from "../../../state/aliases.ts";
import type { OpenRecord } from "../../../wire/update.ts";
import type { Action, KeyContext } from "../../keys.ts";
import { PaneView } from "../../panes/frame.tsx";
import { Freezable } from "../../shown.ts";
import { TableModel, TablePane } from "../../table/pane.ts";
import { marketView } from "../market/market.tsx";
import type { FeedStatus, Parts, View } from "../view.ts";
import { MARKET_LIST_CHANNELS, MarketList } from "./select.ts";

/** Columns that stand first, where there are such. */
const LEADING: readonly Meaning[] = [
  "symbol",
  "marketRecord",
  "lastPrice",
  "changePercent24h",
  "changeRatio24h",
  "change24h",
  "markPrice",
  "marketType",
  "volumeQuote24h",
  "volumeBase24h",
  "openInterest",
  "fundingRate",
];

const FEEDS = [
  ["markets", "markets", "markets"],
  ["perp", "market-stats", "market-stats/perp"],
  ["spot", "market-stats", "market-stats/spot"],
] as const;

class MarketsModel extends TableModel {
  readonly channels: readonly string[] = MARKET_LIST_CHANNELS;
  readonly pane: TablePane;
  readonly shows: Freezable<readonly OpenRecord[] | undefined>;
  readonly #parts: Parts;
  readonly #list: MarketList;

  constructor(parts: Parts) {
    super();
    const { shown, scales, watchlist, changes, clipboard, go } = parts;
    const list = new MarketList(shown);
    this.#parts = parts;
    this.#list = list;
    this.shows = new Freezable(() => list.rows);
    const format = new ScaledFormat({
      aliases: shown.store.aliases,
      scales,
      marketOf: (record) => list.marketOf(record),
    });
    this.pane = new TablePane({
      title: "Markets",
      channels: () => this.channels,
      status: () => this.feeds[0]?.status ?? WAITING,
      records: () => this.shows.data,
      format: () => format.now({ isMasked: false, display: shown.display }),
      keyOf: (record) => {
        const market = list.marketOf(record);
        return market && formatMarket(market);
      },
      leading: LEADING,
      emptyWords: "the service lists no market",
      notes: () => {
        const { isCut, records } = shown.store.slice("markets", "markets").data;
        const count = watchlist.markets.length;
        return [
          // Where not all are held, one that is not in the list may be there all the same.
          isCut ? `only the first ${records.length}` : "",
          count === 0 ? "" : `${count} watched${watchlist.isFull ? ", full" : ""}`,
        ];
      },
      onOpen: (record) => {
        const market = list.marketOf(record);
        if (market === undefined) return;
        go.open(market);
        go.show(marketView);
      },
      clipboard,
      onChange: () => changes.notify(),
    });
  }

  /** The list of markets, and of what age its figures are. */
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

  override perform(action: Action): boolean {
    const { selected } = this.pane.table;
    const market = selected && this.#list.marketOf(selected);
    if (action !== "watch" || market === undefined) return super.perform(action);
    this.#parts.watchlist.toggle(market);
    this.#parts.changes.notify();
    return true;
  }
}

/** The view of all markets of the service. */
export const marketsView: View<MarketsModel> = {
  name: "markets",
  title: "Markets",
  action: "showMarkets",
  isThere: () => true,
  createModel: (parts) => new MarketsModel(parts),
  Component: PaneView,
};
