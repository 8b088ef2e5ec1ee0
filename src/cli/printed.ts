// A view as lines and pages of text, from the sheets of its panes.

import { sheetsOf, viewText } from "../print/print.ts";
import { lastPrice, marketLabel, priceText, scaleOf, sizeText } from "../rows/market.ts";
import type { Moment } from "../rows/moment.ts";
import type { View } from "../screen/pane.ts";
import { createTheme } from "../screen/theme.ts";
import { Ui } from "../screen/ui.ts";
import { paneState } from "../state/pane.ts";
import { type Store, select } from "../state/store.ts";
import { visible } from "../terminal/visible.ts";
import { formatIsoMs, formatSpan } from "../units/time.ts";
import type { Level } from "../wire/frames.ts";
import type { Config } from "./config/config-keys.ts";
import type { Context } from "./context.ts";
import { resolvePreferences } from "./preferences.ts";

interface PrintedOptions {
  readonly config: Config;
  readonly view: View;
  /** `perp/1`; undefined where none is shown. */
  readonly market?: string;
  /** `ADDRESS/ID`. */
  readonly account?: string | undefined;
  readonly addresses: readonly string[];
}

export interface Printed {
  line(moment: Moment): string;
  page(moment: Moment): string;
}

export function printed(
  context: Context,
  { config, view, market, account, addresses }: PrintedOptions,
): Printed {
  const { display } = resolvePreferences(context, config);
  let shown: Moment | undefined;
  const ui = new Ui(
    idleServices(() => shown),
    {
      ...{ view, account, display: { ...display, numbers: "plain" as const } },
      market: market ?? "perp/1",
      theme: createTheme({ name: "mono", colours: "usual", rising: "green" }, "none"),
    },
  );
  ui.addresses = addresses;
  ui.isMasked = context.options.mask === true;
  return {
    line(moment) {
      const words = [
        formatIsoMs(moment.wallMs),
        ...(market === undefined ? [] : marketWords(moment.store, market)),
        ...stateWords(moment),
      ];
      return words.map(visible).join("  ");
    },
    page(moment) {
      shown = moment;
      const head = market === undefined ? [] : marketWords(moment.store, market);
      const states = stateWords(moment).map(visible).join("  ");
      const text = viewText(sheetsOf(view, moment, ui));
      return [...head.map(visible), "", text, "", states].join("\n").trimStart();
    },
  };
}

function marketWords(store: Store, market: string): readonly string[] {
  const scale = scaleOf(store, market);
  const bbo = select(store, "bbo", `bbo/${market}`);
  const level = (of: Level | null | undefined) => {
    if (of === null || of === undefined) return "–";
    const { price_ticks: price, size_base_lots: size } = of;
    return scale === undefined
      ? `${price} × ${size}`
      : `${priceText(price, scale)} × ${sizeText(size, scale)}`;
  };
  return [
    `market ${market} ${marketLabel(store, market)}`,
    `bid ${level(bbo?.bid)}`,
    `ask ${level(bbo?.ask)}`,
    `last ${lastPrice(store, market) ?? "–"}`,
    ...(scale === undefined ? ["in ticks and lots"] : []),
  ];
}

/** Every channel's state and age, and the connection. */
function stateWords({ store, nowMs }: Moment): readonly string[] {
  const { link } = store;
  const states = [...store.channels.values()].map((status) => {
    const age = status.lastAtMs === undefined ? "" : ` ${formatSpan(nowMs - status.lastAtMs)}`;
    return `${status.kind} ${paneState(status, link, nowMs)}${age}`;
  });
  const fault = link.state === "open" ? "" : ` (${link.fault?.detail ?? "no answer yet"})`;
  return [...states, `link ${link.state}${fault}`];
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
    status: () => ({ text: "", tone: "plain" }),
    ...{ acknowledge: nothing, save: nothing, copy: nothing, redraw: nothing },
    ...{ suspend: nothing, quit: nothing },
  };
}
