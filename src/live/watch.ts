// `monitor watch`: alerts on many markets and subaccounts over one connection, without a screen.
import type { AlertEffect } from "../alerts/alert-effects.ts";
import {
  type Alert,
  type AlertFiring,
  type AlertManager,
  alertMarket,
  selectAlertCondition,
} from "../alerts/alert-manager.ts";
import { firingEvent, noticeEvent } from "../alerts/alert-rows.ts";
import { numberRow } from "../alerts/alert-rule.ts";
import { AlertRun } from "../alerts/alert-run.ts";
import { RecordEffect } from "../alerts/record-effect.ts";
import { type Context, EXIT, stoppedExitCode } from "../args/context.ts";
import type { MarketArgument } from "../args/targets.ts";
import type { Config } from "../config/config-file.ts";
import { accountChannel, type Subaccount } from "../select/account.ts";
import {
  formatMarket,
  isSameMarket,
  type Market,
  MarketSymbols,
  marketChannels,
} from "../select/market.ts";
import { maskText } from "../select/mask.ts";
import { openScales } from "../select/scale.ts";
import type { Scales } from "../state/scales.ts";
import { Store } from "../state/store.ts";
import { printLine } from "../system/print-line.ts";
import { Systemd } from "../system/systemd.ts";
import { visible, visibleJson } from "../terminal/visible.ts";
import type { Entry } from "../timeline/entry.ts";
import type { FlightRecorder, FlightRecorderOptions } from "../timeline/flight-recorder.ts";
import { HistoryBuffer } from "../timeline/history-buffer.ts";
import { every } from "../units/clock.ts";
import { ServiceError } from "../units/monitor-error.ts";
import type { Scale } from "../units/scale.ts";
import { formatIsoMs } from "../units/time.ts";
import type { StreamEvent, StreamListener } from "../wire/stream-event.ts";
import { findSymbol, RestOfList } from "./find-symbol.ts";
import { HeadlessSession } from "./headless-session.ts";
import { checkReached } from "./link-faults.ts";
import type { Service } from "./service.ts";
import { createTailEvents } from "./tail-event.ts";
import { Upkeep } from "./upkeep.ts";

export interface WatchRun {
  readonly service: Service;
  readonly config: Config;
  readonly markets: readonly MarketArgument[];
  readonly accounts: readonly Subaccount[];
  /** From the config, by market: `perp/1`. */
  readonly knownScales: Readonly<Record<string, Scale>>;
  readonly openRecorder: OpenRecorder;
  /** Follows changes of the config file. @returns unsubscribe */
  readonly follow: (onConfig: (config: Config) => void) => () => void;
  /** Run alongside until the watch ends. */
  readonly parts: readonly WatchPart[];
  /** Receives all events, from the first on. */
  readonly observer?: WatchObserver | undefined;
  /** Continues even when no alert can fire any more. */
  readonly isEndless: boolean;
}

export interface Watch {
  readonly context: Context;
  /** Of every subscribed channel. */
  readonly store: Store;
  readonly scales: Scales;
  readonly alerts: AlertManager;
  /** Including those of alerts. */
  readonly markets: readonly Market[];
  readonly accounts: readonly Subaccount[];
  /** Subscribed, or to be subscribed once connected. */
  readonly channels: readonly string[];
}

export interface WatchObserver {
  readonly onEvent: StreamListener;
  readonly onFiring: (firing: AlertFiring) => void;
}

/** @returns its end @throws what the watch cannot continue without */
export type WatchPart = (watch: Watch) => Promise<() => void | Promise<void>>;

/** Tick of the alerts, and minimum time between status updates for systemd. */
const TICK_MS = 1000;
/** The unit counts as started with a connection, or after this long without one. */
const READY_AFTER_MS = 30_000;
/** A silent connection counts once it has lasted this long. */
const BACK_AFTER_MS = 5000;

/**
 * @returns the exit code
 * @throws {UsageError} when an --alert cannot be parsed; {ServiceError} when the service cannot be reached
 */
export async function runWatch(context: Context, run: WatchRun): Promise<number> {
  const watching = new Watching(context, run);
  const ends: (() => void | Promise<void>)[] = [];
  try {
    for (const part of run.parts) ends.push(await part(watching));
    return await watching.untilOver();
  } finally {
    // Parts that read the watch end before the alerts' programs, which may take a while.
    for (const end of ends.reverse()) await end();
    await watching.close();
  }
}

