// Alerts: what am I waiting for, how far is it, and what fired.

import { type Alert, conditionOf } from "../alerts/alert.ts";
import { formatLevel, marketOfRule, maskedRule } from "../alerts/rule.ts";
import { formatNumber, formatSpan } from "../rows/format.ts";
import { marketLabel } from "../rows/market.ts";
import { tableView } from "../screen/table/pane.ts";
import { MASK, type Table } from "../screen/table/table.ts";
import type { Ui } from "../screen/ui.ts";
import type { Moment } from "../state/moment.ts";
import { barText, eighthsOf } from "../terminal/bars.ts";
import { formatDecimal, subtractDecimal } from "../units/decimal.ts";
import { word } from "./cells.ts";

interface AlertRow {
  readonly alert: Alert;
  readonly nowMs: number;
  readonly store: Moment["store"];
  /** The address and figures of a rule about an account are hidden. */
  readonly isMasked: boolean;
}

const isHidden = ({ alert: { rule }, isMasked }: AlertRow) =>
  isMasked && rule.kind === "level" && rule.target.account !== undefined;

/** The market, which a rule need not name, or the account. */
function subjectOf(row: AlertRow): string | undefined {
  const { store } = row;
  const { rule } = row.alert;
  const market = marketOfRule(rule);
  if (isHidden(row)) return MASK;
  if (market !== undefined) return marketLabel(store, market);
  return rule.kind === "level"
    ? rule.target.account?.replace(/^(.{4}).*(.{4}\/)/, "$1…$2")
    : undefined;
}

const BAR_CELLS = 10;

/** Full at the level, empty at a tenth of it away. */
function nearness(row: AlertRow): string | undefined {
  const { rule, value } = row.alert;
  if (isHidden(row) || rule.kind !== "level" || value === undefined) return undefined;
  const away = subtractDecimal(value, rule.level);
  const size = Math.abs(Number(formatDecimal(rule.level))) || 1;
  const share = 1 - Math.min(1, Math.abs(Number(formatDecimal(away))) / size / 0.1);
  return barText(eighthsOf(share, 1, BAR_CELLS));
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
    word("", ({ alert }) => (alert.isAcknowledged ? "" : "⚑"), {
      tone: () => "bad",
    }),
    word(
      "rule",
      ({ alert: { rule }, isMasked }) => (isMasked ? maskedRule(rule, MASK) : rule.text),
      { tone: () => "bright" },
    ),
    word("of", subjectOf, { tone: () => "dim" }),
    {
      title: "now",
      value: (row) => {
        const { value } = row.alert;
        if (isHidden(row)) return MASK;
        return value && formatDecimal(value);
      },
      show: (exact, _row, display) => formatNumber(exact, display),
    },
    word("fires", (row) => {
      const { rule } = row.alert;
      if (isHidden(row)) return MASK;
      return rule.kind === "level" ? formatLevel(rule) : rule.kind;
    }),
    word("near", nearness, { tone: () => "accent" }),
    word("state", ({ alert }) => stateOf(alert), {
      tone: ({ alert }) => (alert.isAcknowledged ? "dim" : "bad"),
    }),
    {
      title: "fired",
      value: ({ alert: { firings } }) => String(firings),
    },
    word(
      "last",
      ({ alert: { firedAtMs }, nowMs }) =>
        firedAtMs === undefined ? undefined : `${formatSpan(nowMs - firedAtMs)} ago`,
      { tone: () => "dim" },
    ),
  ],
  rows: ({ nowMs, store }: Moment, ui) =>
    ui.services.alerts.all().map((alert) => ({ alert, nowMs, store, isMasked: ui.isMasked })),
  id: ({ alert }) => alert.rule.text,
  open: ({ alert }, ui) => edit(ui, alert),
  keys: [
    { key: "a", says: "alerts: add one", hint: "add", run: (ui) => edit(ui, undefined) },
    {
      key: "space",
      says: "alerts: pause the row, or go on",
      hint: "pause",
      run: (ui) => withRow(ui, (alert) => ui.services.alerts.pause(alert)),
    },
    {
      key: "x",
      says: "alerts: remove the row",
      hint: "remove",
      run: (ui) => withRow(ui, (alert) => ui.services.alerts.remove(alert)),
    },
  ],
  empty: "no alert: a adds one, ! in the market adds one at the price",
};

function withRow(ui: Ui, act: (alert: Alert) => void): void {
  const { id } = ui.table("alerts");
  const alert = ui.services.alerts.all().find(({ rule }) => rule.text === id);
  if (alert !== undefined) act(alert);
}

/** One field; what is wrong is said beside it. */
function edit(ui: Ui, alert: Alert | undefined): void {
  askForAlert(ui, alert?.rule.text ?? "", alert);
}

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
