// The view of the markets that the user watches.
import type { View } from "../view.ts";
import { WatchlistView } from "./WatchlistView.tsx";
import { WatchlistModel } from "./watchlist-model.ts";

export const watchlistView: View<WatchlistModel> = {
  name: "watchlist",
  title: "Watchlist",
  action: "showWatchlist",
  isThere: () => true,
  createModel: (dashboard) => new WatchlistModel(dashboard),
  Component: WatchlistView,
};
