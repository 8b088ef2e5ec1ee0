// The views of the dashboard, in the order of their tabs. How to add one: docs/architecture.md.
import { accountView } from "./account/account.ts";
import { alertsView } from "./alerts/alerts.ts";
import { fundingView } from "./funding/funding.ts";
import { fillsView, liquidationsView, tradesView } from "./history/history.ts";
import { linkView } from "./link/link.ts";
import { logView } from "./log/log.ts";
import { marketView } from "./market/market.ts";
import { marketsView } from "./markets/markets.ts";
import type { View } from "./view.ts";
import { watchlistView } from "./watchlist/watchlist.ts";

/** Every view, in the order of the tabs; no name twice. */
export const VIEWS: readonly View[] = [
  marketView,
  accountView,
  marketsView,
  watchlistView,
  fundingView,
  tradesView,
  liquidationsView,
  fillsView,
  alertsView,
  linkView,
  logView,
];
