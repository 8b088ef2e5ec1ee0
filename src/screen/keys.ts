// All keys in one table, read by the handler, the hints of the status line and the help. A key may do different things in
// different contexts; each view names those in force.

/** Contexts in which keys have a meaning, with their headings in help and documents. */
export const CONTEXT_HEADINGS = {
  timeline: "While the screen is frozen, and in a recording",
  help: "The help",
  global: "Everywhere",
  scroll: "Where there is something to scroll",
  panes: "Where there are several panes",
  market: "Dashboard of a market",
  chart: "Chart or heatmap with a crosshair, or alone",
  markets: "List of all markets",
  table: "Tables",
  record: "One row of a table",
  account: "One subaccount",
  alerts: "List of alerts",
  history: "Views of trades, liquidations and fills",
  fills: "Own fills",
  statement: "Statement of own fills",
} as const;

export type KeyContext = keyof typeof CONTEXT_HEADINGS;

const PANES = ["orderbook", "trades", "candles", "heatmap"] as const;
/** A pane of the market view that has keys of its own. */
export type KeyPane = (typeof PANES)[number];

/** The keys of one action in one context. */
export interface KeyBinding {
  readonly action: string;
  /** Names as `keyNames` returns them; the first is the one shown. Without any, the action is only in the palette. */
  readonly keys: readonly string[];
  readonly context: KeyContext;
  /** Up to a colon, if there is one, its name in the palette. */
  readonly description: string;
  /** A word for the status line; without it the key appears only in the help. */
  readonly hint?: string | undefined;
  /** The pane that the key acts on: its focus shows the hint. */
  readonly of?: KeyPane | undefined;
}

type Row = readonly [
  action: string,
  /** As in `KeyBinding`, separated by spaces. */
  keys: string,
  /** A context, or the market pane that the key acts on. */
  where: KeyContext | KeyPane,
  description: string,
  hint?: string,
];

