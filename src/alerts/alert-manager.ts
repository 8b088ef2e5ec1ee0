// All alerts of a run, the state of each, and who is notified when one fires.
import {
  accountChannel,
  accountsChannel,
  chosenSubaccount,
  type Subaccount,
} from "../select/account.ts";
import { isSameMarket, type Market } from "../select/market.ts";
import { OverviewEntries, OverviewSubscriptions } from "../select/overview.ts";
import { isCurrent, type PaneState } from "../state/pane-state.ts";
import type { Scales } from "../state/scales.ts";
import type { Store } from "../state/store.ts";
import { type Decimal, formatDecimal } from "../units/decimal.ts";
import { type ChannelKind, parseChannel } from "../wire/channels.ts";
import type { StreamEvent } from "../wire/stream-event.ts";
import {
  type AlertEvent,
  type AlertState,
  findForemost,
  NEW_ALERT,
  reduceAlert,
} from "./alert-crossing.ts";
import {
  type AlertFacts,
  alertChannels,
  alertPaneState,
  getTradesSeen,
  observeAlert,
  type TradesSeen,
} from "./alert-observation.ts";
import { type AlertRule, formatAlert } from "./alert-rule.ts";

const MAX_ALERTS = 200;
/** Maximum firings waiting to be acknowledged, and times per alert; the oldest are dropped. */
const MAX_FIRINGS = 50;
/** An alert that cannot be evaluated from the start is only reported after this long: its data may still arrive. */
const PATIENCE_MS = 10_000;
/** A snapshot in parts counts as complete after this long without another part. */
const SETTLE_MS = 500;

export type AlertOrigin = "config" | "option" | "screen";

/** An alert as configured. */
export interface AlertSetting {
  readonly rule: AlertRule;
  /** The user's wording; by default the program's. */
  readonly typed?: string | undefined;
  /** Program to start when it fires, with arguments. */
  readonly exec?: readonly string[] | undefined;
  /** Folder for a recording of the minutes around a firing. */
  readonly record?: string | undefined;
}

/** Replaced by a new object on every change. Times are wall-clock times. */
export interface Alert extends AlertSetting {
  readonly id: number;
  readonly text: string;
  readonly typed: string;
  readonly origin: AlertOrigin;
  readonly state: AlertState;
  readonly firedAtWallMs: number | undefined;
  readonly setAtWallMs: number;
  readonly isExpired: boolean;
}

/** What is reported about an alert. */
export interface AlertReport {
  readonly alert: Alert;
  readonly atWallMs: number;
  /** Exact decimal text of the value that crossed, or that is beyond the level. */
  readonly value: string | undefined;
  /** State of the pane with its data at this moment. */
  readonly state: PaneState;
}

export interface AlertFiring extends AlertReport {
  readonly crossedDuringGap: boolean;
}

/** The newest firing of an alert, combined with its earlier unacknowledged ones. */
export interface WaitingFiring extends AlertFiring {
  readonly times: number;
  /** Wall-clock times, newest last, at most MAX_FIRINGS. */
  readonly allAtWallMs: readonly number[];
}

/**
 * Notices other than firings: already beyond its level when set; cannot be evaluated (once each time), or can be again; expired
 * without firing.
 */
export interface AlertNotice extends AlertReport {
  readonly kind: "already past" | "not evaluated" | "evaluated" | "expired";
  /** Why it is not evaluated or has expired; otherwise empty. */
  readonly why: string;
}

export interface AlertManagerOptions {
  readonly store: Store;
  readonly scales: Scales;
  /** Monotonic and wall-clock milliseconds. */
  readonly now: () => number;
  readonly wall: () => number;
}

/** A rule and its state: of an alert, or of one subaccount if the rule covers any. */
interface Member {
  /** The channel of its data; empty if there is none. */
  readonly channel: string;
  readonly rule: AlertRule;
  state: AlertState;
  tradesSeen?: TradesSeen | undefined;
  /** As before the newest snapshot, whose first frame may turn out to be a part. */
  before?: Pick<Member, "state" | "tradesSeen"> | undefined;
}

