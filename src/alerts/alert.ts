// One alert: when it fires. Only a crossing that was seen fires; a value that is past its level from the start does not.

import { channelState } from "../state/channel-state.ts";
import { type Moment, serviceMs } from "../state/moment.ts";
import { compareDecimal, type Decimal, formatDecimal } from "../units/decimal.ts";
import { nearest } from "../units/nearest.ts";
import { formatIsoMs } from "../units/time.ts";
import { channelsOfRule, marketOfRule, maskedRule, type Rule } from "./rule.ts";
import {
  type Fresh,
  MORE_THAN_ANY,
  NOTHING_RECEIVED,
  type Reading,
  readSubject,
  summaryFields,
} from "./subjects.ts";

/** A rule as it was given, and what its firing does. */
export interface GivenAlert {
  readonly when: string;
  /** A program and its arguments. */
  readonly exec?: readonly string[] | undefined;
  /** A folder. */
  readonly record?: string | undefined;
  /** On the screen, in this run or an earlier one. */
  readonly isSetOnScreen?: boolean;
}

export function createAlert(rule: Rule, given: GivenAlert) {
  return {
    ...{ rule, given },
    isPaused: false,
    /** By the name of what is watched: was the last value past the level? */
    past: new Map<string, boolean>(),
    /** Where the time of that figure began. */
    since: undefined as number | undefined,
    /** The newest value, of several the most endangered: farthest past the level, or nearest to it. */
    value: undefined as Decimal | undefined,
    /** Why it cannot be evaluated at the moment. */
    reason: NOTHING_RECEIVED as string | undefined,
    /** That reason, or one before it, has been reported. */
    isReported: false,
    /** Monotonic: since when a condition that has to last holds. */
    sinceMs: undefined as number | undefined,
    firings: 0,
    firedAtMs: undefined as number | undefined,
    isDone: false,
    isAcknowledged: true,
  };
}
export type Alert = ReturnType<typeof createAlert>;

export interface AlertEvent {
  /** `refused`: the rule names something that is not there, and never will fire. */
  readonly kind: "alert" | "already_past" | "not evaluated" | "refused";
  readonly alert: Alert;
  /** What fired, of several things that are watched. */
  readonly name?: string;
  readonly value?: string | undefined;
  readonly reason?: string;
}

const NO_TRADES: Fresh = { trades: [] };

/** Looks at the alerts that a frame of this channel may concern; without a channel, at all. */
export function evaluate(
  alerts: readonly Alert[],
  moment: Moment,
  channel: string | undefined,
  fresh: Fresh = NO_TRADES,
): readonly AlertEvent[] {
  const standing = alerts.filter(({ isDone, isPaused }) => !isDone && !isPaused);
  return standing.flatMap((alert) => {
    const { rule } = alert;
    if (rule.kind !== "level") return channel === undefined ? evaluateHeld(alert, moment) : [];
    // Time alone makes data old, and moves the window of a rule.
    if (channel !== undefined && !channelsOfRule(rule).includes(channel)) return [];
    const reading = readSubject(rule.subject, rule.target, moment, fresh);
    if (typeof reading === "string") return cannot(alert, reading, moment, channel !== undefined);
    const since = rule.subject.since?.(rule.target, moment);
    if (since !== alert.since) alert.past.clear();
    alert.since = since;
    return evaluateLevel(alert, rule, reading, moment.nowMs);
  });
}

/** While a run begins, what is missing may come at once: that is reported after a second. */
function cannot(
  alert: Alert,
  reason: string,
  moment: Moment,
  isFrame: boolean,
): readonly AlertEvent[] {
  const refusal = unknownField(alert, moment);
  if (refusal !== undefined) {
    alert.isDone = true;
    alert.reason = refusal;
    return [{ kind: "refused", alert, reason: refusal }];
  }
  const isDue = alert.reason === undefined || (!isFrame && reason !== NOTHING_RECEIVED);
  alert.reason = reason;
  if (alert.isReported || !isDue) return [];
  alert.isReported = true;
  return [{ kind: "not evaluated", alert, reason }];
}

/** As soon as there is a summary, a field that it lacks is an error of the rule. */
function unknownField({ rule }: Alert, moment: Moment): string | undefined {
  if (rule.kind !== "level" || rule.target.field === undefined) return undefined;
  const fields = [...summaryFields(moment, rule.target.account).keys()];
  const { field } = rule.target;
  if (fields.length === 0 || fields.includes(field.toLowerCase()) || field === "equity")
    return undefined;
  const guess = nearest(field, fields);
  return `the summary has no ${field}: ${guess === undefined ? `there are ${fields.join(", ")}` : `did you mean ${guess}?`}`;
}

type LevelRule = Extract<Rule, { kind: "level" }>;

