// The dashboard of a live session, as the options, the config file and earlier runs say.

import { spawn } from "node:child_process";
import type { GivenAlert } from "../alerts/alert.ts";
import type { Effects } from "../alerts/effects.ts";
import { createListings } from "../live/listings.ts";
import { selectListedMarkets } from "../rows/market.ts";
import { type DashboardOptions, openDashboard } from "../screen/dashboard.tsx";
import type { View } from "../screen/pane.ts";
import { readSettings } from "../screen/settings.ts";
import type { Ui } from "../screen/ui.ts";
import { terminalTraits } from "../terminal/osc.ts";
import { openConsole, openTerminalFile } from "../terminal/output.ts";
import type { SessionEnd } from "../terminal/session.ts";
import { colorDepth } from "../terminal/style.ts";
import { startWatcher } from "../terminal/watcher.ts";
import type { Shown } from "../timeline/entry.ts";
import { createPlayer } from "../timeline/player.ts";
import type { Recording } from "../timeline/recording-file.ts";
import { createPast } from "../timeline/timeline.ts";
import { ServiceError } from "../units/monitor-error.ts";
import { visible } from "../units/visible.ts";
import { ACCOUNT } from "../views/account.ts";
import { candlesWanted } from "../views/market/chart-pane.ts";
import { MARKET } from "../views/market/market.ts";
import { MARKETS } from "../views/markets.ts";
import { VIEWS } from "../views/views.ts";
import { givenAlerts, openEffects } from "./alerts.ts";
import { type PersistedState, readState, saveState, statePath } from "./config/persisted-state.ts";
import { EXIT, SIGNALS } from "./context.ts";
import { measureCost } from "./cost.ts";
import { knownMarket } from "./find-market.ts";
import type { Live } from "./live.ts";
import { resolvePreferences } from "./preferences.ts";
import { fillsFolder, type Task } from "./prepare.ts";

/** What is saved of the time before. */
const SAVED_MS = 120_000;

const START_VIEWS = { market: MARKET, account: ACCOUNT, markets: MARKETS };

/**
 * @param view in place of the view that `shown` names
 * @returns the exit code when the user has left. @throws {ServiceError} when there is no service at that address; internal errors
 */
export async function showDashboard(
  task: Task,
  live: Live,
  shown: Shown,
  view: View = START_VIEWS[shown.view],
): Promise<number> {
  const { clock, options, settings, env, stderr } = task;
  const { session, recorder, budget, cursors } = live;
  const { baseUrl, headers, owner } = settings;
  const folder = fillsFolder(task);
  const listed = { headers, owner, budget, cursors, folder, clock, random: task.random };
  // Of the simulated exchange nothing is kept.
  const path = shown.isSimulated ? undefined : statePath(env);
  const state = readState(path);
  const interval = options.interval ?? settings.config.interval;
  const choices = { ...state.choices, ...(interval && { "chart.interval": interval }) };
  live.remember();
  let effects: Effects | undefined;
  const { end, ui, alerts } = await show(
    task,
    { shown, view, state: { ...state, choices } },
    {
      address: settings.wsUrl ?? "",
      openListings:
        baseUrl === undefined
          ? undefined
          : (onChange) => createListings({ ...listed, baseUrl, onChange }),
      alerts: [
        ...givenAlerts(options, settings.config),
        ...state.alerts.map((when) => ({ when, isSetOnScreen: true })),
      ],
      openEffects(listener) {
        effects = openEffects(task, live, listener);
        return effects;
      },
      openSession(channels, onUpdate, onEvent) {
        live.listen({ onUpdate, onEvent, isScreen: true });
        session.setChannels(channels);
        return session;
      },
      lookBack(fromMs) {
        recorder.settle();
        return createPast(live.remember(), recorder.settle, fromMs);
      },
      save: ({ market, account, addresses, view: { name }, isMasked }) =>
        live.saveLast(".", clock.now() - SAVED_MS, {
          ...{ name: market, cause: "W", isMasked },
          shown: { ...shown, market, account, addresses, view: isStart(name) ? name : "market" },
        }),
      onOpen(ui) {
        const wantedCandles = () => candlesWanted(ui);
        live.readPast({ flowSinceMs: shown.flowSinceMs, wantedCandles });
      },
      cost: options.stats ? costWords(live, clock) : undefined,
    },
    live.until(() => false),
  );
  await effects?.close();
  const symbols = selectListedMarkets(session.store).flatMap(({ symbol }) => symbol ?? []);
  const failure =
    path &&
    saveState(path, {
      ...{ choices: ui.choices, recent: ui.recentActions, stars: [...ui.stars] },
      alerts: alerts.map(({ when }) => when),
      ...(symbols.length > 0 && { symbols }),
    });
  if (failure) stderr.write(`monitor: what was set is not kept: ${visible(failure)}\n`);
  return exitCodeOf(end);
}