interface Entry {
  alert: Alert;
  readonly own: Member;
  /** Excluding those of `any`. */
  readonly channels: readonly string[];
  /** For a rule over any subaccount of an address. */
  readonly any: AnySubaccount | undefined;
  /** When it expires on the monotonic clock, so that changes of the wall clock do not affect durations. */
  readonly dueMs: number | undefined;
  /** Since when its data has been awaited. */
  awaitedSinceMs: number;
  /** Why it is not evaluated, according to the last notice; undefined if no notice needs to be revoked. */
  noticedWhy: string | undefined;
}

export interface PersistedAlert {
  readonly text: string;
  readonly setAtWallMs: number;
  readonly firings: number;
  readonly firedAtWallMs: number | undefined;
}

export class AlertManager {
  onFire: ((firing: AlertFiring) => void) | undefined;
  onNotice: ((notice: AlertNotice) => void) | undefined;
  /** The list of alerts, or the state of one, has changed. */
  onChange: (() => void) | undefined;
  readonly #options: AlertManagerOptions;
  #entries: readonly Entry[] = [];
  #nextId = 1;
  /** Why the program of the last firing failed. */
  fault: string | undefined;
  /** Why the last firing was not recorded although it should have been. */
  recordFault: string | undefined;
  /** Unacknowledged firings, one row per alert, newest first. */
  firings: readonly WaitingFiring[] = [];
  /** Number of alerts that could not be set. */
  readonly #leftOut = new Map<AlertOrigin, number>();
  readonly #parts = new SnapshotParts();

  constructor(options: AlertManagerOptions) {
    this.#options = options;
  }

  get isFull(): boolean {
    return this.#entries.length >= MAX_ALERTS;
  }

  /** In the order in which they were set. */
  get alerts(): readonly Alert[] {
    return this.#entries.map(({ alert }) => alert);
  }

  acknowledge(): boolean {
    const hasFired = this.firings.length > 0;
    this.firings = this.firings.slice(1);
    if (hasFired) this.onChange?.();
    return hasFired;
  }

  /** Number of alerts from the config file, options and earlier runs that are not watched because there are too many. */
  get leftOut(): number {
    return [...this.#leftOut.values()].reduce((sum, count) => sum + count, 0);
  }

  noteFault(fault: string | undefined): void {
    if (fault === this.fault) return;
    this.fault = fault;
    this.onChange?.();
  }

  noteRecording(fault: string | undefined): void {
    if (fault === this.recordFault) return;
    this.recordFault = fault;
    this.onChange?.();
  }

  /** Channels needed by alerts that can still fire. */
  get channels(): readonly string[] {
    const all = this.#entries.filter(isActive);
    return [
      ...new Set(all.flatMap(({ channels, any }) => [...channels, ...(any?.channels ?? [])])),
    ];
  }

  /** Subaccounts that rules name, or watch as part of an address. */
  get accounts(): readonly Subaccount[] {
    const all = this.#entries.flatMap(({ own, any }) =>
      (any?.members ?? [own]).flatMap(
        ({ rule: { subject } }) =>
          ("account" in subject ? chosenSubaccount(subject.account) : undefined) ?? [],
      ),
    );
    return [...new Map(all.map((each) => [accountChannel(each), each])).values()];
  }

