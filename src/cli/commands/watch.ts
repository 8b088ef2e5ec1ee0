// monitor watch [market]...: alerts without a screen, one JSON line for each firing.

import { statSync } from "node:fs";
import type { Alert } from "../../alerts/alert.ts";
import { maskedRule } from "../../alerts/rule.ts";
import { formatMetrics } from "../../live/metrics.ts";
import { type MetricsServer, openMetricsServer } from "../../live/metrics-server.ts";
import { openWatch, type Watch } from "../../live/watch.ts";
import { marketName, selectListedMarkets } from "../../rows/market.ts";
import { MASK } from "../../screen/table/table.ts";
import { serviceMs } from "../../state/moment.ts";
import { printLine, printWithoutWaiting } from "../../system/print-line.ts";
import { openSystemd } from "../../system/systemd.ts";
import { errorText, ServiceError, UsageError } from "../../units/monitor-error.ts";
import { formatIsoMs } from "../../units/time.ts";
import { visible } from "../../units/visible.ts";
import { formatJson } from "../../wire/json.ts";
import { checkRules, givenAlerts, openEffects } from "../alerts.ts";
import type { Config } from "../config/config-keys.ts";
import { type Context, EXIT, type Options, stoppedExitCode } from "../context.ts";
import { knownMarket, REST_OF_LIST_MS, unknownMarket } from "../find-market.ts";
import { checkReached, type Live, liveService, openLive } from "../live.ts";
import { type FoundConfig, findConfig, prepare } from "../prepare.ts";
import { chosenSubaccounts, parseMarket } from "../targets.ts";
import { EVENTS } from "./tail.ts";

const TICK_MS = 1000;
const FOREVER = Number.POSITIVE_INFINITY;

/** @throws {UsageError} on an invalid argument, rule or setting; {ServiceError} when the service stays away */
export async function run(context: Context): Promise<number> {
  const { options, clock, env } = context;
  const { file, settings } = await prepare(context);
  const { aliases } = settings;
  const accounts = chosenSubaccounts(options, settings.accounts);
  const markets = context.args.map((text) => {
    const market = parseMarket(text, aliases);
    return "symbol" in market ? market.symbol : marketName(market);
  });
  checkRules(options, undefined);
  requireWork(context, file, markets.length + accounts.length > 0);
  const service = liveService(context, settings);
  const say = (text: string) => void context.stderr.write(`monitor: ${visible(text)}\n`);
  const isMasked = options.mask === true;
  printWithoutWaiting(context.stdout);
  const live = openLive(context, service, []);
  const { session } = live;
  const systemd = openSystemd(env, clock, (fault) => say(`systemd is not notified: ${fault}`));
  const effects = openEffects(context, live, { onFault: say, isMasked: () => isMasked });
  const watch = openWatch({
    ...{ session, clock, effects, markets, accounts, say },
    findMarket: (name) => knownMarket(session.store, aliases, name),
    mask: isMasked ? MASK : undefined,
    isFirstOnly: options.first === true,
    print: (line) => printLine(context, formatJson(line)),
    onReady: () => systemd.ready(),
    onStatus: (text) => systemd.status(text),
  });
  const shown = isMasked ? createAddressMask() : (text: string) => text;

  function take(config: Config): void {
    const given = givenAlerts(options, config);
    if (given.some(({ record }) => record !== undefined)) live.remember();
    watch.alerts.replace(given);
    watch.follow();
  }

  live.listen({
    onUpdate: watch.noteUpdate,
    onEvent(happening) {
      watch.noteEvent(happening);
      const { event: what, channel, detail } = happening;
      if (!options.events || !EVENTS.has(what) || (watch.hasFired && options.first)) return;
      const at = formatIsoMs(serviceMs(watch.moment()));
      const about = { channel: channel === undefined ? null : shown(channel), at };
      printLine(context, formatJson({ event: "link", what, ...about, detail: shown(detail) }));
    },
  });
  const stopFollowing = context.onHangup(() => {
    reread(context, file.path).then(take, (error) =>
      say(`config file not applied, the previous settings stay in force: ${errorText(error)}`),
    );
  });
  let server: MetricsServer | undefined;
  try {
    take(file.config);
    server = await serveMetrics(options, { watch, shown, isMasked, say });
    return await untilOver(context, live, watch, say);
  } finally {
    stopFollowing();
    await server?.close();
    await effects.close();
    await live.close();
    await systemd.stop();
  }
}

interface Measured {
  readonly watch: Watch;
  /** A text without addresses that are masked. */
  shown(text: string): string;
  readonly isMasked: boolean;
  say(text: string): void;
}

