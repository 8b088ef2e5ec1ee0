// The view of all alerts.
import type { View } from "../view.ts";
import { AlertsView } from "./AlertsView.tsx";
import { AlertsModel } from "./alerts-model.ts";

export const alertsView: View<AlertsModel> = {
  name: "alerts",
  title: "Alerts",
  action: "showAlerts",
  isThere: ({ alerts }) => alerts !== undefined,
  createModel: (dashboard) => new AlertsModel(dashboard),
  Component: AlertsView,
};
