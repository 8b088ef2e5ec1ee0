// The dashboard: a session, a terminal, and the interface between them.

import { type AlertEvent, eventJson, type GivenAlert } from "../alerts/alert.ts";
import { type AlertSet, createAlertSet } from "../alerts/alert-set.ts";
import type { Effects } from "../alerts/effects.ts";
import { maskedRule } from "../alerts/rule.ts";
import type { Listings } from "../live/listings.ts";
import type { Session, SessionEvent } from "../live/session.ts";
import { formatNumber, formatSpan } from "../rows/format.ts";
import { lastPrice, marketLabel, selectListedMarkets } from "../rows/market.ts";
import { selectSubaccounts } from "../rows/overview.ts";
import { type ChannelState, channelState } from "../state/channel-state.ts";
import { advanceHeat, foldHeat } from "../state/heat.ts";
import type { Moment } from "../state/moment.ts";
import { copyStore, type Store } from "../state/store.ts";
import type { Place } from "../stream/chain.ts";
import { openTerminal, type Terminal, type TerminalOptions } from "../terminal/open-terminal.ts";
import {
  BELL,
  backgroundQuestion,
  clipboardSequence,
  isDarkReply,
  notificationSequence,
  type Traits,
  titleSequence,
} from "../terminal/osc.ts";
import type { SessionEnd } from "../terminal/session.ts";
import type { ColorDepth } from "../terminal/style.ts";
import type { Happening } from "../timeline/entry.ts";
import type { Player } from "../timeline/player.ts";
import type { Timeline } from "../timeline/timeline.ts";
import { every } from "../units/clock.ts";
import { errorText } from "../units/monitor-error.ts";
import type { Update } from "../wire/frames.ts";
import { App } from "./app.tsx";
import { handleInput } from "./keys.ts";
import type { View } from "./pane.ts";
import { type SettingKey, settingChoice, settingItems } from "./settings.ts";
import { MASK } from "./table/table.ts";
import { autoTheme, createTheme, type ThemeChoice } from "./theme.ts";
import { createElsewhere } from "./timeline.ts";
import { type LogLine, type MenuItem, type Start, type Status, Ui } from "./ui.ts";

export interface DashboardOptions
  extends Pick<
    TerminalOptions,
    "clock" | "process" | "stdin" | "stdout" | "file" | "watcher" | "isAscii" | "framesPerSecond"
  > {
  readonly traits: Traits;
  readonly depth: ColorDepth;
  readonly hasMouse: boolean;
  /** `auto` asks the terminal. */
  readonly theme: Omit<ThemeChoice, "name"> & { readonly name: ThemeChoice["name"] | "auto" };
  readonly views: readonly View[];
  readonly start: Omit<Required<Start>, "theme">;
  readonly address: string;
  /** Opens what can be listed; `onChange` has it drawn. */
  readonly openListings?: ((onChange: () => void) => Listings) | undefined;
  readonly alerts: readonly GivenAlert[];
  /** `perp/1` for a market's name, alias or symbol. */
  findMarket(store: Store, name: string): string | undefined;
  /** What an alert does besides being shown; `link`: the bell when the connection is lost or back. */
  readonly notify: readonly ("bell" | "notification" | "link")[];
  /** Opens the session with these listeners. */
  readonly openSession: (
    channels: readonly string[],
    onUpdate: (update: Update, place: Place) => void,
    onEvent: (event: SessionEvent) => void,
  ) => Session;
  /** What a firing does beside being shown. */
  readonly openEffects?: (listener: {
    onFault(text: string): void;
    isMasked(): boolean;
  }) => Pick<Effects, "fire">;
  /** Writes the last two minutes. @returns the name of the file. @throws {MonitorError} when it cannot be written */
  readonly save?: (ui: Ui) => string;
  /** The last minutes, from a time on. */
  readonly lookBack?: (fromMs: number) => Timeline;
  /** A recording, in place of the present: its store is the session's. */
  readonly replay?: Player;
  /** What the program costs, in a few words; undefined: not shown. */
  readonly cost?: (() => string) | undefined;
  readonly onEnd: (end: SessionEnd) => void;
}

