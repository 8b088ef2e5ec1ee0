// The listed trades of the market: what happened, as far back as one scrolls.

import { marketLabel } from "../rows/market.ts";
import { allFields } from "../rows/read.ts";
import type { View } from "../screen/pane.ts";
import { tablePane } from "../screen/table/pane.ts";
import type { Table } from "../screen/table/table.ts";
import type { Ui } from "../screen/ui.ts";
import { parseDecimal } from "../units/decimal.ts";
import type { TradeRecord } from "../wire/rest/trades.ts";
import { amount, number, side, time } from "./cells.ts";
import { idOfRecord, listedState, rowsAt, whenListed } from "./listed.ts";

const listOf = ({ services, market }: Ui) => services.listings?.trades(market);

export const TRADES_TABLE: Table<TradeRecord> = {
  name: "trades",
  title: "Trades",
  columns: [
    time("time", ({ timestamp_ms }) => timestamp_ms, { hasDay: true, hasMs: true }),
    side("side", ({ taker_is_bid }) => (taker_is_bid ? "buy" : "sell")),
    number("price", ({ price }) => price),
    number("size", ({ quantity }) => quantity),
    amount("value", ({ quote_notional }) => parseDecimal(quote_notional)),
    { title: "trade", name: "trade_id", value: ({ trade_id }) => trade_id, tone: () => "dim" },
  ],
  rows(moment, ui) {
    const list = listOf(ui);
    return list && rowsAt(list, moment, ui);
  },
  id: idOfRecord,
  details: (record) => allFields(record),
  about: ({ store }, ui) => [marketLabel(store, ui.market)],
  foot(_rows, _moment, ui) {
    const list = listOf(ui);
    return list === undefined ? "" : listedState(list, ui);
  },
  more: (ui) => listOf(ui)?.loadOlder(),
  empty: "no trade is listed",
};

const PANE = tablePane(TRADES_TABLE);

export const TRADES: View = {
  name: "trades",
  title: "Trades",
  key: "T",
  when: whenListed,
  layout: () => ({ pane: PANE, grow: 1, min: [30, 4] }),
};
