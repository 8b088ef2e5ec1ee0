// What keys do that belong to no view.
import type { Dashboard } from "./dashboard.ts";
import type { Action } from "./keys.ts";

/** How far a key goes back, or forward again. */
const JUMP_MS = 10_000;
const LONG_JUMP_MS = 120_000;

function goBy(ms: number): (dashboard: Dashboard) => void {
  return (dashboard) => dashboard.goBack((past) => past.goTo(past.atMs + ms));
}

/** Goes through the views that have a tab. */
function showBy(dashboard: Dashboard, steps: number): void {
  const { views } = dashboard;
  const at = views.indexOf(dashboard.view);
  const view = views[(at + steps + views.length) % views.length];
  if (view !== undefined) dashboard.show(view);
}

/** By the action of the key. */
export const ACTIONS: Readonly<Partial<Record<Action, (dashboard: Dashboard) => void>>> = {
  quit: ({ options }) => options.onQuit(),
  redraw: ({ options }) => options.onRedraw(),
  suspend: ({ options }) => options.onSuspend(),
  help: (dashboard) => dashboard.toggleHelp(),
  back: (dashboard) => dashboard.back(),
  freeze: (dashboard) => dashboard.toggleFrozen(),
  pastStepBack: (dashboard) => dashboard.goBack((past) => past.step(-1, dashboard.channels)),
  pastStep: (dashboard) => dashboard.goBack((past) => past.step(1, dashboard.channels)),
  pastBack: goBy(-JUMP_MS),
  pastForward: goBy(JUMP_MS),
  pastBackMore: goBy(-LONG_JUMP_MS),
  pastForwardMore: goBy(LONG_JUMP_MS),
  mask: (dashboard) => dashboard.toggleMask(),
  palette: ({ palette }) => palette.open(),
  viewNext: (dashboard) => showBy(dashboard, 1),
  viewPrevious: (dashboard) => showBy(dashboard, -1),
};
