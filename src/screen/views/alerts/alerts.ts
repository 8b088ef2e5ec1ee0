// The view of all alerts.
import { PaneView } from "../PaneView.tsx";
import type { View } from "../view.ts";
import { AlertsModel } from "./alerts-model.ts";

/** The view of the alerts: there where alerts are heard. */
export const alertsView: View<AlertsModel> = {
  name: "alerts",
  title: "Alerts",
  action: "showAlerts",
  isThere: ({ alerts }) => alerts !== undefined,
  createModel: (dashboard) => new AlertsModel(dashboard),
  Component: PaneView,
};