/** @returns undefined where none are wanted. @throws {MonitorError} when the port cannot be had */
async function serveMetrics(
  { metrics }: Options,
  { watch, shown, isMasked, say }: Measured,
): Promise<MetricsServer | undefined> {
  if (metrics === undefined) return undefined;
  const ruleName = ({ rule }: Alert) => (isMasked ? maskedRule(rule, MASK) : rule.text);
  const server = await openMetricsServer(metrics, (format) => {
    const { alerts } = watch.alerts;
    const moment = watch.moment();
    return formatMetrics({ moment, alerts, ruleName, channelName: shown, isMasked }, format);
  });
  const readers = server.isLoopback ? "" : ", which other machines may reach";
  say(`metrics at ${server.url}${readers}`);
  return server;
}

/** @throws {UsageError} if nothing could ever be printed: no alert, no metrics, no events, and no market or subaccount named */
function requireWork(
  { options: { alert = [], events, metrics }, stderr }: Context,
  { config: { alerts = [] }, path }: FoundConfig,
  isNamed: boolean,
): void {
  if (alert.length + alerts.length > 0 || events || metrics !== undefined) return;
  if (!isNamed)
    throw new UsageError(
      "watch has no alert to watch for",
      "expected: --alert RULE, [[alerts]] in the config file, --metrics, or --events",
    );
  stderr.write(`monitor: no alert is set yet: --alert RULE, or [[alerts]] in ${visible(path)}\n`);
}

/** The config file at SIGHUP. @throws {UsageError} when it is not valid, or no file any more */
async function reread(context: Context, path: string): Promise<Config> {
  // What a pipe had was read at the start.
  if (!statSync(path, { throwIfNoEntry: false })?.isFile())
    throw new UsageError(`${path} is no file`);
  return (await findConfig(context)).config;
}

/** Addresses by number, always the same. */
function createAddressMask(): (text: string) => string {
  const known = new Map<string, string>();
  return (text) =>
    text.replace(/[1-9A-HJ-NP-Za-km-z]{32,44}/g, (address) => {
      const name = known.get(address) ?? `${MASK}${known.size + 1}`;
      known.set(address, name);
      return name;
    });
}

/** @returns the exit code */
async function untilOver(
  context: Context,
  live: Live,
  watch: Watch,
  say: (text: string) => void,
): Promise<number> {
  const { options, clock } = context;
  const { for: forMs = FOREVER, giveUp = FOREVER } = options;
  const untilMs = clock.now() + forMs;
  const names = createNameCheck(context, live, watch, say);
  const isOver = isOverOf(options, watch, names.note);
  for (;;) {
    const end = await live.until(isOver, Math.min(TICK_MS, untilMs - clock.now()));
    // Where none has fired, every rule was refused.
    if (end === "met") return watch.hasFired ? EXIT.done : EXIT.usage;
    if (end === "interrupted") return stoppedExitCode(context);
    watch.tick();
    names.check();
    readNeededPast(live, watch);
    if (watch.awayMs() >= giveUp) throw gaveUp(giveUp, live);
    if (clock.now() < untilMs) continue;
    checkReached(live);
    return EXIT.done;
  }
}

function isOverOf({ first, metrics }: Options, watch: Watch, note: () => void): () => boolean {
  return () => {
    note();
    if (first && watch.hasFired) return true;
    return metrics === undefined && watch.isDone();
  };
}

function readNeededPast(live: Live, { alerts: { alerts } }: Watch): void {
  const isNeeded = alerts.some(({ rule }) => rule.kind === "level" && rule.subject.isOfFlow);
  if (isNeeded) live.readPast({ wantedCandles: () => 0 });
}

function gaveUp(giveUpMs: number, { session }: Live): ServiceError {
  const { fault } = session.store.link;
  return new ServiceError(
    "gave-up",
    `no connection for ${giveUpMs / 1000} s: ${fault?.detail ?? "no answer"}`,
    { advice: "--give-up says how long to wait" },
  );
}

/** Names that the service's list lacks: one of the command line ends the watch, one of the config file is said. */
function createNameCheck(
  { options, clock }: Context,
  { session }: Live,
  watch: Watch,
  say: (text: string) => void,
) {
  const { store } = session;
  const said = new Set<string>();
  let listedAtMs: number | undefined;
  const complain = (when: string) => {
    const words = `alert ${JSON.stringify(when)}: the service lists no such market`;
    if (options.alert?.includes(when)) throw new UsageError(words);
    if (!said.has(when)) say(words);
    said.add(when);
  };
  return {
    note() {
      if (selectListedMarkets(store).length > 0) listedAtMs ??= clock.now();
    },
    check() {
      // The list may come in several frames.
      if (clock.now() - (listedAtMs ?? clock.now()) < REST_OF_LIST_MS) return;
      const [symbol] = watch.unknown;
      if (symbol !== undefined) throw unknownMarket(symbol, store);
      for (const { when } of watch.alerts.waiting) complain(when);
    },
  };
}
