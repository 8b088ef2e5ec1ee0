// The status line: one summary of all feeds, then only exceptions, and on the right the key hints that fit.
//
//   ● all live 0.4 ms  gaps 0                               f freeze  i 1m  c cost   : palette  ? help  q quit
import {
  type AlertCondition,
  selectAlertCondition,
  type WaitingFiring,
} from "../alerts/alert-manager.ts";
import { formatFiring } from "../alerts/alert-rows.ts";
import { fitPieces } from "../select/columns.ts";
import { formatLink, formatRoundTrip } from "../select/status.ts";
import { isCurrent } from "../state/pane-state.ts";
import type { Surface } from "../terminal/cells/surface.ts";
import { cutSentence, textWidth } from "../terminal/cells/text-cells.ts";
import { visible } from "../terminal/visible.ts";
import { formatAge } from "../units/time.ts";
import { PROTOCOL_VERSION } from "../wire/limits.ts";
import type { Dashboard } from "./dashboard.ts";
import { bindingsIn, formatKey, formatKeyOf } from "./keymap.ts";
import type { Action } from "./keys.ts";
import { STATE_STYLES } from "./panes/frame.tsx";
import type { StyleName, Theme } from "./theme/theme.ts";
import { OWN } from "./views/market/own-marks.ts";
import type { FeedStatus, ViewModel } from "./views/view.ts";

interface StatusPiece {
  readonly text: string;
  readonly style: StyleName;
  readonly width: number;
  readonly priority: number;
  readonly action?: Action;
  /** A sentence, which is shortened if it does not fit. */
  readonly isSentence?: boolean;
  readonly isRight?: boolean;
}

const GAP = 2;
/** Priority of the help hint: sentences leave room for everything at least as important. */
const LAST_HINT = 6;
const MIN_SENTENCE = 16;
/** These hints come last, in this order, in every view. */
const LAST_HINTS: readonly Action[] = ["palette", "help", "quit"];

/** @param isTopShown the top line shows the position in time, unless it is now */
export function paintStatus(
  surface: Surface,
  dashboard: Dashboard,
  theme: Theme,
  isTopShown: boolean,
): void {
  for (const { text, style, x } of placed(dashboard, surface.width, isTopShown)) {
    surface.text(x, 0, text, theme[style]);
  }
}

export function hintAt(
  dashboard: Dashboard,
  width: number,
  column: number,
  isTopShown: boolean,
): Action | undefined {
  const pieces = placed(dashboard, width, isTopShown);
  return pieces.find(({ x, width: cells }) => column >= x && column < x + cells)?.action;
}

function placed(dashboard: Dashboard, width: number, isTopShown: boolean) {
  const feeds = dashboard.shown.isFrozen ? [] : dashboard.model.feeds;
  const pieces = [
    ...timelinePieces(dashboard, isTopShown, width - 2),
    ...summaryPieces(dashboard, feeds),
    ...notices(dashboard),
    ...alertPieces(dashboard),
    ...exceptions(dashboard, feeds),
    ...faults(dashboard),
    ...hints(dashboard),
  ];
  const fitted = fitPieces(cutSentences(pieces, width - 2), width - 2, GAP);
  const last = fitted.at(-1) ?? { x: 0, width: 0 };
  const rightShift = width - 1 - last.x - last.width;
  return fitted.map((each) => ({ ...each, x: each.x + (each.isRight ? rightShift : 1) }));
}

/** Shortens sentences to the room left by what is more important: the link's first, then the others. */
function cutSentences(pieces: readonly StatusPiece[], available: number): readonly StatusPiece[] {
  const firm = pieces.filter(({ isSentence, priority }) => !isSentence && priority <= LAST_HINT);
  const roomBeside = (each: readonly StatusPiece[]) =>
    available - each.reduce((sum, { width }) => sum + width + GAP, 0);
  let left = roomBeside(firm);
  const room = roomBeside(firm.filter(({ priority }) => priority === 0));
  return pieces.map((each) => {
    if (each.isSentence !== true) return each;
    // The state of the link and the time of the next attempt take precedence over all keys.
    const min = each.priority === 0 ? textWidth(each.text.replace(/: .*$/s, " …")) : MIN_SENTENCE;
    const max = Math.max(Math.min(min, room), left);
    if (each.priority === 0) left -= Math.min(max, each.width) + GAP;
    if (each.width <= max) return each;
    return sentence(cutSentence(each.text, max), each.style, each.priority);
  });
}