  /**
   * @param persisted its state from an earlier run
   * @returns undefined when there are too many
   */
  add(
    rule: AlertRule,
    origin: AlertOrigin,
    {
      exec,
      record,
      typed,
      persisted,
    }: Partial<Omit<AlertSetting, "rule">> & { readonly persisted?: PersistedAlert } = {},
  ): Alert | undefined {
    if (this.isFull) {
      // On the screen, the user learns of it at once.
      const isAsked = origin === "screen" && persisted === undefined;
      if (!isAsked) this.#leftOut.set(origin, (this.#leftOut.get(origin) ?? 0) + 1);
      return undefined;
    }
    const { now, wall, store } = this.#options;
    const text = formatAlert(rule);
    const { setAtWallMs = wall(), firings = 0, firedAtWallMs } = persisted ?? {};
    const isDone = firings > 0 && rule.coolDownMs === undefined;
    const state = { ...NEW_ALERT, firings, isDone };
    const alert: Alert = {
      id: this.#nextId++,
      rule,
      text,
      typed: typed ?? text,
      origin,
      exec,
      record,
      state,
      firedAtWallMs,
      setAtWallMs,
      isExpired: false,
    };
    const setAtMs = now();
    const passedMs = Math.max(0, wall() - setAtWallMs);
    const dueMs = rule.forMs === undefined ? undefined : setAtMs + rule.forMs - passedMs;
    const any = AnySubaccount.of(rule, store);
    const channels = alertChannels(rule);
    const [channel = ""] = channels;
    const entry: Entry = {
      alert,
      own: { channel, rule, state },
      any,
      channels,
      dueMs,
      awaitedSinceMs: setAtMs,
      noticedWhy: undefined,
    };
    this.#entries = [...this.#entries, entry];
    this.#check(entry);
    this.onChange?.();
    return entry.alert;
  }

  /** Expires alerts on a market whose id now means another market. @param why as text */
  expire(market: Market, why: string): void {
    for (const entry of this.#entries) {
      const of = alertMarket(entry.alert.rule);
      if (of === undefined || !isSameMarket(of, market) || !isActive(entry)) continue;
      this.#expire(entry, why);
    }
  }

  get markets(): readonly Market[] {
    return this.#entries.filter(isActive).flatMap(({ alert }) => alertMarket(alert.rule) ?? []);
  }

  /** At least one is set, and none can fire any more. */
  get isDone(): boolean {
    return this.#entries.length > 0 && !this.#entries.some(isActive);
  }

  remove(id: number): void {
    this.#entries = this.#entries.filter(({ alert }) => alert.id !== id);
    this.onChange?.();
  }

