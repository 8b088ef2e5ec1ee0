// The listed liquidations of the market, a row for each position.

import { positionSideOf, read } from "../dialect/fields.ts";
import { formatMarket } from "../dialect/markets.ts";
import { marketLabel, valuePrice } from "../rows/market.ts";
import { allFields } from "../rows/read.ts";
import { tableView } from "../screen/table/pane.ts";
import type { Table } from "../screen/table/table.ts";
import type { Store } from "../state/store.ts";
import { type Decimal, multiplyDecimal, parseDecimal, parseNumber } from "../units/decimal.ts";
import { Memo } from "../units/memo.ts";
import type { LiquidationRecord } from "../wire/rest/liquidations.ts";
import { amount, decimal, side, time, word } from "./cells.ts";
import { idOfRecord, listedTable, whenListed } from "./listed.ts";

interface LiquidationRow {
  readonly event: LiquidationRecord;
  /** Which position of the event. */
  readonly at: number;
  /** Of this position: an event may touch several. */
  readonly market: string;
  readonly side: "long" | "short" | undefined;
  readonly size: Decimal | undefined;
  /** As the record says it, else undefined. */
  readonly price: Decimal | undefined;
}

const listed = listedTable(({ services, market }) => services.listings?.liquidations(market));

export function liquidationRows(
  events: readonly LiquidationRecord[],
  { dialect: { names } }: Pick<Store, "dialect">,
): readonly LiquidationRow[] {
  return events.flatMap((event) =>
    event.positions.map((position, at): LiquidationRow => {
      const market = formatMarket({ type: "perp", id: String(position.market_id) });
      const size = parseDecimal(position.size);
      const text =
        read(position, "liquidationPrice", names) ??
        read(position, "mark", names) ??
        read({ ...event, positions: null }, "mark", names);
      const price = text === undefined ? undefined : parseNumber(text);
      const side = positionSideOf(position, names);
      return { event, at, market, side, size, price };
    }),
  );
}

const shownRows = new Memo<readonly LiquidationRow[]>();
/** The market that is shown, and its price: it values what has none of its own there. */
let shown = { market: "", price: undefined as Decimal | undefined };

function quoteValue({ market, size, price }: LiquidationRow): Decimal | undefined {
  const worth = price ?? (market === shown.market ? shown.price : undefined);
  return size && worth && multiplyDecimal(size, worth);
}

const positionOf = ({ event, at }: LiquidationRow) => event.positions[at];

export const LIQUIDATIONS_TABLE: Table<LiquidationRow> = {
  name: "liquidations",
  title: "Liquidations",
  channels: ({ market }) => [`market-stats/${market}`],
  columns: [
    time("time", ({ event }) => event.timestamp_ms),
    word("market", ({ market }) => market, { tone: "dim" }),
    side("side", (row) => row.side),
    decimal("size", ({ size }) => size),
    decimal("price", ({ price }) => price),
    amount("value", quoteValue),
    word("type", ({ event }) => event.liquidation_type),
    amount("margin", (row) => parseDecimal(positionOf(row)?.position_margin ?? "")),
    word("mode", (row) => positionOf(row)?.margin_mode, { tone: "dim" }),
    word("account", ({ event }) => `${event.liquidatee}/${event.liquidatee_subaccount}`, {
      tone: "dim",
      isRest: true,
    }),
  ],
  rows(moment, ui) {
    const events = listed.rows(moment, ui);
    const { store } = moment;
    shown = { market: ui.market, price: valuePrice(store, ui.market) };
    return events && shownRows.get([events], () => liquidationRows(events, store));
  },
  id: ({ event, at }) => `${idOfRecord(event)}/${at}`,
  details: ({ event, at }) => [
    ...allFields({ ...event, positions: null }).filter(([name]) => name !== "positions"),
    ...allFields({ ...event.positions[at] }),
  ],
  about: ({ store }, ui) => [marketLabel(store, ui.market), "value at the price of now"],
  ...{ state: listed.state, foot: listed.foot, more: listed.more },
  empty: "no liquidation is listed",
};

export const LIQUIDATIONS = tableView(LIQUIDATIONS_TABLE, "Q", (ui) =>
  ui.market.startsWith("spot/") ? "nothing is liquidated on a spot market" : whenListed(ui),
);
