// What keys do that belong to no view.
import type { Dashboard } from "./dashboard.ts";
import type { Action } from "./keys.ts";

export const ACTIONS: Readonly<Partial<Record<Action, (dashboard: Dashboard) => void>>> = {
  quit: ({ options }) => options.onQuit(),
  redraw: ({ options }) => options.onRedraw(),
  suspend: ({ options }) => options.onSuspend(),
  help: (dashboard) => dashboard.toggleHelp(),
  back: (dashboard) => dashboard.back(),
  freeze: (dashboard) => dashboard.toggleFrozen(),
  mask: (dashboard) => dashboard.toggleMask(),
  palette: ({ palette }) => palette.open(),
  viewNext: (dashboard) => dashboard.showBy(1),
  viewPrevious: (dashboard) => dashboard.showBy(-1),
};
