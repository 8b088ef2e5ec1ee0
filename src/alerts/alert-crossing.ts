// Decides when an alert fires: a fold over observations, without a clock of its own.
import {
  absoluteDecimal,
  compareDecimal,
  type Decimal,
  subtractDecimal,
} from "../units/decimal.ts";
import type { AlertLevel, AlertRule } from "./alert-rule.ts";

/** What was observed or, as text for the user, why the alert cannot be evaluated now. */
export type AlertObservation =
  | string
  /**
   * Values since the last observation, oldest first, at least one, keyed by the name of the watched item. An item without a name
   * always exists; a named item that newly appears can cross at once.
   */
  | { readonly kind: "values"; readonly values: ReadonlyMap<string, readonly Decimal[]> }
  | { readonly kind: "count"; readonly count: number }
  | { readonly kind: "flag"; readonly isOn: boolean }
  /** The alert fires when one of the keys disappears. */
  | { readonly kind: "set"; readonly keys: ReadonlySet<string> };

/** In which directions the level can be crossed, depending on where the last value was. */
interface Sides {
  readonly canRise: boolean;
  readonly canFall: boolean;
}

/** Times are monotonic milliseconds. */
export interface AlertState {
  readonly last: Exclude<AlertObservation, string> | undefined;
  /** For each watched item, by its name. */
  readonly sides: ReadonlyMap<string, Sides>;
  /** Since when a flag has been on; undefined while it is off. */
  readonly onSinceMs: number | undefined;
  /** The newest value, or of several items the one nearest to the level; undefined before the first. */
  readonly value: Decimal | undefined;
  /** Beyond the level since the first observation: no crossing was observed. */
  readonly isPast: boolean;
  readonly notEvaluated: string | undefined;
  readonly firings: number;
  readonly firedAtMs: number | undefined;
  readonly isDone: boolean;
}

export const NEW_ALERT: AlertState = {
  last: undefined,
  sides: new Map(),
  onSinceMs: undefined,
  value: undefined,
  isPast: false,
  notEvaluated: "nothing received yet",
  firings: 0,
  firedAtMs: undefined,
  isDone: false,
};

export interface AlertEvent {
  readonly value: Decimal | undefined;
  /** The crossing itself was not observed: the value was on the other side before data went missing. */
  readonly crossedDuringGap: boolean;
}

export interface AlertStep {
  readonly state: AlertState;
  readonly events: readonly AlertEvent[];
}

/** Folds in an observation. The first value, count or set never fires. */
export function reduceAlert(
  rule: AlertRule,
  before: AlertState,
  observation: AlertObservation,
  nowMs: number,
): AlertStep {
  if (before.isDone) return { state: before, events: [] };
  if (typeof observation === "string")
    return { state: { ...before, notEvaluated: observation }, events: [] };
  const crossedDuringGap = before.notEvaluated !== undefined && before.last !== undefined;
  const { changes, happened } = compare(rule, before, observation, nowMs);
  const events: AlertEvent[] = [];
  let state: AlertState = { ...before, last: observation, notEvaluated: undefined, ...changes };
  for (const value of happened) {
    const isTooSoon =
      state.firedAtMs !== undefined && nowMs - state.firedAtMs < (rule.coolDownMs ?? 0);
    if (isTooSoon || state.isDone) continue;
    const isDone = rule.coolDownMs === undefined;
    state = { ...state, firings: state.firings + 1, firedAtMs: nowMs, isDone };
    events.push({ value, crossedDuringGap });
  }
  return { state, events };
}

interface Compared {
  readonly changes: Partial<AlertState>;
  /** The value of each crossing; undefined for events without a value. */
  readonly happened: readonly (Decimal | undefined)[];
}

function compare(
  { crossing, subject }: AlertRule,
  before: AlertState,
  observation: Exclude<AlertObservation, string>,
  nowMs: number,
): Compared {
  const { last } = before;
  switch (observation.kind) {
    case "values":
      return crossing === undefined ? fireIf(false) : compareValues(crossing, before, observation);
    case "count":
      return fireIf(last?.kind === "count" && observation.count > last.count);
    case "set":
      return fireIf(
        last?.kind === "set" && [...last.keys].some((key) => !observation.keys.has(key)),
      );
    case "flag":
      return compareFlag(subject, before, observation.isOn, nowMs);
  }
}

