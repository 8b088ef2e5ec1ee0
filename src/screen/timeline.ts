// Looking back, and playing a recording: the keys, what stands at the top, and the line of time at the bottom.
import { formatSpan, formatTime } from "../rows/format.ts";
import { type Moment, serviceMs } from "../state/moment.ts";
import type { Surface } from "../terminal/surface.ts";
import type { Playing, Timeline } from "../timeline/timeline.ts";
import type { Key } from "./pane.ts";
import type { Elsewhere, Ui } from "./ui.ts";

const SECOND_MS = 1000;

/** What is shown is where the timeline stands. */
export function createElsewhere(timeline: Timeline): Elsewhere {
  return {
    timeline,
    get badge() {
      return timeline.playing === undefined ? "PAST" : `REPLAY ${formatPlaying(timeline.playing)}`;
    },
    get moment() {
      return timeline.moment;
    },
  };
}

function formatPlaying({ isOver, isPaused, speed }: Playing): string {
  if (isOver) return "■ end";
  return isPaused ? "‖ paused" : `▶ ${speed}x`;
}

/** Where one looks; the first time, the last minutes from what is shown on. */
function lookBack(ui: Ui): Timeline | undefined {
  if (ui.elsewhere?.timeline === undefined) {
    const { moment, services } = ui;
    ui.elsewhere = services.lookBack?.(moment.nowMs) ?? ui.elsewhere;
  }
  return ui.elsewhere?.timeline;
}

function goBy(ui: Ui, ms: number): void {
  const timeline = lookBack(ui);
  if (timeline === undefined) return;
  const { nowMs } = timeline.moment;
  if (ms > 0 && timeline.playing === undefined && nowMs + ms >= timeline.endMs) ui.present();
  else timeline.goTo(nowMs + ms);
}

function step(ui: Ui, by: 1 | -1): void {
  lookBack(ui)?.step(
    by,
    ui.panes.flatMap((pane) => pane.channels?.(ui) ?? []),
  );
}

function jump(ui: Ui, by: 1 | -1): void {
  if (lookBack(ui)?.jump(by) === false)
    ui.notify(`no gap, lost connection or alert ${by > 0 ? "after" : "before"} this`);
}

function changeSpeed(ui: Ui, by: 1 | -1): void {
  const playing = ui.elsewhere?.timeline?.playing;
  if (playing !== undefined) playing.changeSpeed(by);
  else if (by > 0) ui.present();
}

export const TIMELINE_KEYS: readonly Key[] = [
  { key: ",", says: "one change back", run: (ui) => step(ui, -1) },
  { key: ".", says: "one change on", run: (ui) => step(ui, 1) },
  { key: "(", says: "ten seconds back", hint: "-10 s", run: (ui) => goBy(ui, -10 * SECOND_MS) },
  { key: ")", says: "ten seconds on", hint: "+10 s", run: (ui) => goBy(ui, 10 * SECOND_MS) },
  { key: "{", says: "two minutes back", run: (ui) => goBy(ui, -120 * SECOND_MS) },
  { key: "}", says: "two minutes on", run: (ui) => goBy(ui, 120 * SECOND_MS) },
  {
    key: ";",
    says: "back to the present; a recording plays faster",
    hint: "on",
    run: (ui) => changeSpeed(ui, 1),
  },
  { key: "_", says: "a recording plays slower", run: (ui) => changeSpeed(ui, -1) },
  {
    key: "space",
    says: "pause a recording, or go on",
    run: (ui) => ui.elsewhere?.timeline?.playing?.togglePause(),
  },
  { key: "", says: "back to the last gap, lost connection or alert", run: (ui) => jump(ui, -1) },
  { key: "", says: "on to the next gap, lost connection or alert", run: (ui) => jump(ui, 1) },
];

const TRACK_CELLS = 30;
const DONE = 0x2501;
const LEFT = 0x2500;

/** Where the line of time stands: behind the time in words. */
function trackOf(moment: Moment, timeline: Timeline, ui: Ui) {
  const { nowMs } = moment;
  const { startMs, endMs, playing } = timeline;
  const behind =
    playing === undefined
      ? `−${formatSpan(Math.max(0, ui.nowMs - nowMs))}`
      : `${formatSpan(nowMs - startMs)} of ${formatSpan(endMs - startMs)}`;
  const words = `${formatTime(serviceMs(moment), ui.display)}  ${behind}`;
  const from = words.length + 3;
  return { words, from, cells: TRACK_CELLS };
}

/** @returns the columns taken */
export function drawTimeline(surface: Surface, moment: Moment, timeline: Timeline, ui: Ui): number {
  const { tones } = ui.theme;
  const { words, from, cells } = trackOf(moment, timeline, ui);
  surface.text(1, 0, words, tones.stale);
  if (from + cells > surface.width) return words.length + 1;
  const { startMs, endMs } = timeline;
  const share = endMs > startMs ? (moment.nowMs - startMs) / (endMs - startMs) : 1;
  const at = Math.round(share * (cells - 1));
  surface.fill(from, 0, at, 1, tones.accent, DONE);
  surface.fill(from + at, 0, cells - at, 1, tones.frame, LEFT);
  surface.text(from + at, 0, "●", tones.bright);
  return from + cells;
}

/** A click on the line of time goes there. */
export function pointTimeline(x: number, ui: Ui): void {
  const timeline = ui.elsewhere?.timeline;
  if (timeline === undefined) return;
  const { from, cells } = trackOf(timeline.moment, timeline, ui);
  const share = (x - from) / (cells - 1);
  if (share < 0 || share > 1) return;
  timeline.goTo(timeline.startMs + share * (timeline.endMs - timeline.startMs));
}
