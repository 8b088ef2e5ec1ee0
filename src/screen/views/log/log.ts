// The view of the log.
import { PaneView } from "../PaneView.tsx";
import type { View } from "../view.ts";
import { LogModel } from "./log-model.ts";

/** The view of the log. Looking changes nothing of what is held. */
export const logView: View<LogModel> = {
  name: "log",
  title: "Log",
  action: "showLog",
  keepsChannels: true,
  isThere: () => true,
  createModel: (dashboard) => new LogModel(dashboard),
  Component: PaneView,
};
