// The list of all alerts, which stays live while the screen is frozen.

import type { Alert } from "../../alerts/alert-manager.ts";
import { alertRow } from "../../alerts/alert-rows.ts";
import type { PaneStatus } from "../../select/status.ts";
import { visible } from "../../terminal/visible.ts";
import { Memo } from "../../units/memo.ts";
import type { OpenRecord } from "../../wire/update.ts";
import type { Action, KeyContext } from "../keys.ts";
import { TableModel, TablePane } from "../table/pane.ts";
import type { FeedStatus, Parts, View } from "./view.ts";

const OWN_LIST: PaneStatus = { state: "live", age: "", note: "" };

class AlertsModel extends TableModel {
  readonly feeds: readonly FeedStatus[] = [];
  readonly pane: TablePane;
  readonly #parts: Parts;
  /** Includes rows shown earlier: one of them may be open. */
  readonly #alerts = new WeakMap<OpenRecord, Alert>();
  readonly #rows = new Memo<readonly OpenRecord[]>();

  constructor(parts: Parts) {
    super();
    const { alerts } = parts;
    this.#parts = parts;
    this.pane = new TablePane(parts, {
      title: "Alerts",
      isFreezable: false,
      isAlwaysCurrent: true,
      channels: () => this.channels,
      status: () => OWN_LIST,
      records: () => this.#records(),
      // Rows hide account data themselves; the prices of alerts are public.
      isPublic: true,
      keyOf: (record) => String(this.#alerts.get(record)?.id ?? ""),
      notes: () => {
        const { fault, recordFault, leftOut = 0 } = alerts ?? {};
        return [
          leftOut === 0 ? "" : `${leftOut} more are not watched: too many`,
          fault === undefined ? "" : `program failed: ${visible(fault)}`,
          recordFault === undefined ? "" : `not recorded: ${visible(recordFault)}`,
        ];
      },
      emptyText: "No alerts yet: a adds one, as in :alert perp/1 last > 65000.",
    });
  }

  get channels(): readonly string[] {
    return this.#parts.alerts?.channels ?? [];
  }

  override get contexts(): readonly KeyContext[] {
    const { contexts } = this.pane;
    return contexts.includes("table") ? ["alerts", ...contexts] : contexts;
  }

  override perform(action: Action): boolean {
    if (action === "addAlert") {
      this.#parts.typeCommand("alert ");
      return true;
    }
    if (action !== "removeAlert") return super.perform(action);
    const { selected } = this.pane.table;
    const alert = selected && this.#alerts.get(selected);
    if (alert !== undefined) this.#parts.alerts?.remove(alert.id);
    return true;
  }

  #records(): readonly OpenRecord[] {
    const { alerts, shown } = this.#parts;
    const all = alerts?.alerts ?? [];
    return this.#rows.get([shown.isMasked, ...all], () =>
      all.map((alert) => {
        const row = alertRow(alert, shown.isMasked);
        this.#alerts.set(row, alert);
        return row;
      }),
    );
  }
}

export const alertsView: View<AlertsModel> = {
  name: "alerts",
  title: "Alerts",
  action: "showAlerts",
  isAvailable: ({ alerts }) => alerts !== undefined,
  createModel: (parts) => new AlertsModel(parts),
};
