// The pane of the watched markets, or of what to do while there are none.
import { WAITING } from "../../../select/status.ts";
import { SteadyColumns } from "../../../select/steady-columns.ts";
import type { FramedPane } from "../../panes/FramedCanvas.tsx";
import { paintWatchlist } from "../../panes/watchlist.ts";
import type { WatchlistModel } from "./watchlist-model.ts";

/** The longest that fits is shown. */
const EMPTY = [
  "nothing is watched: a in the dashboard or in the list of markets adds one",
  "nothing is watched: a adds a market",
  "nothing is watched",
];

/** The pane of the watched markets. */
export function watchlistPane(model: WatchlistModel): FramedPane {
  const columns = new SteadyColumns();
  return {
    channels: () => model.channels,
    title: () => model.title,
    status: () => model.feeds[0]?.status ?? WAITING,
    isFocused: () => true,
    isAlwaysCurrent: true,
    paint(surface, inner, theme) {
      const { rows, selected } = model;
      const first = model.scrolledTo(Math.max(1, inner.height - 1));
      if (rows.length > 0)
        paintWatchlist({ surface, inner, theme, columns }, rows, selected, first);
      else {
        const words = EMPTY.find((text) => text.length <= inner.width) ?? "";
        surface.text(inner.x, inner.y, words, theme.dim);
      }
    },
  };
}
