// All alerts of a run: which there are, what each has seen, and who is notified when one fires.

import { isSameMarket, type Market } from "../select/market.ts";
import type { Scales } from "../state/scales.ts";
import type { Store } from "../state/store.ts";
import { formatDecimal } from "../units/decimal.ts";
import { type AlertEvent, type AlertState, NEW_ALERT, reduceAlert } from "./alert-crossing.ts";
import { alertChannels, observeAlert } from "./alert-observation.ts";
import { type AlertRule, formatAlert } from "./alert-rule.ts";

const MAX_ALERTS = 200;
/** Firings that wait to be acknowledged; the oldest give way. */
const MAX_FIRINGS = 50;

/** Where an alert was set: those of the screen persist between runs, the others come anew with each run. */
export type AlertOrigin = "config" | "option" | "screen";

/** An alert, and what has become of it. Another object after every change. */
export interface Alert {
  readonly id: number;
  readonly rule: AlertRule;
  readonly text: string;
  readonly origin: AlertOrigin;
  /** Program to start when it fires, and its arguments; undefined for none. */
  readonly exec: readonly string[] | undefined;
  readonly state: AlertState;
  /** When it fired last, and when it was set, by the wall clock. */
  readonly firedAtWallMs: number | undefined;
  readonly setAtWallMs: number;
  readonly isExpired: boolean;
}

export interface AlertFiring {
  readonly alert: Alert;
  readonly atWallMs: number;
  /** Exact decimal text of the value that crossed; undefined where something happened. */
  readonly value: string | undefined;
  /** The crossing was not seen: data were missing meanwhile. */
  readonly wasBlind: boolean;
}

/** What alerts look at, and the clocks that they go by: `now` monotonic, `wall` Unix, both milliseconds. */
export interface AlertManagerOptions {
  readonly store: Store;
  readonly scales: Scales;
  /** Monotonic and wall milliseconds. */
  readonly now: () => number;
  readonly wall: () => number;
}

interface Entry {
  alert: Alert;
  readonly channels: readonly string[];
  readonly dueWallMs: number | undefined;
  tradesSeen: number | undefined;
}

/** An alert as it is written down: its rule, and the program to start. */
export interface AlertSetting {
  readonly rule: AlertRule;
  readonly exec: readonly string[] | undefined;
}

export interface PersistedAlert {
  readonly text: string;
  readonly setAtWallMs: number;
  readonly firings: number;
  readonly firedAtWallMs: number | undefined;
}

/** Holds the alerts, and reads the store for them when it is asked to. */
export class AlertManager {
  onFire: ((firing: AlertFiring) => void) | undefined;
  /** Called when the list, or what is said of one, is different. */
  onChange: (() => void) | undefined;
  readonly #options: AlertManagerOptions;
  #entries: readonly Entry[] = [];
  #nextId = 1;
  /** Why the program of the last firing did not run as it should; undefined while all is well. */
  fault: string | undefined;
  /** Firings that nobody has acknowledged, the newest first. */
  firings: readonly AlertFiring[] = [];
  /** How many from where could not be set. */
  readonly #leftOut = new Map<AlertOrigin, number>();

  constructor(options: AlertManagerOptions) {
    this.#options = options;
  }

  /** True while no more can be set. */
  get isFull(): boolean {
    return this.#entries.length >= MAX_ALERTS;
  }

  /** In the order in which they were set. */
  get alerts(): readonly Alert[] {
    return this.#entries.map(({ alert }) => alert);
  }

  /** The newest firing has been read. False where there is none. */
  acknowledge(): boolean {
    const hasFired = this.firings.length > 0;
    this.firings = this.firings.slice(1);
    if (hasFired) this.onChange?.();
    return hasFired;
  }

