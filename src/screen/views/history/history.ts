// The three history views.
import { cutText } from "../../../terminal/cells/text-cells.ts";
import { visible } from "../../../terminal/visible.ts";
import type { Action } from "../../keys.ts";
import { type FramedPane, PaneView, tableFrame } from "../../panes/frame.tsx";
import type { View } from "../view.ts";
import { FILLS, type HistoryKind, LIQUIDATIONS, TRADES } from "./listings.ts";
import { HistoryModel } from "./model.ts";

/** The pane of a listing. */
export function historyPane(model: HistoryModel): FramedPane {
  const frame = tableFrame(model);
  return {
    ...frame,
    isFreezable: false,
    paint(surface, inner, theme) {
      const foot = model.foot(inner.width);
      const lines = foot === "" || inner.height < 3 ? 0 : 1;
      const height = inner.height - lines;
      frame.paint(surface, { ...inner, height }, theme);
      if (lines === 0) return;
      const text = cutText(visible(foot), inner.width);
      surface.text(inner.x, inner.y + height, text, theme.key);
    },
  };
}

function historyView(name: string, action: Action, kind: HistoryKind): View<HistoryModel> {
  return {
    name,
    title: kind.title,
    action,
    isOfListings: true,
    isThere: (dashboard) =>
      dashboard.histories.supply !== undefined && kind.subject(dashboard) !== undefined,
    createModel: (dashboard) => new HistoryModel(dashboard, kind),
    Component: PaneView,
  };
}

/** The listed trades of the market. */
export const tradesView = historyView("trades", "showTrades", TRADES);
/** The listed liquidations of the market. */
export const liquidationsView = historyView("liquidations", "showLiquidations", LIQUIDATIONS);
/** The listed fills of the owner who is named. */
export const fillsView = historyView("fills", "showFills", FILLS);