function piece(text: string, style: StyleName, priority: number): StatusPiece {
  return { text, style, width: textWidth(text), priority };
}

function sentence(text: string, style: StyleName, priority: number): StatusPiece {
  return { ...piece(text, style, priority), isSentence: true };
}

/** The position in time, unless it is now, takes precedence over all else: one word if the top line has the details. */
function timelinePieces(
  { options: { replay }, shown }: Dashboard,
  isTopShown: boolean,
  available: number,
): StatusPiece[] {
  const longest = (forms: readonly string[], style: StyleName) => {
    const word = forms.at(-1) ?? "";
    const all = [...forms.map((form) => ` ${form} `), word];
    const fitting = all.find((form) => textWidth(form) <= available);
    return [piece(fitting ?? ` ${word[0]} `, style, 0)];
  };
  if (replay !== undefined) {
    const day = `REPLAY ${shown.display.dateTime(replay.wallMs).split(" ")[0]}`;
    const time = `REPLAY ${shown.display.timeOfDay(replay.wallMs)}`;
    const { wallMs, atMs, startMs } = replay;
    const at = `${shown.display.dateTime(wallMs)} ${shown.display.zoneName(wallMs)}`;
    const whole = `REPLAY ${replay.words} ${at} +${formatAge(atMs - startMs)}`;
    return longest(isTopShown ? [day, "REPLAY"] : [whole, time, "REPLAY"], "badge");
  }
  const { pastText, frozenText } = shown;
  const [text, short = text] = [pastText ?? frozenText, frozenText];
  if (text === undefined || short === undefined) return [];
  const [word = ""] = text.split(" ");
  return longest(isTopShown ? [word] : [text, short, word], "alarm");
}

/** The link while it is not open; else one summary of the view's feeds (none while frozen) and the round trip. */
function summaryPieces(dashboard: Dashboard, feeds: readonly FeedStatus[]): StatusPiece[] {
  const { shown, options } = dashboard;
  if (options.isListingOnly === true) return [piece("○ listings only", "text", 0)];
  const { link } = options.store;
  if (link?.state !== "open") {
    const style = link === undefined ? "dim" : "offline";
    return [sentence(`× ${visible(formatLink(link, options.now()))}`, style, 0)];
  }
  if (shown.isFrozen) return [];
  const trip = link.roundTripMs;
  return [
    feedsPiece(feeds),
    ...(trip === undefined ? [] : [piece(formatRoundTrip(trip), "dim", 9)]),
    ...ownPieces(dashboard),
  ];
}

/** The subaccount whose orders and fills are marked in the market. */
function ownPieces({ account, model }: Dashboard): StatusPiece[] {
  const { subaccountId } = account ?? {};
  if (subaccountId === undefined || model.shownPanes === undefined) return [];
  return [piece(`${OWN} subaccount ${subaccountId}`, "dim", 19)];
}

function feedsPiece(feeds: readonly FeedStatus[]): StatusPiece {
  const states = feeds.map(({ status }) => status.state);
  if (states.length === 0) return piece("● connected", "good", 0);
  const unwell = states.filter((state) => !isCurrent(state)).length;
  if (unwell > 0) return piece(`◌ ${unwell} of ${states.length} not live`, "stale", 0);
  const live = states.filter((state) => state === "live").length;
  if (live === states.length) return piece("● all live", "good", 0);
  if (live > 0) return piece(`● live, ${states.length - live} quiet`, "good", 0);
  return piece(states.every((state) => state === "listed") ? "≡ listed" : "○ quiet", "text", 0);
}

function notices(dashboard: Dashboard): StatusPiece[] {
  const { warning, options, shown } = dashboard;
  const { store } = shown;
  const safe = (text: string) => visible(shown.masked(text));
  const version = store.link?.protocolVersion;
  const { serviceError } = store.counts;
  const notice = dashboard.clipboard?.notice || dashboard.notice;
  return [
    ...(version === undefined || version === PROTOCOL_VERSION
      ? []
      : [piece(`protocol version ${version}, not ${PROTOCOL_VERSION}`, "alarm", 1)]),
    ...(options.isSlowLine?.() === true ? [piece("slow line", "notice", 1)] : []),
    ...(warning === "" ? [] : [sentence(safe(warning), "alarm", 1)]),
    ...(notice === "" ? [] : [sentence(safe(notice), "notice", 1)]),
    ...(serviceError === undefined
      ? []
      : [sentence(`service: ${safe(serviceError)}`, "notice", 2)]),
  ];
}

