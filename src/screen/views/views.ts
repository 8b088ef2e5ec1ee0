// The views of the dashboard, in the order of their tabs. How to add one: docs/architecture.md.
import { accountView } from "./account/account.tsx";
import { alertsView } from "./alerts.ts";
import { fundingView } from "./funding.tsx";
import { fillsView, liquidationsView, tradesView } from "./history/model.ts";
import { linkView } from "./link.tsx";
import { marketView } from "./market/market.tsx";
import { marketsView } from "./markets/markets.ts";
import type { View } from "./view.ts";

export const VIEWS: readonly View[] = [
  marketView,
  accountView,
  marketsView,
  fundingView,
  tradesView,
  liquidationsView,
  fillsView,
  alertsView,
  linkView,
];
