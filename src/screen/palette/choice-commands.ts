// Commands of the palette whose argument is one of a few words: settings, panes, listings and channels.

import { CANDLE_SOURCES } from "../../select/market-data.ts";
import { INTERVALS } from "../../wire/channels.ts";
import type { PRESETS } from "../arrangement.ts";
import type { Dashboard } from "../dashboard.ts";
import type { Action } from "../keys.ts";
import { seenText } from "../seen-text.ts";
import { PALETTES, type PaletteName } from "../theme/themes.ts";
import { themeNames } from "../theme.ts";
import { fillsView, liquidationsView, tradesView } from "../views/history/history.ts";
import { linkView } from "../views/link/link.ts";
import { marketView } from "../views/market/market.ts";
import type { PaletteCommand } from "./palette-command.ts";

interface Choice<T extends string> {
  readonly name: string;
  readonly words: string;
  /** What one of the words is called when there is no such. */
  readonly what: string;
  /** All that it can be now. Never throws. */
  offers(dashboard: Dashboard): readonly T[];
  /** Does it. @returns why it cannot be done now; nothing when it is done */
  choose(dashboard: Dashboard, word: T): string | undefined;
}

/** A command that takes one of the words that it offers, and no other. */
function choice<T extends string>(options: Choice<T>): PaletteCommand {
  const { name, words, what } = options;
  return {
    name,
    usage: `<${what}>`,
    words,
    complete: (dashboard) => options.offers(dashboard),
    run(dashboard, argument) {
      const known = options.offers(dashboard);
      const word = known.find((each) => each === argument);
      if (word !== undefined) return options.choose(dashboard, word);
      if (known.length === 0) return `there is no ${what} here`;
      return `no such ${what}; there are: ${known.join(", ")}`;
    },
  };
}

/** Says why candles cannot be others now: what is frozen has those of one interval and source only. */
function frozenFault({ still }: Dashboard): string | undefined {
  return still.sinceMs === undefined ? undefined : "the screen is frozen";
}

/** The arrangements of panes by the words that are typed for them. */
const LAYOUTS: Readonly<Record<string, keyof typeof PRESETS | "layoutReset">> = {
  all: "layoutAll",
  book: "layoutBook",
  tape: "layoutTape",
  chart: "layoutChart",
  "book+tape": "layoutBookTape",
  "chart+book": "layoutChartBook",
  "chart+tape": "layoutChartTape",
  usual: "layoutReset",
};

const LISTINGS = { trades: tradesView, liquidations: liquidationsView, fills: fillsView } as const;
const SWITCH = ["on", "off"] as const;

/** Shows the market and does there what a key would. */
function performInMarket(dashboard: Dashboard, action: Action): undefined {
  dashboard.show(marketView);
  dashboard.perform(action);
}

/** Shows a view. */
export const viewCommand = choice({
  name: "view",
  words: "show a view",
  what: "view",
  offers: ({ views }) => views.map(({ name }) => name),
  choose(dashboard, word) {
    const view = dashboard.views.find(({ name }) => name === word);
    if (view !== undefined) dashboard.show(view);
    return undefined;
  },
});

/** In the order in which they are listed. */
export const CHOICE_COMMANDS: readonly PaletteCommand[] = [
  choice({
    name: "interval",
    words: "period of the candles",
    what: "period",
    offers: () => INTERVALS,
    choose(dashboard, interval) {
      const fault = frozenFault(dashboard);
      if (fault === undefined) dashboard.modelOf(marketView).change({ interval });
      return fault;
    },
  }),
  choice({
    name: "candles",
    words: "candles of last prices, of mark prices, or both",
    what: "source",
    offers: ({ market }) => (market?.type === "perp" ? CANDLE_SOURCES : ["last"]),
    choose(dashboard, source) {
      const fault = frozenFault(dashboard);
      if (fault === undefined) dashboard.modelOf(marketView).change({ source });
      return fault;
    },
  }),
  choice({
    name: "layout",
    words: "panes of the market",
    what: "layout",
    offers: () => Object.keys(LAYOUTS),
    choose: (dashboard, word) => performInMarket(dashboard, LAYOUTS[word] ?? "layoutAll"),
  }),
  choice({
    name: "export",
    words: "all that is listed, to a file in this folder",
    what: "listing",
    offers: (dashboard) =>
      (Object.keys(LISTINGS) as (keyof typeof LISTINGS)[]).filter((word) =>
        LISTINGS[word].isThere(dashboard),
      ),
    choose(dashboard, word) {
      dashboard.show(LISTINGS[word]);
      dashboard.modelOf(LISTINGS[word]).export(true);
      return undefined;
    },
  }),
  choice({
    name: "channel",
    words: "state, faults and reading of a channel",
    what: "channel",
    offers: ({ store }) => store.slices.map(({ channel }) => channel),
    choose(dashboard, channel) {
      dashboard.show(linkView);
      dashboard.modelOf(linkView).table.table.setFilter(seenText(dashboard, channel));
      dashboard.tell();
      return undefined;
    },
  }),
  choice({
    name: "theme",
    words: "other colours",
    what: "theme",
    offers: ({ appearance }) => (appearance === undefined ? [] : themeNames(appearance.choice)),
    choose({ appearance }, theme) {
      appearance?.change({ theme });
      return undefined;
    },
  }),
  choice({
    name: "palette",
    words: "colours of buy and sell",
    what: "palette",
    offers: ({ appearance }) =>
      appearance === undefined ? [] : (Object.keys(PALETTES) as PaletteName[]),
    choose({ appearance }, palette) {
      appearance?.change({ palette });
      return undefined;
    },
  }),
  choice({
    name: "red-up",
    words: "red for rising, green for falling",
    what: "on | off",
    offers: ({ appearance }) => (appearance === undefined ? [] : SWITCH),
    choose({ appearance }, word) {
      appearance?.change({ isRedUp: word === "on" });
      return undefined;
    },
  }),
  choice({
    name: "mask",
    words: "hide addresses, sizes, balances and profit",
    what: "on | off",
    offers: () => SWITCH,
    choose(dashboard, word) {
      if (dashboard.isMasked !== (word === "on")) dashboard.toggleMask();
      return undefined;
    },
  }),
];
