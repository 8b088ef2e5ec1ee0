// The view of a market's funding rates.
import type { View } from "../view.ts";
import { FundingView } from "./FundingView.tsx";
import { FundingModel } from "./funding-model.ts";

/** The view of a market's funding rates: there for perpetuals. */
export const fundingView: View<FundingModel> = {
  name: "funding",
  title: "Funding",
  action: "showFunding",
  isThere: ({ market }) => market?.type === "perp",
  createModel: (dashboard) => new FundingModel(dashboard),
  Component: FundingView,
};
