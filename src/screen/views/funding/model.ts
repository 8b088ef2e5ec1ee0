// What the user has chosen in the view of a market's funding, and the data that it makes visible.
import { accountChannel, chosenSubaccount, type Subaccount } from "../../../select/account.ts";
import { readNumber } from "../../../select/fields.ts";
import { findOwnRecord, formatMarket, type Market } from "../../../select/market.ts";
import { ScaledFormat } from "../../../select/record-format.ts";
import { type PaneStatus, selectPaneStatus, WAITING } from "../../../select/status.ts";
import type { Meaning } from "../../../state/aliases.ts";
import { formatChannel } from "../../../wire/channels.ts";
import type { OpenRecord } from "../../../wire/update.ts";
import type { Dashboard } from "../../dashboard.ts";
import type { Action, KeyContext } from "../../keys.ts";
import { TablePane } from "../../table/pane.ts";
import type { FeedStatus, ViewModel } from "../view.ts";
import { type Carry, type Funding, FundingReader, selectCarry } from "./select.ts";

const LEADING: readonly Meaning[] = ["fundingTime", "time", "fundingRate", "status", "markPrice"];

/** Everything that the view shows. */
export interface FundingData {
  readonly market: Market;
  readonly funding: Funding;
  /** Newest first; undefined while none has come. */
  readonly rows: readonly OpenRecord[] | undefined;
  /** Of the watched account; undefined where it has no position, or the service does not say enough. */
  readonly carry: Carry | undefined;
}

/** What the user has chosen in the view of funding rates. */
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
    const { market } = this.dashboard;
    const channel = this.#channel;
    if (market === undefined || channel === undefined) return [];
    const subaccount = this.#subaccount;
    const own = subaccount === undefined ? [] : [accountChannel(subaccount)];
    return [channel, statsChannel(market), "markets", ...own];
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

  get #subaccount(): Subaccount | undefined {
    const { account } = this.dashboard;
    return account && chosenSubaccount(account);
  }

  /** The same array until a rate comes. */
  #reversed(rates: readonly OpenRecord[]): readonly OpenRecord[] {
    if (rates !== this.#rates) this.#newestFirst = [...rates].reverse();
    this.#rates = rates;
    return this.#newestFirst;
  }

  #carry(market: Market, { newest }: Funding): Carry | undefined {
    const { store, scales, isMasked } = this.dashboard;
    const subaccount = this.#subaccount;
    if (newest === undefined || subaccount === undefined || isMasked) return undefined;
    const { lists } = store.slice("account", accountChannel(subaccount)).data;
    const { records } = store.slice("market-stats", statsChannel(market)).data;
    const stats = findOwnRecord(records, market, store.aliases);
    return selectCarry({
      positions: lists.positions.rows,
      market,
      rate: newest.rate,
      mark: stats && readNumber(store.aliases.value(stats, "markPrice")),
      scale: scales.of(formatMarket(market)).scale,
      aliases: store.aliases,
    });
  }
}

function statsChannel({ type, id }: Market): string {
  return formatChannel({ kind: "market-stats", marketType: type, marketId: id });
}
