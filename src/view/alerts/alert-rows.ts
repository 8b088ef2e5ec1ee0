// An alert as a row of a table.
import type { OpenRecord } from "../../protocol/channels/update.ts";
import { formatDecimal } from "../../units/decimal.ts";
import { formatIsoMs } from "../../units/time.ts";
import { type Alert, selectAlertCondition } from "./alert-desk.ts";

const ORIGINS = { config: "config file", option: "--alert", screen: "screen" } as const;

/** Never throws. */
export function alertRow(alert: Alert): OpenRecord {
  const { text, state, firedAtWallMs, origin, rule } = alert;
  return {
    alert: text,
    state: selectAlertCondition(alert),
    why: (selectAlertCondition(alert) === "not evaluated" && state.notEvaluated) || "",
    value: state.value === undefined ? "" : formatDecimal(state.value),
    fired: String(state.firings),
    last_fired: firedAtWallMs === undefined ? "" : formatIsoMs(firedAtWallMs),
    repeats: rule.coolDownMs === undefined ? "once" : "every",
    set_by: ORIGINS[origin],
  };
}
