// The view of all markets.
import { PaneView } from "../PaneView.tsx";
import type { View } from "../view.ts";
import { MarketsModel } from "./markets-model.ts";

/** The view of all markets of the service. */
export const marketsView: View<MarketsModel> = {
  name: "markets",
  title: "Markets",
  action: "showMarkets",
  isThere: () => true,
  createModel: (dashboard) => new MarketsModel(dashboard),
  Component: PaneView,
};
