// Views as lines and pages of text, from the sheets of their panes.

import type { Display } from "../rows/format.ts";
import { formatSpan } from "../rows/format.ts";
import { lastPrice, marketLabel, priceText, sizeText } from "../rows/market.ts";
import type { View } from "../screen/pane.ts";
import { createTheme } from "../screen/theme.ts";
import { Ui } from "../screen/ui.ts";
import { channelState } from "../state/channel-state.ts";
import { type Moment, serviceMs } from "../state/moment.ts";
import { selectScale } from "../state/select-market.ts";
import { type Store, select } from "../state/store.ts";
import { formatDecimal } from "../units/decimal.ts";
import { formatIsoMs } from "../units/time.ts";
import { visible } from "../units/visible.ts";
import type { Level } from "../wire/frames.ts";
import type { HeadlessView } from "./headless-view.ts";
import { sheetsOf, viewText } from "./sheet-text.ts";

export interface PrintOptions {
  readonly display: Display;
  /** Of each side of the book; undefined for the default. */
  readonly depth: number | undefined;
  readonly isMasked: boolean;
}

interface Printed {
  /** Their sheets follow each other. */
  readonly views: readonly View[];
  /** `perp/1`; undefined where none is shown. */
  readonly market?: string;
  /** `ADDRESS/ID`. */
  readonly account?: string | undefined;
  readonly addresses: readonly string[];
}

/** Of each side of the book, without --depth. */
const LEVELS = 10;

export function printViews(
  { display, depth = LEVELS, isMasked }: PrintOptions,
  { views, market, account, addresses }: Printed,
): Pick<HeadlessView, "line" | "page"> {
  let shown: Moment | undefined;
  const ui = new Ui(
    idleServices(() => shown),
    {
      ...{ account, display, market: market ?? "perp/1", view: views[0] as View },
      theme: createTheme({ name: "mono", colours: "usual", rising: "green" }, "none"),
    },
  );
  Object.assign(ui, { addresses, depth, isMasked, choices: { "book.grouping": 0 } });
  const facts = (store: Store) => (market === undefined ? [] : marketFacts(store, market));
  return {
    line(moment) {
      const head = market === undefined ? [] : [market];
      const told = facts(moment.store).map((fact) => fact.join(" "));
      const link = `link ${formatLink(moment)}`;
      return [formatIsoMs(serviceMs(moment)), ...head, ...told, ...stateWords(moment), link]
        .map(visible)
        .join("  ");
    },
    page(moment) {
      shown = moment;
      const { store } = moment;
      const head =
        market === undefined ? [] : [["market", `${market}  ${marketLabel(store, market)}`]];
      const foot = [
        ["panes", stateWords(moment).join("  ")],
        ["link", formatLink(moment)],
      ];
      const sheets = views.flatMap((view) => sheetsOf(view, moment, ui));
      return [factLines([...head, ...facts(store)]), viewText(sheets), factLines(foot)]
        .filter(Boolean)
        .join("\n\n");
    },
  };
}

type Fact = readonly string[];

const NAME_CELLS = 8;

function factLines(facts: readonly Fact[]): string {
  return facts.map(([name = "", text = ""]) => name.padEnd(NAME_CELLS) + visible(text)).join("\n");
}

function marketFacts(store: Store, market: string): readonly Fact[] {
  const scale = selectScale(store, market);
  const { bid, ask } = select(store, "bbo", `bbo/${market}`) ?? { bid: null, ask: null };
  const price = (ticks: string) => (scale === undefined ? ticks : priceText(ticks, scale));
  const level = (of: Level | null) => {
    if (of === null) return "–";
    const { price_ticks: ticks, size_base_lots: lots } = of;
    return `${price(ticks)} × ${scale === undefined ? lots : sizeText(lots, scale)}`;
  };
  const spread = bid && ask && `${BigInt(ask.price_ticks) - BigInt(bid.price_ticks)}`;
  return [
    ["bid", level(bid)],
    ["ask", level(ask)],
    ["spread", spread === null ? "–" : price(spread)],
    ["last", lastPrice(store, market) ?? "–"],
    [
      "scale",
      scale === undefined
        ? "ticks, lots"
        : `${formatDecimal(scale.tickSize)} ${formatDecimal(scale.lotSize)} (${scale.source})`,
    ],
  ];
}

/** Every channel's state and age. */
function stateWords({ store, nowMs }: Moment): readonly string[] {
  return [...store.channels.values()].map((status) => {
    const age = status.lastAtMs === undefined ? "" : ` ${formatSpan(nowMs - status.lastAtMs)}`;
    return `${status.kind} ${channelState(status, store.link, nowMs)}${age}`;
  });
}

function formatLink({ store: { link } }: Moment): string {
  const fault = link.state === "open" ? "" : ` (${link.fault?.detail ?? "no answer yet"})`;
  const { reconnects } = link;
  return `${link.state}${fault}${reconnects > 0 ? `, ${reconnects} reconnects` : ""}`;
}

/** Panes are printed as they are drawn, but nothing is asked of the program. */
function idleServices(shown: () => Moment | undefined): Ui["services"] {
  const nothing = () => {};
  const moment = (): Moment => {
    const now = shown();
    if (now === undefined) throw new Error("nothing is shown yet");
    return now;
  };
  return {
    ...{ views: [], address: "", timeZone: undefined, moment, freeze: moment },
    alerts: { all: () => [], set: () => undefined, pause: nothing, remove: nothing },
    log: () => [],
    menuItems: () => [],
    settings: () => [],
    status: () => ({ text: "", tone: "plain" }),
    ...{ acknowledge: nothing, save: nothing, copy: nothing, redraw: nothing },
    ...{ suspend: nothing, quit: nothing },
  };
}
