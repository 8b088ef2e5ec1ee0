// The listed trades of the market: what happened, as far back as one scrolls.

import { marketLabel } from "../rows/market.ts";
import { allFields } from "../rows/read.ts";
import { tableView } from "../screen/table/pane.ts";
import type { Table } from "../screen/table/table.ts";
import { parseDecimal } from "../units/decimal.ts";
import type { TradeRecord } from "../wire/rest/trades.ts";
import { amount, number, side, time } from "./cells.ts";
import { idOfRecord, listedTable, whenListed } from "./listed.ts";

export const TRADES_TABLE: Table<TradeRecord> = {
  name: "trades",
  title: "Trades",
  columns: [
    time("time", ({ timestamp_ms }) => timestamp_ms, true),
    side("side", ({ taker_is_bid }) => (taker_is_bid ? "buy" : "sell")),
    number("price", ({ price }) => price),
    number("size", ({ quantity }) => quantity),
    amount("value", ({ quote_notional }) => parseDecimal(quote_notional)),
    { title: "trade", value: ({ trade_id }) => trade_id, tone: "dim" },
  ],
  ...listedTable(({ services, market }) => services.listings?.trades(market)),
  id: idOfRecord,
  details: (record) => allFields(record),
  about: ({ store }, ui) => [marketLabel(store, ui.market)],
  empty: "no trade is listed",
};

export const TRADES = tableView(TRADES_TABLE, "T", whenListed);
