// What each entry of the table of keys leads to, as its user sees it. A key without an entry here is an error.
import type { Action, KeyContext } from "../../src/screen/keys.ts";
import { marketView } from "../../src/screen/views/market/market.tsx";
import { marketsView } from "../../src/screen/views/markets/markets.ts";
import type { KeyScene } from "../support/key-scene.ts";

/** Text of the screen, and what was asked of the world. */
export interface Seen extends KeyScene {
  readonly screen: string;
}

export interface Effect {
  /** Keys that are pressed before, in the view of a market. */
  readonly first?: readonly string[];
  /** In a recording, not in a live session. */
  readonly inRecording?: true;
  /** What of it all the key changes; the screen without it. */
  readonly of?: (seen: Seen) => string;
  /** Is not there before the key, and is there after it; or the other way round. */
  readonly shows?: RegExp | string;
  readonly hides?: RegExp | string;
}

type Effects = Readonly<Partial<Record<Action, Effect>>>;

const log = ({ log: lines }: Seen) => lines.join("\n");
/** Titles of the panes that are on the screen. */
const panes = ({ screen }: Seen) =>
  [...screen.matchAll(/╭─ (\w+)/g)]
    .map(([, title = ""]) => title)
    .sort()
    .join(" ");
const focus = ({ dashboard }: Seen) => dashboard.modelOf(marketView).choices.focus;
/** How far back it is, in candles of a minute. */
const crosshair = ({ dashboard }: Seen) => {
  const { choices, data } = dashboard.modelOf(marketView);
  const newestMs = data?.candles.candles.at(-1)?.open_time_ms ?? 0;
  return `${(newestMs - (choices.crosshair?.openTimeMs ?? 0)) / 60_000} back`;
};
const marketColumn = ({ dashboard }: Seen) =>
  dashboard.modelOf(marketsView).pane.table.column ?? "";
const watched = ({ dashboard }: Seen) =>
  dashboard.watchlist.markets.map(({ id }) => `market ${id}`).join(", ");

const view = (title: string, ...first: string[]): Effect => ({
  of: panes,
  first,
  shows: new RegExp(`^${title}`),
});
const alone = (title: string): Effect => ({ of: panes, shows: new RegExp(`^${title}$`) });
/** Rows of the listed trades: the newest has the second 30. */
const onTrades = (...keys: string[]) => ["T", ...keys];
const onMarkets = (...keys: string[]) => ["M", ...keys];
const row = (coin: number) => new RegExp(`▸. {3}COIN${coin} `);

const GLOBAL: Effects = {
  quit: { of: log, shows: "quit" },
  quitNow: { of: log, shows: "quit" },
  acknowledge: {
    of: ({ dashboard }) => `firings ${dashboard.alerts?.firings.length}`,
    hides: "firings 1",
  },
  help: { shows: "show or hide this help" },
  back: { first: ["?"], hides: "show or hide this help" },
  freeze: { shows: "FROZEN" },
  showMarket: view("Candles", "M"),
  showMarkets: view("Markets"),
  showFunding: { shows: "Funding COIN1" },
  showTrades: view("Trades$"),
  showLiquidations: view("Liquidations"),
  showFills: view("Fills"),
  showAccount: { shows: "1000.50" },
  timeZone: { shows: "UTC" },
  mask: { first: ["A"], hides: "1000.50" },
  showLink: view("Link"),
  palette: { shows: /^: ▏/m },
  save: { of: log, shows: "saved the last minutes" },
  showAlerts: view("Alerts"),
  redraw: { of: log, shows: "redraw" },
  suspend: { of: log, shows: "suspend" },
};

const SCROLL: Effects = {
  scrollUp: { first: onMarkets("down", "down"), shows: row(2) },
  scrollDown: { first: onMarkets(), shows: row(2) },
  scrollPageUp: { first: onMarkets("end"), hides: row(50) },
  scrollPageDown: { first: onMarkets(), hides: row(1) },
  scrollHome: { first: onMarkets("end"), shows: row(1) },
};

const PANES: Effects = {
  zoom: alone("Order"),
  focusNext: { of: focus, first: ["shift+tab"], shows: "orderbook" },
  focusPrevious: { of: focus, first: ["tab"], shows: "orderbook" },
};

/** Before the values of its candle. */
const crosshairTime = /│ \d\d:\d\d O /;

const CHART: Effects = {
  chartBack: { first: ["r"], of: crosshair, hides: /^0 / },
  chartOn: { first: ["r", "left"], of: crosshair, shows: /^0 / },
};

