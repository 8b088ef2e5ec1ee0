// The three history views.
import type { Action } from "../../keys.ts";
import { PaneView } from "../../panes/frame.tsx";
import { ACCOUNT_MISSING, type View } from "../view.ts";
import { FILLS, type HistoryKind, LIQUIDATIONS, TRADES } from "./listings.ts";
import { HistoryModel } from "./model.ts";

function historyView(name: string, action: Action, kind: HistoryKind): View<HistoryModel> {
  return {
    name,
    title: kind.title,
    action,
    isOfListings: true,
    isThere: (parts) =>
      parts.listings.feed !== undefined &&
      (kind.subject(parts) ?? kind.missing?.(parts)) !== undefined,
    ...(kind === FILLS ? { missing: ACCOUNT_MISSING } : {}),
    createModel: (parts) => new HistoryModel(parts, kind),
    Component: PaneView,
  };
}

/** The listed trades of the market. */
export const tradesView = historyView("trades", "showTrades", TRADES);
/** The listed liquidations of the market. */
export const liquidationsView = historyView("liquidations", "showLiquidations", LIQUIDATIONS);
/** The listed fills of the owner who is named. */
export const fillsView = historyView("fills", "showFills", FILLS);
