// Alerts: what am I waiting for, how far is it, and what fired.

import { type Alert, conditionOf } from "../alerts/alert.ts";
import { marketOfRule, maskedRule } from "../alerts/rule.ts";
import { textOfDecimal } from "../rows/account.ts";
import { formatSpan } from "../rows/format.ts";
import { marketLabel } from "../rows/market.ts";
import { tableView } from "../screen/table/pane.ts";
import { MASK, type Table } from "../screen/table/table.ts";
import type { Ui } from "../screen/ui.ts";
import type { Moment } from "../state/moment.ts";
import { barText, eighthsOf } from "../terminal/bars.ts";
import { approximate } from "../units/decimal.ts";
import { number, shortAccount, word } from "./cells.ts";

interface AlertRow {
  readonly alert: Alert;
  readonly nowMs: number;
  readonly store: Moment["store"];
  readonly isMasked: boolean;
}

/** The address and figures of a rule about an account are hidden. */
const unlessHidden =
  (textOf: (row: AlertRow) => string | undefined) =>
  (row: AlertRow): string | undefined => {
    const { rule } = row.alert;
    const isHidden = row.isMasked && rule.kind === "level" && rule.target.account !== undefined;
    return isHidden ? MASK : textOf(row);
  };

/** The market, which a rule need not name, or the account. */
function subjectOf({ alert: { rule }, store }: AlertRow): string | undefined {
  const market = marketOfRule(rule);
  if (market !== undefined) return marketLabel(store, market);
  const account = rule.kind === "level" ? rule.target.account : undefined;
  return account && shortAccount(account);
}

const BAR_CELLS = 10;

/** Full at the level, empty at a tenth of it away. */
function nearness({ alert: { rule, value } }: AlertRow): string | undefined {
  if (rule.kind !== "level" || value === undefined) return undefined;
  const level = approximate(rule.level);
  const away = Math.abs(approximate(value) - level) / (Math.abs(level) || 1);
  return barText(eighthsOf(1 - Math.min(1, away / 0.1), 1, BAR_CELLS));
}

function stateOf(alert: Alert): string {
  const condition = conditionOf(alert);
  const isExplained = condition === "not evaluated" || condition === "ended";
  return (isExplained ? alert.reason : undefined) ?? condition;
}

const ALERTS_TABLE: Table<AlertRow> = {
  name: "alerts",
  title: "Alerts",
  columns: [
    word("", ({ alert }) => (alert.isAcknowledged ? "" : "⚑"), { tone: "bad" }),
    {
      ...word<AlertRow>(
        "rule",
        ({ alert: { rule }, isMasked }) => (isMasked ? maskedRule(rule, MASK) : rule.text),
        { tone: "bright" },
      ),
      show: (rule) => rule.replace(/^(account\/.{4})[^/]*(.{4}\/)/, "$1…$2"),
    },
    word("of", unlessHidden(subjectOf), { tone: "dim", goes: 5 }),
    number(
      "now",
      unlessHidden(({ alert: { value } }) => textOfDecimal(value)),
    ),
    word("near", unlessHidden(nearness), { tone: "accent" }),
    word("state", ({ alert }) => stateOf(alert), {
      tone: ({ alert }) => (alert.isAcknowledged ? "dim" : "bad"),
    }),
    number("fired", ({ alert: { firings } }) => String(firings)),
    word(
      "last",
      ({ alert: { firedAtMs }, nowMs }) =>
        firedAtMs === undefined ? undefined : `${formatSpan(nowMs - firedAtMs)} ago`,
      { tone: "dim" },
    ),
  ],
  rows: ({ nowMs, store }: Moment, ui) =>
    ui.services.alerts.all().map((alert) => ({ alert, nowMs, store, isMasked: ui.isMasked })),
  id: ({ alert }) => alert.rule.text,
  open: ({ alert }, ui) => askForAlert(ui, alert.rule.text, alert),
  keys: [
    { key: "a", says: "alerts: add one", hint: "add", run: (ui) => askForAlert(ui, "") },
    {
      key: "space",
      says: "alerts: pause the row, or go on",
      hint: "pause",
      run: (ui) => withRow(ui, togglePause),
    },
    {
      key: "x",
      says: "alerts: remove the row",
      hint: "remove",
      run: (ui) => withRow(ui, ui.services.alerts.remove),
    },
  ],
  empty: "no alert: a adds one, ! in the market adds one at the price",
};

function togglePause(alert: Alert): void {
  alert.isPaused = !alert.isPaused;
}

function withRow(ui: Ui, act: (alert: Alert) => void): void {
  const { id } = ui.table("alerts");
  const alert = ui.services.alerts.all().find(({ rule }) => rule.text === id);
  if (alert !== undefined) act(alert);
}

/** One field; what is wrong is said beside it. */
export function askForAlert(ui: Ui, text: string, replaced?: Alert): void {
  ui.ask({
    label: "alert",
    text,
    hint: (rule) => (rule === "" ? "as in: last > 65000, trade > 5 base, book stale 10s" : ""),
    onDone(rule) {
      const fault = ui.services.alerts.set(rule, replaced);
      if (fault === undefined) ui.notify(`alert: ${rule}`);
      return fault;
    },
  });
}

export const ALERTS = tableView(ALERTS_TABLE, "N");
