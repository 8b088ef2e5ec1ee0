// When an alert fires: a fold over what was read, without a clock of its own.

import { formatMarket, type Market } from "../select/market.ts";
import type { Scales } from "../state/scales.ts";
import {
  absoluteDecimal,
  compareDecimal,
  type Decimal,
  multiplyDecimal,
  subtractDecimal,
} from "../units/decimal.ts";
import type { Scale } from "../units/scale.ts";
import type { AlertLevel, AlertRule } from "./alert-rule.ts";

export type AlertObservation =
  /** Nothing that is true now: words for the user. */
  | { readonly kind: "none"; readonly why: string }
  /** Values since the last observation, oldest first; at least the present one. */
  | { readonly kind: "values"; readonly values: readonly Decimal[] }
  /** Present values of several things, each with a crossing of its own; one that was gone can cross at once. */
  | { readonly kind: "named"; readonly values: ReadonlyMap<string, Decimal> }
  | { readonly kind: "count"; readonly count: number }
  /** Whether it is so now. */
  | { readonly kind: "flag"; readonly isOn: boolean }
  /** What there is; it happens when one of them is gone. */
  | { readonly kind: "set"; readonly keys: ReadonlySet<string> };

export function observeNone(why: string): AlertObservation {
  return { kind: "none", why };
}

export function observeValues(values: readonly Decimal[]): AlertObservation {
  return { kind: "values", values };
}

/** @param why there may be no value */
export function observeValue(value: Decimal | undefined, why: string): AlertObservation {
  return value === undefined ? observeNone(why) : observeValues([value]);
}

/** @param worth of the unit in another one, where it is not that of its scale */
export function observeWorth(
  values: readonly Decimal[],
  unit: "tick" | "lot",
  market: Market,
  scales: Scales,
  worth?: (scale: Scale) => Decimal,
): AlertObservation {
  const { scale } = scales.of(formatMarket(market));
  if (scale === undefined)
    return observeNone(`what a ${unit} is worth is not known; ${unit}s can be watched`);
  const size = worth?.(scale) ?? (unit === "tick" ? scale.tickSize : scale.lotSize);
  return observeValues(values.map((each) => multiplyDecimal(each, size)));
}

/** From which side the level can be crossed: where the last value was seen. */
interface Sides {
  readonly canRise: boolean;
  readonly canFall: boolean;
}

/** What an alert remembers. Times are monotonic milliseconds. */
export interface AlertState extends Sides {
  /** The same of each thing that is named; undefined before the first observation. */
  readonly named: ReadonlyMap<string, Sides> | undefined;
  readonly lastCount: number | undefined;
  readonly lastFlag: boolean | undefined;
  /** Since when it is so; undefined while it is not. */
  readonly onSinceMs: number | undefined;
  readonly lastKeys: ReadonlySet<string> | undefined;
  /** The newest value; undefined before the first. */
  readonly value: Decimal | undefined;
  /** It was so when it was first looked at, and has been since: no crossing was seen. */
  readonly isPast: boolean;
  readonly notEvaluated: string | undefined;
  readonly firings: number;
  readonly firedAtMs: number | undefined;
  readonly isDone: boolean;
}

export const NEW_ALERT: AlertState = {
  canRise: false,
  canFall: false,
  named: undefined,
  lastCount: undefined,
  lastFlag: undefined,
  onSinceMs: undefined,
  lastKeys: undefined,
  value: undefined,
  isPast: false,
  notEvaluated: "nothing received yet",
  firings: 0,
  firedAtMs: undefined,
  isDone: false,
};

/** Why it fires. */
export interface AlertEvent {
  /** The value that crossed; undefined where something happened. */
  readonly value: Decimal | undefined;
  /** True when the crossing itself was not seen: the value was on the other side before data were missing. */
  readonly wasBlind: boolean;
}

/** What an alert remembers after an observation, and how often it fires. */
export interface AlertStep {
  readonly state: AlertState;
  /** In the order of the crossings; mostly none. */
  readonly events: readonly AlertEvent[];
}

const NO_EVENTS: readonly AlertEvent[] = [];

/** Folds in an observation. The first value, count or set never fires. */
export function reduceAlert(
  rule: AlertRule,
  state: AlertState,
  observation: AlertObservation,
  nowMs: number,
): AlertStep {
  if (state.isDone) return { state, events: NO_EVENTS };
  if (observation.kind === "none") {
    return { state: { ...state, notEvaluated: observation.why }, events: NO_EVENTS };
  }
  const wasBlind = state.notEvaluated !== undefined && hasBeenEvaluated(state);
  const { next, happened } = compare(
    rule,
    { ...state, notEvaluated: undefined },
    observation,
    nowMs,
  );
  const events: AlertEvent[] = [];
  let after = next;
  for (const value of happened) {
    const isTooSoon =
      after.firedAtMs !== undefined && nowMs - after.firedAtMs < (rule.coolDownMs ?? 0);
    if (isTooSoon || after.isDone) continue;
    const isDone = rule.coolDownMs === undefined;
    after = { ...after, firings: after.firings + 1, firedAtMs: nowMs, isDone };
    events.push({ value, wasBlind });
  }
  return { state: after, events };
}

/** True once there was anything to compare with what comes next. */
export function hasBeenEvaluated({
  value,
  named,
  lastCount,
  lastFlag,
  lastKeys,
}: AlertState): boolean {
  return [value, named, lastCount, lastFlag, lastKeys].some((each) => each !== undefined);
}

