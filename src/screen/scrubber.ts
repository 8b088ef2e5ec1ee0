import { fitPieces } from "../select/columns.ts";
import {
  cellOfMoment,
  type LinkMoment,
  momentOfCell,
  selectOutages,
  selectTimeCells,
  type TimeMark,
  type TimeMarkKind,
} from "../select/timeline.ts";
import type { LoggedLine } from "../state/event-log.ts";
import type { Surface } from "../terminal/cells/surface.ts";
import { textWidth } from "../terminal/cells/text-cells.ts";
import { DAY_MS } from "../units/time.ts";
import type { Dashboard } from "./dashboard.ts";
import { formatKeyOf } from "./keymap.ts";
import type { Place } from "./shown.ts";
import type { StyleName, Theme } from "./theme/theme.ts";
import { OwnMarksReader } from "./views/market/own-marks.ts";

const GLYPHS: Readonly<Record<TimeMarkKind, readonly [glyph: string, style: StyleName]>> = {
  outage: ["×", "stale"],
  fill: ["◆", "own"],
  alert: ["⚑", "notice"],
};
const GAP = 2;
const MIN_BAR = 8;

function layOut(dashboard: Dashboard, place: Place, width: number) {
  const { shown } = dashboard;
  const { display } = shown;
  // Longer ranges need dates.
  const isLong = place.endMs - place.startMs >= DAY_MS;
  const wallOf = (ms: number) => place.wallMs + (ms - place.atMs);
  const time = (ms: number) =>
    isLong ? display.dateTime(wallOf(ms)) : display.timeOfDay(wallOf(ms));
  const atMs = dashboard.scrubbedMs ?? place.atMs;
  const atText = isLong ? time(atMs) : display.timeOfDay(wallOf(atMs), true);
  const zone = display.zoneName(wallOf(atMs));
  const piece = (id: string, text: string, priority: number) => ({
    id,
    text,
    priority,
    width: textWidth(text),
  });
  const pieces = fitPieces(
    [
      piece("words", formatText(dashboard), 0),
      piece("start", time(place.startMs), 3),
      piece("bar", " ".repeat(Math.max(MIN_BAR, Math.floor(width / 3)) + 2), 1),
      piece("at", `${atText} ${zone}`, 2),
      piece("keys", formatKeys(dashboard), 4),
    ],
    width - 2,
    GAP,
  );
  const last = pieces.at(-1) ?? { x: 0, width: 0 };
  const spare = Math.max(0, width - 2 - last.x - last.width);
  const at = pieces.findIndex(({ id }) => id === "bar");
  const placed = pieces.map((each, i) => ({
    ...each,
    x: 1 + each.x + (at >= 0 && i > at ? spare : 0),
  }));
  const line = placed[at];
  const bar = line && { x: line.x + 1, width: line.width + spare - 2 };
  return { placed, bar, atMs };
}

function formatText({ shown, options: { replay } }: Dashboard): string {
  return ` ${replay === undefined ? shown.frozenText : `REPLAY ${replay.words}`} `;
}

function formatKeys({ shown }: Dashboard): string {
  const does = shown.isStopped ? "resumes" : "stops";
  return `${formatKeyOf("freeze")} ${does}, ${formatKeyOf("timeBack")} goes back`;
}

export function paintScrubber(
  surface: Surface,
  dashboard: Dashboard,
  place: Place,
  theme: Theme,
): void {
  const { placed, bar, atMs } = layOut(dashboard, place, surface.width);
  const styles: Readonly<Record<string, StyleName>> = { words: "alarm", at: "strong", keys: "key" };
  for (const { id, text, x } of placed) {
    if (id !== "bar") surface.text(x, 0, text, theme[styles[id] ?? "dim"]);
  }
  if (bar === undefined) return;
  surface.text(bar.x - 1, 0, `├${"─".repeat(bar.width)}┤`, theme.dim);
  const cells = selectTimeCells(place, bar.width, getMarks(dashboard, place));
  const position = cellOfMoment(place, bar.width, atMs);
  cells.forEach((kind, i) => {
    const [glyph, style] = kind === undefined ? [undefined, "dim" as const] : GLYPHS[kind];
    if (i === position) surface.text(bar.x + i, 0, glyph ?? "│", theme.badge);
    else if (glyph !== undefined) surface.text(bar.x + i, 0, glyph, theme[style]);
  });
}

/** The moment at a column of the bar, clamped to its ends; undefined if there is no bar. */
export function momentAt(dashboard: Dashboard, width: number, column: number): number | undefined {
  const { place } = dashboard.shown;
  const bar = place && layOut(dashboard, place, width).bar;
  return bar && momentOfCell(place, bar.width, column - bar.x);
}

export function isOnBar(dashboard: Dashboard, width: number, column: number): boolean {
  const { place } = dashboard.shown;
  const bar = place && layOut(dashboard, place, width).bar;
  return bar !== undefined && column >= bar.x - 1 && column <= bar.x + bar.width;
}

/** Marks known to the session; of a recording, also outages after the moment shown. */
function getMarks(dashboard: Dashboard, place: Place): readonly TimeMark[] {
  const { options, alerts } = dashboard;
  const moment = (kind: TimeMarkKind, ms: number) => ({ kind, fromMs: ms, toMs: ms });
  const atWall = (wallMs: number) => place.atMs + (wallMs - place.wallMs);
  const { lines } = options.store.log;
  const links = options.replay?.links ?? lines.flatMap((line) => linkMoment(line) ?? []);
  const fired = lines.filter(({ what }) => what === "alert").map(({ atMs }) => atMs);
  const waiting = (alerts?.firings ?? []).flatMap(({ allAtWallMs }) => allAtWallMs.map(atWall));
  return [
    ...selectOutages(links, place.endMs),
    ...ownFills(dashboard).map((wallMs) => moment("fill", atWall(wallMs))),
    ...[...fired, ...waiting].map((ms) => moment("alert", ms)),
  ];
}

function linkMoment({ what, atMs }: LoggedLine): LinkMoment | undefined {
  if (what === "connected") return { atMs, isOpen: true };
  return what === "disconnected" ? { atMs, isOpen: false } : undefined;
}

const readers = new WeakMap<Dashboard, OwnMarksReader>();

/** Unix milliseconds of the watched subaccount's fills in the market shown, as the session has them now. */
function ownFills(dashboard: Dashboard): readonly number[] {
  const { options, market, shown } = dashboard;
  const [channel] = shown.ownChannels;
  if (market === undefined || channel === undefined) return [];
  const reader = readers.get(dashboard) ?? new OwnMarksReader(options.store.aliases);
  readers.set(dashboard, reader);
  const { data } = options.store.slice("account", channel);
  return reader
    .select(data, market, undefined)
    .fills.flat()
    .map(({ timeMs }) => timeMs);
}
