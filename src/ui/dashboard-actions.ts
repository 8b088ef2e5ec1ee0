// What keys do that belong to no view: in the help, and everywhere.
import type { Dashboard } from "./dashboard.ts";
import { type Action, KEYS } from "./keys.ts";

const PAGE = 10;

/** Rows that the help is scrolled by. */
export const HELP_STEPS: Readonly<Partial<Record<Action, number>>> = {
  scrollUp: -1,
  scrollDown: 1,
  scrollPageUp: -PAGE,
  scrollPageDown: PAGE,
  scrollHome: -KEYS.length,
};

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
