// The view of all markets.
import type { View } from "../view.ts";
import { MarketsView } from "./MarketsView.tsx";
import { MarketsModel } from "./markets-model.ts";

export const marketsView: View<MarketsModel> = {
  name: "markets",
  title: "Markets",
  action: "showMarkets",
  isThere: () => true,
  createModel: (dashboard) => new MarketsModel(dashboard),
  Component: MarketsView,
};
