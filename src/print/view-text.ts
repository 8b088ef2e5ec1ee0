// Views as lines and pages of text, from the sheets of their panes.

import { type Display, formatSpan } from "../rows/format.ts";
import { lastPrice, marketLabel } from "../rows/market.ts";
import type { View } from "../screen/pane.ts";
import { createTheme } from "../screen/theme.ts";
import { Ui } from "../screen/ui.ts";
import { channelState } from "../state/channel-state.ts";
import { type Moment, serviceMs } from "../state/moment.ts";
import { selectScale } from "../state/select-market.ts";
import { type Store, select } from "../state/store.ts";
import { formatDecimal } from "../units/decimal.ts";
import { formatUnits } from "../units/scale.ts";
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
      ...{ addresses, depth, isMasked, choices: { "book.grouping": 0 } },
      theme: createTheme({ name: "mono", colours: "usual", rising: "green" }, "none"),
    },
  );
  const factsOf = (moment: Moment) => [
    ...(market === undefined ? [] : marketFacts(moment.store, market)),
    ["panes", stateWords(moment)],
    ["link", formatLink(moment)],
  ];
  return {
    line: (moment) =>
      [
        formatIsoMs(serviceMs(moment)),
        ...factsOf(moment).map((fact) => visible(fact.join(" "))),
      ].join("  "),
    page(moment) {
      shown = moment;
      const facts = factsOf(moment).map(
        ([name = "", text = ""]) => name.padEnd(NAME_CELLS) + visible(text),
      );
      const text = viewText(views.flatMap((view) => sheetsOf(view, moment, ui)));
      return [text, facts.join("\n")].filter(Boolean).join("\n\n");
    },
  };
}

const NAME_CELLS = 8;

function marketFacts(store: Store, market: string): readonly (readonly string[])[] {
  const scale = selectScale(store, market);
  const { bid, ask } = select(store, "bbo", `bbo/${market}`) ?? { bid: null, ask: null };
  const price = (ticks: string) => formatUnits(ticks, scale?.tickSize);
  const level = (of: Level | null) =>
    of ? `${price(of.price_ticks)} × ${formatUnits(of.size_base_lots, scale?.lotSize)}` : "–";
  const sizes = [scale?.tickSize, scale?.lotSize].map((size) => size && formatDecimal(size));
  return [
    ["market", `${market}  ${marketLabel(store, market)}`],
    ["bid", level(bid)],
    ["ask", level(ask)],
    ["spread", bid && ask ? price(`${BigInt(ask.price_ticks) - BigInt(bid.price_ticks)}`) : "–"],
    ["last", lastPrice(store, market) ?? "–"],
    ["scale", scale === undefined ? "ticks, lots" : `${sizes.join(" ")} (${scale.source})`],
  ];
}

/** Every channel's state and age. */
function stateWords({ store, nowMs }: Moment): string {
  const states = Array.from(store.channels.values(), (status) => {
    const age = status.lastAtMs === undefined ? "" : ` ${formatSpan(nowMs - status.lastAtMs)}`;
    return `${status.kind} ${channelState(status, store.link, nowMs)}${age}`;
  });
  return states.join("  ");
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
    alerts: { all: () => [], set: () => undefined, remove: nothing },
    log: () => [],
    menuItems: () => [],
    settings: () => [],
    status: () => ({ text: "", tone: "plain" }),
    ...{ save: nothing, copy: nothing, redraw: nothing },
    ...{ suspend: nothing, quit: nothing },
  };
}
