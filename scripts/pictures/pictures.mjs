// The pictures of the documents: arguments, keys to press, and what the screen must show.
import { join } from "node:path";
import { root } from "../setup.mjs";

const SCENARIO = join(root, "scripts", "pictures", "scenario.json");
const LARGE = { columns: 120, rows: 40 };
const MIDDLE = { columns: 100, rows: 30 };
const SMALL = { columns: 80, rows: 24 };

const demo = ["demo", "--seed", "7", "--scenario", SCENARIO];
/** A history that fills the chart. */
const filled = [...demo, "--history", "25000"];
/** Order flow is summed from a quarter of an hour before the fixed start. */
const flowing = [...filled, "--since", "2026-01-05T14:15:00Z"];
const LIVE = / Order book .*● live /;
const CHART = /[2-9]\d from trades/;
/** The status line reports no missing data. */
const ALL_CAME = /^ ● (?:all live|live, \d+ quiet) /m;
const WHOLE = [LIVE, / Trades ─+ ● live /];

/** Views opened from the dashboard by a key, and what they show once their data has arrived. */
const VIEWS = [
  [
    "account",
    "A",
    "one subaccount",
    [/ Positions \d+ .*live/, / Orders \d+ .*live/, / Fills \d.*live/, ALL_CAME],
  ],
  ["subaccounts", "A\u001b", "all subaccounts of an address", [/ Subaccounts 3 /, / 2 of 3 live /]],
  ["markets", "M", "all markets", [/ETH-PERP +3,/, /BTC\/USDC +9\d,/, ALL_CAME]],
  ["funding", "F", "funding rates of a market", [/ Funding rates \d/]],
  ["trades", "T", "trades as listed", [/ Trades \S+ \d+ .*(?:no gap|all of it)/]],
  ["fills", "O", "own fills as listed", [/ Fills \S+ \d+ .*(?:no gap|all of it)/]],
  ["link", "L", "the link and its channels", [/ Link \d/, /orderbook\/perp\/1 +live .* \d\d /]],
  ["palette", ":the", "a command is found by a few letters", [/^: the/m, /other colours/]],
  ["help", "?", "every key that is in force", [/show or hide this help/]],
];

const THEMES = ["terminal", "dark", "light", "high-contrast", "mono"];

const defaults = { ...LARGE, args: demo, first: [LIVE], keys: "", shows: WHOLE, terminal: "dark" };

/** Name of the file, alternative text, and how it is made: `first` must be on screen before a key is pressed. */
export const PICTURES = [
  { name: "dashboard", title: "The dashboard of one market", args: filled, first: [CHART] },
  {
    name: "dashboard-80x24",
    title: "The dashboard on a small terminal",
    ...SMALL,
    args: filled,
    first: [CHART],
  },
  {
    name: "order-flow",
    title: "Order flow on the chart and in the order book",
    args: flowing,
    first: [CHART],
    keys: "3doPSS",
    columns: 140,
    rows: 40,
    shows: [/ VWAP 9\d,/, / POC 9\d,/, / sold .*bought/],
  },
  {
    name: "footprint",
    title: "Candles with what was bought and sold at each price",
    args: flowing,
    first: [CHART],
    keys: "3zu",
    shows: [/ footprint since /, /\d×\d/],
  },
  ...VIEWS.map(([name, keys, words, shows]) => ({ name, title: `A view: ${words}`, keys, shows })),
  ...THEMES.flatMap((theme) =>
    ["dark", "light"].map((terminal) => ({
      name: `theme-${theme}-on-${terminal}`,
      title: `The theme ${theme} in a ${terminal} terminal`,
      args: [...filled, "--theme", theme],
      first: [CHART],
      terminal,
      ...MIDDLE,
    })),
  ),
].map((picture) => ({ ...defaults, ...picture }));

/** Initial size of the screen. */
export const FIRST_SIZE = LARGE;

/** Taken in a real terminal emulator; `afterMs` includes the time to simulate the history. */
export const PHOTOGRAPH = { ...LARGE, name: "xterm", args: filled, afterMs: 25_000 };
