// An alert as a table row; a firing and a notice as text and, for `monitor watch`, as JSON.
import type { AccountChoice } from "../select/account.ts";
import { formatMarket, isSameMarket, type Market } from "../select/market.ts";
import { MASK } from "../select/mask.ts";
import {
  compareDecimal,
  type Decimal,
  formatDecimal,
  multiplyDecimal,
  trimDecimal,
} from "../units/decimal.ts";
import type { Scale } from "../units/scale.ts";
import { formatIsoMs } from "../units/time.ts";
import type { OpenRecord } from "../wire/update.ts";
import {
  type Alert,
  type AlertCondition,
  type AlertFiring,
  type AlertNotice,
  type AlertReport,
  alertMarket,
  selectAlertCondition,
} from "./alert-manager.ts";
import { type AlertRule, numberRow } from "./alert-rule.ts";

const ORIGINS = { config: "config file", option: "--alert", screen: "screen" } as const;

/** @param isMasked hides the value if it belongs to an account */
function shownValue(
  { alert: { rule }, value }: Pick<AlertFiring, "alert" | "value">,
  isMasked: boolean,
): string | undefined {
  return isMasked && "account" in rule.subject && value !== undefined ? MASK : value;
}

/** If masked, hides address and levels of an account rule. */
export function maskRule(text: string, { subject }: AlertRule, isMasked: boolean): string {
  if (!isMasked || !("account" in subject)) return text;
  return text
    .replace(/^account\/[^/]*/, `account/${MASK}`)
    .replace(/\s(>|<|crosses|hysteresis)\s+\S+/g, ` $1 ${MASK}`);
}

/** `perp/1 last > 65000: 65010.5` */
export function formatFiring(firing: AlertFiring, isMasked: boolean): string {
  const blind = firing.crossedDuringGap ? " (crossed while data were missing)" : "";
  return `${formatParts(firing, isMasked)}${blind}`;
}

/** `perp/1 last > 65000: already past: 66000`. */
export function formatNotice(notice: AlertNotice, isMasked: boolean): string {
  return formatParts(notice, isMasked, notice.kind, notice.why);
}

function formatParts(
  { alert, value }: Pick<AlertFiring, "alert" | "value">,
  isMasked: boolean,
  kind = "",
  why = "",
): string {
  const { text, rule } = alert;
  const { subaccountId } = "account" in rule.subject ? rule.subject.account : {};
  const isAny = /^account\/[^/]+\/any /.test(text) && subaccountId !== undefined;
  const of = isAny ? ` (subaccount ${subaccountId})` : "";
  const shown = shownValue({ alert, value }, isMasked);
  return [`${maskRule(text, rule, isMasked)}${of}`, kind, shown, why].filter(Boolean).join(": ");
}

/** A line of `monitor watch`. */
export function firingEvent(firing: AlertFiring, isMasked: boolean): object {
  return {
    event: "alert",
    ...commonFields(firing, isMasked),
    crossed_while_data_were_missing: firing.crossedDuringGap,
  };
}

/** A line of `monitor watch`. */
export function noticeEvent(notice: AlertNotice, isMasked: boolean): object {
  const { kind, why } = notice;
  return {
    event: kind === "already past" ? "already_past" : kind,
    ...commonFields(notice, isMasked),
    ...(kind === "not evaluated" || kind === "expired" ? { why } : {}),
  };
}

function commonFields(facts: AlertReport, isMasked: boolean) {
  const { alert, atWallMs, state } = facts;
  const { rule, typed } = alert;
  const { subject } = rule;
  const market = alertMarket(rule);
  return {
    rule: maskRule(typed, rule, isMasked),
    market: market === undefined ? null : formatMarket(market),
    ...("account" in subject && { account: isMasked ? MASK : nameAccount(subject.account) }),
    value: shownValue(facts, isMasked) ?? null,
    at: formatIsoMs(atWallMs),
    state,
  };
}

export function nameAccount({ address, subaccountId = "any" }: AccountChoice): string {
  return `${address}/${subaccountId}`;
}