  /** Replaces all alerts of one origin; those with an unchanged rule and effects keep their state. */
  replaceFrom(origin: AlertOrigin, settings: readonly AlertSetting[]): void {
    const before = this.#entries.filter(({ alert }) => alert.origin === origin);
    const stays = new Set<Entry>();
    const added = settings.filter((setting) => {
      const same = before.find((entry) => !stays.has(entry) && isSetting(entry.alert, setting));
      if (same !== undefined) stays.add(same);
      return same === undefined;
    });
    this.#entries = this.#entries.filter(
      (entry) => entry.alert.origin !== origin || stays.has(entry),
    );
    this.#leftOut.delete(origin);
    for (const { rule, ...rest } of added) this.add(rule, origin, rest);
    this.onChange?.();
  }

  /** Call once the store has applied the event. */
  onEvent(event: StreamEvent): void {
    if (event.type === "update") this.#noteParts(event);
    if (event.type === "link") this.tick();
    else if ("channel" in event && event.channel !== undefined) this.observe(event.channel);
    if (event.type === "rejected") this.#noteUnreadable(event.channel);
  }

  observe(channel: string): void {
    for (const entry of this.#entries) {
      if (entry.channels.includes(channel)) this.#check(entry);
      else if (entry.any?.channels.includes(channel)) this.#check(entry, channel);
    }
  }

  /** Reverts what was observed of the first frame of a snapshot that turns out to be a part. */
  #noteParts(event: UpdateEvent): void {
    const begins = event.isSnapshot && !event.continues;
    const wasPart = this.#parts.note(event);
    if (!begins && !wasPart) return;
    for (const member of this.#membersOf(event.channel)) {
      const { state, tradesSeen, before } = member;
      if (begins) member.before = { state, tradesSeen };
      // A firing is not reverted.
      else if (before?.state.firings === state.firings) Object.assign(member, before);
    }
  }

  #membersOf(channel: string): readonly Member[] {
    return this.#entries
      .flatMap(({ own, any }) => [own, ...(any?.members ?? [])])
      .filter((member) => member.channel === channel);
  }

  /** Best prices have no sequence numbers: what an unreadable frame contained cannot be known. */
  #noteUnreadable(channel: string | undefined): void {
    for (const entry of this.#entries) {
      const [of = ""] = entry.channels;
      if (parseChannel(of)?.kind !== "bbo" || (channel ?? of) !== of || !isActive(entry)) continue;
      const { own } = entry;
      if (own.state.last === undefined) continue;
      own.state = { ...own.state, notEvaluated: "a frame could not be read" };
      entry.alert = { ...entry.alert, state: own.state };
      this.#noticeEvaluation(entry);
      this.onChange?.();
    }
  }

  tick(): void {
    this.#parts.advance(this.#options.now());
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

  /**
   * Each subaccount crosses individually; firings are counted for the rule as a whole.
   * @param channel of the only subaccount with new data; undefined: any may have some
   */
  #check(entry: Entry, channel?: string): void {
    if (!isActive(entry)) return;
    if (this.#isOver(entry)) {
      this.#expire(entry, "its time is over");
      return;
    }
    const nowMs = this.#options.now();
    const { any, own } = entry;
    const before = entry.alert.state;
    const isMore = any?.advance(nowMs) ?? false;
    if (isMore) entry.awaitedSinceMs = nowMs;
    let shared = pickShared(before);
    const steps = (any?.membersOf(channel) ?? [own]).map((member) => {
      const wasPast = member.state.isPast;
      const events = this.#observe(member, shared, nowMs);
      shared = pickShared(member.state);
      return { member, events, isNewlyPast: member.state.isPast && !wasPast };
    });
    const state = any?.combine(shared, nowMs) ?? own.state;
    entry.alert = { ...entry.alert, state };
    const past = steps.filter(({ isNewlyPast }) => isNewlyPast);
    for (const { member } of past) this.#notify(entry, "already past", "", member);
    this.#noticeEvaluation(entry);
    for (const { member, events } of steps) this.#fireAll(entry, events, member);
    const isOther = state.notEvaluated !== before.notEvaluated || state.isPast !== before.isPast;
    if (isMore || isOther) this.onChange?.();
  }

  #isOver({ alert: { rule }, dueMs = Number.POSITIVE_INFINITY }: Entry): boolean {
    const { now, wall } = this.#options;
    return wall() >= (rule.untilMs ?? Number.POSITIVE_INFINITY) || now() >= dueMs;
  }

  #observe(member: Member, shared: Shared, nowMs: number): readonly AlertEvent[] {
    const { store } = this.#options;
    const { rule, channel } = member;
    const observation = this.#parts.mayBeIncomplete(channel)
      ? "its snapshot is not complete"
      : observeAlert(rule, this.#factsOf(member));
    const step = reduceAlert(rule, { ...member.state, ...shared }, observation, nowMs);
    member.state = step.state;
    // Trades received while the alert cannot be evaluated are evaluated once it can be again.
    if (typeof observation !== "string" && channel.startsWith("trades/"))
      member.tradesSeen = getTradesSeen(store.slice("trades", channel).data);
    return step.events;
  }

  #factsOf({ tradesSeen }: Member): AlertFacts {
    const { store, scales, now } = this.#options;
    return { store, scales, nowMs: now(), tradesSeen };
  }

  /** Notifies once that it is not evaluated, and once that it is again. */
  #noticeEvaluation(entry: Entry): void {
    const { noticedWhy, any, own, alert } = entry;
    const why = alert.state.notEvaluated;
    if (why === undefined) {
      entry.noticedWhy = undefined;
      if (noticedWhy !== undefined) this.#notify(entry, "evaluated");
      return;
    }
    const isFinal = why.endsWith("refused") && noticedWhy !== why;
    const isLong = this.#options.now() - entry.awaitedSinceMs >= PATIENCE_MS;
    const wasEvaluated = any?.isSettled ?? own.state.last !== undefined;
    const isNew = noticedWhy === undefined && (wasEvaluated || isLong);
    if (!isFinal && !isNew) return;
    entry.noticedWhy = why;
    this.#notify(entry, "not evaluated", why);
  }

  #expire(entry: Entry, why: string): void {
    entry.alert = { ...entry.alert, isExpired: true };
    this.#notify(entry, "expired", why);
    this.onChange?.();
  }

  /** @param member the subaccount concerned, for a rule over any subaccount */
  #notify(entry: Entry, kind: AlertNotice["kind"], why = "", member = entry.own): void {
    const value = kind === "already past" ? member.state.value : undefined;
    this.onNotice?.({ kind, why, ...this.#report(entry, member, value) });
  }

  /** The alert, with the rule of the subaccount concerned, if any; the wording stays the user's. */
  #report({ alert }: Entry, member: Member, value: Decimal | undefined) {
    return {
      alert: { ...alert, rule: member.rule },
      atWallMs: this.#options.wall(),
      value: value && formatDecimal(value),
      state: alertPaneState(member.rule, this.#factsOf(member)),
    };
  }

  #fireAll(entry: Entry, events: readonly AlertEvent[], member: Member): void {
    for (const event of events) this.#fire(entry, event, member);
  }

  #fire(entry: Entry, { value, crossedDuringGap }: AlertEvent, member: Member): void {
    const atWallMs = this.#options.wall();
    entry.alert = { ...entry.alert, firedAtWallMs: atWallMs };
    const firing = { ...this.#report(entry, member, value), crossedDuringGap };
    const before = this.firings.find(({ alert }) => alert.id === entry.alert.id);
    const waiting: WaitingFiring = {
      ...firing,
      times: (before?.times ?? 0) + 1,
      allAtWallMs: [...(before?.allAtWallMs ?? []), atWallMs].slice(-MAX_FIRINGS),
    };
    const others = this.firings.filter((each) => each !== before);
    this.firings = [waiting, ...others].slice(0, MAX_FIRINGS);
    this.onFire?.(firing);
    this.onChange?.();
  }
}