const TABLE = [
  ["quit", "q", "global", "leave", "quit"],
  ["quitNow", "ctrl+c", "global", "quit at once: whatever is running"],
  ["help", "?", "global", "show or hide this help", "help"],
  ["back", "escape", "global", "close what is open"],
  ["back", "escape", "account", "all subaccounts", "all"],
  ["slower", "_", "timeline", "play a recording more slowly"],
  ["faster", ";", "timeline", "play a recording faster"],
  ["stepBack", ",", "timeline", "one change back", "back"],
  ["stepOn", ".", "timeline", "one change on", "on"],
  ["timeBack", "(", "timeline", "ten seconds back", "-10 s"],
  ["timeOn", ")", "timeline", "ten seconds on", "+10 s"],
  ["timeBackMore", "{", "timeline", "two minutes back"],
  ["timeOnMore", "}", "timeline", "two minutes on"],
  ["interval", "i", "market", "next interval: of the candles; heatmap by 1 s or 10 s", "interval"],
  [
    "candleSource",
    "m",
    "candles",
    "mark price: candles of last prices, of mark prices, or both",
    "mark",
  ],
  [
    "crosshair",
    "r",
    "market",
    "crosshair: one time and one price of the chart or heatmap",
    "crosshair",
  ],
  ["chartBack", "left", "chart", "back in time", "back"],
  ["chartOn", "right", "chart", "on in time", "on"],
  ["groupingDown", "[", "orderbook", "group the book more finely", "finer"],
  ["groupingUp", "]", "orderbook", "group the book more coarsely", "coarser"],
  ["study", "d", "candles", "study: volume, delta or cumulative delta below the candles"],
  ["vwap", "o", "candles", "VWAP: average price of the UTC day"],
  ["profile", "P", "candles", "volume profile: lots by price beside the candles"],
  ["footprint", "u", "candles", "footprint: what was bought and sold at each price of a candle"],
  ["depth", "t", "orderbook", "depth of the book: by all sizes up to a level, or by its own"],
  ["heatmap", "H", "market", "heatmap: what rested in the book over time"],
  [
    "bookChanges",
    "b",
    "orderbook",
    "stacked and pulled: what was put into the book (+) or taken from it (-) lately",
  ],
  [
    "bookTraded",
    "S",
    "orderbook",
    "traded at level: what was sold and bought there, and bars of it",
  ],
  ["minimumUp", "+", "trades", "hide more small trades", "min size"],
  ["minimumDown", "-", "trades", "hide fewer small trades"],
  ["freeze", "f", "global", "freeze: the screen stands still, or goes on", "freeze"],
  ["focusNext", "tab right", "panes", "next pane", "pane"],
  ["focusPrevious", "shift+tab left", "panes", "pane before"],
  ["filter", "/", "help", "find keys by a few letters"],
  ["filter", "/", "table", "filter rows", "filter"],
  ["openRow", "return", "table", "all fields of the row, exactly as received", "row"],
  ["sort", "s", "table", "sort: by the column up, down, not at all", "sort"],
  ["star", "*", "market", "star the market, or take its star away"],
  ["star", "*", "markets", "star the market of the row, or take its star away", "star"],
  ["showRecord", "", "table", "fields of the row: all of them, exactly as received"],
  ["columnNext", "right", "table", "next column"],
  ["columnPrevious", "left", "table", "column before"],
  ["scrollEnd", "end", "table", "last row"],
  ["copyValue", "y", "table", "copy the value: of row and column"],
  ["copyRow", "Y", "table", "copy the row: with tabs"],
  ["copyTable", "", "table", "copy all rows: those found, with their titles"],
  ["copyRow", "y Y", "record", "copy every field of the row, exactly"],
  ["closeRow", "return", "record", "back to rows", "back"],
  ["scrollUp", "up k", "scroll", "up by one row"],
  ["scrollDown", "down j", "scroll", "down by one row"],
  ["scrollPageUp", "pageup", "scroll", "up by a page, or by ten"],
  ["scrollPageDown", "pagedown", "scroll", "down by a page, or by ten"],
  ["scrollHome", "home", "scroll", "back to the top, the newest, or the spread"],
  ["cursor", "c", "market", "cursor in the book: what it costs to fill up to a level", "cost"],
  ["alertHere", "!", "market", "alert here: at the cursor in the book, or the last price"],
  ["amount", "C", "market", "amount: what it costs on both sides of the book", "amount"],
  ["copyValue", "y", "market", "copy the price at the cursor"],
  ["copyRow", "Y", "market", "copy the level at the cursor"],
  ["copyTable", "", "market", "copy the pane: with tabs"],
  ["zoom", "z", "panes", "zoom: the focused pane alone, and back"],
  ["panesAll", "1", "market", "all panes"],
  ["panesBookTrades", "2", "market", "order book and trades"],
  ["panesChartBook", "3", "market", "chart and order book"],
  ["panesHeatmapBook", "4", "market", "heatmap and order book"],
  ["save", "W", "global", "save the last two minutes: and one more as a file; end it"],
  ["showMarket", "D", "global", "dashboard of the market"],
  ["showMarkets", "M", "global", "all markets"],
  ["showFunding", "F", "global", "funding of the market"],
  ["showTrades", "T", "global", "listed trades of the market"],
  ["showLiquidations", "Q", "global", "its liquidations"],
  ["showFills", "O", "global", "own fills, as listed"],
  ["statement", "K", "fills", "sums of the fills by day and market", "statement"],
  ["statement", "K", "statement", "back to the fills", "fills"],
  ["refresh", "", "statement", "newer fills"],
  ["refresh", "", "history", "newer rows"],
  ["jump", "", "history", "go to a time"],
  ["unfold", "", "history", "positions, one a row"],
  ["showAccount", "A", "global", "all subaccounts, and one of them"],
  ["mask", "p", "global", "hide what is private: addresses, sizes, balances and profit"],
  ["timeZone", "Z", "global", "times in UTC, or in your zone"],
  ["showLink", "L", "global", "the link, its channels, and what happened lately"],
  [
    "palette",
    ":",
    "global",
    "type what to do: a command, a market, a view, found by a few letters",
    "palette",
  ],
  ["showAlerts", "N", "global", "all alerts"],
  ["acknowledge", "n", "global", "acknowledge alerts that fired"],
  ["addAlert", "a", "alerts", "add an alert", "add"],
  ["removeAlert", "x", "alerts", "take the alert away", "remove"],
  ["redraw", "ctrl+l", "global", "draw the screen anew"],
  ["suspend", "ctrl+z", "global", "stop, and go on with fg"],
] as const satisfies readonly Row[];

export type Action = (typeof TABLE)[number][0];

/** In the order of the help. */
export const KEYS: readonly (KeyBinding & { readonly action: Action })[] = TABLE.map(
  ([action, keys, where, description, hint]: (typeof TABLE)[number] & Row) => {
    const of = PANES.find((pane) => pane === where);
    const context = of === undefined ? (where as KeyContext) : "market";
    return { action, keys: keys.split(" ").filter(Boolean), context, description, hint, of };
  },
);