const MAX_LOG_LINES = 500;
/** A channel that nothing shows any more is left after this time, so that going to and fro costs nothing. */
const KEPT_MS = 60_000;
const SECOND_MS = 1000;

/** @returns what the user has chosen, and how to end it */
export function openDashboard(options: DashboardOptions): {
  readonly ui: Ui;
  /** Set on the screen, and still to fire. */
  readonly alerts: () => readonly GivenAlert[];
  readonly close: () => void;
} {
  const { clock, views, start, traits, depth, notify, lookBack, replay } = options;
  const log: LogLine[] = [];
  let isLost = false;
  const wantedUntil = new Map<string, number>();

  const moment = (): Moment => ({ store: session.store, nowMs: clock.now(), wallMs: clock.wall() });
  const note = (weight: LogLine["weight"], text: string, atMs = clock.now()) => {
    const last = log.at(-1);
    // A transaction that is missed tells it in each of its frames.
    if (last?.text === text && atMs - last.atMs < SECOND_MS) return;
    log.push({ atMs, weight, text });
    if (log.length > MAX_LOG_LINES) log.shift();
  };
  let look = options.theme;
  /** Of the terminal's ground; undefined: it has not said. */
  let isDark: boolean | undefined;
  let zone = start.display.timeZone;
  const themeNow = () => {
    const name = look.name === "auto" ? autoTheme(isDark, depth) : look.name;
    return createTheme({ ...look, name }, depth);
  };

  const alerts: AlertSet = createAlertSet({
    moment,
    context: () => ({
      market: ui.market,
      findMarket: (name) => options.findMarket(session.store, name),
    }),
    onEvent: report,
  });
  const alertServices: Ui["services"]["alerts"] = {
    all: () => alerts.alerts,
    set: (when, replaced) =>
      alerts.set({ ...replaced?.given, when, isSetOnScreen: true }, replaced),
    remove: alerts.remove,
  };

  const listings = options.openListings?.(() => terminal.screen.request());
  const ui: Ui = new Ui(
    {
      ...{ views, address: options.address, alerts: alertServices, moment },
      get timeZone() {
        return zone;
      },
      freeze: () => ({ ...moment(), store: copyStore(session.store) }),
      log: () => (ui.elsewhere ? log.filter(({ atMs }) => atMs <= ui.moment.nowMs) : log),
      ...(lookBack && { lookBack: (fromMs) => createElsewhere(lookBack(fromMs)) }),
      ...(replay && { replay: createElsewhere(replay) }),
      menuItems,
      settings: () => settingItems(set),
      listings,
      status(now) {
        const { text, tone } = statusOf(now);
        return { text: [text, options.cost?.()].filter(Boolean).join("  "), tone };
      },
      save,
      copy: (text) => terminal.screen.emit(clipboardSequence(text, traits)),
      redraw: () => terminal.screen.redraw(),
      suspend: () => terminal.suspend(),
      quit: () => terminal.close(),
    },
    { ...start, theme: themeNow() },
  );

  ui.present();
  const effects = options.openEffects?.({
    onFault: (text) => ui.notify(text, "alarm"),
    isMasked: () => ui.isMasked,
  });

  const session = options.openSession(channelsWanted(), receive, receiveEvent);

  /** Of the panes of the open view, of the account, and of the alerts. */
  function channelsWanted(): readonly string[] {
    const { account, addresses } = ui;
    const now = [
      ...ui.panes.flatMap((pane) => pane.channels?.(ui) ?? []),
      ...addresses.map((address) => `accounts/${address}`),
      ...(account === undefined ? [] : [`account/${account}`]),
      ...alerts.channels,
      "markets",
    ];
    const nowMs = clock.now();
    for (const channel of now) wantedUntil.set(channel, nowMs + KEPT_MS);
    for (const [channel, untilMs] of wantedUntil) if (untilMs < nowMs) wantedUntil.delete(channel);
    return [...wantedUntil.keys()];
  }

  function receive(update: Update, place: Place): void {
    foldHeat(moment(), update, place);
    if (alerts.note(update, place)) session.setChannels(channelsWanted());
    if (ui.elsewhere === undefined) terminal.screen.request();
  }

  function noteEvent({ event, channel, detail }: Happening, atMs?: number): void {
    const text = [event, channel, detail].filter(Boolean).join("  ");
    note(SERIOUS[event] ?? "info", text, atMs);
  }

  function receiveEvent(happening: SessionEvent): void {
    const { event, detail } = happening;
    noteEvent(happening);
    const isBack = event === "connected" && isLost;
    isLost = event === "disconnected" || (isLost && event !== "connected");
    if (notify.includes("link") && (isBack || event === "disconnected")) terminal.screen.emit(BELL);
    // Why stands in the last line while it lasts.
    if (event === "disconnected" && session.store.link.aliveAtMs !== undefined)
      ui.notify("the connection was lost", "alarm");
    const alarm = ALARMS[event];
    if (alarm !== undefined) ui.notify(`${alarm} ${detail}`, "alarm");
    terminal.screen.request();
  }

  function report(event: AlertEvent): void {
    const { rule } = event.alert;
    const text = ui.isMasked ? maskedRule(rule, MASK) : rule.text;
    if (event.kind === "alert") fire(event, text);
    const line = [event.kind, text, event.reason].filter(Boolean).join("  ");
    note(event.kind === "alert" ? "warning" : "info", line);
  }

  function fire(event: AlertEvent, rule: string): void {
    const { alert } = event;
    const isHidden = ui.isMasked && rule !== alert.rule.text;
    const value = event.value === undefined ? "" : `: ${formatNumber(event.value, ui.display)}`;
    const text = `${rule}${isHidden ? "" : value}`;
    ui.notify(text, "alarm");
    if (notify.includes("bell")) terminal.screen.emit(BELL);
    if (notify.includes("notification")) terminal.screen.emit(notificationSequence(text, traits));
    effects?.fire(alert, eventJson(event, moment()));
  }

  function save(): void {
    if (options.save === undefined) return;
    try {
      ui.notify(`the last two minutes are in ${options.save(ui)}`, "news");
    } catch (error) {
      ui.notify(`not saved: ${errorText(error)}`, "alarm");
    }
  }

  function askForGround(): void {
    if (look.name === "auto") terminal.ask(backgroundQuestion(traits));
  }

  function paint(): void {
    ui.theme = themeNow();
    terminal.screen.redraw(ui.theme.styles);
  }

  /** Choices are kept for the runs after it. */
  function set(key: SettingKey, value: string): void {
    if (key === "time_zone") {
      zone = value === "local" ? undefined : value;
      ui.display = { ...ui.display, timeZone: zone };
    } else if (key === "numbers") {
      ui.display = { ...ui.display, numbers: value as Ui["display"]["numbers"] };
    } else look = { ...look, [key === "theme" ? "name" : key]: value };
    paint();
    askForGround();
    ui.choices[settingChoice(key)] = value;
    ui.notify(`${key} = ${value}`);
  }

  function windowTitle(): string {
    const { store } = session;
    if (ui.view.isOfMarket === undefined) return ui.view.title;
    const price = lastPrice(store, ui.market);
    const label = marketLabel(store, ui.market);
    return price === undefined ? label : `${formatNumber(price, ui.display)} ${label}`;
  }

  /** Markets, then subaccounts; whatever is open goes over to a view of them. */
  function menuItems(): readonly MenuItem[] {
    const markets = selectListedMarkets(session.store).map(({ name, symbol }) => ({
      text: symbol ?? name,
      note: name,
      run(to: Ui) {
        to.market = name;
        const [first] = views;
        if (to.view.isOfMarket === undefined && first !== undefined) to.open(first);
      },
    }));
    return ui.isMasked ? markets : [...markets, ...accountItems()];
  }

  function accountItems(): readonly MenuItem[] {
    const view = views.find(({ name }) => name === "account");
    return selectSubaccounts(moment(), ui.addresses).map(({ name, status = "" }) => ({
      text: `account ${name}`,
      note: status,
      run(to: Ui) {
        to.account = name;
        to.isOverview = false;
        if (view !== undefined) to.open(view);
      },
    }));
  }

  const terminal: Terminal = openTerminal({
    ...options,
    modes: { mouse: options.hasMouse, hasTitle: traits.hasTitle },
    styles: ui.theme.styles,
    app: (size) => <App ui={ui} size={size} />,
    onInput(input) {
      if (input.kind !== "reply") handleInput(ui, input);
      else if (look.name === "auto" && isDarkReply(input.text) !== undefined) {
        isDark = isDarkReply(input.text);
        paint();
      }
      session.setChannels(channelsWanted());
    },
    onEnd(end) {
      stop();
      listings?.close();
      session.close();
      options.onEnd(end);
    },
  });
  askForGround();
  alerts.replace(options.alerts);

  let title = "";
  const stop = every(clock, SECOND_MS, () => {
    session.setChannels(channelsWanted());
    if (replay === undefined) {
      advanceHeat(moment(), clock.wall() - SECOND_MS);
      alerts.tick();
    }
    const next = windowTitle();
    if (traits.hasTitle && next !== title) terminal.screen.emit(titleSequence(next));
    title = next;
    terminal.screen.commit();
    terminal.screen.request();
  });
  replay?.play({
    onChange: () => terminal.screen.request(),
    onEvent: noteEvent,
    onError: (error) => ui.notify(errorText(error), "alarm"),
  });
  // The panes are known now.
  session.setChannels(channelsWanted());
  return {
    ui,
    alerts: () => ownAlerts(alerts),
    close: () => terminal.close(),
  };
}

