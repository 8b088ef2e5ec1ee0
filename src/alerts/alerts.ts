// The alerts of a run: from the config file, from --alert, and those that the user has set on the screen before.
import type { Config, ConfigRule } from "../config/config-file.ts";
import type { PersistedState } from "../config/persisted-state.ts";
import { UsageError } from "../units/monitor-error.ts";
import type { AlertDesk, PersistedAlert } from "./alert-desk.ts";
import { type AlertRule, parseAlert } from "./alert-rule.ts";

const ALERTS = "alerts";

/** Rules in words that cannot be read. */
export const alertRule: ConfigRule = ({ alerts = [] }) =>
  alerts.flatMap(({ when }, i) => {
    const parsed = parseAlert(when);
    return "fault" in parsed ? [{ path: ["alerts", i, "when"], message: parsed.fault }] : [];
  });

/** @throws {UsageError} when one cannot be read */
export function parseAlertOptions(texts: readonly string[]): readonly AlertRule[] {
  return texts.map((text) => {
    const parsed = parseAlert(text);
    if ("rule" in parsed) return parsed.rule;
    throw new UsageError(
      `--alert ${JSON.stringify(text)}: ${parsed.fault}`,
      "as in: --alert 'perp/1 last > 65000'",
    );
  });
}

/**
 * Sets the alerts of the config file, in the place of those that it had before; what it says as before stays as it
 * is. Never throws.
 */
export function setConfigAlerts(desk: AlertDesk, { alerts = [] }: Config): void {
  const settings = alerts.flatMap(({ when, exec }) => {
    const parsed = parseAlert(when);
    return "rule" in parsed ? [{ rule: parsed.rule, exec }] : [];
  });
  desk.replaceFrom("config", settings);
}

/**
 * Sets again what was set on the screen in earlier runs, with what it has done so far. What cannot be read is
 * dropped. Never throws.
 */
export function restoreAlerts(desk: AlertDesk, state: PersistedState): void {
  const list = state.get(ALERTS);
  for (const each of Array.isArray(list) ? list : []) {
    const alert = readPersisted(each);
    const parsed = alert === undefined ? undefined : parseAlert(alert.text);
    if (parsed !== undefined && alert !== undefined && "rule" in parsed) {
      desk.add(parsed.rule, "screen", { persisted: alert });
    }
  }
}

/** Persists the alerts of the screen for the next run. Never throws. */
export function persistAlerts(desk: AlertDesk, state: PersistedState): void {
  const now = desk.persisted();
  if (JSON.stringify(now) !== JSON.stringify(state.get(ALERTS) ?? [])) state.set(ALERTS, now);
}

function readPersisted(value: unknown): PersistedAlert | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { text, setAtWallMs, firings, firedAtWallMs } = value as Partial<Record<string, unknown>>;
  if (typeof text !== "string" || typeof setAtWallMs !== "number") return undefined;
  return {
    text,
    setAtWallMs,
    firings: typeof firings === "number" ? firings : 0,
    firedAtWallMs: typeof firedAtWallMs === "number" ? firedAtWallMs : undefined,
  };
}
