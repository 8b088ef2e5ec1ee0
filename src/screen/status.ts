// The foot of the dashboard: the link, the state of each feed of the view, what went wrong so far, and the keys.
import { selectAlertCondition } from "../alerts/alert-desk.ts";
import { alertWords } from "../alerts/alert-rows.ts";
import { fitPieces } from "../select/columns.ts";
import { formatLink } from "../select/status.ts";
import type { Surface } from "../terminal/cells/surface.ts";
import { cutText, textWidth } from "../terminal/cells/text-cells.ts";
import { visible } from "../terminal/visible.ts";
import { PROTOCOL_VERSION } from "../wire/limits.ts";
import type { Dashboard } from "./dashboard.ts";
import { bindingsIn } from "./keymap.ts";
import type { Action } from "./keys.ts";
import { STATE_STYLES } from "./panes/frame.tsx";
import type { StyleName, Theme } from "./theme/theme.ts";

interface StatusPiece {
  readonly text: string;
  readonly look: StyleName;
  readonly width: number;
  readonly priority: number;
  /** What a click on it does. */
  readonly action?: Action;
  /** A sentence, which is cut where it does not fit whole. */
  readonly isSentence?: boolean;
}

const GAP = 2;
/** How long the status line says that an alert has fired. */
const FIRED_MS = 30_000;
/** The priority of the hint that says how to find all keys: a sentence leaves room for what counts as much. */
const LAST_HINT = 6;
/** Fewer cells of a sentence say nothing. */
const MIN_SENTENCE = 16;

/** Paints one line. */
export function paintStatus(surface: Surface, dashboard: Dashboard, theme: Theme): void {
  for (const { text, look, x } of placed(dashboard, surface.width)) {
    surface.text(x, 0, text, theme[look]);
  }
}

/** What the hint in this column asks for. */
export function hintAt(dashboard: Dashboard, width: number, column: number): Action | undefined {
  return placed(dashboard, width).find(({ x, width: wide }) => column >= x && column < x + wide)
    ?.action;
}

function placed(
  dashboard: Dashboard,
  width: number,
): readonly (StatusPiece & { readonly x: number })[] {
  const pieces = [
    ...replayPieces(dashboard),
    linkPiece(dashboard),
    ...notices(dashboard),
    ...alertPieces(dashboard),
    ...feedPieces(dashboard),
    ...faults(dashboard),
    ...hints(dashboard),
  ];
  let end = 1;
  return fitPieces(cutSentences(pieces, width - 2), width - 2, GAP).map((each) => {
    const x = end;
    end += each.width + GAP;
    return { ...each, x };
  });
}

/** Sentences in the room that what counts as much leaves to them: the link's first, then the others. */
function cutSentences(pieces: readonly StatusPiece[], available: number): readonly StatusPiece[] {
  const firm = pieces.filter(({ isSentence, priority }) => !isSentence && priority <= LAST_HINT);
  let left = available - firm.reduce((sum, { width }) => sum + width + GAP, 0);
  return pieces.map((each) => {
    if (each.isSentence !== true) return each;
    const most = Math.max(MIN_SENTENCE, left);
    if (each.priority === 0) left -= Math.min(most, each.width) + GAP;
    if (each.width <= most) return each;
    return sentence(`${cutText(each.text, most - 1)}…`, each.look, each.priority);
  });
}

function piece(text: string, look: StyleName, priority: number): StatusPiece {
  return { text, look, width: textWidth(text), priority };
}

function sentence(text: string, look: StyleName, priority: number): StatusPiece {
  return { ...piece(text, look, priority), isSentence: true };
}

/** That it is no live session comes before everything else. */
function replayPieces({ options: { replay }, shown: { pastText } }: Dashboard): StatusPiece[] {
  return [
    ...(replay === undefined ? [] : [piece(` REPLAY ${replay.words} `, "badge", 0)]),
    ...(pastText === undefined ? [] : [piece(` ${pastText} `, "alarm", 0)]),
  ];
}

