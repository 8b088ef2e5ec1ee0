// The alerts of a run. Rules may name markets by symbol: these wait for the list of markets.

import type { Moment } from "../state/moment.ts";
import { select } from "../state/store.ts";
import type { Place } from "../stream/chain.ts";
import type { Update } from "../wire/frames.ts";
import { type Alert, type AlertEvent, createAlert, evaluate, type GivenAlert } from "./alert.ts";
import { channelsOfRule, parseRule, type RuleContext } from "./rule.ts";

export interface AlertSetOptions {
  moment(): Moment;
  context(): RuleContext;
  onEvent(event: AlertEvent): void;
}

export type AlertSet = ReturnType<typeof createAlertSet>;

export function createAlertSet({ moment, context, onEvent }: AlertSetOptions) {
  let alerts: Alert[] = [];
  let waiting: readonly GivenAlert[] = [];

  const report = (events: readonly AlertEvent[]) => events.forEach(onEvent);

  /** @returns true if one of them has ceased to wait */
  function settle(): boolean {
    const before = waiting;
    waiting = before.filter((given) => set(given) !== undefined);
    return waiting.length < before.length;
  }

  /** @returns what is wrong with the rule; undefined: it is set */
  function set(given: GivenAlert, replaced?: Alert): string | undefined {
    const parsed = parseRule(given.when, context());
    if ("fault" in parsed) return parsed.fault;
    const alert = createAlert(parsed.rule, given);
    const isKnown = (each: Alert) => each !== replaced && isSame(each.given, given);
    if (replaced !== undefined) alerts = alerts.map((each) => (each === replaced ? alert : each));
    else if (!alerts.some(isKnown)) alerts.push(alert);
    return undefined;
  }

  return {
    get alerts(): readonly Alert[] {
      return alerts;
    },
    /** Given, but their market is not known, or not yet. */
    get waiting() {
      return waiting;
    },
    get channels(): readonly string[] {
      const all = alerts.flatMap(({ rule }) => channelsOfRule(rule));
      return waiting.length > 0 ? [...all, "markets"] : all;
    },
    /** In place of all that were given before; those that stay the same go on. */
    replace(given: readonly GivenAlert[]): void {
      alerts = alerts.filter((alert) => given.some((each) => isSame(each, alert.given)));
      const known = alerts.map((alert) => alert.given);
      waiting = given.filter((each) => !known.some((other) => isSame(each, other)));
      settle();
    },
    set,
    remove(alert: Alert): void {
      alerts = alerts.filter((each) => each !== alert);
    },
    /** An update has been folded. @returns true if rules have ceased to wait */
    note({ channel }: Pick<Update, "channel">, place: Place): boolean {
      const isSettled = channel === "markets" && waiting.length > 0 && settle();
      if (alerts.length === 0) return isSettled;
      const now = moment();
      const added = select(now.store, "trades", channel)?.added ?? [];
      // The first frame tells of the past.
      report(evaluate(alerts, now, channel, { trades: place === "first" ? [] : added }));
      return isSettled;
    },
    /** Time has passed. */
    tick(): void {
      if (alerts.length > 0) report(evaluate(alerts, moment(), undefined));
    },
  };
}

function isSame(a: GivenAlert, b: GivenAlert): boolean {
  return a.when === b.when && a.record === b.record && a.exec?.join("\0") === b.exec?.join("\0");
}
