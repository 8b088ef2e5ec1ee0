// The views as tabs, each with the key that shows it. A line of its own, where there is more than one view and room. In their
// place stands where one is in time while that is not now, and a banner while the connection is lost.
//
//   D Market  A Account
//   × offline, next try in 3s: connect ECONNREFUSED   what is shown was received before
import { fitPieces } from "../select/columns.ts";
import { formatLink } from "../select/status.ts";
import type { Surface } from "../terminal/cells/surface.ts";
import { cutSentence, textWidth } from "../terminal/cells/text-cells.ts";
import { visible } from "../terminal/visible.ts";
import { Remembered } from "../units/remembered.ts";
import type { Dashboard } from "./dashboard.ts";
import { formatKeyOf } from "./keymap.ts";
import { paintScrubber } from "./scrubber.ts";
import type { Theme } from "./theme/theme.ts";
import type { View } from "./views/view.ts";

/** A smaller terminal needs its rows for the view; the keys do the same there. */
const MIN_ROWS = 16;
const GAP = 1;
/** There are more tabs than there is room for, as of the columns of a table. */
const MORE = "›";

/** Rows that the tabs take: 0 or 1. */
export function tabRows(dashboard: Dashboard, rows: number): number {
  return rows >= MIN_ROWS && (dashboard.views.length > 1 || dashboard.shown.hasTimeline) ? 1 : 0;
}

/** Paints one line. The tab of the view that is shown always fits in, the others from the left. */
export function paintTabs(surface: Surface, dashboard: Dashboard, theme: Theme): void {
  const { place } = dashboard.shown;
  if (place !== undefined) {
    paintScrubber(surface, dashboard, place, theme);
    return;
  }
  const banner = formatBanner(dashboard);
  if (banner !== undefined) {
    // Never in a colour of buying or selling.
    const look = dashboard.shown.frozenText === undefined ? theme.offline : theme.badge;
    surface.fill(0, 0, surface.width, 1, look);
    surface.text(1, 0, formatBannerIn(banner, surface.width - 2), look);
    return;
  }
  const fitting = formatTabs(dashboard, surface.width);
  for (const { key, text, isShown, x } of fitting) {
    surface.text(x, 0, text, isShown ? theme.badge : theme.dim);
    if (!isShown) surface.text(x + 1, 0, key, theme.key);
  }
  if (fitting.length < dashboard.views.length) surface.text(surface.width - 1, 0, MORE, theme.key);
}

/** Both parts, or as much of the first as there is room for. */
function formatBannerIn([first, second]: Banner, columns: number): string {
  const both = `${first}   ${second}`;
  return second !== "" && textWidth(both) <= columns ? both : cutSentence(first, columns);
}

type Banner = readonly [why: string, more: string];

/** Why what is shown is not of now, and what leads back; undefined while it is. */
function formatBanner({ shown, options, keymap }: Dashboard): Banner | undefined {
  const { store, now, frozenText } = shown;
  if (frozenText !== undefined) {
    const key = formatKeyOf(keymap, "freeze");
    return [frozenText, key === undefined ? "" : `${key} resumes`];
  }
  const { link } = store;
  if (options.isListingOnly === true || link === undefined || link.state === "open")
    return undefined;
  const isFirst = link.reconnects === 0 && link.state === "connecting";
  if (isFirst) return undefined;
  return [`× ${visible(formatLink(link, now()))}`, "what is shown was received before"];
}

export function tabAt(dashboard: Dashboard, width: number, column: number): View | undefined {
  if (dashboard.shown.place !== undefined || formatBanner(dashboard) !== undefined)
    return undefined;
  return formatTabs(dashboard, width).find(({ x, width: wide }) => column >= x && column < x + wide)
    ?.view;
}

interface Tab {
  readonly view: View;
  readonly key: string;
  readonly text: string;
  readonly isShown: boolean;
  readonly x: number;
  readonly width: number;
}

/** As they were laid out last. */
const tabs = new Remembered<readonly Tab[]>();

function formatTabs({ views, view: shown, keymap }: Dashboard, room: number): readonly Tab[] {
  return tabs.get([keymap, room, shown, ...views], () => {
    const pieces = views.map((view, i) => {
      const key = formatKeyOf(keymap, view.action) ?? "";
      const isShown = view === shown;
      const text = ` ${key} ${view.title} `;
      return { view, key, text, isShown, width: textWidth(text), priority: isShown ? -1 : i };
    });
    let end = 0;
    const all = fitPieces(pieces, room, GAP);
    const fitting = all.length < pieces.length ? fitPieces(pieces, room - GAP - 1, GAP) : all;
    return fitting.map((piece) => {
      const x = end;
      end += piece.width + GAP;
      return { ...piece, x };
    });
  });
}
