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

/** The name of a context, as keys are bound in it. */
export type KeyContext = keyof typeof CONTEXT_WORDS;

/** In force over every other context. */
const OVER_ALL: readonly KeyContext[] = ["global", "scroll", "panes", "replay", "past"];

const TABLE_FACES: readonly KeyContext[] = ["table", "record", "columns"];

/** What a view's own context is in force together with, besides those over all: the faces of its table. */
const TOGETHER: Readonly<Partial<Record<KeyContext, readonly KeyContext[]>>> = {
  markets: TABLE_FACES,
  account: TABLE_FACES,
  alerts: ["table"],
  history: ["table"],
};

/** True when there is a place where both contexts are in force; a recording has no past to go back to. Never throws. */
export function doMeet(a: KeyContext, b: KeyContext): boolean {
  if (a === b) return true;
  const isOver = OVER_ALL.includes(a) || OVER_ALL.includes(b);
  const areReplayAndPast = [a, b].includes("replay") && [a, b].includes("past");
  const isTogether = TOGETHER[a]?.includes(b) === true || TOGETHER[b]?.includes(a) === true;
  return (isOver && !areReplayAndPast) || isTogether;
}
