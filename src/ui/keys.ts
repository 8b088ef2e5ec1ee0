// Every key in one table: the handler, the hints of the status line and the help read it. A key may do different things
// in different contexts; a view says which contexts are in force in it.

/** Where a key means something, in the words of the documents: everywhere, or in views and panes that say so. */
export const CONTEXT_WORDS = {
  replay: "A recording",
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
} as const;

export type KeyContext = keyof typeof CONTEXT_WORDS;

export interface KeyBinding {
  readonly action: string;
  /** Names as `keyNames` gives them; the first one is shown. */
  readonly keys: readonly string[];
  readonly context: KeyContext;
  /** What it does, in a few words. */
  readonly words: string;
  /** One word for the status line; without it the key is only in the help. */
  readonly hint?: string;
}

const TABLE = [
  { action: "quit", keys: ["q", "ctrl+c"], context: "global", words: "leave", hint: "quit" },
  { action: "help", keys: ["?"], context: "global", words: "show or hide this help", hint: "help" },
  { action: "back", keys: ["escape"], context: "global", words: "close what is open" },
  {
    action: "replayPause",
    keys: ["space"],
    context: "replay",
    words: "stop the recording, and go on",
    hint: "pause",
  },
  { action: "replayStep", keys: ["."], context: "replay", words: "one line further", hint: "step" },
  {
    action: "replayBack",
    keys: ["("],
    context: "replay",
    words: "ten seconds back",
    hint: "-10 s",
  },
  {
    action: "replayForward",
    keys: [")"],
    context: "replay",
    words: "ten seconds on",
    hint: "+10 s",
  },
  { action: "replayBackMore", keys: ["{"], context: "replay", words: "two minutes back" },
  { action: "replayForwardMore", keys: ["}"], context: "replay", words: "two minutes on" },
  { action: "replaySlower", keys: [","], context: "replay", words: "play more slowly" },
  { action: "replayFaster", keys: [";"], context: "replay", words: "play faster", hint: "faster" },
  {
    action: "interval",
    keys: ["i"],
    context: "market",
    words: "next candle interval",
    hint: "interval",
  },
  {
    action: "candleSource",
    keys: ["m"],
    context: "market",
    words: "candles of last prices, of mark prices, or both",
    hint: "mark",
  },
  {
    action: "groupingDown",
    keys: ["["],
    context: "market",
    words: "group the book more finely",
    hint: "finer",
  },
  {
    action: "groupingUp",
    keys: ["]"],
    context: "market",
    words: "group the book more coarsely",
    hint: "coarser",
  },
  {
    action: "minimumUp",
    keys: ["+", "="],
    context: "market",
    words: "hide more small trades",
    hint: "min size",
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
  {
    action: "focusPrevious",
    keys: ["shift+tab", "left"],
    context: "panes",
    words: "pane before",
  },
  {
    action: "filter",
    keys: ["/"],
    context: "table",
    words: "filter rows by words",
    hint: "filter",
  },
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
  { action: "watch", keys: ["a"], context: "market", words: "watch the market, or no longer" },
  {
    action: "watch",
    keys: ["a"],
    context: "markets",
    words: "watch the market of the row, or no longer",
    hint: "watch",
  },
  {
    action: "openWatched",
    keys: ["return"],
    context: "watchlist",
    words: "open the market",
    hint: "open",
  },
  {
    action: "watch",
    keys: ["a", "x"],
    context: "watchlist",
    words: "watch the market no longer",
    hint: "remove",
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
  {
    action: "closeRow",
    keys: ["return"],
    context: "record",
    words: "back to the rows",
    hint: "back",
  },
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
  {
    action: "closeColumns",
    keys: ["c"],
    context: "columns",
    words: "back to the rows",
    hint: "back",
  },
  { action: "scrollUp", keys: ["up", "k"], context: "scroll", words: "up by one row" },
  { action: "scrollDown", keys: ["down", "j"], context: "scroll", words: "down by one row" },
  { action: "scrollPageUp", keys: ["pageup"], context: "scroll", words: "up by ten" },
  { action: "scrollPageDown", keys: ["pagedown"], context: "scroll", words: "down by ten" },
  {
    action: "scrollHome",
    keys: ["home", "g"],
    context: "scroll",
    words: "back to the top, the newest, or the spread",
  },
  { action: "layoutAll", keys: ["1"], context: "market", words: "all panes" },
  { action: "layoutBook", keys: ["2"], context: "market", words: "order book alone" },
  { action: "layoutTape", keys: ["3"], context: "market", words: "trades alone" },
  { action: "layoutChart", keys: ["4"], context: "market", words: "chart alone" },
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
  { action: "showMarket", keys: ["D"], context: "global", words: "dashboard of the market" },
  { action: "showMarkets", keys: ["M"], context: "global", words: "all markets" },
  { action: "showWatchlist", keys: ["w"], context: "global", words: "markets that are watched" },
  { action: "showFunding", keys: ["F"], context: "global", words: "funding of the market" },
  { action: "showAccount", keys: ["A"], context: "global", words: "the subaccount" },
  {
    action: "mask",
    keys: ["p"],
    context: "global",
    words: "hide addresses, sizes, balances and profit",
  },
  { action: "showLink", keys: ["L"], context: "global", words: "the link and its channels" },
  { action: "showLog", keys: ["E"], context: "global", words: "the log: what happened lately" },
  {
    action: "palette",
    keys: [":", "ctrl+p"],
    context: "global",
    words: "type a command, a market, a view: find it by a few letters",
    hint: "commands",
  },
  { action: "showAlerts", keys: ["N"], context: "global", words: "all alerts" },
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

/** What a key does. */
export type Action = (typeof TABLE)[number]["action"];

export const KEYS: readonly (KeyBinding & { readonly action: Action })[] = TABLE;