interface Compared {
  readonly next: AlertState;
  /** A value for each crossing, undefined where something happened. */
  readonly happened: readonly (Decimal | undefined)[];
}

const NOTHING: Compared["happened"] = [];
const ONCE: Compared["happened"] = [undefined];

function compare(
  rule: AlertRule,
  state: AlertState,
  observation: AlertObservation,
  nowMs: number,
): Compared {
  switch (observation.kind) {
    case "values":
      return compareValues(rule.crossing, state, observation.values);
    case "named":
      return compareNamed(rule.crossing, state, observation.values);
    case "count": {
      const isMore = state.lastCount !== undefined && observation.count > state.lastCount;
      const next = { ...state, lastCount: observation.count };
      return { next, happened: isMore ? ONCE : NOTHING };
    }
    case "flag":
      return compareFlag(rule, state, observation.isOn, nowMs);
    case "set": {
      const isGone = [...(state.lastKeys ?? [])].some((key) => !observation.keys.has(key));
      const next = { ...state, lastKeys: observation.keys };
      return { next, happened: isGone ? ONCE : NOTHING };
    }
    default:
      return { next: state, happened: NOTHING };
  }
}

/** It happens when it has been so for as long as the rule says. */
function compareFlag(
  { subject }: AlertRule,
  state: AlertState,
  isOn: boolean,
  nowMs: number,
): Compared {
  const onSinceMs = isOn ? (state.onSinceMs ?? nowMs) : undefined;
  const heldMs = "heldMs" in subject ? (subject.heldMs ?? 0) : 0;
  const lastFlag = onSinceMs !== undefined && nowMs - onSinceMs >= heldMs;
  const isPast = lastFlag && (state.isPast || state.lastFlag === undefined);
  const next = { ...state, onSinceMs, lastFlag, isPast };
  return { next, happened: lastFlag && state.lastFlag === false ? ONCE : NOTHING };
}

function compareValues(
  crossing: AlertLevel | undefined,
  state: AlertState,
  values: readonly Decimal[],
): Compared {
  if (crossing === undefined) return { next: state, happened: NOTHING };
  let sides: Sides = state;
  const happened: Decimal[] = [];
  let isPast = state.isPast || (state.value === undefined && isBeyond(values[0], crossing));
  for (const value of values) {
    if (crosses(sides, value, crossing)) happened.push(value);
    sides = sidesAfter(sides, crossing, value);
    isPast &&= !sides.canRise && !sides.canFall;
  }
  const { canRise, canFall } = sides;
  const next = { ...state, canRise, canFall, isPast, value: values.at(-1) ?? state.value };
  return { next, happened };
}

/** From where nothing is, a level in one direction can be crossed. */
const ANYWHERE: Sides = { canRise: true, canFall: true };
const NOWHERE: Sides = { canRise: false, canFall: false };

function compareNamed(
  crossing: AlertLevel | undefined,
  state: AlertState,
  values: ReadonlyMap<string, Decimal>,
): Compared {
  if (crossing === undefined) return { next: state, happened: NOTHING };
  const before = state.named;
  const named = new Map<string, Sides>();
  const happened: Decimal[] = [];
  const isNew = before === undefined || crossing.direction === "crosses";
  let isPast = before === undefined || state.isPast;
  let isAnyBeyond = false;
  for (const [name, value] of values) {
    const sides = before?.get(name) ?? (isNew ? NOWHERE : ANYWHERE);
    if (crosses(sides, value, crossing)) happened.push(value);
    named.set(name, sidesAfter(sides, crossing, value));
    isAnyBeyond ||= isBeyond(value, crossing);
  }
  isPast &&= isAnyBeyond && happened.length === 0;
  return { next: { ...state, named, isPast, value: foremost(values, crossing) }, happened };
}

/** The value that is nearest to the level, or farthest beyond it; undefined without any. */
export function foremost(
  values: ReadonlyMap<string, Decimal>,
  { direction }: AlertLevel,
): Decimal | undefined {
  const sign = direction === ">" ? -1 : 1;
  return [...values.values()].sort((a, b) => sign * compareDecimal(a, b))[0];
}

/** On the side to which the level is crossed; never of one that can be crossed both ways. */
function isBeyond(value: Decimal | undefined, { direction, level }: AlertLevel): boolean {
  if (value === undefined || direction === "crosses") return false;
  const side = compareDecimal(value, level);
  return direction === ">" ? side > 0 : side < 0;
}

function crosses(
  { canRise, canFall }: Sides,
  value: Decimal,
  { level, direction }: AlertLevel,
): boolean {
  const side = compareDecimal(value, level);
  return (side > 0 && canRise && direction !== "<") || (side < 0 && canFall && direction !== ">");
}

/** A value on one side takes the crossing to that side away, and far enough from the level gives the other back. */
function sidesAfter({ canRise, canFall }: Sides, crossing: AlertLevel, value: Decimal): Sides {
  const { direction, level } = crossing;
  const side = compareDecimal(value, level);
  const isFar = isFarEnough(value, crossing);
  return {
    canRise: side > 0 ? false : canRise || (isFar && direction !== "<"),
    canFall: side < 0 ? false : canFall || (isFar && direction !== ">"),
  };
}

function isFarEnough(value: Decimal, { level, hysteresis }: AlertLevel): boolean {
  return compareDecimal(absoluteDecimal(subtractDecimal(value, level)), hysteresis) >= 0;
}
