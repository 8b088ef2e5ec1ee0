// The views as tabs, each with its key. The scrubber replaces them while the screen has a timeline; a banner is shown beside
// them while the connection is lost.
//
//   D Market   A Account   M Markets                                                          › × offline, next try in 3s
import { fitPieces } from "../select/columns.ts";
import { formatLink } from "../select/status.ts";
import type { Surface } from "../terminal/cells/surface.ts";
import { cutSentence, textWidth } from "../terminal/cells/text-cells.ts";
import { visible } from "../terminal/visible.ts";
import type { Dashboard } from "./dashboard.ts";
import { formatKeyOf } from "./keymap.ts";
import { paintScrubber } from "./scrubber.ts";
import type { Theme } from "./theme/theme.ts";
import type { View } from "./views/view.ts";

/** Smaller terminals need the row for the view; the keys still work. */
const MIN_ROWS = 16;
const GAP = 1;
/** More tabs than fit, marked as in tables. */
const MORE = "›";

export function tabRows(dashboard: Dashboard, rows: number): number {
  return rows >= MIN_ROWS && (dashboard.views.length > 1 || dashboard.shown.hasTimeline) ? 1 : 0;
}

/** Paints one line. The tab of the current view always fits, the others from the left. */
export function paintTabs(surface: Surface, dashboard: Dashboard, theme: Theme): void {
  const { place } = dashboard.shown;
  if (place !== undefined) {
    paintScrubber(surface, dashboard, place, theme);
    return;
  }
  const { tabs, room, banner } = layOut(dashboard, surface.width);
  for (const { key, text, isShown, x } of tabs) {
    surface.text(x, 0, text, isShown ? theme.badge : theme.dim);
    if (!isShown) surface.text(x + 1, 0, key, theme.key);
  }
  if (tabs.length < dashboard.views.length && room > 0) {
    surface.text(room - 1, 0, MORE, theme.key);
  }
  // Never in a buy or sell colour.
  const style = dashboard.shown.frozenText === undefined ? theme.offline : theme.badge;
  surface.textRight(surface.width, 0, banner, style);
}

/** The banner gets the room that the tabs leave, or half of the line; at least what happened and what happens next. */
function layOut(dashboard: Dashboard, width: number) {
  const parts = formatBanner(dashboard);
  if (parts === undefined) {
    return { tabs: formatTabs(dashboard, width), room: width, banner: "" };
  }
  const last = formatTabs(dashboard, Number.POSITIVE_INFINITY).at(-1);
  const all = last === undefined ? 0 : last.x + last.width + GAP;
  const limit = Math.max(width - all, Math.floor(width / 2)) - 2;
  const [why, more] = parts;
  const forms = more === "" ? [why] : [`${why}   ${more}`, why];
  const short = cutSentence(why.replace(/: .*$/s, ""), width - 2);
  const banner = ` ${forms.find((form) => textWidth(form) <= limit) ?? short} `;
  const room = Math.max(0, width - textWidth(banner) - GAP);
  return { tabs: formatTabs(dashboard, room), room, banner };
}

/** Why the screen is not live, and how to return; undefined while it is live. */
function formatBanner({
  shown,
  options,
}: Dashboard): readonly [why: string, more: string] | undefined {
  const { store, now, frozenText } = shown;
  if (frozenText !== undefined) {
    return [frozenText, `${formatKeyOf("freeze")} resumes`];
  }
  const { link } = store;
  if (options.isListingOnly || link === undefined || link.state === "open") return undefined;
  if (link.reconnects === 0 && link.state === "connecting") return undefined;
  return [`× ${visible(formatLink(link, now()))}`, "what is shown was received before"];
}

export function tabAt(dashboard: Dashboard, width: number, column: number): View | undefined {
  if (dashboard.shown.place !== undefined) return undefined;
  const { tabs } = layOut(dashboard, width);
  return tabs.find(({ x, width: cells }) => column >= x && column < x + cells)?.view;
}

function formatTabs({ views, view: shown }: Dashboard, room: number) {
  const pieces = views.map((view, i) => {
    const key = formatKeyOf(view.action);
    const isShown = view === shown;
    const text = ` ${key} ${view.title} `;
    return { view, key, text, isShown, width: textWidth(text), priority: isShown ? -1 : i };
  });
  const all = fitPieces(pieces, room, GAP);
  return all.length < pieces.length ? fitPieces(pieces, room - GAP - 1, GAP) : all;
}
