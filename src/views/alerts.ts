// Alerts: what am I waiting for, how far is it, and what fired.

import type { Alert } from "../alerts/alerts.ts";
import { formatLevel, type Rule } from "../alerts/rule.ts";
import { formatNumber, formatSpan } from "../rows/format.ts";
import { marketLabel } from "../rows/market.ts";
import type { Moment } from "../rows/moment.ts";
import type { View } from "../screen/pane.ts";
import { tablePane } from "../screen/table/pane.ts";
import type { Table } from "../screen/table/table.ts";
import type { Ui } from "../screen/ui.ts";
import { barText, eighthsOf } from "../terminal/bars.ts";
import { compareDecimal, formatDecimal, subtractDecimal } from "../units/decimal.ts";
import { word } from "./cells.ts";

interface AlertRow {
  readonly alert: Alert;
  readonly nowMs: number;
  readonly store: Moment["store"];
}

/** The market, which a rule need not name, or the account. */
function subjectOf({ alert: { rule }, store }: AlertRow): string | undefined {
  if (rule.kind === "offline") return undefined;
  const market = rule.kind === "stale" ? rule.market : rule.target.market;
  if (market !== undefined) return marketLabel(store, market);
  return rule.kind === "level"
    ? rule.target.account?.replace(/^(.{4}).*(.{4}\/)/, "$1…$2")
    : undefined;
}

const BAR_CELLS = 10;

/** Full at the level, empty at a tenth of it away. */
function nearness({ alert: { rule, value } }: AlertRow): string | undefined {
  if (rule.kind !== "level" || value === undefined) return undefined;
  const away = subtractDecimal(value, rule.level);
  const size = Math.abs(Number(formatDecimal(rule.level))) || 1;
  const share = 1 - Math.min(1, Math.abs(Number(formatDecimal(away))) / size / 0.1);
  return barText(eighthsOf(share, 1, BAR_CELLS));
}

function stateOf({ isPaused, isDone, reason, firings, rule, value }: Alert): string {
  if (isPaused) return "paused";
  if (isDone) return firings > 0 ? "fired" : (reason ?? "ended");
  if (reason !== undefined) return reason;
  return isPast(rule, value) ? "past its level" : "watching";
}

function isPast(rule: Rule, value: Alert["value"]): boolean {
  if (rule.kind !== "level" || value === undefined) return false;
  const side = compareDecimal(value, rule.level);
  return rule.comparison === ">" ? side > 0 : side < 0;
}

const ALERTS_TABLE: Table<AlertRow> = {
  name: "alerts",
  title: "Alerts",
  columns: [
    word("", ({ alert }) => (alert.isAcknowledged ? "" : "⚑"), {
      name: "fired",
      tone: () => "bad",
    }),
    word("rule", ({ alert }) => alert.rule.text, { tone: () => "bright" }),
    word("of", subjectOf, { tone: () => "dim" }),
    {
      title: "now",
      value: ({ alert: { value } }) => value && formatDecimal(value),
      show: (exact, _row, display) => formatNumber(exact, display),
    },
    word("fires", ({ alert: { rule } }) => (rule.kind === "level" ? formatLevel(rule) : rule.kind)),
    word("near", nearness, { name: "nearness", tone: () => "accent" }),
    word("state", ({ alert }) => stateOf(alert), {
      tone: ({ alert }) => (alert.isAcknowledged ? "dim" : "bad"),
    }),
    {
      title: "fired",
      name: "firings",
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
    ui.services.alerts.all().map((alert) => ({ alert, nowMs, store })),
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
    onDone(rule) {
      const fault = ui.services.alerts.set(rule, replaced);
      if (fault === undefined) ui.notify(`alert: ${rule}`);
      return fault;
    },
  });
}

const PANE = tablePane(ALERTS_TABLE);

export const ALERTS: View = {
  name: "alerts",
  title: "Alerts",
  key: "N",
  layout: () => ({ pane: PANE, grow: 1, min: [30, 4] }),
};
