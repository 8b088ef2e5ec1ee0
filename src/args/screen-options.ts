// The options of what is shown: a part of the table of options.

import { PALETTES, THEMES } from "../screen/theme/themes.ts";
import { INTERVALS } from "../wire/channels.ts";
import type { Option } from "./options.ts";

/** As in `OPTIONS`, of which they are a part. */
export const SCREEN_OPTIONS = {
  stats: {
    name: "stats",
    type: "flag",
    summary:
      "show what the program does and costs: updates, frames, CPU, loop lag, memory; perf in --json",
  },
  interval: {
    name: "interval",
    type: "text",
    value: "PERIOD",
    completes: INTERVALS,
    summary: "candle period: 1m, 5m, 15m, 1h, 4h or 1d; default 1m",
  },
  account: {
    name: "account",
    type: "text",
    value: "ADDRESS[/ID]",
    summary: "a subaccount beside the market: its tab, its orders in the book, its fills",
  },
  mask: {
    name: "mask",
    type: "flag",
    summary: "hide addresses, sizes, balances and profit of accounts",
  },
  alert: {
    name: "alert",
    type: "text",
    value: "RULE",
    isRepeatable: true,
    summary: "fires when something happens, as in 'perp/1 last > 65000'; may be repeated",
  },
  inline: {
    name: "inline",
    type: "count",
    value: "N",
    summary: "draw in N lines below the prompt instead of on the whole screen; gone when it ends",
  },
  theme: {
    name: "theme",
    type: "text",
    value: "NAME",
    completes: Object.keys(THEMES),
    summary:
      "colours: terminal (its own sixteen; default), dark, light, high-contrast, mono, or your own",
  },
  palette: {
    name: "palette",
    type: "text",
    value: "NAME",
    completes: Object.keys(PALETTES),
    summary: "buy and sell in green and red (usual), or for eyes that do not tell these apart",
  },
  redUp: { name: "red-up", type: "flag", summary: "red for rising, green for falling" },
  ascii: { name: "ascii", type: "flag", summary: "draw with ASCII only, for poor fonts" },
  noMouse: {
    name: "no-mouse",
    type: "flag",
    summary: "leave the mouse to the terminal (otherwise hold Shift to select text)",
  },
} as const satisfies Record<string, Option>;