/** A flag counts once it has been on for as long as the rule requires. */
function compareFlag(
  subject: AlertRule["subject"],
  { last, ...before }: AlertState,
  isOnNow: boolean,
  nowMs: number,
): Compared {
  const onSinceMs = isOnNow ? (before.onSinceMs ?? nowMs) : undefined;
  const heldMs = "heldMs" in subject ? (subject.heldMs ?? 0) : 0;
  const isOn = onSinceMs !== undefined && nowMs - onSinceMs >= heldMs;
  const isPast = isOn && (before.isPast || last === undefined);
  const wasOff = last?.kind === "flag" && !last.isOn;
  return fireIf(isOn && wasOff, { last: { kind: "flag", isOn }, onSinceMs, isPast });
}

function fireIf(hasHappened: boolean, changes: Partial<AlertState> = {}): Compared {
  return { changes, happened: hasHappened ? [undefined] : [] };
}

/** For an item that newly appears: it can cross a level with a direction (`>` or `<`) at once. */
const ANYWHERE: Sides = { canRise: true, canFall: true };
const NOWHERE: Sides = { canRise: false, canFall: false };

function compareValues(
  crossing: AlertLevel,
  before: AlertState,
  { values }: Extract<AlertObservation, { kind: "values" }>,
): Compared {
  const isFirst = before.last === undefined;
  const isNew = isFirst || crossing.direction === "crosses";
  const sides = new Map<string, Sides>();
  const happened: Decimal[] = [];
  for (const [name, some] of values) {
    let at = before.sides.get(name) ?? (isNew ? NOWHERE : ANYWHERE);
    for (const value of some) {
      if (crosses(at, value, crossing)) happened.push(value);
      at = sidesAfter(at, crossing, value);
    }
    sides.set(name, at);
  }
  const newest = [...values.values()].flatMap((some) => some.at(-1) ?? []);
  const wasPast = isFirst ? newest.some((value) => isBeyond(value, crossing)) : before.isPast;
  const cannotCross = [...sides.values()].some(({ canRise, canFall }) => !canRise && !canFall);
  const isPast = wasPast && cannotCross && happened.length === 0;
  return { changes: { sides, isPast, value: findForemost(newest, crossing) }, happened };
}

/** The value nearest to the level, or farthest beyond it; undefined without values. */
export function findForemost(
  values: readonly Decimal[],
  { direction }: AlertLevel,
): Decimal | undefined {
  const sign = direction === ">" ? -1 : 1;
  return values.toSorted((a, b) => sign * compareDecimal(a, b))[0];
}

/** On the side towards which the level is crossed; never true for a level that can be crossed both ways. */
function isBeyond(value: Decimal, { direction, level }: AlertLevel): boolean {
  const side = compareDecimal(value, level);
  return (direction === ">" && side > 0) || (direction === "<" && side < 0);
}

function crosses(
  { canRise, canFall }: Sides,
  value: Decimal,
  { level, direction }: AlertLevel,
): boolean {
  const side = compareDecimal(value, level);
  return (side > 0 && canRise && direction !== "<") || (side < 0 && canFall && direction !== ">");
}

/** A value on one side disables crossing to that side; a value far enough from the level enables the other direction. */
function sidesAfter({ canRise, canFall }: Sides, crossing: AlertLevel, value: Decimal): Sides {
  const { direction, level, hysteresis } = crossing;
  const side = compareDecimal(value, level);
  const isFar = compareDecimal(absoluteDecimal(subtractDecimal(value, level)), hysteresis) >= 0;
  return {
    canRise: side > 0 ? false : canRise || (isFar && direction !== "<"),
    canFall: side < 0 ? false : canFall || (isFar && direction !== ">"),
  };
}