/** Conditions in which an alert is evaluated and can fire. */
const WAITING: readonly AlertCondition[] = ["armed", "already past"];

/** Unacknowledged firings, the newest as text, and the number of waiting alerts. */
function alertPieces(dashboard: Dashboard): StatusPiece[] {
  const { alerts } = dashboard;
  if (alerts === undefined) return [];
  const { alerts: all, firings, fault, recordFault } = alerts;
  const [newest] = firings;
  const pieces = newest === undefined ? [] : [firingPiece(dashboard, newest, firings.length)];
  if (fault !== undefined) pieces.push(sentence(`alert program: ${visible(fault)}`, "alarm", 2));
  if (recordFault !== undefined)
    pieces.push(sentence(`alert not recorded: ${visible(recordFault)}`, "alarm", 2));
  if (all.length === 0) return pieces;
  const conditions = all.map(selectAlertCondition);
  const waiting = conditions.filter((condition) => WAITING.includes(condition)).length;
  const blind = conditions.filter((condition) => condition === "not evaluated").length;
  const text = `alerts ${waiting}${blind === 0 ? "" : `, ${blind} not evaluated`}`;
  return [...pieces, piece(text, blind === 0 ? "dim" : "notice", 18)];
}

function firingPiece(
  { isMasked, shown }: Dashboard,
  newest: WaitingFiring,
  count: number,
): StatusPiece {
  const more = count > 1 ? `${count} alerts, the newest: ` : "alert: ";
  const times = newest.times === 1 ? "" : ` (×${newest.times})`;
  const at = shown.display.timeOfDay(newest.atWallMs);
  const keyHint = ` (${formatKeyOf("acknowledge")})`;
  const what = visible(formatFiring(newest, isMasked));
  return sentence(` ${more}${what}${times} at ${at}${keyHint} `, "alarm", 1);
}

/** Feeds whose data may be outdated. */
function exceptions({ shown: { store } }: Dashboard, feeds: readonly FeedStatus[]): StatusPiece[] {
  if (store.link?.state !== "open") return [];
  return feeds.flatMap(({ label, status: { state, age } }, i) => {
    if (isCurrent(state)) return [];
    const [glyph, style] = STATE_STYLES[state];
    return [piece(`${glyph} ${label} ${state} ${age}`.trimEnd(), style, 10 + i)];
  });
}

/** Gaps always, other counts only above zero. */
function faults({ shown: { store }, options }: Dashboard): StatusPiece[] {
  if (options.isListingOnly === true) return [];
  const { gaps, resyncs, rejected, drifts } = store.faults;
  const counts: [string, number][] = [
    ["gaps", gaps],
    ["rejected", rejected],
    ["resyncs", resyncs],
    ["drift", drifts],
    ["reconnects", store.link?.reconnects ?? 0],
  ];
  return counts.flatMap(([label, count], i) =>
    count === 0 && label !== "gaps"
      ? []
      : [piece(`${label} ${count}`, count === 0 ? "dim" : "notice", 20 + i)],
  );
}

/** Quitting and finding other keys take precedence over everything less important than the state. */
function hints({ contexts, model, shown, typing }: Dashboard): readonly StatusPiece[] {
  if (typing !== undefined) {
    return ["Enter accept", "Esc cancel"].map((text) => ({
      ...piece(text, "key", LAST_HINT),
      isRight: true,
    }));
  }
  const words: ViewModel["hints"] = {
    ...(shown.isStopped && { freeze: "resume" }),
    ...model.hints,
  };
  const all = bindingsIn(contexts).flatMap(({ keys: [key = ""], hint, action, of }, i) => {
    if (hint === undefined || (of !== undefined && of !== model.focus)) return [];
    const at = LAST_HINTS.indexOf(action);
    const text = `${formatKey(key)} ${words[action] ?? hint}`;
    const priority = at < 0 ? 30 + i : LAST_HINT + 1 - at;
    return [{ ...piece(text, "key", priority), action, isRight: true, at }];
  });
  return all.sort((a, b) => a.at - b.at);
}