const isStart = (name: string): name is Shown["view"] => Object.hasOwn(START_VIEWS, name);

/** A recording in place of a session. @returns as `showDashboard` */
export async function showReplay(task: Task, { track }: Recording, shown: Shown): Promise<number> {
  const { clock, interrupt } = task;
  const player = createPlayer(track, clock);
  const nothing = () => {};
  const choices = { "chart.interval": shown.interval };
  const { end } = await show(
    task,
    { shown, view: START_VIEWS[shown.view], state: { ...readState(undefined), choices } },
    {
      ...{ address: "", alerts: [], replay: player },
      openSession: () => ({
        get store() {
          return player.moment.store;
        },
        ...{ setChannels: nothing, ping: nothing, hold: nothing, close: player.stop },
      }),
    },
    new Promise<void>((resolve) => interrupt.addEventListener("abort", () => resolve())),
  );
  return exitCodeOf(end);
}

interface Start {
  readonly shown: Shown;
  readonly view: View;
  readonly state: PersistedState;
}

type Source = Pick<DashboardOptions, "address" | "alerts" | "openSession"> &
  Partial<DashboardOptions> & { onOpen?(ui: Ui): void };

/** @param stopped settles when something else than the user ends it */
async function show(
  task: Task,
  { shown, view, state }: Start,
  source: Source,
  stopped: Promise<unknown>,
): Promise<{ readonly end: SessionEnd; readonly ui: Ui; readonly alerts: readonly GivenAlert[] }> {
  const { clock, env, options, settings } = task;
  const { stdin, stdout } = process;
  const { choices, stars, recent: recentActions } = state;
  const preferences = resolvePreferences(task, readSettings(choices));
  const traits = terminalTraits(env);
  const isWindows = process.platform === "win32";
  let failure: { readonly error: unknown } | undefined;
  return new Promise((resolve, reject) => {
    const dashboard = openDashboard({
      ...preferences,
      ...source,
      ...{ clock, process, stdin, stdout, traits, views: VIEWS },
      depth: colorDepth(env, options.noColor === true),
      file: isWindows ? openConsole(stdout) : openTerminalFile(1),
      watcher: isWindows ? undefined : startWatcher(spawn, env.PATH, traits),
      notify: settings.config.notify ?? ["bell", "notification"],
      start: {
        ...{ view, choices: { ...choices }, stars: new Set(stars), recentActions },
        ...{ account: shown.account, addresses: shown.addresses },
        market: shown.market ?? "perp/1",
        display: preferences.display,
        isMasked: options.mask === true,
        badge: shown.isSimulated ? "SIM" : undefined,
        depth: options.depth ?? Number.POSITIVE_INFINITY,
      },
      findMarket: (store, name) => knownMarket(store, name, settings.config.aliases),
      onEnd(end) {
        if (failure === undefined) resolve({ end, ui: dashboard.ui, alerts: dashboard.alerts() });
        else reject(failure.error);
      },
    });
    source.onOpen?.(dashboard.ui);
    stopped
      .catch((error) => {
        failure = { error };
      })
      .finally(() => dashboard.close());
  });
}

function costWords(live: Live, clock: Task["clock"]): () => string {
  const { noteUpdate, cost } = measureCost(clock);
  live.listen({ onUpdate: noteUpdate });
  return () => {
    const { cpu_percent: cpu, memory_mb: memory, updates_per_second: updates } = cost();
    return `cpu ${cpu}%  ${memory.toFixed(0)} MB  ${updates}/s`;
  };
}

function exitCodeOf(end: SessionEnd): number {
  if (end.kind === "failed") throw end.error;
  if (end.kind === "signal") return SIGNALS[end.signal as keyof typeof SIGNALS] ?? EXIT.failed;
  if (end.kind === "closed") return EXIT.done;
  throw new ServiceError("terminal-lost", "the terminal is gone", { cause: end.cause });
}