function evaluateLevel(
  alert: Alert,
  rule: LevelRule,
  reading: Exclude<Reading, string>,
  nowMs: number,
): readonly AlertEvent[] {
  alert.reason = undefined;
  alert.isReported = false;
  const isFirst = alert.past.size === 0;
  const events = Array.from(reading).flatMap(([name, values]) =>
    values.flatMap((value) => look(alert, rule, name, value, { nowMs, isFirst })),
  );
  // What is gone can come again and cross.
  for (const name of alert.past.keys()) if (!reading.has(name)) alert.past.set(name, false);
  const newest = Array.from(reading.values()).flatMap((values) => values.slice(-1));
  // A frame without trades tells of no new one.
  if (newest.length > 0 || reading.size === 0) alert.value = figure(farthest(newest, rule));
  return events;
}

/** In the direction in which the rule fires. */
function farthest(values: readonly Decimal[], { comparison }: LevelRule): Decimal | undefined {
  const sign = comparison === ">" ? 1 : -1;
  return values.toSorted((a, b) => sign * compareDecimal(b, a))[0];
}

/** What is more than any level is none. */
function figure(value: Decimal | undefined): Decimal | undefined {
  return value === MORE_THAN_ANY ? undefined : value;
}

function look(
  alert: Alert,
  rule: LevelRule,
  name: string,
  value: Decimal,
  { nowMs, isFirst }: { readonly nowMs: number; readonly isFirst: boolean },
): readonly AlertEvent[] {
  const side = compareDecimal(value, rule.level);
  const isPast = rule.comparison === ">" ? side > 0 : side < 0;
  const before = alert.past.get(name);
  // A single figure was there before the first look at it; one of several may have come just now.
  const isOld = before === undefined && (isFirst || name === "");
  alert.past.set(name, isPast);
  if (!isPast || before === true) return [];
  const known = figure(value);
  const shown = known && formatDecimal(known);
  if (isOld) return [{ kind: "already_past", alert, value: shown }];
  return fire(alert, name, shown, nowMs);
}

function fire(
  alert: Alert,
  name: string,
  value: string | undefined,
  nowMs: number,
): readonly AlertEvent[] {
  const { everyMs } = alert.rule;
  if (alert.firedAtMs !== undefined && nowMs - alert.firedAtMs < (everyMs ?? 0)) return [];
  alert.firings++;
  alert.firedAtMs = nowMs;
  alert.isDone = everyMs === undefined;
  alert.isAcknowledged = false;
  return [{ kind: "alert", alert, name, value }];
}

/** A channel without current data, or no connection. */
function evaluateHeld(alert: Alert, { store, nowMs }: Moment): readonly AlertEvent[] {
  const { rule } = alert;
  if (rule.kind === "level") return [];
  const state =
    rule.kind === "stale"
      ? channelState(store.channels.get(rule.channel), store.link, nowMs)
      : store.link.state === "open"
        ? "live"
        : "offline";
  const isBad = !["live", "quiet", "waiting"].includes(state);
  alert.reason = undefined;
  if (!isBad) alert.sinceMs = undefined;
  else alert.sinceMs ??= nowMs;
  const isDue = alert.sinceMs !== undefined && nowMs - alert.sinceMs >= rule.heldMs;
  const was = alert.past.get("") ?? false;
  alert.past.set("", isDue);
  return isDue && !was ? fire(alert, "", state, nowMs) : [];
}

/** In a word or two. */
export function conditionOf({ isPaused, isDone, reason, firings, past }: Alert): string {
  if (isPaused) return "paused";
  if (isDone) return firings > 0 ? "fired" : "ended";
  if (reason !== undefined) return "not evaluated";
  return [...past.values()].includes(true) ? "past its level" : "watching";
}

/** A line of output. @param mask stands for what belongs to an account; undefined: it is shown */
export function eventJson(event: AlertEvent, moment: Moment, mask?: string) {
  const { store, nowMs } = moment;
  const { rule, firings } = event.alert;
  const account = rule.kind === "level" ? rule.target.account : undefined;
  const [channel] = channelsOfRule(rule);
  const status = channel === undefined ? undefined : store.channels.get(channel);
  const isHidden = mask !== undefined && account !== undefined;
  const shown = (text: string | undefined) => (isHidden && text !== undefined ? mask : text);
  return {
    event: event.kind,
    rule: mask === undefined ? rule.text : maskedRule(rule, mask),
    market: marketOfRule(rule) ?? null,
    ...(account !== undefined && { account: shown(account) }),
    ...(event.name && { of: shown(event.name) }),
    value: shown(event.value) || null,
    at: formatIsoMs(serviceMs(moment)),
    state: channel === undefined ? store.link.state : channelState(status, store.link, nowMs),
    ...(event.reason !== undefined && { why: event.reason }),
    ...(event.kind === "alert" && { firings }),
  };
}
