// Every key in one table: the handler, the hints of the status line and the help read it. A key may do different things
// in different contexts; a view says which contexts are in force in it.

/** Where a key means something, in the words of the documents: everywhere, or in views and panes that say so. */
export const CONTEXT_WORDS = {
  selection: "While cells are selected with the mouse",
  timeline: "While the screen is frozen, and in a recording",
  help: "The help",
  global: "Everywhere",
  scroll: "Where there is something to scroll",
  panes: "Where there are several panes",
  market: "Dashboard of a market",
  chart: "Chart with a crosshair, or alone",
  markets: "List of all markets, and the watchlist",
  grid: "Grid of watched markets",
  table: "Tables",
  record: "One row of a table",
  columns: "Choice of columns",
  account: "View of a subaccount",
  alerts: "List of alerts",
  history: "Views of trades, liquidations and fills",
} as const;

export type KeyContext = keyof typeof CONTEXT_WORDS;

const OVER_ALL: readonly KeyContext[] = ["global", "scroll", "panes", "timeline", "selection"];

const TABLE_FACES: readonly KeyContext[] = ["table", "record", "columns"];

/** What a view's own context is in force together with, besides those over all: the faces of its table. */
const TOGETHER: Readonly<Partial<Record<KeyContext, readonly KeyContext[]>>> = {
  chart: ["market"],
  markets: TABLE_FACES,
  account: TABLE_FACES,
  alerts: ["table"],
  history: ["table"],
};

/** True when there is a place where both contexts are in force. */
export function doMeet(a: KeyContext, b: KeyContext): boolean {
  if (a === b) return true;
  const isOver = OVER_ALL.includes(a) || OVER_ALL.includes(b);
  const isTogether = TOGETHER[a]?.includes(b) === true || TOGETHER[b]?.includes(a) === true;
  return isOver || isTogether;
}

const ACCOUNT_KEYS = [
  { action: "accountAll", keys: ["1"], context: "account", words: "several panes" },
  { action: "accountPositions", keys: ["2"], context: "account", words: "positions alone" },
  { action: "accountOrders", keys: ["3"], context: "account", words: "orders alone" },
  { action: "accountFills", keys: ["4"], context: "account", words: "fills alone" },
  { action: "accountPayments", keys: ["5"], context: "account", words: "funding payments alone" },
  { action: "accountBalances", keys: ["6"], context: "account", words: "balances alone" },
  {
    action: "accountSubaccounts",
    keys: ["7"],
    context: "account",
    words: "subaccounts of the address; Enter watches one",
  },
  {
    action: "accountDelegations",
    keys: ["8"],
    context: "account",
    words: "who else may act for the address",
  },
  { action: "accountSummary", keys: ["9"], context: "account", words: "summary of the subaccount" },
  { action: "accountLeverages", keys: ["0"], context: "account", words: "leverages alone" },
] as const satisfies readonly KeyBinding[];

/** What some keys mean in one context. */
export interface KeyBinding {
  readonly action: string;
  /** Names as `keyNames` gives them; the first one is shown. */
  readonly keys: readonly string[];
  readonly context: KeyContext;
  readonly words: string;
  /** One word for the status line; without it the key is only in the help. */
  readonly hint?: string;
  /** The hint is only for the pane of this name. */
  readonly of?: string;
}

