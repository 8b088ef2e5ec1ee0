// Where keys mean something: a view says which contexts are in force in it.

/** Where a key means something, in the words of the documents: everywhere, or in views and panes that say so. */
export const CONTEXT_WORDS = {
  replay: "A recording",
  past: "While the screen is frozen",
  global: "Everywhere",
  scroll: "Where there is something to scroll",
  panes: "Where there are several panes",
  market: "Dashboard of a market",
  markets: "List of all markets",
  watchlist: "Watchlist",
  table: "Tables",
  record: "One row of a table",
  columns: "Choice of columns",
  account: "View of a subaccount",
  alerts: "List of alerts",
  history: "Views of trades, liquidations and fills",
} as const;

export type KeyContext = keyof typeof CONTEXT_WORDS;
