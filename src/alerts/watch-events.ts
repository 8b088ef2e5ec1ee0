// What `monitor watch` prints of alerts: one object a line.

import type { AccountChoice } from "../select/account.ts";
import { formatMarket } from "../select/market.ts";
import { MASK } from "../select/mask.ts";
import { formatIsoMs } from "../units/time.ts";
import { type Alert, type AlertFiring, type AlertNotice, alertMarket } from "./alert-manager.ts";
import { maskRule } from "./alert-rows.ts";

export function firingEvent(firing: AlertFiring, isMasked: boolean): object {
  const { alert, wasBlind } = firing;
  return {
    event: "alert",
    ...namesOf(alert, isMasked),
    ...factsOf(firing, isMasked),
    crossed_while_data_were_missing: wasBlind,
  };
}

const NOTICE_EVENTS = {
  "already past": "already_past",
  "not evaluated": "not evaluated",
  evaluated: "evaluated",
  expired: "expired",
} as const;

export function noticeEvent(notice: AlertNotice, isMasked: boolean): object {
  const { alert, kind, why } = notice;
  return {
    event: NOTICE_EVENTS[kind],
    ...namesOf(alert, isMasked),
    ...factsOf(notice, isMasked),
    ...(kind === "not evaluated" || kind === "expired" ? { why } : {}),
  };
}

function namesOf({ rule, typed }: Alert, isMasked: boolean) {
  const { subject } = rule;
  const market = alertMarket(rule);
  return {
    rule: maskRule(typed, rule, isMasked),
    market: market === undefined ? null : formatMarket(market),
    ...("account" in subject && { account: isMasked ? MASK : nameAccount(subject.account) }),
  };
}

function factsOf(
  { alert, value, atWallMs, state }: Omit<AlertFiring, "wasBlind">,
  isMasked: boolean,
) {
  const isHidden = isMasked && "account" in alert.rule.subject && value !== undefined;
  return { value: isHidden ? MASK : (value ?? null), at: formatIsoMs(atWallMs), state };
}

export function nameAccount({ address, subaccountId = "any" }: AccountChoice): string {
  return `${address}/${subaccountId}`;
}
