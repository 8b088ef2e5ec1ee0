// The alerts of a run, and the effects of a firing.
import type { Context } from "../args/context.ts";
import type { Config, ConfigRule } from "../config/config-file.ts";
import type { PersistedState } from "../config/persisted-state.ts";
import type { Scales } from "../state/scales.ts";
import type { Store } from "../state/store.ts";
import { UsageError } from "../units/monitor-error.ts";
import { getMembers } from "../wire/json.ts";
import { type AlertEffect, AlertHooks } from "./alert-effects.ts";
import {
  AlertManager,
  type AlertNotice,
  type AlertSetting,
  type PersistedAlert,
} from "./alert-manager.ts";
import { formatFiring, formatNotice } from "./alert-rows.ts";
import { parseAlert } from "./alert-rule.ts";

export interface AlertRunOptions {
  readonly context: Context;
  readonly config: Config;
  readonly store: Store;
  readonly scales: Scales;
  /** Undefined if nothing is persisted: on the simulated exchange, or without a screen. */
  readonly persisted?: PersistedState | undefined;
  /** Run in this order, after logging; then the alert's program is started. */
  readonly effects: readonly AlertEffect[];
  readonly onNotice?: (notice: AlertNotice) => void;
  /** The list of alerts, or the state of one, has changed. */
  readonly onChange: () => void;
}

const ALERT_LINE = { level: "warn", what: "alert", channel: undefined } as const;

export class AlertRun {
  readonly manager: AlertManager;
  readonly #options: AlertRunOptions;
  readonly #hooks: AlertHooks;
  #config: Config;

  /** @throws {UsageError} when an --alert cannot be parsed */
  constructor(options: AlertRunOptions) {
    this.#options = options;
    const { context, config, store, scales, persisted } = options;
    const { clock } = context;
    const given = parseAlertOptions(context.options.alert ?? []);
    const manager = new AlertManager({
      store,
      scales,
      now: () => clock.now(),
      wall: () => clock.wall(),
    });
    this.manager = manager;
    this.#config = config;
    const hooks = new AlertHooks(clock, context.env);
    this.#hooks = hooks;
    manager.onFire = (firing) => {
      const detail = formatFiring(firing, false);
      store.log.add({ ...ALERT_LINE, atMs: clock.now(), detail });
      for (const effect of options.effects) effect(firing, this.#config);
      void hooks.run(firing).then(() => manager.noteFault(hooks.fault));
    };
    manager.onNotice = (notice) => {
      const detail = formatNotice(notice, false);
      store.log.add({ ...ALERT_LINE, level: "info", atMs: clock.now(), detail });
      options.onNotice?.(notice);
    };
    setConfigAlerts(manager, config);
    for (const { rule, typed } of given) manager.add(rule, "option", { typed });
    if (persisted !== undefined) restoreAlerts(manager, persisted);
    // Only now, because the callback needs the manager.
    manager.onChange = () => this.#noteChange();
  }

  settled(): Promise<void> {
    return this.#hooks.settled();
  }

  reload(config: Config): void {
    this.#config = config;
    setConfigAlerts(this.manager, config);
  }

  #noteChange(): void {
    const { persisted, onChange } = this.#options;
    if (persisted !== undefined) persistAlerts(this.manager, persisted);
    onChange();
  }
}

const ALERTS = "alerts";

export const alertRule: ConfigRule = ({ alerts = [] }) =>
  alerts.flatMap(({ when }, i) => {
    const parsed = parseAlert(when);
    return "fault" in parsed ? [{ path: ["alerts", i, "when"], message: parsed.fault }] : [];
  });

function parseAlertOptions(texts: readonly string[]): readonly Omit<AlertSetting, "exec">[] {
  return texts.map((text) => {
    const parsed = parseAlert(text);
    if ("rule" in parsed) return { ...parsed, typed: text.trim() };
    throw new UsageError(
      `--alert ${JSON.stringify(text)}: ${parsed.fault}`,
      "as in: --alert 'perp/1 last > 65000'",
    );
  });
}

/** Replaces the alerts of the config file; unchanged ones keep their state. */
export function setConfigAlerts(manager: AlertManager, { alerts = [] }: Config): void {
  const settings = alerts.flatMap(({ when, exec, record }) => {
    const parsed = parseAlert(when);
    return "rule" in parsed ? [{ ...parsed, typed: when.trim(), exec, record }] : [];
  });
  manager.replaceFrom("config", settings);
}

/** Restores alerts set on the screen in earlier runs. Those that cannot be parsed are dropped. */
export function restoreAlerts(manager: AlertManager, state: PersistedState): void {
  const list = state.get(ALERTS);
  for (const each of Array.isArray(list) ? list : []) {
    const alert = readPersisted(each);
    const parsed = alert === undefined ? undefined : parseAlert(alert.text);
    if (parsed !== undefined && alert !== undefined && "rule" in parsed) {
      manager.add(parsed.rule, "screen", { persisted: alert });
    }
  }
}

export function persistAlerts(manager: AlertManager, state: PersistedState): void {
  const now = manager.persisted();
  if (JSON.stringify(now) !== JSON.stringify(state.get(ALERTS) ?? [])) state.set(ALERTS, now);
}

function readPersisted(value: unknown): PersistedAlert | undefined {
  const { text, setAtWallMs, firings, firedAtWallMs } = getMembers(value);
  if (typeof text !== "string" || typeof setAtWallMs !== "number") return undefined;
  return {
    text,
    setAtWallMs,
    firings: typeof firings === "number" ? firings : 0,
    firedAtWallMs: typeof firedAtWallMs === "number" ? firedAtWallMs : undefined,
  };
}
