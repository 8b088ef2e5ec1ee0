// The user's choices for book and chart, persisted between runs.
import type { PersistedState } from "../../config/persisted-state.ts";
import type { DashboardOptions } from "../../screen/dashboard.ts";
import {
  readBookChoices,
  readChartChoices,
  writeBookChoices,
} from "../../screen/views/market/choices.ts";

/** Grouping of the book for each market, and its columns. */
const BOOK = "book";
const CHART = "chart";

/** @param persisted undefined if nothing persists */
export function getPersistedChoices(persisted: PersistedState | undefined) {
  return {
    book: readBookChoices(persisted?.get(BOOK)),
    onBook: (book) => persisted?.set(BOOK, writeBookChoices(book)),
    chart: readChartChoices(persisted?.get(CHART)),
    onChart: (chart) => persisted?.set(CHART, chart),
  } satisfies Partial<DashboardOptions>;
}
