// All markets: where is something happening. ★ first; Enter opens one.

import { selectPositions, textOfDecimal } from "../rows/account.ts";
import {
  ALL_STATS,
  changePercent,
  fundingChannels,
  fundingRates,
  type ListedMarket,
  lastPrice,
  readStat,
  selectFunding,
  selectListedMarkets,
  valuePrice,
} from "../rows/market.ts";
import { allFields } from "../rows/read.ts";
import { createChoice } from "../screen/choice.ts";
import { formatState, isCurrent, type ShownState } from "../screen/states.ts";
import { tableView } from "../screen/table/pane.ts";
import type { Table } from "../screen/table/table.ts";
import type { Ui } from "../screen/ui.ts";
import type { Moment } from "../state/moment.ts";
import type { Figure } from "../state/select-market.ts";
import { type Store, select } from "../state/store.ts";
import { sparkText } from "../terminal/bars.ts";
import { multiplyDecimal, parseNumber } from "../units/decimal.ts";
import { Memo } from "../units/memo.ts";
import { number, percent, short, toneOf, word } from "./cells.ts";
import { MARKET } from "./market/market.ts";

/** What a row says is read from the store when it is shown: it stands as long as the list of markets does. */
interface MarketRow extends ListedMarket {
  readonly store: Store;
  readonly isStarred: boolean;
  readonly account: string | undefined;
}

const stat =
  (name: Figure) =>
  ({ store, name: market }: MarketRow) =>
    readStat(store, market, name);
const change = ({ store, name }: MarketRow) => changePercent(store, name);
const starredOnly = createChoice("markets.starred", [false, true]);

const BARS = 12;
/** The last hours as bars, scaled by their own range: one alone has none. */
function bars({ store, name }: MarketRow): string | undefined {
  const items = select(store, "candles", `candles/${name}/1h`)?.items.slice(-BARS);
  return items === undefined || items.length < 2
    ? undefined
    : sparkText(items.map(({ close }) => Number(close)));
}

const funding = ({ store, name }: MarketRow) => {
  const known = selectFunding(store, name);
  const rate = known && parseNumber(known.rate);
  return known && rate && fundingRates(rate, known.intervalMs);
};

/** Signed by side, of all positions of the account in the market. */
function ownPosition({ store, account, name }: MarketRow): string | undefined {
  if (account === undefined) return undefined;
  const held = (selectPositions(store, account) ?? []).filter(({ market }) => market === name);
  return (
    held.map(({ side, size }) => `${side ?? ""} ${textOfDecimal(size) ?? "?"}`).join(", ") ||
    undefined
  );
}

/** Open interest in quote currency: as given, else by the price at which it is valued. */
function interest({ store, name }: MarketRow) {
  const base = parseNumber(readStat(store, name, "open_interest") ?? "");
  const price = valuePrice(store, name);
  return base && price && multiplyDecimal(base, price);
}

/** The figures are what grows old: of the two lists of them the one that is not current, else the newer one. */
function stateOf(moment: Moment): ShownState {
  const lastAt = (channel: string) => moment.store.channels.get(channel)?.lastAtMs ?? -1;
  const lists = ALL_STATS.filter((channel) => lastAt(channel) >= 0);
  const old = lists.find((channel) => !isCurrent(formatState(moment, channel).state));
  const [newest = "markets"] = lists.sort((a, b) => lastAt(b) - lastAt(a));
  return formatState(moment, old ?? newest);
}

const known = new Memo<readonly MarketRow[]>();

const MARKETS_TABLE: Table<MarketRow> = {
  name: "markets",
  title: "Markets",
  // Bars of hours for the rows on the screen alone: each is a channel.
  channels: (ui) => [
    ...["markets", ...ALL_STATS],
    ...ui
      .table("markets")
      .shown.flatMap((name) => [`candles/${name}/1h`, ...fundingChannels(ui.moment.store, name)]),
  ],
  columns: [
    word("★", ({ isStarred }) => (isStarred ? "★" : ""), { tone: "notice" }),
    word("symbol", ({ symbol, name }) => symbol ?? name, { tone: "bright" }),
    number("last", ({ store, name }) => lastPrice(store, name)),
    percent("24h", change, { tone: (row) => toneOf(change(row)) }),
    word("hours", bars, { tone: "dim", goes: 9 }),
    short("volume", stat("volume_quote_24h")),
    percent("funding/h", (row) => funding(row)?.perHour, {
      tone: (row) => toneOf(funding(row)?.perHour),
    }),
    percent("APR", (row) => funding(row)?.apr, { tone: "dim" }),
    short("OI", (row) => textOfDecimal(interest(row))),
    word("position", ownPosition, { secret: true }),
    word("market", ({ name }) => name, { tone: "dim" }),
    number("mark", stat("mark")),
  ],
  rows({ store }, ui) {
    if (select(store, "markets", "markets") === undefined) return undefined;
    const { account, stars } = ui;
    const listed = selectListedMarkets(store);
    const isOnly = starredOnly.get(ui);
    return known.get([store, listed, account, stars, isOnly], () => {
      const rows = listed.map(
        (market): MarketRow => ({ ...market, store, account, isStarred: stars.has(market.name) }),
      );
      const starred = rows.filter(({ isStarred }) => isStarred);
      return isOnly ? starred : [...starred, ...rows.filter(({ isStarred }) => !isStarred)];
    });
  },
  id: ({ name }) => name,
  open({ name }, ui) {
    ui.market = name;
    ui.open(MARKET);
  },
  details: ({ record }) => allFields(record),
  state: stateOf,
  about: (_moment, ui) => [starredOnly.get(ui) ? "★ only" : ""],
  keys: [
    { key: "*", says: "markets: the starred only, or all", hint: "★ only", run: starredOnly.next },
    { key: "space", says: "markets: star or unstar the row", hint: "star", run: star },
  ],
  empty: "the service lists no market",
};

function star(ui: Ui): void {
  const { id } = ui.table("markets");
  if (id !== undefined) ui.star(id);
}

export const MARKETS = tableView(MARKETS_TABLE, "M");
