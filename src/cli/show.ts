// The dashboard of a live session, as the options, the config file and earlier runs say.

import { spawn } from "node:child_process";
import { openDashboard } from "../screen/dashboard.tsx";
import type { Ui } from "../screen/ui.ts";
import { terminalTraits } from "../terminal/osc.ts";
import { openConsole, openTerminalFile } from "../terminal/output.ts";
import type { SessionEnd } from "../terminal/session.ts";
import { colorDepth } from "../terminal/style.ts";
import { startWatcher } from "../terminal/watcher.ts";
import type { Shown } from "../timeline/entry.ts";
import { ServiceError } from "../units/monitor-error.ts";
import { ACCOUNT } from "../views/account.ts";
import { MARKET } from "../views/market/market.ts";
import { MARKETS } from "../views/markets.ts";
import { VIEWS } from "../views/views.ts";
import type { Config } from "./config/config-keys.ts";
import {
  openPersistedState,
  persistStars,
  persistSymbols,
  readChoices,
  readStars,
  readTexts,
} from "./config/persisted-state.ts";
import { type Context, EXIT } from "./context.ts";
import { measureCost } from "./cost.ts";
import type { Live } from "./live.ts";
import { resolvePreferences } from "./preferences.ts";

export interface ShowOptions {
  readonly config: Config;
  readonly shown: Shown;
  /** Of the simulated exchange nothing is kept. */
  readonly isSimulated?: boolean;
}

const START_VIEWS = { market: MARKET, account: ACCOUNT, markets: MARKETS };

/** @returns the exit code when the user has left. @throws {ServiceError} when there is no service at that address; internal errors */
export async function showDashboard(
  context: Context,
  live: Live,
  { config, shown, isSimulated = false }: ShowOptions,
): Promise<number> {
  const { clock, env, options } = context;
  const { stdin, stdout } = process;
  const { service, session } = live;
  const preferences = resolvePreferences(context, config);
  const persisted = isSimulated ? undefined : await openPersistedState();
  const starred = config.watchlist ?? [];
  const choices = readChoices(persisted);
  if (options.interval !== undefined || config.interval !== undefined)
    choices["chart.interval"] = options.interval ?? config.interval ?? "1m";
  const traits = terminalTraits(env);
  const configured = config.alerts?.map(({ when }) => when) ?? [];

  const { end, ui } = await new Promise<{ end: SessionEnd; ui: Ui }>((resolve, reject) => {
    const dashboard = openDashboard({
      ...preferences,
      ...{ clock, process, stdin, stdout, traits, views: VIEWS, address: service.wsUrl },
      depth: colorDepth(env, options.noColor === true),
      file: process.platform === "win32" ? openConsole(stdout) : openTerminalFile(1),
      watcher: process.platform === "win32" ? undefined : startWatcher(spawn, env.PATH, traits),
      notify: config.notify ?? ["bell", "notification"],
      rules: [...configured, ...(options.alert ?? [])],
      start: {
        ...{ view: START_VIEWS[shown.view], market: shown.market ?? "perp/1", choices },
        ...{ account: shown.account, addresses: shown.addresses },
        stars: new Set(readStars(persisted, starred)),
        display: preferences.display,
        recentActions: readTexts(persisted?.get("recent")),
        isMasked: options.mask === true,
        badge: isSimulated ? "SIM" : undefined,
        depth: options.depth ?? Number.POSITIVE_INFINITY,
      },
      openSession(channels, onUpdate, onEvent) {
        live.listen({ onUpdate, onEvent });
        session.setChannels(channels);
        return session;
      },
      save: () => {},
      cost: options.stats ? costWords(live, clock) : undefined,
      onEnd: (how) => resolve({ end: how, ui: dashboard.ui }),
    });
    live
      .until(() => false, Number.POSITIVE_INFINITY)
      .then(
        () => dashboard.close(),
        (error) => {
          reject(error);
          dashboard.close();
        },
      );
  });
  persisted?.set("choices", ui.choices);
  persisted?.set("recent", ui.recentActions);
  persistStars(persisted, starred, ui.stars);
  persistSymbols(persisted, session.store);
  persisted?.save();
  return exitCodeOf(end);
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
