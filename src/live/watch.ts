// Alerts without a screen: what is subscribed for them, what is said of them, and how long the service has been away.

import { type AlertEvent, conditionOf, eventJson } from "../alerts/alert.ts";
import { type AlertSet, createAlertSet } from "../alerts/alert-set.ts";
import type { Effects } from "../alerts/effects.ts";
import { marketOfRule } from "../alerts/rule.ts";
import { channelsOf } from "../rows/market.ts";
import type { Moment } from "../state/moment.ts";
import type { Place } from "../stream/chain.ts";
import type { Clock } from "../units/clock.ts";
import type { Update } from "../wire/frames.ts";
import type { Session, SessionEvent } from "./session.ts";

export interface WatchOptions {
  readonly session: Session;
  readonly clock: Clock;
  readonly effects: Effects;
  /** As they were given: `perp/1`, or a symbol that the service has yet to explain. */
  readonly markets: readonly string[];
  /** `ADDRESS/ID`. */
  readonly accounts: readonly string[];
  /** `perp/1` for a name or a symbol, as far as markets are known. */
  findMarket(name: string): string | undefined;
  /** Stands for what belongs to accounts; undefined: it is shown. */
  readonly mask: string | undefined;
  /** Nothing more is said after the first firing. */
  readonly isFirstOnly: boolean;
  print(line: object): void;
  say(text: string): void;
  /** The unit has started. */
  onReady(): void;
  onStatus(text: string): void;
}

export interface Watch {
  readonly alerts: AlertSet;
  readonly hasFired: boolean;
  /** There were alerts, none can fire any more, and what they record is written. */
  isDone(): boolean;
  /** Markets that were named, but that the service has not listed so far. */
  unknown(): readonly string[];
  readonly moment: () => Moment;
  /** Since the service was last heard of; 0 while it is there. */
  awayMs(): number;
  noteUpdate(update: Update, place: Place): void;
  noteEvent(event: SessionEvent): void;
  /** Once a second. */
  tick(): void;
  /** Subscribes exactly what is watched. */
  follow(): void;
}

/** The unit has started with a connection, or after so long without one. */
const READY_AFTER_MS = 30_000;
/** A connection on which nothing comes counts once it has lasted so long. */
const BACK_AFTER_MS = 5000;

export function openWatch(options: WatchOptions): Watch {
  const { session, clock, effects, accounts, mask, print, say } = options;
  const startedMs = clock.now();
  let awaySinceMs: number | undefined = startedMs;
  let openSinceMs: number | undefined;
  let hasFired = false;
  let isReady = false;
  let status = "";

  const moment = (): Moment => ({ store: session.store, nowMs: clock.now(), wallMs: clock.wall() });
  const alerts = createAlertSet({
    moment,
    context: () => ({ market: undefined, findMarket: options.findMarket }),
    onEvent: report,
  });

  function report(event: AlertEvent): void {
    if (hasFired && options.isFirstOnly) return;
    print(eventJson(event, moment(), mask));
    if (event.kind === "refused")
      say(`${mask === undefined ? event.alert.rule.text : "an alert"}: ${event.reason}`);
    if (event.kind !== "alert") return;
    hasFired = true;
    effects.fire(event.alert, eventJson(event, moment()));
  }

  function follow(): void {
    const named = options.markets.flatMap((name) => options.findMarket(name) ?? []);
    const ofAlerts = alerts.alerts.flatMap(({ rule }) => marketOfRule(rule) ?? []);
    const markets = [...new Set([...named, ...ofAlerts])];
    session.setChannels([
      ...(markets.length + options.markets.length > 0 ? ["markets"] : []),
      ...markets
        .map((market) => channelsOf(market, "1m"))
        .flatMap(({ bbo, trades, stats }) => [bbo, trades, stats]),
      ...accounts.map((account) => `account/${account}`),
      ...alerts.channels,
    ]);
  }

  function noteStatus(): void {
    const all = alerts.alerts.map(conditionOf);
    const counts = [...new Set(all)].map(
      (each) => `${all.filter((other) => other === each).length} ${each}`,
    );
    const link = openSinceMs === undefined ? "no connection" : "connected";
    const rules = all.length === 1 ? "1 alert" : `${all.length} alerts`;
    const next = [`${link}; ${rules}`, counts.join(", ")].filter(Boolean).join(": ");
    if (next !== status) options.onStatus(next);
    status = next;
  }

  function beReady(): void {
    if (isReady) return;
    isReady = true;
    noteStatus();
    options.onReady();
  }

  return {
    ...{ alerts, moment, follow },
    get hasFired() {
      return hasFired;
    },
    isDone: () =>
      alerts.alerts.length > 0 &&
      alerts.waiting.length === 0 &&
      alerts.alerts.every((each) => each.isDone) &&
      !effects.isRecording,
    unknown: () => options.markets.filter((name) => options.findMarket(name) === undefined),
    awayMs: () => (awaySinceMs === undefined ? 0 : clock.now() - awaySinceMs),
    noteUpdate(update, place) {
      awaySinceMs = undefined;
      if (alerts.note(update, place) || update.channel === "markets") follow();
    },
    noteEvent({ event }) {
      const nowMs = clock.now();
      if (event === "disconnected") {
        awaySinceMs ??= nowMs;
        openSinceMs = undefined;
      }
      if (event === "connected") {
        openSinceMs ??= nowMs;
        beReady();
      }
    },
    tick() {
      const nowMs = clock.now();
      if (openSinceMs !== undefined && nowMs - openSinceMs >= BACK_AFTER_MS)
        awaySinceMs = undefined;
      if (nowMs - startedMs >= READY_AFTER_MS) beReady();
      alerts.tick();
      noteStatus();
    },
  };
}
