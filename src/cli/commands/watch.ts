// monitor watch [market]...: alerts without a screen, one JSON line for each firing.

import { statSync } from "node:fs";
import { maskedRule } from "../../alerts/rule.ts";
import { formatMetrics } from "../../live/metrics.ts";
import { openMetricsServer } from "../../live/metrics-server.ts";
import { openWatch, type Watch } from "../../live/watch.ts";
import { selectListedMarkets } from "../../rows/market.ts";
import { MASK } from "../../screen/table/table.ts";
import { serviceMs } from "../../state/moment.ts";
import { printLine, printWithoutWaiting } from "../../system/print-line.ts";
import { openSystemd } from "../../system/systemd.ts";
import { createAddressRedact } from "../../timeline/redact.ts";
import { errorText, ServiceError, UsageError } from "../../units/monitor-error.ts";
import { formatIsoMs } from "../../units/time.ts";
import { visible } from "../../units/visible.ts";
import { formatJson } from "../../wire/json.ts";
import { checkRules, givenAlerts, openEffects } from "../alerts.ts";
import type { Config } from "../config/config-keys.ts";
import { type Context, EXIT, stoppedExitCode } from "../context.ts";
import { knownMarket, REST_OF_LIST_MS, unknownMarket } from "../find-market.ts";
import { checkReached, type Live, withLive } from "../live.ts";
import { type FoundConfig, findConfig, prepare, type Task } from "../prepare.ts";
import { chosenSubaccounts, parseMarket } from "../targets.ts";
import { EVENTS } from "./tail.ts";

const TICK_MS = 1000;
const FOREVER = Number.POSITIVE_INFINITY;

type Say = (text: string) => void;

/** @throws {UsageError} on an invalid argument, rule or setting; {ServiceError} when the service stays away */
export async function run(context: Context): Promise<number> {
  const task = await prepare(context);
  const { options, settings, file } = task;
  const accounts = chosenSubaccounts(options, settings.config.accounts);
  const markets = context.args.map((text) => parseMarket(text, settings.config.aliases));
  checkRules(options, undefined);
  requireWork(task, file, markets.length + accounts.length > 0);
  return withLive(task, [], (live) => watchLive(task, live, file, { markets, accounts }));
}

async function watchLive(
  task: Task,
  live: Live,
  file: FoundConfig,
  named: { readonly markets: readonly string[]; readonly accounts: readonly string[] },
): Promise<number> {
  const { options, clock, env, settings, stdout, stderr } = task;
  const { session } = live;
  const say = (text: string) => void stderr.write(`monitor: ${visible(text)}\n`);
  const isMasked = options.mask === true;
  const shown = isMasked ? createAddressRedact() : (text: string) => text;
  printWithoutWaiting(stdout);
  const systemd = openSystemd(env, clock, (fault) => say(`systemd is not notified: ${fault}`));
  const effects = openEffects(task, live, { onFault: say, isMasked: () => isMasked });
  const watch = openWatch({
    ...{ session, clock, effects, ...named, say },
    findMarket: (name) => knownMarket(session.store, name, settings.config.aliases),
    mask: isMasked ? MASK : undefined,
    isFirstOnly: options.first === true,
    print: (line) => printLine(task, formatJson(line)),
    onReady: systemd.ready,
    onStatus: systemd.status,
  });
  const take = (config: Config) => {
    const given = givenAlerts(options, config);
    if (given.some(({ record }) => record !== undefined)) live.remember();
    watch.alerts.replace(given);
    watch.follow();
  };
  live.listen({
    onUpdate: watch.noteUpdate,
    onEvent(happening) {
      watch.noteEvent(happening);
      const { event: what, channel = null, detail } = happening;
      if (!options.events || !EVENTS.has(what) || (watch.hasFired && options.first)) return;
      const at = formatIsoMs(serviceMs(watch.moment()));
      const about = { what, channel: channel && shown(channel), at, detail: shown(detail) };
      printLine(task, formatJson({ event: "link", ...about }));
    },
  });
  const stopFollowing = task.onHangup(() => {
    reread(task, file.path).then(take, (error) =>
      say(`config file not applied, the previous settings stay in force: ${errorText(error)}`),
    );
  });
  const stopServing = await serveMetrics(task, watch, shown, say);
  try {
    take(file.config);
    return await untilOver(task, live, watch, say);
  } finally {
    stopFollowing();
    await stopServing();
    await effects.close();
    await systemd.stop();
  }
}

