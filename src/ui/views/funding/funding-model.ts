// What the user has chosen in the view of a market's funding, and the data that it makes visible.
import { formatChannel } from "../../../protocol/channel.ts";
import type { OpenRecord } from "../../../protocol/channels/update.ts";
import type { Meaning } from "../../../store/aliases.ts";
import { accountChannel } from "../../../view/account.ts";
import { type Carry, selectCarry } from "../../../view/carry.ts";
import { readNumber } from "../../../view/cells.ts";
import { type Funding, FundingReader } from "../../../view/funding.ts";
import { formatMarket, type Market } from "../../../view/market.ts";
import { findMarketRecord } from "../../../view/market-stats.ts";
import { ScaledFormat } from "../../../view/scaled-format.ts";
import { type PaneStatus, selectPaneStatus, WAITING } from "../../../view/status.ts";
import type { Dashboard } from "../../dashboard.ts";
import type { KeyContext } from "../../key-contexts.ts";
import type { Action } from "../../keys.ts";
import { TablePane } from "../../panes/table-pane.ts";
import type { FeedStatus, ViewModel } from "../view.ts";

const LEADING: readonly Meaning[] = ["fundingTime", "time", "fundingRate", "status", "markPrice"];
const NONE: readonly OpenRecord[] = [];

/** Everything that the view shows. */
export interface FundingData {
  readonly market: Market;
  readonly funding: Funding;
  /** Newest first; undefined while none has come. */
  readonly rows: readonly OpenRecord[] | undefined;
  /** Of the watched account; undefined where it has no position, or the service does not say enough. */
  readonly carry: Carry | undefined;
}

export class FundingModel implements ViewModel {
  readonly dashboard: Dashboard;
  readonly table: TablePane;
  readonly #reader: FundingReader;
  readonly #format: ScaledFormat;
  #rates: readonly OpenRecord[] | undefined;
  #newestFirst: readonly OpenRecord[] = [];
  #frozen: FundingData | undefined;

  constructor(dashboard: Dashboard) {
    const { store, scales } = dashboard;
    this.dashboard = dashboard;
    this.#reader = new FundingReader(store.aliases);
    this.#format = new ScaledFormat({ aliases: store.aliases, scales });
    this.table = new TablePane({
      title: "Rates",
      records: () => this.data?.rows,
      format: () => this.#format.now(dashboard.isMasked),
      keyOf: (rate) => store.aliases.text(rate, "fundingTime") ?? store.aliases.text(rate, "time"),
      leading: LEADING,
      emptyWords: "the service lists no rate",
      clipboard: dashboard.options.clipboard,
      onChange: () => dashboard.tell(),
    });
  }

  get channels(): readonly string[] {
    const { market, account } = this.dashboard;
    const channel = this.#channel;
    if (market === undefined || channel === undefined) return [];
    const stats = formatChannel({ kind: "market-stats", marketType: "perp", marketId: market.id });
    return [channel, stats, "markets", ...(isChosen(account) ? [accountChannel(account)] : [])];
  }

  get feeds(): readonly FeedStatus[] {
    return [{ label: "funding", status: this.status }];
  }

  get contexts(): readonly KeyContext[] {
    return this.table.contexts;
  }

  get typing() {
    return this.table.typing;
  }

  get status(): PaneStatus {
    const { store, now } = this.dashboard;
    const channel = this.#channel;
    if (channel === undefined) return WAITING;
    return selectPaneStatus(store, store.slice("funding-rates", channel), now());
  }

  /** What is shown: live, or frozen. Undefined without a perpetual market. */
  get data(): FundingData | undefined {
    if (this.#frozen !== undefined) return this.#frozen;
    const { market, store } = this.dashboard;
    const channel = this.#channel;
    if (market === undefined || channel === undefined) return undefined;
    const { data, feed } = store.slice("funding-rates", channel);
    const funding = this.#reader.read(data);
    const rows = feed.frames === 0 ? undefined : this.#reversed(data.rates);
    return { market, funding, rows, carry: this.#carry(market, funding) };
  }

  perform(action: Action): boolean {
    return this.table.perform(action);
  }

  freeze(): void {
    this.#frozen = this.data;
  }

  thaw(): void {
    this.#frozen = undefined;
  }

  get #channel(): string | undefined {
    const { market } = this.dashboard;
    if (market?.type !== "perp") return undefined;
    return formatChannel({ kind: "funding-rates", marketId: market.id });
  }

  /** The same array until a rate comes. */
  #reversed(rates: readonly OpenRecord[]): readonly OpenRecord[] {
    if (rates !== this.#rates) this.#newestFirst = [...rates].reverse();
    this.#rates = rates;
    return this.#newestFirst;
  }

  #carry(market: Market, { newest }: Funding): Carry | undefined {
    const { account, store, scales, isMasked } = this.dashboard;
    if (newest === undefined || !isChosen(account) || isMasked) return undefined;
    const { lists } = store.slice("account", accountChannel(account)).data;
    const channel = formatChannel({
      kind: "market-stats",
      marketType: "perp",
      marketId: market.id,
    });
    const { records } = store.slice("market-stats", channel).data;
    const stats = findMarketRecord(records, market, store.aliases) ?? records[0];
    return selectCarry({
      positions: lists.positions?.rows ?? NONE,
      market,
      rate: newest.rate,
      mark: stats && readNumber(store.aliases.value(stats, "markPrice")),
      scale: scales.of(formatMarket(market)).scale,
      aliases: store.aliases,
    });
  }
}

function isChosen(
  account: Dashboard["account"],
): account is { readonly address: string; readonly subaccountId: string } {
  return account?.subaccountId !== undefined;
}