  /** Alerts of the config file, of options and of earlier runs that are not watched, because there are too many. */
  get leftOut(): number {
    return [...this.#leftOut.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Says what became of the program of a firing. */
  noteFault(fault: string | undefined): void {
    if (fault === this.fault) return;
    this.fault = fault;
    this.onChange?.();
  }

  /** Channels that alerts read which can still fire. */
  get channels(): readonly string[] {
    return [...new Set(this.#entries.filter(isActive).flatMap(({ channels }) => channels))];
  }

  /**
   * Sets an alert.
   * @param persisted what it has seen in an earlier run
   * @returns undefined when there are too many
   */
  add(
    rule: AlertRule,
    origin: AlertOrigin,
    { exec, persisted }: { exec?: readonly string[] | undefined; persisted?: PersistedAlert } = {},
  ): Alert | undefined {
    if (this.isFull) {
      // Whoever sets one on the screen is notified at once.
      const isAsked = origin === "screen" && persisted === undefined;
      if (!isAsked) this.#leftOut.set(origin, (this.#leftOut.get(origin) ?? 0) + 1);
      return undefined;
    }
    const setAtWallMs = persisted?.setAtWallMs ?? this.#options.wall();
    const firings = persisted?.firings ?? 0;
    const alert: Alert = {
      id: this.#nextId++,
      rule,
      text: formatAlert(rule),
      origin,
      exec,
      state: { ...NEW_ALERT, firings, isDone: firings > 0 && rule.coolDownMs === undefined },
      firedAtWallMs: persisted?.firedAtWallMs,
      setAtWallMs,
      isExpired: false,
    };
    const dueWallMs =
      rule.untilMs ?? (rule.forMs === undefined ? undefined : setAtWallMs + rule.forMs);
    const channels = alertChannels(rule);
    this.#entries = [...this.#entries, { alert, channels, dueWallMs, tradesSeen: undefined }];
    this.#check(this.#entries.at(-1));
    this.onChange?.();
    return alert;
  }

  /** Alerts on a market whose id means another one now are over. */
  expire(market: Market): void {
    for (const entry of this.#entries) {
      const { subject } = entry.alert.rule;
      if (!("market" in subject) || !isSameMarket(subject.market, market)) continue;
      entry.alert = { ...entry.alert, isExpired: true };
    }
    this.onChange?.();
  }

  get markets(): readonly Market[] {
    return this.#entries.filter(isActive).flatMap(
      ({
        alert: {
          rule: { subject },
        },
      }) => ("market" in subject ? subject.market : []),
    );
  }

  remove(id: number): void {
    this.#entries = this.#entries.filter(({ alert }) => alert.id !== id);
    this.onChange?.();
  }

  /**
   * Sets all that come from somewhere anew. One with the same words and program as before stays as it is, with all it
   * has seen and done.
   */
  replaceFrom(origin: AlertOrigin, settings: readonly AlertSetting[]): void {
    const before = this.#entries.filter(({ alert }) => alert.origin === origin);
    const stays = new Set<Entry>();
    const added = settings.filter(({ rule, exec }) => {
      const same = before.find(
        (entry) => !stays.has(entry) && isSetting(entry.alert, formatAlert(rule), exec),
      );
      if (same !== undefined) stays.add(same);
      return same === undefined;
    });
    this.#entries = this.#entries.filter(
      (entry) => entry.alert.origin !== origin || stays.has(entry),
    );
    this.#leftOut.delete(origin);
    for (const { rule, exec } of added) this.add(rule, origin, { exec });
    this.onChange?.();
  }

  /** A channel has got something new. */
  observe(channel: string): void {
    for (const entry of this.#entries) if (entry.channels.includes(channel)) this.#check(entry);
  }

  /** A second has passed: feeds may have grown stale, and alerts may have expired. */
  tick(): void {
    for (const entry of this.#entries) this.#check(entry);
  }

  persisted(): readonly PersistedAlert[] {
    return this.alerts
      .filter(({ origin }) => origin === "screen")
      .map(({ text, setAtWallMs, state: { firings }, firedAtWallMs }) => ({
        text,
        setAtWallMs,
        firings,
        firedAtWallMs,
      }));
  }

  #check(entry: Entry | undefined): void {
    if (entry === undefined || !isActive(entry)) return;
    const { now, wall } = this.#options;
    if (entry.dueWallMs !== undefined && wall() >= entry.dueWallMs) {
      entry.alert = { ...entry.alert, isExpired: true };
      this.onChange?.();
      return;
    }
    const { rule, state: before } = entry.alert;
    const { observation, tradesSeen } = this.#read(entry);
    const { state, event } = reduceAlert(rule, before, observation, now());
    entry.tradesSeen = tradesSeen;
    entry.alert = { ...entry.alert, state };
    if (event !== undefined) this.#fire(entry, event);
    else if (state.notEvaluated !== before.notEvaluated) this.onChange?.();
  }

  #read(entry: Entry) {
    const { store, scales, now } = this.#options;
    const facts = { store, scales, nowMs: now(), tradesSeen: entry.tradesSeen };
    const observation = observeAlert(entry.alert.rule, facts);
    const trades = entry.channels.find((channel) => channel.startsWith("trades/"));
    // Trades that came while nothing could be evaluated are looked at when it can be again.
    const isRead = observation.kind === "values" && trades !== undefined;
    const tradesSeen = isRead ? store.slice("trades", trades).data.streamed : entry.tradesSeen;
    return { observation, tradesSeen };
  }

  #fire(entry: Entry, { value, wasBlind }: AlertEvent): void {
    const atWallMs = this.#options.wall();
    entry.alert = { ...entry.alert, firedAtWallMs: atWallMs };
    const text = value === undefined ? undefined : formatDecimal(value);
    const firing = { alert: entry.alert, atWallMs, value: text, wasBlind };
    this.firings = [firing, ...this.firings].slice(0, MAX_FIRINGS);
    this.onFire?.(firing);
    this.onChange?.();
  }
}

function isActive({ alert }: Entry): boolean {
  return !alert.isExpired && !alert.state.isDone;
}

function isSetting(alert: Alert, text: string, exec: AlertSetting["exec"]): boolean {
  return alert.text === text && JSON.stringify(alert.exec) === JSON.stringify(exec);
}

/** What an alert is doing, in one word. */
export type AlertCondition = "armed" | "not evaluated" | "fired" | "expired";

/** What an alert is doing now. */
export function selectAlertCondition({ isExpired, state }: Alert): AlertCondition {
  if (state.isDone) return "fired";
  if (isExpired) return "expired";
  return state.notEvaluated === undefined ? "armed" : "not evaluated";
}
