// An alert in words and as a row of a table, and a firing in words.

import { MASK } from "../select/mask.ts";
import { formatDecimal } from "../units/decimal.ts";
import { formatIsoMs } from "../units/time.ts";
import type { OpenRecord } from "../wire/update.ts";
import { type Alert, type AlertFiring, selectAlertCondition } from "./alert-desk.ts";

const ORIGINS = { config: "config file", option: "--alert", screen: "screen" } as const;

/** The rule in words; of an account without its address and without its levels where they are hidden. Never throws. */
export function alertWords({ text, rule }: Alert, isMasked: boolean): string {
  if (!isMasked || !("account" in rule.subject)) return text;
  return text
    .replace(/^account\/[^/]*/, `account/${MASK}`)
    .replace(/ (>|<|crosses|hysteresis) \S+/g, ` $1 ${MASK}`);
}

/** The words of a firing: `perp/1 last > 65000: 65010.5`. Never throws. */
export function formatFiring({ alert, value, wasBlind }: AlertFiring, isMasked: boolean): string {
  const blind = wasBlind ? " (crossed while data were missing)" : "";
  const shown = isMasked && "account" in alert.rule.subject ? MASK : value;
  return `${alertWords(alert, isMasked)}${value === undefined ? "" : `: ${shown}`}${blind}`;
}

/** What others must not see stands in no field of it. Never throws. */
export function alertRow(alert: Alert, isMasked: boolean): OpenRecord {
  const { state, firedAtWallMs, origin, rule } = alert;
  return {
    alert: alertWords(alert, isMasked),
    state: selectAlertCondition(alert),
    why: (selectAlertCondition(alert) === "not evaluated" && state.notEvaluated) || "",
    value: valueWords(alert, isMasked),
    fired: String(state.firings),
    last_fired: firedAtWallMs === undefined ? "" : formatIsoMs(firedAtWallMs),
    repeats: rule.coolDownMs === undefined ? "once" : "every",
    set_by: ORIGINS[origin],
  };
}

function valueWords({ state: { value }, rule }: Alert, isMasked: boolean): string {
  if (value === undefined) return "";
  return isMasked && "account" in rule.subject ? MASK : formatDecimal(value);
}