type UpdateEvent = Extract<StreamEvent, { type: "update" }>;

type Shared = Pick<AlertState, "firings" | "firedAtMs" | "isDone">;

function pickShared({ firings, firedAtMs, isDone }: AlertState): Shared {
  return { firings, firedAtMs, isDone };
}

export function alertMarket({ subject }: AlertRule): Market | undefined {
  return "market" in subject ? subject.market : undefined;
}

function isActive({ alert }: Entry): boolean {
  return !alert.isExpired && !alert.state.isDone;
}

function isSetting({ text, ...alert }: Alert, { rule, exec, record }: AlertSetting): boolean {
  const isSameProgram = JSON.stringify(alert.exec) === JSON.stringify(exec);
  return text === formatAlert(rule) && isSameProgram && alert.record === record;
}

/** What an alert is doing, in a word or two. `already past`: it was beyond its level when set, and must cross again. */
export type AlertCondition = "armed" | "already past" | "not evaluated" | "fired" | "expired";

export function selectAlertCondition({ isExpired, state }: Alert): AlertCondition {
  if (state.isDone) return "fired";
  if (isExpired) return "expired";
  if (state.isPast && state.notEvaluated === undefined) return "already past";
  return state.notEvaluated === undefined ? "armed" : "not evaluated";
}

/**
 * Channels whose newest snapshot may be incomplete. A part of it is not evaluated: rows that it does not contain are not gone. Only
 * a second part shows that the service sends this kind in parts; from then on the first frame of a snapshot waits for more.
 */
class SnapshotParts {
  readonly #kinds = new Set<ChannelKind>();
  /** Time of the last part, by channel. */
  readonly #lastAtMs = new Map<string, number>();

  mayBeIncomplete(channel: string): boolean {
    return this.#lastAtMs.has(channel);
  }

