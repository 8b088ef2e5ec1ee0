// What the user has chosen in the list of alerts.
import type { Alert } from "../../alerts/alert-desk.ts";
import { alertRow } from "../../alerts/alert-rows.ts";
import type { RecordFormat } from "../../select/record-format.ts";
import type { PaneStatus } from "../../select/status.ts";
import { visible } from "../../terminal/visible.ts";
import type { OpenRecord } from "../../wire/update.ts";
import type { Dashboard } from "../dashboard.ts";
import type { Action, KeyContext } from "../keys.ts";
import { type FramedPane, type PaneModel, PaneView, tableFrame } from "../panes/frame.tsx";
import { TablePane } from "../table/pane.ts";
import type { FeedStatus, View } from "./view.ts";

/** What is said of a list that no feed is behind. */
const OWN_LIST: PaneStatus = { state: "live", age: "", note: "evaluated here" };

/** What the user has chosen in the list of alerts. */
export class AlertsModel implements PaneModel {
  readonly feeds: readonly FeedStatus[] = [];
  readonly status = OWN_LIST;
  readonly table: TablePane;
  readonly #dashboard: Dashboard;
  /** Of rows that were shown earlier, too: one of them may be open. */
  readonly #alerts = new WeakMap<OpenRecord, Alert>();
  #rows: readonly OpenRecord[] = [];
  #of: readonly Alert[] = [];
  #isMasked = false;

  constructor(dashboard: Dashboard) {
    this.#dashboard = dashboard;
    const format: RecordFormat = {
      aliases: dashboard.store.aliases,
      scaleOf: () => undefined,
      // The rows hide what is of an account; prices that are waited for are public.
      isMasked: false,
    };
    this.table = new TablePane({
      title: "Alerts",
      records: () => this.#records(),
      format: () => format,
      keyOf: (record) => String(this.#alerts.get(record)?.id ?? ""),
      notes: () => {
        const { fault, leftOut = 0 } = dashboard.alerts ?? {};
        return [
          leftOut === 0 ? "" : `${leftOut} more are not heard: too many`,
          fault === undefined ? "" : `program failed: ${visible(fault)}`,
        ];
      },
      emptyWords: "no alerts; :alert perp/1 last > 65000 sets one",
      clipboard: dashboard.options.clipboard,
      onChange: () => dashboard.tell(),
    });
  }

  /** The alerts' own channels are held wherever the user is. */
  get channels(): readonly string[] {
    return this.#dashboard.alerts?.channels ?? [];
  }

  get contexts(): readonly KeyContext[] {
    const { contexts } = this.table;
    return contexts.includes("table") ? ["alerts", ...contexts] : contexts;
  }

  get typing() {
    return this.table.typing;
  }

  perform(action: Action): boolean {
    if (action !== "removeAlert") return this.table.perform(action);
    const { selected } = this.table.table;
    const alert = selected && this.#alerts.get(selected);
    if (alert !== undefined) this.#dashboard.alerts?.remove(alert.id);
    return true;
  }

  createPane(): FramedPane {
    return { ...tableFrame(this), isFreezable: false, isAlwaysCurrent: true };
  }

  /** Alerts go on while the screen is frozen, and so does what is said of them. */
  freeze(): void {}

  thaw(): void {}

  #records(): readonly OpenRecord[] {
    const alerts = this.#dashboard.alerts?.alerts ?? [];
    const { isMasked } = this.#dashboard;
    const isSame =
      isMasked === this.#isMasked &&
      alerts.length === this.#of.length &&
      alerts.every((each, i) => each === this.#of[i]);
    if (isSame) return this.#rows;
    this.#of = alerts;
    this.#isMasked = isMasked;
    this.#rows = alerts.map((alert) => alertRow(alert, isMasked));
    for (const [i, row] of this.#rows.entries()) {
      const alert = alerts[i];
      if (alert !== undefined) this.#alerts.set(row, alert);
    }
    return this.#rows;
  }
}

/** The view of the alerts: there where alerts are heard. */
export const alertsView: View<AlertsModel> = {
  name: "alerts",
  title: "Alerts",
  action: "showAlerts",
  isThere: ({ alerts }) => alerts !== undefined,
  createModel: (dashboard) => new AlertsModel(dashboard),
  Component: PaneView,
};