const MARKET: Effects = {
  interval: { shows: "Candles 5m" },
  candleSource: { shows: "Candles 1m mark" },
  groupingDown: { first: ["]", "]"], shows: "▸2 " },
  groupingUp: { shows: "▸2 " },
  bookChanges: { shows: "±5s" },
  bookTraded: { shows: /size +sold +bought/ },
  footprint: { shows: "footprint" },
  study: { shows: / delta since/ },
  vwap: { shows: "VWAP" },
  profile: { shows: /profile|POC/ },
  heatmap: { of: panes, shows: "Heatmap" },
  depth: { of: ({ dashboard }) => dashboard.modelOf(marketView).choices.book.depth, shows: "size" },
  minimumUp: { shows: "Trades  ≥ " },
  minimumDown: { first: ["+"], hides: "Trades  ≥ " },
  star: { shows: "★" },
  crosshair: { shows: crosshairTime },
  cursor: { shows: /▸ +1999/ },
  alertHere: { shows: /^: alert perp\/1 last > 2059 ticks▏/m },
  amount: { shows: "amount ▏" },
  copyValue: { first: ["c"], of: log, shows: /copied 1999$/ },
  copyRow: { first: ["c"], of: log, shows: /copied bid\t1999\t10/ },
  copyTable: { of: log, shows: /copied side\tprice.*\n.*\t2060\t/ },
  panesAll: { of: panes, first: ["2"], shows: "Candles Order Trades" },
  panesBookTrades: alone("Order Trades"),
  panesChartBook: alone("Candles Order"),
  panesHeatmapBook: alone("Heatmap Order"),
};

const TABLE: Effects = {
  filter: { first: onMarkets(), shows: /\/.*▏/ },
  openRow: { first: onTrades(), shows: "tx_hash" },
  sort: { first: onMarkets(), shows: /by .*▲/ },
  showRecord: { first: onMarkets(), shows: "last_price" },
  columnNext: { first: onMarkets(), of: marketColumn, hides: /^Market$/ },
  columnPrevious: { first: onMarkets("right"), of: marketColumn, shows: /^Market$/ },
  scrollEnd: { first: onMarkets(), shows: row(50) },
  copyValue: { first: onMarkets(), of: log, shows: /copied COIN1$/ },
  copyRow: { first: onMarkets(), of: log, shows: /copied COIN1\t/ },
  copyTable: { first: onMarkets(), of: log, shows: /copied .*\nCOIN1\t(?:.*\n){49}/ },
};

const RECORD: Effects = {
  copyRow: { first: onTrades("return"), of: log, shows: /copied (?:.*\n)*tx_hash\t0xabc/ },
  closeRow: { first: onTrades("return"), hides: "tx_hash" },
};

const ACCOUNT: Effects = {
  back: { first: ["A"], shows: "Subaccounts 1" },
};

const HISTORY: Effects = {
  refresh: { first: onTrades(), of: log, shows: /(?:.*newest rows\n?){3}/ },
  jump: { first: onTrades(), shows: "time ▏" },
  unfold: { first: ["Q"], shows: "Liquidations COIN1 60" },
};

const FILLS: Effects = {
  statement: { first: ["O"], of: panes, shows: "Statement" },
};

const STATEMENT: Effects = {
  statement: { first: ["O", "K"], of: panes, shows: "Fills" },
  refresh: { first: ["O", "K"], of: log, shows: /all fills\n(?:.*\n)*.*all fills/ },
};

/** In the past of a frozen screen. */
const TIMELINE: Effects = {
  stepBack: { first: ["f"], shows: "PAST -1.0s" },
  stepOn: { first: ["f", "("], shows: "PAST -9.0s" },
  timeBack: { first: ["f"], shows: "PAST -10s" },
  timeOn: { first: ["f", "{"], shows: "PAST -1m50s" },
  timeBackMore: { first: ["f"], shows: "PAST -2m00s" },
  timeOnMore: { first: ["f", "{", "{"], shows: "PAST -2m00s" },
  slower: { inRecording: true, shows: "×0.5" },
  faster: { inRecording: true, shows: "×2" },
};

/** In a recording the keys of the timeline, and of the freeze, mean the same. */
export const IN_RECORDING: Effects = {
  freeze: { shows: "‖" },
  stepBack: { shows: "‖" },
  stepOn: { shows: "‖" },
  timeBack: { first: [")", ")"], shows: "08:59:50" },
  timeOn: { shows: "08:59:50" },
  timeBackMore: { first: ["}", "}"], shows: "08:58:00" },
  timeOnMore: { shows: "08:58:00" },
};

export const EFFECTS: Readonly<Record<KeyContext, Effects>> = {
  global: GLOBAL,
  help: { filter: { first: ["?"], shows: "/▏" } },
  scroll: SCROLL,
  panes: PANES,
  market: MARKET,
  chart: CHART,
  markets: { star: { first: onMarkets("down"), of: watched, shows: "market 2" } },
  table: TABLE,
  record: RECORD,
  account: ACCOUNT,
  alerts: {
    addAlert: { first: ["N"], shows: /^: alert ▏/m },
    removeAlert: { first: ["N"], hides: "last > 2500" },
  },
  history: HISTORY,
  fills: FILLS,
  statement: STATEMENT,
  timeline: TIMELINE,
};
