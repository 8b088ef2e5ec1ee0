// Every key in one table: the handler, the hints of the status line and the help read it.

/** What a key does. */
export type Action =
  | "quit"
  | "help"
  | "back"
  | "freeze"
  | "interval"
  | "candleSource"
  | "groupingDown"
  | "groupingUp"
  | "minimumUp"
  | "minimumDown"
  | "focusNext"
  | "focusPrevious"
  | "scrollUp"
  | "scrollDown"
  | "scrollPageUp"
  | "scrollPageDown"
  | "scrollHome"
  | "redraw"
  | "suspend"
  | "viewAll"
  | "viewBook"
  | "viewTape"
  | "viewChart";

export interface KeyBinding {
  readonly action: Action;
  /** Names as `keyNames` gives them; the first one is shown. */
  readonly keys: readonly string[];
  /** What it does, in a few words. */
  readonly words: string;
  /** One word for the status line; without it the key is only in the help. */
  readonly hint?: string;
}

export const KEYS: readonly KeyBinding[] = [
  { action: "quit", keys: ["q", "ctrl+c"], words: "leave", hint: "quit" },
  { action: "help", keys: ["?"], words: "show or hide this help", hint: "help" },
  { action: "back", keys: ["escape"], words: "close what is open" },
  { action: "interval", keys: ["i"], words: "next candle interval", hint: "interval" },
  { action: "candleSource", keys: ["m"], words: "candles of last or of mark prices", hint: "mark" },
  { action: "groupingDown", keys: ["["], words: "group the book more finely", hint: "finer" },
  { action: "groupingUp", keys: ["]"], words: "group the book more coarsely", hint: "coarser" },
  { action: "minimumUp", keys: ["+", "="], words: "hide more small trades", hint: "min size" },
  { action: "minimumDown", keys: ["-"], words: "hide fewer small trades" },
  { action: "freeze", keys: ["f", "space"], words: "freeze the screen, and go on", hint: "freeze" },
  { action: "focusNext", keys: ["tab", "right"], words: "next pane", hint: "pane" },
  { action: "focusPrevious", keys: ["shift+tab", "left"], words: "pane before" },
  { action: "scrollUp", keys: ["up", "k"], words: "scroll the focused pane up" },
  { action: "scrollDown", keys: ["down", "j"], words: "scroll the focused pane down" },
  { action: "scrollPageUp", keys: ["pageup"], words: "scroll up by ten" },
  { action: "scrollPageDown", keys: ["pagedown"], words: "scroll down by ten" },
  { action: "scrollHome", keys: ["home", "g"], words: "back to the newest, or to the spread" },
  { action: "viewAll", keys: ["1"], words: "all panes" },
  { action: "viewBook", keys: ["2"], words: "order book alone" },
  { action: "viewTape", keys: ["3"], words: "trades alone" },
  { action: "viewChart", keys: ["4"], words: "chart alone" },
  { action: "redraw", keys: ["ctrl+l"], words: "draw the screen anew" },
  { action: "suspend", keys: ["ctrl+z"], words: "stop, and go on with fg" },
];

const actions = new Map(KEYS.flatMap(({ action, keys }) => keys.map((key) => [key, action])));

/** The action that a key is bound to. */
export function actionOf(key: string): Action | undefined {
  return actions.get(key);
}

/** The part of Ink's key report that is used. */
export interface KeyReport {
  readonly upArrow?: boolean;
  readonly downArrow?: boolean;
  readonly leftArrow?: boolean;
  readonly rightArrow?: boolean;
  readonly pageUp?: boolean;
  readonly pageDown?: boolean;
  readonly home?: boolean;
  readonly end?: boolean;
  readonly return?: boolean;
  readonly escape?: boolean;
  readonly tab?: boolean;
  readonly shift?: boolean;
  readonly ctrl?: boolean;
}

const SPECIAL: readonly (readonly [keyof KeyReport, string])[] = [
  ["upArrow", "up"],
  ["downArrow", "down"],
  ["leftArrow", "left"],
  ["rightArrow", "right"],
  ["pageUp", "pageup"],
  ["pageDown", "pagedown"],
  ["home", "home"],
  ["end", "end"],
  ["return", "return"],
  ["escape", "escape"],
  ["tab", "tab"],
];

/** The names of the keys in one report: several characters may arrive together. Never throws. */
export function keyNames(input: string, report: KeyReport): readonly string[] {
  const special = SPECIAL.find(([name]) => report[name] === true);
  if (special !== undefined) return [report.shift ? `shift+${special[1]}` : special[1]];
  if (report.ctrl) return [`ctrl+${input}`];
  return [...input].map((character) => (character === " " ? "space" : character));
}
