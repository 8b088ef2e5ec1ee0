// The dashboard of a live session, as the options, the config file and earlier runs say.

import { spawn } from "node:child_process";
import { join } from "node:path";
import type { GivenAlert } from "../alerts/alert.ts";
import type { Effects } from "../alerts/effects.ts";
import { createListings } from "../live/listings.ts";
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
import { createPast, type Timeline } from "../timeline/timeline.ts";
import { ServiceError } from "../units/monitor-error.ts";
import { visible } from "../units/visible.ts";
import { ACCOUNT } from "../views/account.ts";
import { candlesWanted } from "../views/market/chart-pane.ts";
import { MARKET } from "../views/market/market.ts";
import { MARKETS } from "../views/markets.ts";
import { VIEWS } from "../views/views.ts";
import { givenAlerts, openEffects } from "./alerts.ts";
import type { Config } from "./config/config-keys.ts";
import { folderOf } from "./config/config-location.ts";
import {
  openPersistedState,
  persistSymbols,
  readAlerts,
  readChoices,
  readTexts,
} from "./config/persisted-state.ts";
import { type Context, EXIT } from "./context.ts";
import { measureCost } from "./cost.ts";
import { knownMarket } from "./find-market.ts";
import type { Live } from "./live.ts";
import { resolvePreferences } from "./preferences.ts";

/** What is saved of the time before. */
const SAVED_MS = 120_000;

export interface ShowOptions {
  readonly config: Config;
  readonly shown: Shown;
  /** In place of the view that is named there. */
  readonly view?: View;
}

const START_VIEWS = { market: MARKET, account: ACCOUNT, markets: MARKETS };

/** @returns the exit code when the user has left. @throws {ServiceError} when there is no service at that address; internal errors */
export async function showDashboard(
  context: Context,
  live: Live,
  { config, shown, view }: ShowOptions,
): Promise<number> {
  const { clock, options } = context;
  const { service, session } = live;
  // Of the simulated exchange nothing is kept.
  const persisted = shown.isSimulated ? undefined : openPersistedState(context.env);
  const choices = readChoices(persisted);
  if (options.interval !== undefined || config.interval !== undefined)
    choices["chart.interval"] = options.interval ?? config.interval ?? "1m";
  const given = [...givenAlerts(options, config), ...readAlerts(persisted)];
  let effects: Effects | undefined;
  const { end, ui, alerts } = await show(
    context,
    {
      ...{
        config,
        shown,
        choices,
        ...(view && { view }),
        stars: new Set(readTexts(persisted?.get("stars"))),
      },
      recentActions: readTexts(persisted?.get("recent")),
    },
    {
      address: service.wsUrl,
      openListings: await listingsOf(context, live, shown),
      alerts: given,
      openEffects(listener) {
        effects = openEffects(context, live, listener);
        return effects;
      },
      openSession(channels, onUpdate, onEvent) {
        live.listen({ onUpdate, onEvent });
        session.setChannels(channels);
        return session;
      },
      ...shownPast(context, live, shown),
      onOpen(ui) {
        const wantedCandles = () => candlesWanted(ui);
        live.readPast({ flowSinceMs: shown.flowSinceMs, wantedCandles });
      },
      cost: options.stats ? costWords(live, clock) : undefined,
    },
    live.until(() => false, Number.POSITIVE_INFINITY),
  );
  await effects?.close();
  persisted?.set("choices", ui.choices);
  persisted?.set("recent", ui.recentActions);
  persisted?.set(
    "alerts",
    alerts.map(({ when }) => when),
  );
  persisted?.set("stars", [...ui.stars]);
  persistSymbols(persisted, session.store);
  const failure = persisted?.save();
  if (failure !== undefined)
    context.stderr.write(`monitor: what was set is not kept: ${visible(failure)}\n`);
  return exitCodeOf(end);
}

