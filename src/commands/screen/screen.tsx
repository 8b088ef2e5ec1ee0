// A dashboard on a terminal: opens the screen first, then what feeds it.
import fs from "node:fs";
import { type Context, EXIT } from "../../args/context.ts";
import type { Config } from "../../config/config-file.ts";
import { PerformanceMeter } from "../../live/performance-meter.ts";
import { ThemedApp } from "../../screen/App.tsx";
import { Clipboard } from "../../screen/clipboard.ts";
import { Dashboard, type DashboardOptions } from "../../screen/dashboard.ts";
import { Appearance } from "../../screen/theme/theme.ts";
import { VIEWS } from "../../screen/views/views.ts";
import { Display } from "../../select/display.ts";
import { findSymbol, formatMarket } from "../../select/market.ts";
import { selectShownState } from "../../select/status.ts";
import { isCurrent } from "../../state/pane-state.ts";
import { toAsciiText } from "../../terminal/cells/ascii.ts";
import { colorDepth } from "../../terminal/cells/color.ts";
import { StyleTable } from "../../terminal/cells/style-table.ts";
import { openTerminal, type Terminal } from "../../terminal/open-terminal.tsx";
import { BackgroundQuery } from "../../terminal/session/background.ts";
import { oscSequence, remoteLabel } from "../../terminal/session/osc.ts";
import type { SessionEnd } from "../../terminal/session/session.ts";
import { TITLE_BEFORE } from "../../terminal/session/terminal-modes.ts";
import { openTerminalOutput } from "../../terminal/session/terminal-output.ts";
import { terminalTraits } from "../../terminal/session/terminal-traits.ts";
import type { Watcher } from "../../terminal/session/watcher.ts";
import { type Clock, every } from "../../units/clock.ts";
import { formatUnits } from "../../units/scale.ts";
import { formatChannel } from "../../wire/channels.ts";
import { resolvePreferences } from "../preferences.ts";

/** How often the ages on the screen are updated. */
const TICK_MS = 1000;
const STDOUT = 1;
/** How long the status line shows why the screen is ASCII. */
const ASCII_SAID_MS = 15_000;
/** Names of time zones are loaded after the first prices. */
const ZONE_NAMES_AFTER_MS = 300;
/** The watcher is usually ready long before: loading the dashboard takes more time. */
const MAX_WATCHER_WAIT_MS = 50;
const EXIT_OF_SIGNAL = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129, SIGQUIT: 131 } as const;

export interface ScreenRun {
  readonly options: Omit<
    DashboardOptions,
    | "views"
    | "aliases"
    | "appearance"
    | "isMasked"
    | "display"
    | "bookRows"
    | "clipboard"
    | "isSlowLine"
    | "onQuit"
    | "onRedraw"
    | "onSuspend"
  >;
  /** Called after the first frame. @returns its stop function */
  start(dashboard: Dashboard, onFailure: (error: unknown) => void): () => void;
}

export interface ScreenPorts {
  /** Writes escape sequences to the terminal, between frames. */
  emit(sequences: string): void;
  /** True while addresses, sizes, balances and profit are hidden. */
  isMasked(): boolean;
  /** Something other than the data changed on the screen. */
  onChange(): void;
}

