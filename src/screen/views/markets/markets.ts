// The view of all markets.
import { formatMarket, type Market } from "../../../select/market.ts";
import type { RecordFormat } from "../../../select/record-format.ts";
import { type PaneStatus, selectPaneStatus, WAITING } from "../../../select/status.ts";
import type { Meaning } from "../../../state/aliases.ts";
import type { OpenRecord } from "../../../wire/update.ts";
import type { Dashboard } from "../../dashboard.ts";
import type { Action, KeyContext } from "../../keys.ts";
import { type FramedPane, type PaneModel, PaneView, tableFrame } from "../../panes/frame.tsx";
import { TablePane } from "../../table/pane.ts";
import { marketView } from "../market/market.tsx";
import type { FeedStatus, View } from "../view.ts";
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

/** What the user has chosen in the list of markets. */
export class MarketsModel implements PaneModel {
  readonly channels: readonly string[] = MARKET_LIST_CHANNELS;
  readonly table: TablePane;
  readonly #dashboard: Dashboard;
  readonly #list: MarketList;
  readonly #format: RecordFormat;
  #frozen: readonly OpenRecord[] | undefined;

  constructor(dashboard: Dashboard) {
    const { store, scales } = dashboard;
    this.#dashboard = dashboard;
    this.#list = new MarketList(dashboard);
    this.#format = {
      aliases: store.aliases,
      scaleOf: (record) => {
        const market = this.#list.marketOf(record);
        return market && scales.of(formatMarket(market)).scale;
      },
      isMasked: false,
    };
    this.table = new TablePane({
      title: "Markets",
      records: () => this.#frozen ?? this.#list.rows,
      format: () => this.#format,
      keyOf: (record) => this.#nameOf(record),
      leading: LEADING,
      emptyWords: "the service lists no market",
      notes: () => [cutWords(dashboard), watchedWords(dashboard)],
      onOpen: (record) => this.#open(this.#list.marketOf(record)),
      clipboard: dashboard.options.clipboard,
      onChange: () => dashboard.tell(),
    });
  }

  /** Market of the selected row. */
  get selected(): Market | undefined {
    const { selected } = this.table.table;
    return selected && this.#list.marketOf(selected);
  }

  get feeds(): readonly FeedStatus[] {
    return FEEDS.map(([label, kind, channel]) => ({
      label,
      status: this.#statusOf(kind, channel),
    }));
  }

  /** The list of markets, and of what age its figures are. */
  get status(): PaneStatus {
    const [markets] = this.feeds;
    return markets?.status ?? WAITING;
  }

  get contexts(): readonly KeyContext[] {
    return [...this.table.contexts, "markets"];
  }

  get typing() {
    return this.table.typing;
  }

  perform(action: Action): boolean {
    const { selected } = this;
    if (action !== "watch" || selected === undefined) return this.table.perform(action);
    this.#dashboard.watchlist.toggle(selected);
    this.#dashboard.tell();
    return true;
  }

  createPane(): FramedPane {
    return tableFrame(this);
  }

  freeze(): void {
    this.#frozen = this.#list.rows;
  }

  thaw(): void {
    this.#frozen = undefined;
  }

  #open(market: Market | undefined): void {
    if (market === undefined) return;
    this.#dashboard.open(market);
    this.#dashboard.show(marketView);
  }

  #nameOf(record: OpenRecord): string | undefined {
    const market = this.#list.marketOf(record);
    return market && formatMarket(market);
  }

  #statusOf(kind: "markets" | "market-stats", channel: string): PaneStatus {
    const { store, now } = this.#dashboard;
    return selectPaneStatus(store, store.slice(kind, channel), now());
  }
}

/** Where not all are held, one that is not in the list may be there all the same. */
function cutWords({ store }: Dashboard): string {
  const { isCut, records } = store.slice("markets", "markets").data;
  return isCut ? `only the first ${records.length}` : "";
}

function watchedWords({ watchlist }: Dashboard): string {
  const count = watchlist.markets.length;
  return count === 0 ? "" : `${count} watched${watchlist.isFull ? ", full" : ""}`;
}

/** The view of all markets of the service. */
export const marketsView: View<MarketsModel> = {
  name: "markets",
  title: "Markets",
  action: "showMarkets",
  isThere: () => true,
  createModel: (dashboard) => new MarketsModel(dashboard),
  Component: PaneView,
};