function ownAlerts({ alerts, waiting }: AlertSet): readonly GivenAlert[] {
  const set = alerts.filter(({ isDone }) => !isDone);
  // What was typed may leave out its market.
  const given = set.map((alert) => ({ ...alert.given, when: alert.rule.text }));
  return [...given, ...waiting].filter(({ isSetOnScreen }) => isSetOnScreen);
}

/** From bad to worse: the first that any channel has is said. */
const NOT_CURRENT: readonly ChannelState[] = ["resync", "stale", "refused", "waiting"];

function statusOf({ store, nowMs }: Moment): Status {
  const { link, dialect } = store;
  if (link.state !== "open") return { text: `× ${formatFault(store, nowMs)}`, tone: "stale" };
  if (dialect.book.source === "contradicted") return { text: "! contradiction", tone: "bad" };
  const states = Array.from(store.channels.values(), (each) => channelState(each, link, nowMs));
  const worst = NOT_CURRENT.find((each) => states.includes(each));
  if (worst !== undefined) return { text: `◌ ${worst}`, tone: "notice" };
  return { text: "● live", tone: "gain" };
}

function formatFault({ link }: Store, nowMs: number): string {
  const { fault, state, retryAtMs } = link;
  const next =
    retryAtMs === undefined ? "" : `, next try in ${formatSpan(Math.max(0, retryAtMs - nowMs))}`;
  return `${fault?.detail ?? state}${next}`;
}

/** What stands in the last line, too. */
const ALARMS: Readonly<Record<string, string>> = {
  contradiction: "the service contradicts itself:",
  version: "the service speaks another version:",
};
const SERIOUS: Readonly<Record<string, LogLine["weight"]>> = {
  ...{ disconnected: "error", gap: "warning", rejected: "warning", refused: "warning" },
  ...{ contradiction: "error", version: "error" },
};
