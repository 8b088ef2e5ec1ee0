// The view of the markets that the user watches.
import { PaneView } from "../PaneView.tsx";
import type { View } from "../view.ts";
import { WatchlistModel } from "./watchlist-model.ts";

/** The view of the markets that the user watches. */
export const watchlistView: View<WatchlistModel> = {
  name: "watchlist",
  title: "Watchlist",
  action: "showWatchlist",
  isThere: () => true,
  createModel: (dashboard) => new WatchlistModel(dashboard),
  Component: PaneView,
};