/** @throws what it cannot recover from; an internal error */
export async function runScreen(
  context: Context,
  { config, watcher }: { readonly config: Config; readonly watcher: Watcher | undefined },
  prepare: (ports: ScreenPorts) => Promise<ScreenRun>,
): Promise<number> {
  const { clock, options, env } = context;
  let terminal: Terminal | undefined;
  const preferences = resolvePreferences(context, config);
  const styles = new StyleTable(colorDepth(env, options.noColor ?? false));
  const appearance = new Appearance(styles, preferences.theme);
  appearance.onChange = () => terminal?.redraw();
  const traits = terminalTraits(env);
  const isTitled = traits.hasTitle;
  const background = new BackgroundQuery(clock);
  background.emit = (sequence) => terminal?.emit(sequence);
  background.onAnswer = (ground, color) => appearance.change({ ground, background: color });
  background.onSilence = () => appearance.assumeDark();
  appearance.onAsk = () => background.ask();
  const output = openTerminalOutput(fs, STDOUT);
  const run = await prepare({
    emit: (sequences) => terminal?.emit(sequences),
    isMasked: () => dashboard.isMasked,
    onChange: () => dashboard.notify(),
  });
  // Created only on request: it wakes up the process to measure its lag.
  const meter = options.stats
    ? new PerformanceMeter(clock, run.options.store, () => terminal?.statistics)
    : undefined;
  const dashboard: Dashboard = new Dashboard({
    ...run.options,
    views: VIEWS,
    isMasked: options.mask ?? false,
    display: new Display(preferences.display, false),
    bookRows: options.depth,
    aliases: config.aliases,
    appearance,
    watchlist: run.options.watchlist ?? preferences.watchlist,
    clipboard: new Clipboard({
      send: (text) => terminal?.emit(oscSequence({ kind: "clipboard", text }, traits)),
      now: () => clock.now(),
      isTaken: traits.takesClipboard,
    }),
    isSlowLine: () => terminal?.statistics.isSlowLine === true,
    stats: meter && (() => meter.line()),
    onQuit: () => terminal?.close(),
    onRedraw: () => terminal?.redraw(),
    onSuspend: () => terminal?.suspend(),
  });
  await ready(watcher, clock);
  const ended = new Promise<SessionEnd>((onEnd) => {
    terminal = openTerminal(
      () => <ThemedApp dashboard={dashboard} appearance={appearance} background={background} />,
      {
        process,
        stdin: process.stdin,
        stdout: process.stdout,
        output,
        timer: clock,
        styles,
        isAscii: preferences.isAscii,
        framesPerSecond: preferences.framesPerSecond,
        mouse: preferences.hasMouse,
        hasTitle: isTitled,
        watcher,
        onEnd,
      },
    );
  });
  appearance.askForBackground();
  let title: string | undefined;
  const showTitle = () => {
    const text = formatTitle(dashboard);
    if (text === title) return;
    title = text;
    const isNone = text === undefined;
    const shown = preferences.isAscii ? toAsciiText(text ?? "") : (text ?? "");
    terminal?.emit(isNone ? TITLE_BEFORE : oscSequence({ kind: "title", text: shown }, traits));
  };
  const stopTicking = every(clock, TICK_MS, () => {
    dashboard.tick();
    if (isTitled) showTitle();
  });
  const cancelNames = clock.after(ZONE_NAMES_AFTER_MS, () => dashboard.nameZones());
  if (preferences.asciiReason !== "") dashboard.warn(preferences.asciiReason);
  const stopSaying = clock.after(ASCII_SAID_MS, () => {
    if (dashboard.warning === preferences.asciiReason) dashboard.warn("");
  });
  let failure: unknown;
  let stop = () => {};
  const cancelStart = clock.soon(() => {
    stop = run.start(dashboard, (error) => {
      failure ??= error;
      terminal?.close();
    });
  });
  const end = await ended;
  stopTicking();
  meter?.stop();
  stopSaying();
  cancelNames();
  background.close();
  cancelStart();
  stop();
  output.close();
  if (failure !== undefined) throw failure;
  return getExitCode(end);
}

/** Waits for the watcher, which was started long before, but not for one that hangs. */
async function ready(watcher: Watcher | undefined, clock: Clock): Promise<void> {
  if (watcher === undefined) return;
  let cancel = () => {};
  const tooLong = new Promise<void>((resolve) => {
    cancel = clock.after(MAX_WATCHER_WAIT_MS, resolve);
  });
  await Promise.race([watcher.isReady, tooLong]);
  cancel();
}

/** @throws the error that ended the screen */
function getExitCode(end: SessionEnd): number {
  if (end.kind === "failed") throw end.error;
  if (end.kind === "signal") return EXIT_OF_SIGNAL[end.signal];
  return EXIT.done;
}

// Window title: the last price of the market on screen, readable from a task bar.

/**
 * `▲97,114.00 BTC-PERP`, live even while the screen is frozen; the state replaces a price that is not current.
 * Undefined while masked, and without a market.
 */
export function formatTitle(dashboard: Dashboard): string | undefined {
  const { market, isMasked, options } = dashboard;
  if (market === undefined || isMasked) return undefined;
  const { store, replay, now } = options;
  const name = remoteLabel(findSymbol(store, market) ?? formatMarket(market));
  if (replay !== undefined) return `replay ${name}`;
  const channel = { marketType: market.type, marketId: market.id };
  const slice = store.slice("trades", formatChannel({ kind: "trades", ...channel }));
  const state = selectShownState(store, slice, now());
  const [last] = slice.data.recent(1);
  if (!isCurrent(state) || last === undefined) return `${state} ${name}`;
  const { tickSize } = dashboard.scales.of(formatMarket(market)).scale ?? {};
  const price = formatUnits(last.price_ticks, tickSize);
  return `${last.taker_is_bid ? "▲" : "▼"}${dashboard.shown.display.number(price)} ${name}`;
}
