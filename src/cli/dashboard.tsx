// The dashboard on a terminal: the screen first, then the connection.
import fs from "node:fs";
import { Store } from "../store/store.ts";
import { StyleTable } from "../terminal/cells/style-table.ts";
import { openTerminal, type Terminal } from "../terminal/open-terminal.ts";
import type { SessionEnd } from "../terminal/session/session.ts";
import { openTerminalOutput } from "../terminal/session/terminal-output.ts";
import type { Watcher } from "../terminal/session/watcher.ts";
import { Appearance } from "../ui/appearance.ts";
import { Dashboard } from "../ui/dashboard.ts";
import { ThemedApp } from "../ui/ThemedApp.tsx";
import { VIEWS } from "../ui/views/views.ts";
import { type Clock, every } from "../units/clock.ts";
import { openScales } from "../view/scale.ts";
import { AlertRun } from "./alert-run.ts";
import { colorDepth } from "./color-depth.ts";
import { type Context, EXIT } from "./context.ts";
import { openKeptState } from "./kept-state.ts";
import { loadConfig } from "./load-settings.ts";
import { settlePreferences } from "./preferences.ts";
import type { DashboardRun } from "./run-market.ts";

/** How often the ages on the screen grow. */
const TICK_MS = 1000;
const STDOUT = 1;
/** Usually it has been ready for long: loading the dashboard takes more time. */
const MAX_WATCHER_WAIT_MS = 50;
const EXIT_OF_SIGNAL = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129, SIGQUIT: 131 } as const;

/**
 * Shows market and account until the user leaves. Answers the exit code.
 * @throws what the dashboard cannot go on without: no such market, no WebSocket at that address, a fault of ours
 */
export async function runDashboard(
  context: Context,
  run: DashboardRun,
  watcher: Watcher | undefined,
): Promise<number> {
  const { clock, options, env } = context;
  let terminal: Terminal | undefined;
  const config = await loadConfig(context);
  const preferences = settlePreferences(options, config);
  const styles = new StyleTable(colorDepth(env, options.noColor ?? false));
  const appearance = new Appearance(styles, preferences.theme);
  appearance.onChange = () => terminal?.redraw();
  const output = openTerminalOutput(fs, STDOUT);
  const store = new Store();
  const scales = openScales(store, run.knownScales);
  const kept = run.isSimulated ? undefined : await openKeptState(clock);
  const alerts = new AlertRun({
    context,
    config,
    store,
    scales,
    kept,
    emit: (sequences) => terminal?.emit(sequences),
    onChange: () => dashboard.tell(),
  });
  const dashboard: Dashboard = new Dashboard({
    store,
    scales,
    alerts: alerts.desk,
    views: VIEWS,
    now: () => clock.now(),
    wall: () => clock.wall(),
    account: run.account,
    isMasked: options.mask ?? false,
    ...(run.start !== undefined && { start: run.start }),
    interval: run.interval,
    isSimulated: run.isSimulated,
    keymap: preferences.keymap,
    watchlist: preferences.watchlist,
    onQuit: () => terminal?.close(),
    onRedraw: () => terminal?.redraw(),
    onSuspend: () => terminal?.suspend(),
  });
  await ready(watcher, clock);
  const ended = new Promise<SessionEnd>((onEnd) => {
    terminal = openTerminal(() => <ThemedApp dashboard={dashboard} appearance={appearance} />, {
      timer: clock,
      process,
      stdin: process.stdin,
      stdout: process.stdout,
      output,
      styles,
      isAscii: preferences.isAscii,
      mouse: false,
      watcher,
      onEnd,
    });
  });
  const stopTicking = every(clock, TICK_MS, () => dashboard.tick());
  const supply = new Supply(context, run, dashboard, () => terminal?.close());
  supply.start();
  const end = await ended;
  stopTicking();
  supply.stop();
  kept?.save();
  output.close();
  if (supply.failure !== undefined) throw supply.failure;
  return exitCodeOf(end);
}

/** Waits for the watcher, which was started long before, but not for a stuck one. */
async function ready(watcher: Watcher | undefined, clock: Clock): Promise<void> {
  if (watcher === undefined) return;
  let cancel = () => {};
  const tooLong = new Promise<void>((resolve) => {
    cancel = clock.after(MAX_WATCHER_WAIT_MS, resolve);
  });
  await Promise.race([watcher.isReady, tooLong]);
  cancel();
}

/** The connection behind the dashboard, which is loaded when the first frame has been drawn. */
class Supply {
  readonly #context: Context;
  readonly #run: DashboardRun;
  readonly #dashboard: Dashboard;
  readonly #onFailure: () => void;
  #stop: (() => void) | undefined;
  #isOver = false;
  /** Why the dashboard had to end. */
  failure: unknown;

  constructor(context: Context, run: DashboardRun, dashboard: Dashboard, onFailure: () => void) {
    this.#context = context;
    this.#run = run;
    this.#dashboard = dashboard;
    this.#onFailure = onFailure;
  }

  start(): void {
    // After the first frame, which is drawn in the next turn.
    this.#context.clock.soon(() => {
      this.#connect().catch((error: unknown) => this.#fail(error));
    });
  }

  stop(): void {
    this.#isOver = true;
    this.#stop?.();
  }

  async #connect(): Promise<void> {
    const [{ supplyMarket }, service] = await Promise.all([
      import("./live-market.ts"),
      this.#run.findService(),
    ]);
    if (this.#isOver) return;
    this.#stop = supplyMarket({
      context: this.#context,
      dashboard: this.#dashboard,
      service,
      market: this.#run.market,
      onFailure: (error) => this.#fail(error),
    });
  }

  #fail(error: unknown): void {
    this.failure ??= error;
    this.#onFailure();
  }
}

/** @throws the error that ended the screen */
function exitCodeOf(end: SessionEnd): number {
  if (end.kind === "failed") throw end.error;
  if (end.kind === "signal") return EXIT_OF_SIGNAL[end.signal];
  return EXIT.done;
}