export function alertRow(alert: Alert, isMasked: boolean): OpenRecord {
  const { state, firedAtWallMs, origin, rule } = alert;
  const { value } = state;
  return {
    alert: maskRule(alert.text, rule, isMasked),
    state: selectAlertCondition(alert),
    why: (selectAlertCondition(alert) === "not evaluated" && state.notEvaluated) || "",
    value: (value && shownValue({ alert, value: formatDecimal(value) }, isMasked)) || "",
    fired: String(state.firings),
    last_fired_at: firedAtWallMs === undefined ? "" : formatIsoMs(firedAtWallMs),
    repeats: rule.coolDownMs === undefined ? "once" : "every",
    set_by: ORIGINS[origin],
  };
}

export interface AlertMark {
  /** `last > 65,000`, and its condition unless "armed". */
  readonly words: string;
  /** Short form for a ladder: `>65,000`, with `?` while it is not evaluated and `!` once it has fired. */
  readonly short: string;
  readonly condition: AlertCondition;
  /** In quote currency; undefined if given in ticks of unknown size. */
  readonly price: Decimal | undefined;
  /** In the unit of the ladder: quote currency, or ticks without a scale. */
  readonly step: Decimal | undefined;
}

const SHORT_DIRECTIONS = { ">": ">", "<": "<", crosses: "<>" } as const;
const SHORT_CONDITIONS = {
  armed: "",
  "already past": "",
  "not evaluated": "?",
  fired: "!",
  expired: "",
} as const;

/**
 * Alerts of the market that have a price and can fire or have fired, in the order in which they were set.
 * @param formatNumber formats decimal text for display
 */
export function selectAlertMarks(
  alerts: readonly Alert[],
  market: Market,
  scale: Scale | undefined,
  formatNumber: (text: string) => string,
): readonly AlertMark[] {
  return alerts.flatMap((alert) => getMark(alert, market, scale, formatNumber) ?? []);
}

function getMark(
  alert: Alert,
  market: Market,
  scale: Scale | undefined,
  formatNumber: (text: string) => string,
): AlertMark | undefined {
  const { subject, crossing } = alert.rule;
  const condition = selectAlertCondition(alert);
  if (subject.kind !== "number" || !numberRow(subject.name).isPrice) return undefined;
  if (crossing === undefined || condition === "expired") return undefined;
  if (!isSameMarket(subject.market, market)) return undefined;
  const { direction, level, unit } = crossing;
  const inTicks = unit === "ticks";
  const price = inTicks ? scale && multiplyDecimal(level, scale.tickSize) : level;
  const text = formatNumber(formatDecimal(trimDecimal(price ?? level)));
  const state = condition === "armed" ? "" : ` ${condition}`;
  return {
    words: `${subject.name} ${direction} ${text}${state}`,
    short: `${SHORT_DIRECTIONS[direction]}${text}${SHORT_CONDITIONS[condition]}`,
    condition,
    price,
    step: scale === undefined && !inTicks ? undefined : (price ?? level),
  };
}

/**
 * The marks by row of a ladder: the row whose group contains their price, or the next lower one. A group of asks contains prices
 * up to and including its own, a group of bids prices from its own upwards.
 * @param rows from the highest price in ticks to the lowest; a mark outside of them has no row
 */
export function placeAlertMarks(
  marks: readonly AlertMark[],
  rows: readonly { readonly side: "bid" | "ask"; readonly priceTicks: bigint }[],
  grouping: bigint,
  scale: Scale | undefined,
): ReadonlyMap<bigint, readonly AlertMark[]> {
  const placed = new Map<bigint, AlertMark[]>();
  const { tickSize = { mantissa: 1n, places: 0 } } = scale ?? {};
  const priceOf = (mantissa: bigint) => multiplyDecimal({ mantissa, places: 0 }, tickSize);
  const highest = rows[0] && priceOf(rows[0].priceTicks);
  for (const mark of marks) {
    const { step } = mark;
    if (step === undefined || highest === undefined || compareDecimal(step, highest) > 0) continue;
    const row = rows.find(({ side, priceTicks }) =>
      side === "ask"
        ? compareDecimal(step, priceOf(priceTicks - grouping)) > 0
        : compareDecimal(step, priceOf(priceTicks)) >= 0,
    );
    if (row !== undefined)
      placed.set(row.priceTicks, [...(placed.get(row.priceTicks) ?? []), mark]);
  }
  return placed;
}
