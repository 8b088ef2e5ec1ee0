// The user's choices for the panes, persisted between runs.
import type { PersistedState } from "../../config/persisted-state.ts";
import type { DashboardOptions } from "../../screen/dashboard.ts";
import { readLayouts } from "../../screen/palette/layouts.ts";
import {
  readBookChoices,
  readChartChoices,
  writeBookChoices,
} from "../../screen/views/market/choices.ts";
import { readArrangement } from "../../screen/views/market/panes.ts";

const LAYOUT = "layout";
const LAYOUTS = "layouts";
/** Grouping of the book for each market, and its columns. */
const BOOK = "book";
const CHART = "chart";

/** @param persisted undefined if nothing persists */
export function getPersistedChoices(persisted: PersistedState | undefined) {
  return {
    arrangement: readArrangement(persisted?.get(LAYOUT)),
    onArrange: (arrangement) => persisted?.set(LAYOUT, arrangement),
    layouts: readLayouts(persisted?.get(LAYOUTS)),
    onLayouts: (layouts) => persisted?.set(LAYOUTS, Object.fromEntries(layouts)),
    book: readBookChoices(persisted?.get(BOOK)),
    onBook: (book) => persisted?.set(BOOK, writeBookChoices(book)),
    chart: readChartChoices(persisted?.get(CHART)),
    onChart: (chart) => persisted?.set(CHART, chart),
  } satisfies Partial<DashboardOptions>;
}
