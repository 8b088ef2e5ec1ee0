// The view of one market.
import type { View } from "../view.ts";
import { MarketView } from "./MarketView.tsx";
import { MarketModel } from "./market-model.ts";

/** The view of the market: there once one is opened, or something stands in its way. */
export const marketView: View<MarketModel> = {
  name: "market",
  title: "Market",
  action: "showMarket",
  isThere: ({ market, notice }) => market !== undefined || notice !== "",
  createModel: (dashboard) => new MarketModel(dashboard),
  Component: MarketView,
};
