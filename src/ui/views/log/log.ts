// The view of the log.
import type { View } from "../view.ts";
import { LogView } from "./LogView.tsx";
import { LogModel } from "./log-model.ts";

export const logView: View<LogModel> = {
  name: "log",
  title: "Log",
  action: "showLog",
  keepsChannels: true,
  isThere: () => true,
  createModel: (dashboard) => new LogModel(dashboard),
  Component: LogView,
};