  /** @returns true when the frame shows that the ones before it were parts, too */
  note({ channel, update: { kind }, isSnapshot, continues, atMs }: UpdateEvent): boolean {
    const isNews = isSnapshot && continues && !this.#kinds.has(kind);
    if (isNews) this.#kinds.add(kind);
    if (isSnapshot && this.#kinds.has(kind)) this.#lastAtMs.set(channel, atMs);
    else this.#lastAtMs.delete(channel);
    return isNews;
  }

  advance(nowMs: number): void {
    for (const [channel, atMs] of this.#lastAtMs)
      if (nowMs - atMs >= SETTLE_MS) this.#lastAtMs.delete(channel);
  }
}

/**
 * The subaccounts watched by a rule over any subaccount of an address: those in the catalogue, subscribed to one after the other,
 * as in the overview.
 */
class AnySubaccount {
  readonly #rule: AlertRule;
  readonly #address: string;
  readonly #store: Store;
  readonly #entries = new OverviewEntries();
  readonly #subscriptions = new OverviewSubscriptions();
  readonly #members = new Map<string, Member>();
  #left = 0;

  /** Undefined for any other rule. */
  static of(rule: AlertRule, store: Store): AnySubaccount | undefined {
    const { subject } = rule;
    if (!("account" in subject) || subject.account.subaccountId !== undefined) return undefined;
    return new AnySubaccount(rule, subject.account.address, store);
  }

  private constructor(rule: AlertRule, address: string, store: Store) {
    this.#rule = rule;
    this.#address = address;
    this.#store = store;
  }

  get channels(): readonly string[] {
    return this.#subscriptions.channels;
  }

  get members(): readonly Member[] {
    return [...this.#members.values()];
  }

  /** The member of a channel, or all members. */
  membersOf(channel: string | undefined): readonly Member[] {
    const member = channel === undefined ? undefined : this.#members.get(channel);
    return member === undefined ? this.members : [member];
  }

  get isSettled(): boolean {
    const { members } = this;
    const isAll = this.#left === 0 && members.length > 0;
    return isAll && members.every(({ state }) => state.last !== undefined);
  }

  /** Follows the catalogue. @returns true when another subaccount has to be subscribed to */
  advance(nowMs: number): boolean {
    const account = { address: this.#address, subaccountId: undefined, name: undefined };
    const entries = this.#entries.select(this.#store, [account]);
    const isMore = this.#subscriptions.advance(entries, this.#store, nowMs);
    const opened = new Set(this.channels);
    this.#left = 0;
    for (const { channel, status, address, subaccountId } of entries) {
      if (status === "closed") this.#members.delete(channel);
      else if (!opened.has(channel)) this.#left++;
      else if (!this.#members.has(channel)) {
        const subject = { ...this.#rule.subject, account: { address, subaccountId } };
        const rule = { ...this.#rule, subject } as AlertRule;
        this.#members.set(channel, { channel, rule, state: NEW_ALERT });
      }
    }
    return isMore;
  }

  /** The state of the rule as a whole. @param shared how often it has fired, and when */
  combine(shared: Shared, nowMs: number): AlertState {
    const { members } = this;
    const values = members.flatMap(({ state: { value } }) => value ?? []);
    const { crossing } = this.#rule;
    return {
      ...NEW_ALERT,
      ...shared,
      value: crossing && findForemost(values, crossing),
      isPast: members.some(({ state }) => state.isPast),
      notEvaluated: this.#whyNot(nowMs),
    };
  }

  #whyNot(nowMs: number): string | undefined {
    const catalogue = this.#store.slice("accounts", accountsChannel(this.#address));
    const state = this.#store.paneState(catalogue, nowMs);
    if (!isCurrent(state)) return `the catalogue is ${state}`;
    const { members } = this;
    const all = members.length + this.#left;
    if (all === 0) return "the address has no subaccount that is open";
    const silent = members.filter(({ state: { notEvaluated } }) => notEvaluated !== undefined);
    const evaluated = members.length - silent.length;
    for (const { rule, state } of silent) {
      const { subaccountId } = "account" in rule.subject ? rule.subject.account : {};
      return `subaccount ${subaccountId}: ${state.notEvaluated}; ${evaluated} of ${all} are evaluated`;
    }
    return this.#left === 0
      ? undefined
      : `${members.length} of ${all} subaccounts are subscribed, no more at once`;
  }
}