function linkPiece({ shown: { store, now }, options }: Dashboard): StatusPiece {
  if (options.isListingOnly === true) return piece("○ listings only", "text", 0);
  const isOpen = store.link?.state === "open";
  const look = isOpen ? "good" : store.link === undefined ? "dim" : "offline";
  const text = visible(formatLink(store.link, now()));
  return sentence(`${isOpen ? "●" : "×"} ${text}`, look, 0);
}

/** What the user must know of the service. */
function notices(dashboard: Dashboard): StatusPiece[] {
  const { warning, options, shown } = dashboard;
  const { store } = shown;
  const said = (text: string) => visible(shown.seen(text));
  const version = store.link?.protocolVersion;
  const { serviceError } = store.counts;
  const copied = options.clipboard?.words ?? "";
  return [
    ...(version === undefined || version === PROTOCOL_VERSION
      ? []
      : [piece(`protocol version ${version}, not ${PROTOCOL_VERSION}`, "alarm", 1)]),
    ...(warning === "" ? [] : [sentence(said(warning), "alarm", 1)]),
    ...(copied === "" ? [] : [sentence(copied, "notice", 1)]),
    ...(serviceError === undefined
      ? []
      : [sentence(`service: ${said(serviceError)}`, "notice", 2)]),
  ];
}

/** What has fired just now, and how many alerts wait. */
function alertPieces({ alerts, isMasked, options: { now } }: Dashboard): StatusPiece[] {
  const all = alerts?.alerts ?? [];
  if (all.length === 0) return [];
  const fired = all
    .filter(({ state: { firedAtMs } }) => firedAtMs !== undefined && now() - firedAtMs < FIRED_MS)
    .sort((a, b) => (b.state.firedAtMs ?? 0) - (a.state.firedAtMs ?? 0))
    .slice(0, 1)
    .map((alert) => sentence(` alert: ${visible(alertWords(alert, isMasked))} `, "alarm", 1));
  const waiting = all.filter((alert) => selectAlertCondition(alert) === "armed").length;
  const blind = all.filter((alert) => selectAlertCondition(alert) === "not evaluated").length;
  const words = `alerts ${waiting}${blind === 0 ? "" : `, ${blind} not evaluated`}`;
  const fault = alerts?.fault;
  const faults =
    fault === undefined ? [] : [sentence(`alert program: ${visible(fault)}`, "alarm", 2)];
  return [...fired, ...faults, piece(words, blind === 0 ? "dim" : "notice", 18)];
}

function feedPieces({ model }: Dashboard): StatusPiece[] {
  return model.feeds.map(({ label, status: { state, age } }, i) => {
    const [glyph, look] = STATE_STYLES[state];
    return piece(`${glyph} ${label} ${state} ${age}`.trimEnd(), look, 10 + i);
  });
}

function faults({ shown: { store }, options }: Dashboard): StatusPiece[] {
  if (options.isListingOnly === true) return [];
  const { gaps, resyncs, rejected, drifts } = store.faults;
  const counts: [string, number, number][] = [
    ["gaps", gaps, 20],
    ["rejected", rejected, 21],
    ["resyncs", resyncs, 22],
    ["drift", drifts, 23],
    ["reconnects", store.link?.reconnects ?? 0, 24],
  ];
  return counts.map(([label, count, priority]) =>
    piece(`${label} ${count}`, count === 0 ? "dim" : "notice", priority),
  );
}

/** How to leave and how to find the other keys come before everything that counts less than the state. */
function hints({ contexts, keymap }: Dashboard): StatusPiece[] {
  return bindingsIn(contexts, keymap).flatMap(({ keys, hint, action }, i) =>
    hint === undefined
      ? []
      : [{ ...piece(`${keys[0]} ${hint}`, "key", i < 2 ? 5 + i : 30 + i), action }],
  );
}