const TABLE = [
  { action: "quit", keys: ["q"], context: "global", words: "leave", hint: "quit" },
  { action: "quitNow", keys: ["ctrl+c"], context: "global", words: "leave, whatever runs" },
  { action: "help", keys: ["?"], context: "global", words: "show or hide this help", hint: "help" },
  { action: "back", keys: ["escape"], context: "global", words: "close what is open" },
  {
    action: "copySelection",
    keys: ["y"],
    context: "selection",
    words: "copy what is selected: rows of a table exactly",
    hint: "copy",
  },
  {
    action: "dropSelection",
    keys: ["escape"],
    context: "selection",
    words: "select nothing",
  },
  { action: "slower", keys: ["_"], context: "timeline", words: "play a recording more slowly" },
  { action: "faster", keys: [";"], context: "timeline", words: "play a recording faster" },
  {
    action: "stepBack",
    keys: [","],
    context: "timeline",
    words: "one change back",
    hint: "back",
  },
  { action: "stepOn", keys: ["."], context: "timeline", words: "one change on", hint: "on" },
  {
    action: "timeBack",
    keys: ["("],
    context: "timeline",
    words: "ten seconds back",
    hint: "-10 s",
  },
  { action: "timeOn", keys: [")"], context: "timeline", words: "ten seconds on", hint: "+10 s" },
  { action: "timeBackMore", keys: ["{"], context: "timeline", words: "two minutes back" },
  { action: "timeOnMore", keys: ["}"], context: "timeline", words: "two minutes on" },
  { action: "interval", keys: ["i"], context: "market", words: "next interval", hint: "interval" },
  {
    action: "candleSource",
    keys: ["m"],
    context: "market",
    words: "candles of last prices, of mark prices, or both",
    hint: "mark",
    of: "candles",
  },
  {
    action: "crosshair",
    keys: ["r"],
    context: "market",
    words: "crosshair on the chart: reads one candle and one price",
    hint: "crosshair",
  },
  { action: "chartBack", keys: ["left"], context: "chart", words: "back in time", hint: "back" },
  { action: "chartOn", keys: ["right"], context: "chart", words: "on in time", hint: "on" },
  {
    action: "groupingDown",
    keys: ["["],
    context: "market",
    words: "group the book more finely",
    hint: "finer",
    of: "orderbook",
  },
  {
    action: "groupingUp",
    keys: ["]"],
    context: "market",
    words: "group the book more coarsely",
    hint: "coarser",
    of: "orderbook",
  },
  {
    action: "depth",
    keys: ["d"],
    context: "market",
    words: "depth of the book by all sizes up to a level, or by its own",
  },
  {
    action: "bookChanges",
    keys: ["b"],
    context: "market",
    words: "column of the book: what was stacked (+) or pulled (-) in the last seconds",
  },
  {
    action: "minimumUp",
    keys: ["+", "="],
    context: "market",
    words: "hide more small trades",
    hint: "min size",
    of: "trades",
  },
  { action: "minimumDown", keys: ["-"], context: "market", words: "hide fewer small trades" },
  {
    action: "freeze",
    keys: ["f", "space"],
    context: "global",
    words: "freeze the screen, and go on",
    hint: "freeze",
  },
  {
    action: "focusNext",
    keys: ["tab", "right"],
    context: "panes",
    words: "next pane",
    hint: "pane",
  },
  { action: "focusPrevious", keys: ["shift+tab", "left"], context: "panes", words: "pane before" },
  { action: "filter", keys: ["/"], context: "help", words: "find keys by a few letters" },
  { action: "filter", keys: ["/"], context: "table", words: "filter rows", hint: "filter" },
  {
    action: "openRow",
    keys: ["return"],
    context: "table",
    words: "all of a row, exactly as it came",
    hint: "row",
  },
  {
    action: "sort",
    keys: ["s"],
    context: "table",
    words: "sort by the column: up, down, not at all",
    hint: "sort",
  },
  {
    action: "watch",
    keys: ["a"],
    context: "market",
    words: "add the market to the watchlist, or remove it",
  },
  {
    action: "watch",
    keys: ["a"],
    context: "markets",
    words: "add the market of the row to the watchlist, or remove it",
    hint: "watchlist",
  },
  { action: "showRecord", keys: ["e"], context: "table", words: "every field of the row, exactly" },
  { action: "columnNext", keys: ["right", "l"], context: "table", words: "next column" },
  { action: "columnPrevious", keys: ["left", "h"], context: "table", words: "column before" },
  {
    action: "chooseColumns",
    keys: ["c"],
    context: "table",
    words: "choose and order columns",
    hint: "columns",
  },
  { action: "hideColumn", keys: ["x"], context: "table", words: "hide the column" },
  { action: "columnLater", keys: [">"], context: "table", words: "move the column to the right" },
  { action: "columnEarlier", keys: ["<"], context: "table", words: "move the column to the left" },
  { action: "scrollEnd", keys: ["end", "G"], context: "table", words: "last row" },
  { action: "copyValue", keys: ["y"], context: "table", words: "copy the value of row and column" },
  { action: "copyRow", keys: ["Y"], context: "table", words: "copy the row, with tabs" },
  {
    action: "copyTable",
    keys: ["ctrl+y"],
    context: "table",
    words: "copy all rows that are found, with their titles",
  },
  {
    action: "copyRow",
    keys: ["y", "Y"],
    context: "record",
    words: "copy every field of the row, exactly",
  },
  { action: "closeRow", keys: ["return"], context: "record", words: "back to rows", hint: "back" },
  {
    action: "toggleColumn",
    keys: ["space", "return", "x"],
    context: "columns",
    words: "show or hide the column",
    hint: "show/hide",
  },
  { action: "columnLater", keys: [">"], context: "columns", words: "move the column down" },
  { action: "columnEarlier", keys: ["<"], context: "columns", words: "move the column up" },
  { action: "resetColumns", keys: ["r"], context: "columns", words: "all columns, as found" },
  { action: "closeColumns", keys: ["c"], context: "columns", words: "back to rows", hint: "back" },
  { action: "scrollUp", keys: ["up", "k"], context: "scroll", words: "up by one row" },
  { action: "scrollDown", keys: ["down", "j"], context: "scroll", words: "down by one row" },
  { action: "scrollPageUp", keys: ["pageup"], context: "scroll", words: "up by a page, or by ten" },
  {
    action: "scrollPageDown",
    keys: ["pagedown"],
    context: "scroll",
    words: "down by a page, or by ten",
  },
  {
    action: "scrollHome",
    keys: ["home", "g"],
    context: "scroll",
    words: "back to the top, the newest, or the spread",
  },
  {
    action: "cursor",
    keys: ["c"],
    context: "market",
    words: "cursor in the book: what it costs to fill up to a level",
    hint: "cost",
  },
  {
    action: "amount",
    keys: ["C"],
    context: "market",
    words: "type an amount: what it costs on both sides of the book",
    hint: "amount",
  },
  { action: "copyValue", keys: ["y"], context: "market", words: "copy the price at the cursor" },
  { action: "copyRow", keys: ["Y"], context: "market", words: "copy the level at the cursor" },
  {
    action: "copyTable",
    keys: ["ctrl+y"],
    context: "market",
    words: "copy the focused pane: book, trades or candles, with tabs",
  },
  { action: "zoom", keys: ["z"], context: "market", words: "the focused pane alone, and back" },
  { action: "hidePane", keys: ["x"], context: "market", words: "hide the focused pane" },
  { action: "paneLarger", keys: [">"], context: "market", words: "focused pane larger" },
  { action: "paneSmaller", keys: ["<"], context: "market", words: "focused pane smaller" },
  { action: "layoutAll", keys: ["1"], context: "market", words: "all panes" },
  { action: "layoutBook", keys: ["2"], context: "market", words: "order book alone" },
  { action: "layoutTape", keys: ["3"], context: "market", words: "trades alone" },
  { action: "layoutChart", keys: ["4"], context: "market", words: "chart alone" },
  { action: "layoutBookTape", keys: ["5"], context: "market", words: "order book and trades" },
  { action: "layoutChartBook", keys: ["6"], context: "market", words: "chart and order book" },
  { action: "layoutChartTape", keys: ["7"], context: "market", words: "chart and trades" },
  {
    action: "layoutReset",
    keys: ["0"],
    context: "market",
    words: "all panes, in their usual size",
  },
  ...ACCOUNT_KEYS,
  { action: "showMarket", keys: ["D"], context: "global", words: "dashboard of the market" },
  { action: "showMarkets", keys: ["M"], context: "global", words: "all markets" },
  { action: "showWatchlist", keys: ["w"], context: "global", words: "markets that are watched" },
  { action: "showGrid", keys: ["B"], context: "global", words: "small charts of watched markets" },
  {
    action: "openCell",
    keys: ["return"],
    context: "grid",
    words: "open the market of the cell",
    hint: "open",
  },
  { action: "showFunding", keys: ["F"], context: "global", words: "funding of the market" },
  { action: "showTrades", keys: ["T"], context: "global", words: "listed trades of the market" },
  { action: "showLiquidations", keys: ["Q"], context: "global", words: "its liquidations" },
  { action: "showFills", keys: ["O"], context: "global", words: "own fills, as listed" },
  { action: "refresh", keys: ["r"], context: "history", words: "newer rows", hint: "newer" },
  { action: "jump", keys: ["t"], context: "history", words: "go to a time", hint: "time" },
  { action: "unfold", keys: ["u"], context: "history", words: "positions, one a row" },
  {
    action: "export",
    keys: ["X"],
    context: "history",
    words: "all that is listed, or what the filter finds, to a file",
    hint: "export",
  },
  { action: "showAccount", keys: ["A"], context: "global", words: "the subaccount" },
  { action: "showAccount", keys: ["8"], context: "market", words: "the subaccount" },
  { action: "showWatchlist", keys: ["9"], context: "market", words: "markets that are watched" },
  {
    action: "mask",
    keys: ["p"],
    context: "global",
    words: "hide addresses, sizes, balances and profit",
  },
  {
    action: "timeZone",
    keys: ["Z"],
    context: "global",
    words: "times in UTC, or in your zone",
  },
  { action: "showLink", keys: ["L"], context: "global", words: "the link and its channels" },
  { action: "showLog", keys: ["E"], context: "global", words: "the log: what happened lately" },
  {
    action: "palette",
    keys: [":", "ctrl+p"],
    context: "global",
    words: "type a command, a market, a view: find it by a few letters",
    hint: "palette",
  },
  { action: "showAlerts", keys: ["N"], context: "global", words: "all alerts" },
  {
    action: "acknowledge",
    keys: ["n"],
    context: "global",
    words: "what an alert has said is read",
  },
  {
    action: "removeAlert",
    keys: ["d"],
    context: "alerts",
    words: "take the alert away",
    hint: "remove",
  },
  { action: "viewNext", keys: ["v"], context: "global", words: "next view" },
  { action: "viewPrevious", keys: ["V"], context: "global", words: "view before" },
  { action: "redraw", keys: ["ctrl+l"], context: "global", words: "draw the screen anew" },
  { action: "suspend", keys: ["ctrl+z"], context: "global", words: "stop, and go on with fg" },
] as const satisfies readonly KeyBinding[];

export type Action = (typeof TABLE)[number]["action"];

/** The usual keys, in the order of the help. */
export const KEYS: readonly (KeyBinding & { readonly action: Action })[] = TABLE;