/** A recording in place of a session. @returns as `showDashboard` */
export async function showReplay(
  context: Context,
  { track }: Recording,
  { config, shown }: ShowOptions,
): Promise<number> {
  const { clock, interrupt } = context;
  const player = createPlayer(track, clock);
  const nothing = () => {};
  const { end } = await show(
    context,
    {
      ...{ config, shown, stars: new Set(), recentActions: [] },
      choices: { "chart.interval": shown.interval },
    },
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

type Source = { onOpen?(ui: Ui): void } & Pick<
  DashboardOptions,
  "address" | "alerts" | "openSession"
> &
  Partial<
    Pick<DashboardOptions, "openListings" | "replay" | "lookBack" | "save" | "cost" | "openEffects">
  >;
type Start = ShowOptions & Pick<DashboardOptions["start"], "choices" | "stars" | "recentActions">;

/** @param stopped settles when something else than the user ends it */
function show(
  context: Context,
  { config, shown, ...start }: Start,
  source: Source,
  stopped: Promise<unknown>,
): Promise<{ readonly end: SessionEnd; readonly ui: Ui; readonly alerts: readonly GivenAlert[] }> {
  const { clock, env, options } = context;
  const { stdin, stdout } = process;
  const preferences = resolvePreferences(context, { ...readSettings(start.choices), ...config });
  const traits = terminalTraits(env);
  let failure: unknown;
  return new Promise((resolve, reject) => {
    const dashboard = openDashboard({
      ...preferences,
      ...source,
      ...{ clock, process, stdin, stdout, traits, views: VIEWS },
      depth: colorDepth(env, options.noColor === true),
      file: process.platform === "win32" ? openConsole(stdout) : openTerminalFile(1),
      watcher: process.platform === "win32" ? undefined : startWatcher(spawn, env.PATH, traits),
      notify: config.notify ?? ["bell", "notification"],
      start: {
        ...{ view: START_VIEWS[shown.view], market: shown.market ?? "perp/1" },
        ...start,
        ...{ account: shown.account, addresses: shown.addresses },
        display: preferences.display,
        isMasked: options.mask === true,
        badge: shown.isSimulated ? "SIM" : undefined,
        depth: options.depth ?? Number.POSITIVE_INFINITY,
      },
      findMarket: (store, name) => knownMarket(store, config.aliases ?? {}, name),
      onEnd(end) {
        if (failure === undefined) resolve({ end, ui: dashboard.ui, alerts: dashboard.alerts() });
        else reject(failure);
      },
    });
    source.onOpen?.(dashboard.ui);
    stopped.then(
      () => dashboard.close(),
      (error) => {
        failure = error;
        dashboard.close();
      },
    );
  });
}

/** Of a service whose listings have an address. */
async function listingsOf(
  context: Context,
  { service, budget, cursors }: Live,
  { isSimulated }: Shown,
): Promise<DashboardOptions["openListings"]> {
  const { clock, random } = context;
  const { baseUrl, headers, owner } = service;
  if (baseUrl === undefined) return undefined;
  const data = isSimulated ? undefined : folderOf("data", context.env);
  const folder = data && join(data, "fills");
  const options = { baseUrl, headers, budget, cursors, owner, folder, clock, random };
  return (onChange) => createListings({ ...options, onChange });
}

/** The last minutes: looked back at, and saved by a key. */
function shownPast({ clock }: Context, { remember, recorder, saveLast }: Live, shown: Shown) {
  const history = remember();
  return {
    lookBack(fromMs: number): Timeline {
      recorder.settle();
      return createPast(history, recorder.settle, fromMs);
    },
    save: ({ market, account, addresses, view, isMasked }: Ui): string =>
      saveLast(".", clock.now() - SAVED_MS, {
        ...{ name: market, cause: "W", isMasked },
        shown: { ...shown, market, account, addresses, view: viewOf(view.name) },
      }),
  };
}

function viewOf(name: string): Shown["view"] {
  return name === "account" || name === "markets" ? name : "market";
}

function costWords(live: Live, clock: Context["clock"]): () => string {
  const { noteUpdate, cost } = measureCost(clock);
  live.listen({ onUpdate: noteUpdate });
  return () => {
    const { cpu_percent: cpu, memory_mb: memory, updates_per_second: updates } = cost();
    return `cpu ${cpu}%  ${memory.toFixed(0)} MB  ${updates}/s`;
  };
}

const SIGNALS: Readonly<Partial<Record<NodeJS.Signals, number>>> = {
  SIGHUP: 129,
  SIGINT: 130,
  SIGQUIT: 131,
  SIGTERM: 143,
};

function exitCodeOf(end: SessionEnd): number {
  if (end.kind === "failed") throw end.error;
  if (end.kind === "signal") return SIGNALS[end.signal] ?? EXIT.failed;
  if (end.kind === "closed") return EXIT.done;
  throw new ServiceError("terminal-lost", "the terminal is gone", { cause: end.cause });
}
