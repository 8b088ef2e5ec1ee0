// When an alert fires: a fold over what was read, without a clock of its own.
import {
  absoluteDecimal,
  compareDecimal,
  type Decimal,
  subtractDecimal,
} from "../units/decimal.ts";
import type { AlertLevel, AlertRule } from "./alert-rule.ts";

export type AlertObservation =
  /** Nothing that is true now: words for the user. */
  | { readonly kind: "none"; readonly why: string }
  /** Values since the last observation, oldest first; at least the present one. */
  | { readonly kind: "values"; readonly values: readonly Decimal[] }
  | { readonly kind: "count"; readonly count: number }
  /** Whether it is so now. */
  | { readonly kind: "flag"; readonly isOn: boolean }
  /** What there is; it happens when one of them is gone. */
  | { readonly kind: "set"; readonly keys: ReadonlySet<string> };

/** What an alert remembers. Times are monotonic milliseconds. */
export interface AlertState {
  /** The last value was seen on the side from which the level can be crossed upwards, downwards. */
  readonly canRise: boolean;
  readonly canFall: boolean;
  readonly lastCount: number | undefined;
  readonly lastFlag: boolean | undefined;
  readonly lastKeys: ReadonlySet<string> | undefined;
  /** The newest value; undefined before the first. */
  readonly value: Decimal | undefined;
  readonly notEvaluated: string | undefined;
  readonly firings: number;
  readonly firedAtMs: number | undefined;
  readonly isDone: boolean;
}

export const NEW_ALERT: AlertState = {
  canRise: false,
  canFall: false,
  lastCount: undefined,
  lastFlag: undefined,
  lastKeys: undefined,
  value: undefined,
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

/** What an alert remembers after an observation, and whether it fires. */
export interface AlertStep {
  readonly state: AlertState;
  /** Undefined when it does not fire. */
  readonly event: AlertEvent | undefined;
}

/** Folds in an observation. The first value, count or set never fires. */
export function reduceAlert(
  rule: AlertRule,
  state: AlertState,
  observation: AlertObservation,
  nowMs: number,
): AlertStep {
  if (state.isDone) return { state, event: undefined };
  if (observation.kind === "none") {
    return { state: { ...state, notEvaluated: observation.why }, event: undefined };
  }
  const wasBlind = state.notEvaluated !== undefined && state.value !== undefined;
  const { next, happened } = compare(rule, { ...state, notEvaluated: undefined }, observation);
  if (happened === undefined) return { state: next, event: undefined };
  const isTooSoon = next.firedAtMs !== undefined && nowMs - next.firedAtMs < (rule.coolDownMs ?? 0);
  if (isTooSoon) return { state: next, event: undefined };
  const isDone = rule.coolDownMs === undefined;
  return {
    state: { ...next, firings: next.firings + 1, firedAtMs: nowMs, isDone },
    event: { value: happened.value, wasBlind },
  };
}

interface Compared {
  readonly next: AlertState;
  readonly happened: { readonly value: Decimal | undefined } | undefined;
}

function compare(rule: AlertRule, state: AlertState, observation: AlertObservation): Compared {
  const nothing = { value: undefined };
  switch (observation.kind) {
    case "values":
      return compareValues(rule.crossing, state, observation.values);
    case "count": {
      const isMore = state.lastCount !== undefined && observation.count > state.lastCount;
      return {
        next: { ...state, lastCount: observation.count },
        happened: isMore ? nothing : undefined,
      };
    }
    case "flag": {
      const isNew = state.lastFlag === false && observation.isOn;
      return {
        next: { ...state, lastFlag: observation.isOn },
        happened: isNew ? nothing : undefined,
      };
    }
    case "set": {
      const isGone = [...(state.lastKeys ?? [])].some((key) => !observation.keys.has(key));
      return {
        next: { ...state, lastKeys: observation.keys },
        happened: isGone ? nothing : undefined,
      };
    }
    default:
      return { next: state, happened: undefined };
  }
}

function compareValues(
  crossing: AlertLevel | undefined,
  state: AlertState,
  values: readonly Decimal[],
): Compared {
  if (crossing === undefined) return { next: state, happened: undefined };
  let sides: Sides = state;
  let crossed: Decimal | undefined;
  for (const value of values) {
    const side = compareDecimal(value, crossing.level);
    if ((sides.canRise && side > 0) || (sides.canFall && side < 0)) crossed ??= value;
    sides = sidesAfter(sides, crossing, side, isFarEnough(value, crossing));
  }
  const { canRise, canFall } = sides;
  const next = { ...state, canRise, canFall, value: values.at(-1) ?? state.value };
  return { next, happened: crossed === undefined ? undefined : { value: crossed } };
}

type Sides = Pick<AlertState, "canRise" | "canFall">;

/** A value on one side takes the crossing to that side away, and far enough from the level gives the other back. */
function sidesAfter(
  { canRise, canFall }: Sides,
  { direction }: AlertLevel,
  side: number,
  isFar: boolean,
): Sides {
  return {
    canRise: side > 0 ? false : canRise || (isFar && direction !== "<"),
    canFall: side < 0 ? false : canFall || (isFar && direction !== ">"),
  };
}

function isFarEnough(value: Decimal, { level, hysteresis }: AlertLevel): boolean {
  return compareDecimal(absoluteDecimal(subtractDecimal(value, level)), hysteresis) >= 0;
}