class Watching implements Watch {
  readonly context: Context;
  readonly store: Store;
  readonly scales: Scales;
  readonly #run: WatchRun;
  readonly #alerts: AlertRun;
  readonly #recordings: WatchRecordings;
  readonly #session: HeadlessSession;
  readonly #systemd: Systemd;
  readonly #undo: (() => void)[] = [];
  readonly #releases = new Map<string, () => void>();
  readonly #upkeep: Upkeep;
  readonly #symbols = new MarketSymbols();
  readonly #tailEvent = createTailEvents();
  /** Markets resolved from symbols. */
  #found: readonly Market[] = [];
  #unknown: readonly string[];
  readonly #restOfList: RestOfList;
  #hasFired = false;
  #isSilent = false;
  #isReady = false;
  #openSinceMs: number | undefined;
  /** Since when nothing has been received: a service that accepts connections but ends them counts as unreachable. */
  #awaySinceMs: number | undefined;
  #status = "";
  #programFault: string | undefined;
  #fault: unknown;

  constructor(context: Context, run: WatchRun) {
    this.context = context;
    this.#run = run;
    const { service, config, knownScales } = run;
    const { clock, env } = context;
    this.store = new Store();
    this.scales = openScales(this.store, knownScales);
    this.#restOfList = new RestOfList(context.clock, () => {
      this.#lookAtMarkets();
      this.#session.check();
    });
    this.#unknown = run.markets.flatMap((each) => ("symbol" in each ? [each.symbol] : []));
    this.#recordings = new WatchRecordings({
      context,
      store: this.store,
      scales: this.scales,
      openRecorder: run.openRecorder,
      say: (words) => this.#say(words),
    });
    const effects: readonly AlertEffect[] = [
      (firing) => this.#recordings.run(firing),
      (firing) => this.#printFiring(firing),
    ];
    this.#alerts = new AlertRun({
      context,
      config,
      store: this.store,
      scales: this.scales,
      effects,
      onNotice: (notice) => this.#print(noticeEvent(notice, this.#isMasked)),
      onChange: () => this.#onAlertsChange(),
    });
    this.#awaySinceMs = clock.now();
    this.#systemd = new Systemd({
      env,
      clock,
      pid: process.pid,
      onFault: (fault) => this.#say(`systemd is not notified: ${fault}`),
    });
    this.#session = new HeadlessSession(
      context,
      service,
      (event) => this.#take(event),
      this.store,
      this.#recordings,
    );
    this.#upkeep = new Upkeep(context, service, this.#session.live, this.scales);
    this.#recordings.follow(this.alerts.alerts);
    this.#sayLeftOut();
    this.#hold();
    const stopFollowing = run.follow((changed) => {
      this.#alerts.reload(changed);
      this.#sayLeftOut();
    });
    this.#undo.push(
      every(clock, TICK_MS, () => this.#tick()),
      stopFollowing,
    );
  }

  get alerts(): AlertManager {
    return this.#alerts.manager;
  }

  get channels(): readonly string[] {
    return [...this.#releases.keys()];
  }

  get markets(): readonly Market[] {
    const named = this.#run.markets.filter((each) => "id" in each);
    const ofAlerts = this.alerts.alerts.flatMap(({ rule }) => alertMarket(rule) ?? []);
    const all = [...named, ...this.#found, ...ofAlerts];
    return [...new Map(all.map((each) => [formatMarket(each), each])).values()];
  }

  get accounts(): readonly Subaccount[] {
    const all = [...this.#run.accounts, ...this.alerts.accounts];
    return [...new Map(all.map((each) => [accountChannel(each), each])).values()];
  }

  /** @throws as `runWatch` */
  async untilOver(): Promise<number> {
    const { interrupt, options } = this.context;
    const end = await this.#session.until(
      () => this.#isOver(),
      options.for ?? Number.POSITIVE_INFINITY,
    );
    if (end === "timeout") checkReached(this.#session.live.stream.link);
    if (end !== "interrupted") return EXIT.done;
    return stoppedExitCode(interrupt);
  }

  async close(): Promise<void> {
    this.#silence();
    for (const undo of this.#undo) undo();
    this.#restOfList.stop();
    await this.#recordings.close();
    this.#upkeep.stop();
    this.#session.close();
    await this.#alerts.settled();
    await this.#systemd.stop();
  }

  get #isMasked(): boolean {
    return this.context.options.mask ?? false;
  }

  /** @throws {UsageError} when there is no such symbol; {ServiceError} when the service stays unreachable */
  #isOver(): boolean {
    if (this.#fault !== undefined) throw this.#fault;
    const { clock, options } = this.context;
    const { giveUp } = options;
    if (this.#hasFired) return true;
    // Events after the last firing still belong to its recording.
    if (this.alerts.isDone && !this.#run.isEndless && !this.#recordings.isWriting) return true;
    if (giveUp === undefined || this.#awaySinceMs === undefined || this.#isOpen) return false;
    if (clock.now() - this.#awaySinceMs < giveUp) return false;
    const { fault } = this.#session.live.stream.link;
    throw new ServiceError(
      "gave-up",
      `no connection for ${giveUp / 1000} s: ${fault?.detail ?? "no answer"}`,
      { advice: "--give-up says how long to wait" },
    );
  }

  #take(event: StreamEvent): void {
    this.#run.observer?.onEvent(event);
    if (event.type === "link") this.#onLink(event.link.state === "open");
    if (event.type === "update") this.#awaySinceMs = undefined;
    this.#printEvent(event);
    if (event.type === "update" && event.channel === "markets") this.#lookAtMarkets();
    this.alerts.onEvent(event);
  }

  #onLink(isOpen: boolean): void {
    const nowMs = this.context.clock.now();
    if (!isOpen) this.#awaySinceMs ??= nowMs;
    this.#openSinceMs = isOpen ? (this.#openSinceMs ?? nowMs) : undefined;
    if (isOpen) this.#beReady();
  }

  get #isOpen(): boolean {
    return this.#openSinceMs !== undefined;
  }

  #tick(): void {
    this.alerts.tick();
    const nowMs = this.context.clock.now();
    if (nowMs - (this.#openSinceMs ?? nowMs) >= BACK_AFTER_MS) this.#awaySinceMs = undefined;
    if (nowMs - (this.#awaySinceMs ?? nowMs) >= READY_AFTER_MS) this.#beReady();
    this.#noteStatus();
    this.#session.check();
  }

  #beReady(): void {
    if (this.#isReady) return;
    this.#isReady = true;
    this.#noteStatus();
    this.#systemd.ready();
  }

  #noteStatus(): void {
    const all = this.alerts.alerts.map(selectAlertCondition);
    const counts = [...new Set(all)].map(
      (each) => `${all.filter((other) => other === each).length} ${each}`,
    );
    const link = this.#isOpen ? "connected" : "no connection";
    const rules = all.length === 1 ? "1 alert" : `${all.length} alerts`;
    const status = [`${link}; ${rules}`, counts.join(", ")].filter(Boolean).join(": ");
    if (status === this.#status) return;
    this.#status = status;
    this.#systemd.status(status);
  }

  #onAlertsChange(): void {
    const { fault } = this.alerts;
    if (fault !== this.#programFault && fault !== undefined)
      this.#say(`program of an alert: ${fault}`);
    this.#programFault = fault;
    this.#recordings.follow(this.alerts.alerts);
    this.#hold();
  }

  #sayLeftOut(): void {
    const { leftOut } = this.alerts;
    if (leftOut > 0) this.#say(`${leftOut} alerts are not watched: too many`);
  }

  /** Subscribes exactly the channels that are watched. */
  #hold(): void {
    const { stream } = this.#session.live;
    const { markets } = this;
    const channels = new Set([
      ...(markets.length + this.#unknown.length > 0 ? ["markets"] : []),
      ...markets.flatMap((market) => {
        const { bbo, trades, marketStats } = marketChannels(market, "1m");
        return [bbo, trades, marketStats];
      }),
      ...this.accounts.map(accountChannel),
      ...this.alerts.channels,
    ]);
    for (const [channel, release] of this.#releases) {
      if (channels.has(channel)) continue;
      release();
      this.#releases.delete(channel);
    }
    for (const channel of channels) {
      if (!this.#releases.has(channel)) this.#releases.set(channel, stream.subscribe(channel));
    }
    this.#upkeep.hold(
      // Prices in currency need the tick size.
      markets.filter((each) => this.scales.of(formatMarket(each)).source !== "config"),
      // Alerts on the order flow need all trades of their window.
      this.alerts.alerts.flatMap(({ rule: { subject } }) =>
        subject.kind === "number" && numberRow(subject.name).isFlow ? [subject.market] : [],
      ),
    );
  }

  #lookAtMarkets(): void {
    try {
      const found = this.#unknown.map((symbol) => findSymbol(this.store, symbol));
      this.#found = [...this.#found, ...found.filter((each) => each !== undefined)];
      this.#unknown = this.#unknown.filter((_, i) => found[i] === undefined);
      if (found.some((each) => each !== undefined)) this.#hold();
    } catch (error) {
      this.#fault ??= this.#restOfList.fail(error);
    }
    for (const market of this.markets) {
      const words = this.#symbols.check(this.store, market);
      if (words === undefined) continue;
      // The symbol now refers to another market.
      this.#found = this.#found.filter((each) => !isSameMarket(each, market));
      this.scales.forget(formatMarket(market));
      this.alerts.expire(market, words);
      this.#say(words);
      this.#hold();
    }
  }

  #printFiring(firing: AlertFiring): void {
    this.#run.observer?.onFiring(firing);
    this.#print(firingEvent(firing, this.#isMasked));
    if (!this.context.options.first) return;
    this.#hasFired = true;
    this.#silence();
  }

  /** Stops all output. */
  #silence(): void {
    this.#isSilent = true;
    this.alerts.onFire = undefined;
    this.alerts.onNotice = undefined;
  }

  /** Prints an event of the connection or of a channel. */
  #printEvent(event: StreamEvent): void {
    const emitted = this.#tailEvent(event);
    if (emitted === undefined || this.#isSilent || !this.context.options.events) return;
    const show = (text: string) => (this.#isMasked ? maskText(text, undefined) : text);
    const { event: what, channel, detail } = emitted;
    const at = formatIsoMs(this.context.clock.wall());
    const shown = { channel: channel && show(channel), at, detail: show(detail) };
    this.#print({ event: "link", what, ...shown });
  }

  #print(line: object): void {
    printLine(this.context, visibleJson(JSON.stringify(line)));
  }

  #say(text: string): void {
    this.context.stderr.write(`monitor: ${visible(text)}\n`);
  }
}

// Recordings of alerts. The last minutes are buffered only once an alert that records is set.

/** Two minutes of many markets: 240 updates a second. */
const MAX_BYTES = 48 * 1024 * 1024;

/** Loaded on demand. */
type OpenRecorder = (
  run: Pick<FlightRecorderOptions, "historyBuffer" | "scales" | "isMasked">,
) => Promise<FlightRecorder>;

interface WatchRecordingsOptions {
  readonly context: Context;
  readonly store: Store;
  readonly scales: Scales;
  readonly openRecorder: OpenRecorder;
  readonly say: (words: string) => void;
}

/** Used as the session's history buffer. */
class WatchRecordings {
  readonly #options: WatchRecordingsOptions;
  readonly #effect: RecordEffect;
  #historyBuffer: HistoryBuffer | undefined;
  #recorder: FlightRecorder | undefined;
  #said: string | undefined;

  constructor(options: WatchRecordingsOptions) {
    this.#options = options;
    this.#effect = new RecordEffect({
      clock: options.context.clock,
      recorder: () => this.#recorder,
      isMasked: this.#isMasked,
      onChange: ({ fault }) => this.#say(fault),
    });
  }

  event(event: StreamEvent): void {
    this.#historyBuffer?.event(event);
  }

  made(entries: readonly Entry[], channel: string): void {
    this.#historyBuffer?.made(entries, channel);
  }

  pass(nowMs: number): void {
    this.#historyBuffer?.pass(nowMs);
  }

  /** Starts buffering if one of the alerts records. */
  follow(alerts: readonly Alert[]): void {
    if (this.#historyBuffer !== undefined || !alerts.some(({ record }) => record !== undefined)) {
      return;
    }
    const { context, store, scales, openRecorder } = this.#options;
    const { clock } = context;
    const historyBuffer = new HistoryBuffer({ live: store, clock, maxBytes: MAX_BYTES });
    this.#historyBuffer = historyBuffer;
    openRecorder({ historyBuffer, scales, isMasked: this.#isMasked }).then(
      (recorder) => {
        this.#recorder = recorder;
      },
      (error: Error) => this.#say(error.message),
    );
  }

  run(firing: AlertFiring): void {
    void this.#effect.run(firing);
  }

  /** True while events after a firing are being recorded. */
  get isWriting(): boolean {
    return this.#effect.isWriting;
  }

  async close(): Promise<void> {
    await this.#effect.settled();
    await this.#recorder?.close();
  }

  readonly #isMasked = () => this.#options.context.options.mask ?? false;

  #say(fault: string | undefined): void {
    if (fault !== undefined && fault !== this.#said)
      this.#options.say(`alert not recorded: ${fault}`);
    this.#said = fault;
  }
}