/** If wanted. @param shown a text without addresses that are masked. @throws {MonitorError} when the port cannot be had */
async function serveMetrics(
  { options: { metrics, mask: isMasked = false } }: Task,
  watch: Watch,
  shown: (text: string) => string,
  say: Say,
): Promise<() => Promise<void>> {
  if (metrics === undefined) return async () => {};
  const server = await openMetricsServer(metrics, (format) => {
    const { alerts } = watch.alerts;
    const facts = { moment: watch.moment(), alerts, channelName: shown, isMasked };
    return formatMetrics(
      { ...facts, ruleName: ({ rule }) => (isMasked ? maskedRule(rule, MASK) : rule.text) },
      format,
    );
  });
  const readers = server.isLoopback ? "" : ", which other machines may reach";
  say(`metrics at ${server.url}${readers}`);
  return server.close;
}

/** @throws {UsageError} if nothing could ever be printed: no alert, no metrics, no events, and no market or subaccount named */
function requireWork({ options, stderr }: Task, file: FoundConfig, isNamed: boolean): void {
  const hasAlert = givenAlerts(options, file.config).length > 0;
  if (hasAlert || options.events || options.metrics !== undefined) return;
  if (!isNamed)
    throw new UsageError("watch has no alert", "expected: --alert, --metrics, or --events");
  const { path } = file;
  stderr.write(`monitor: no alert is set yet: --alert RULE, or [[alerts]] in ${visible(path)}\n`);
}

/** The config file at SIGHUP. @throws {UsageError} when it is not valid, or no file any more */
async function reread(context: Context, path: string): Promise<Config> {
  // What a pipe had was read at the start.
  if (!statSync(path, { throwIfNoEntry: false })?.isFile())
    throw new UsageError(`${path} is no file`);
  return (await findConfig(context)).config;
}

/** @returns the exit code */
async function untilOver(task: Task, live: Live, watch: Watch, say: Say): Promise<number> {
  const { options, clock } = task;
  const { for: forMs = FOREVER, giveUp = FOREVER, first = false, metrics } = options;
  const untilMs = clock.now() + forMs;
  const checkNames = createNameCheck(task, live, watch, say);
  const isOver = () => (first && watch.hasFired) || (metrics === undefined && watch.isDone());
  for (;;) {
    const end = await live.until(isOver, Math.min(TICK_MS, untilMs - clock.now()));
    // Where none has fired, every rule was refused.
    if (end === "met") return watch.hasFired ? EXIT.done : EXIT.usage;
    if (end === "interrupted") return stoppedExitCode(task);
    watch.tick();
    checkNames();
    readNeededPast(live, watch);
    if (watch.awayMs() >= giveUp) throw gaveUp(giveUp, live);
    if (clock.now() < untilMs) continue;
    checkReached(live);
    return EXIT.done;
  }
}

function readNeededPast(live: Live, { alerts: { alerts } }: Watch): void {
  if (alerts.some(({ rule }) => rule.kind === "level" && rule.subject.isOfFlow))
    live.readPast({ wantedCandles: () => 0 });
}

function gaveUp(giveUpMs: number, { session }: Live): ServiceError {
  const words = `no connection for ${giveUpMs / 1000} s`;
  return new ServiceError(
    "gave-up",
    `${words}: ${session.store.link.fault?.detail ?? "no answer"}`,
    {
      advice: "--give-up says how long to wait",
    },
  );
}

/** Names that the service's list lacks: one of the command line ends the watch, one of the config file is said. */
function createNameCheck(
  { options, clock }: Task,
  { session: { store }, listen }: Live,
  watch: Watch,
  say: Say,
): () => void {
  const said = new Set<string>();
  // The list may come in several frames.
  let isDueAtMs = FOREVER;
  listen({
    onUpdate() {
      if (isDueAtMs === FOREVER && selectListedMarkets(store).length > 0)
        isDueAtMs = clock.now() + REST_OF_LIST_MS;
    },
  });
  const complain = (when: string) => {
    const words = `alert ${JSON.stringify(when)}: the service lists no such market`;
    if (options.alert?.includes(when)) throw new UsageError(words);
    if (!said.has(when)) say(words);
    said.add(when);
  };
  return () => {
    if (clock.now() < isDueAtMs) return;
    const [symbol] = watch.unknown();
    if (symbol !== undefined) throw unknownMarket(symbol, store);
    for (const { when } of watch.alerts.waiting) complain(when);
  };
}
