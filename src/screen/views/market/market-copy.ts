// What is copied from the view of a market.
import {
  copiedBook,
  copiedCandles,
  copiedLevel,
  copiedTrades,
  type MarketCopy,
} from "../../../select/copied.ts";
import type { MarketData } from "../../../select/market-data.ts";
import { selectLadder } from "../../../select/orderbook.ts";
import type { Pane } from "../../arrangement.ts";
import type { Action } from "../../keys.ts";
import type { MarketModel } from "./market-model.ts";

const PANES: Readonly<
  Record<Pane, (data: MarketData, how: MarketCopy) => readonly (readonly string[])[]>
> = {
  orderbook: copiedBook,
  trades: copiedTrades,
  candles: copiedCandles,
};

/** By the action of the key. */
export const COPY_ACTIONS: Readonly<Partial<Record<Action, (model: MarketModel) => void>>> = {
  copyValue: (model) => {
    const cells = levelAtCursor(model);
    const [, price = ""] = cells ?? [];
    if (cells !== undefined) model.dashboard.options.clipboard?.copyValue(price);
    model.dashboard.tell();
  },
  copyRow: (model) => {
    const cells = levelAtCursor(model);
    const { clipboard } = model.dashboard.options;
    if (cells !== undefined) clipboard?.copyRows({ rows: [cells], hasTitles: false });
    model.dashboard.tell();
  },
  copyTable: (model) => {
    const { data, settings } = model;
    const rows = data === undefined ? [] : PANES[settings.focus](data, model);
    model.dashboard.options.clipboard?.copyRows({ rows, hasTitles: true });
    model.dashboard.tell();
  },
};

/** Says why there is none. */
function levelAtCursor({
  cursor: { level },
  data,
  grouping,
  dashboard,
}: MarketModel): readonly string[] | undefined {
  const { clipboard } = dashboard.options;
  if (level === undefined || data === undefined) {
    clipboard?.say("nothing to copy: the book has no cursor");
    return undefined;
  }
  const ladder = selectLadder(data.depth(Number.POSITIVE_INFINITY), {
    grouping,
    rows: Number.POSITIVE_INFINITY,
    scale: data.scale.scale,
  });
  const rows = level.side === "bid" ? ladder.bids : ladder.asks;
  const row = rows.find(({ priceTicks }) => priceTicks === level.priceTicks);
  if (row === undefined) clipboard?.say("nothing to copy: the level is gone");
  return row && copiedLevel(level.side, row);
}
