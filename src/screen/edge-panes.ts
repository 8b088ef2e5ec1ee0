// The first line, with the views and where time stands, and the last, with a text field, a notice, and the keys that matter here.

import { formatTime } from "../rows/format.ts";
import { type Moment, serviceMs } from "../state/moment.ts";
import type { Surface } from "../terminal/surface.ts";
import { cutText, textWidth } from "../terminal/width.ts";
import { Memo } from "../units/memo.ts";
import { formatKey } from "./key-names.ts";
import { keysInForce } from "./keys.ts";
import type { Pane } from "./pane.ts";
import type { TextField } from "./text-field.ts";
import { drawTimeline, pointTimeline } from "./timeline.ts";
import type { Ui } from "./ui.ts";

export const TABS_PANE: Pane = {
  name: "tabs",
  draw(surface, _moment, ui) {
    const { tones } = ui.theme;
    for (const { view, x, text } of tabsOf(ui)) {
      surface.text(x, 0, view.key, tones.key);
      surface.text(x + 2, 0, text, view === ui.view ? tones.bright : tones.dim);
    }
    surface.textRight(surface.width - 1, 0, badgesOf(ui), tones.stale);
  },
  point({ action, x }, ui) {
    if (action !== "press") return;
    const hit = tabsOf(ui).findLast((tab) => tab.x <= x);
    if (hit !== undefined) ui.open(hit.view);
  },
};

function badgesOf({ badge, elsewhere, isMasked }: Ui): string {
  return [badge, elsewhere?.badge, isMasked ? "MASKED" : undefined]
    .filter(Boolean)
    .map((each) => ` ${each} `)
    .join(" ");
}

/** With their names where all fit, else with their keys alone, but for the one that is open. */
function tabsOf(ui: Ui) {
  const { views } = ui.services;
  const width = views.reduce((sum, { title }) => sum + title.length + 5, textWidth(badgesOf(ui)));
  const isShort = width + 1 > ui.columns;
  let x = 1;
  return views.map((view) => {
    const at = x;
    const text = isShort && view !== ui.view ? "" : view.title;
    x += 2 + textWidth(text) + (text === "" ? 0 : 3);
    return { view, x: at, text };
  });
}

export const STATUS_PANE: Pane = {
  name: "status",
  isFast: true,
  draw(surface, moment, ui) {
    const { tones } = ui.theme;
    const { field, notice } = ui;
    if (field !== undefined) drawField(surface, field, ui);
    else {
      let x = drawState(surface, moment, ui) + 2;
      if (notice !== undefined) {
        const tone = { done: tones.bright, news: tones.notice, alarm: tones.bad }[notice.weight];
        x += surface.text(x, 0, cutText(notice.text, surface.width - x - 1), tone) + 2;
      }
      drawHints(surface, x, ui);
    }
  },
  point({ action, x }, ui) {
    if (action === "press" || action === "drag") pointTimeline(x, ui);
  },
};

/** How the connection stands, or where time does. @returns the columns taken */
function drawState(surface: Surface, moment: Moment, ui: Ui): number {
  const timeline = ui.elsewhere?.timeline;
  if (timeline !== undefined) return drawTimeline(surface, moment, timeline, ui);
  if (ui.elsewhere !== undefined) {
    const at = formatTime(serviceMs(moment), ui.display);
    return 1 + surface.text(1, 0, `frozen at ${at}`, ui.theme.tones.stale);
  }
  const { text, tone } = ui.services.status(moment, ui);
  return 1 + surface.text(1, 0, text, ui.theme.tones[tone]);
}

/** A text that is too long shows the part before the caret. */
function drawField(surface: Surface, field: TextField, { theme: { tones } }: Ui): void {
  const { label, hint } = field.options;
  const start = 1 + surface.text(1, 0, label, tones.key) + 1;
  const hidden = Math.max(0, textWidth(field.before) - (surface.width - start - 2));
  const box = surface.part(start, 0, surface.width - start, 1);
  box.text(-hidden, 0, field.text, tones.bright);
  const end = textWidth(field.text) - hidden + 3;
  if (field.refusal !== "") box.text(end, 0, cutText(field.refusal, box.width - end), tones.bad);
  else if (hint !== undefined)
    box.text(end, 0, cutText(hint(field.text), box.width - end), tones.dim);
  box.caret(textWidth(field.before) - hidden, 0);
}

/** Keys that are always named, before those of the place. */
const ALWAYS: ReadonlySet<string> = new Set(["?", ":", "q"]);

interface Hint {
  readonly key: string;
  readonly hint: string;
}

const hintsInForce = new Memo<readonly Hint[]>();

function hintsOf(ui: Ui): readonly Hint[] {
  return (
    keysInForce(ui)
      .flatMap(([, keys]) => keys)
      .flatMap(({ key, hint }) =>
        hint === undefined ? [] : [{ hint, key: formatKey(key.split(" ")[0] ?? "") }],
      )
      // The most specific meaning of a key is the one in force.
      .filter(({ key }, i, all) => all.findIndex((each) => each.key === key) === i)
  );
}

/** At the right; those for which there is no room are left out. */
function drawHints(surface: Surface, from: number, ui: Ui): void {
  const { tones } = ui.theme;
  const hints = hintsInForce.get([ui.panel, ui.view, ui.focus, ui.elsewhere], () => hintsOf(ui));
  let room = surface.width - from;
  const fits = ({ key, hint }: Hint) => {
    const width = textWidth(key) + hint.length + 3;
    if (width > room) return false;
    room -= width;
    return true;
  };
  const always = hints.filter(({ key }) => ALWAYS.has(key)).filter(fits);
  const here = hints.filter(({ key }) => !ALWAYS.has(key)).filter(fits);
  let x = from + Math.max(0, room);
  for (const { key, hint } of [...here, ...always]) {
    x += surface.text(x, 0, key, tones.key) + 1;
    x += surface.text(x, 0, hint, tones.dim) + 2;
  }
}
