// What the user has chosen in the view of a market's funding, and the data that it makes visible.
import { accountChannel, chosenSubaccount, type Subaccount } from "../../../select/account.ts";
import { readNumber } from "../../../select/fields.ts";
import {
  type Carry,
  type Funding,
  FundingReader,
  selectCarry,
  showFundingRate,
} from "../../../select/funding.ts";
import { findOwnRecord, formatMarket, listedIn, type Market } from "../../../select/market.ts";
import { ScaledFormat } from "../../../select/record-format.ts";
import { type PaneStatus, selectPaneStatus, WAITING } from "../../../select/status.ts";
import type { Meaning } from "../../../state/aliases.ts";
import { formatChannel } from "../../../wire/channels.ts";
import type { OpenRecord } from "../../../wire/update.ts";
import { Freezable } from "../../shown.ts";
import { TableModel, TablePane } from "../../table/pane.ts";
import type { FeedStatus, Parts } from "../view.ts";

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

export class FundingModel extends TableModel {
  readonly parts: Parts;
  readonly pane: TablePane;
  /** Undefined without a perpetual market. */
  readonly shows = new Freezable(() => this.#select());
  readonly #reader: FundingReader;
  #rates: readonly OpenRecord[] | undefined;
  #newestFirst: readonly OpenRecord[] = [];

  constructor(parts: Parts) {
    super();
    const { shown, scales, changes, clipboard } = parts;
    const { aliases } = shown.store;
    const format = new ScaledFormat({ aliases, scales, show: showFundingRate });
    this.parts = parts;
    this.#reader = new FundingReader(aliases);
    this.pane = new TablePane({
      title: "Rates",
      channels: () => this.channels,
      status: () => this.status,
      records: () => this.shows.data?.rows,
      format: () => format.now(shown),
      keyOf: (rate) => aliases.text(rate, "fundingTime") ?? aliases.text(rate, "time"),
      leading: LEADING,
      emptyWords: "the service lists no rate",
      clipboard,
      onChange: () => changes.notify(),
    });
  }

  get channels(): readonly string[] {
    const { market } = this.parts.shown;
    const channel = this.#channel;
    if (market === undefined || channel === undefined) return [];
    const subaccount = this.#subaccount;
    const own = subaccount === undefined ? [] : [accountChannel(subaccount)];
    return [channel, statsChannel(market), "markets", ...own];
  }

  get feeds(): readonly FeedStatus[] {
    return [{ label: "funding", status: this.status }];
  }

  get status(): PaneStatus {
    const { store, now } = this.parts.shown;
    const channel = this.#channel;
    if (channel === undefined) return WAITING;
    return selectPaneStatus(store, store.slice("funding-rates", channel), now());
  }

  get #channel(): string | undefined {
    const { market } = this.parts.shown;
    if (market?.type !== "perp") return undefined;
    return formatChannel({ kind: "funding-rates", marketId: market.id });
  }

  get #subaccount(): Subaccount | undefined {
    const { account } = this.parts.shown;
    return account && chosenSubaccount(account);
  }

  #select(): FundingData | undefined {
    const { market, store } = this.parts.shown;
    const channel = this.#channel;
    if (market === undefined || channel === undefined) return undefined;
    const { data, feed } = store.slice("funding-rates", channel);
    const funding = this.#reader.read(data, market, listedIn(store).listed);
    const rows = feed.frames === 0 ? undefined : this.#reversed(data.rates);
    return { market, funding, rows, carry: this.#carry(market, funding) };
  }

  /** The same array until a rate comes. */
  #reversed(rates: readonly OpenRecord[]): readonly OpenRecord[] {
    if (rates !== this.#rates) this.#newestFirst = [...rates].reverse();
    this.#rates = rates;
    return this.#newestFirst;
  }

  #carry(market: Market, { newest }: Funding): Carry | undefined {
    const { shown, scales } = this.parts;
    const { store, isMasked } = shown;
    const subaccount = this.#subaccount;
    if (newest === undefined || subaccount === undefined || isMasked) return undefined;
    const { lists } = store.slice("account", accountChannel(subaccount)).data;
    const { records } = store.slice("market-stats", statsChannel(market)).data;
    const stats = findOwnRecord(records, market, listedIn(store));
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
