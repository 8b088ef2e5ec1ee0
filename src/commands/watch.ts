// monitor watch [market]...: alerts without a screen, one JSON line for each firing.

import { hostname } from "node:os";
import type { AlertFiring } from "../alerts/alert-manager.ts";
import { maskRule } from "../alerts/alert-rows.ts";
import type { Context } from "../args/context.ts";
import { chosenSubaccounts, parseMarket } from "../args/targets.ts";
import type { Config } from "../config/config-file.ts";
import { watchConfig } from "../config/config-file.ts";
import { runWatch, type Watch, type WatchObserver, type WatchPart } from "../live/watch.ts";
import { formatMetrics, type MetricFormat } from "../metrics/exposition.ts";
import { readMetrics } from "../metrics/families.ts";
import { openMetricsFile } from "../metrics/metrics-file.ts";
import { openMetricsServer } from "../metrics/metrics-server.ts";
import { RunCounts } from "../metrics/run-counts.ts";
import { processes } from "../system/processes.ts";
import { visible } from "../terminal/visible.ts";
import { UsageError } from "../units/monitor-error.ts";
import { CONFIG_RULES } from "./config-rules.ts";
import { type FoundConfig, liveService, prepare } from "./prepare.ts";

/** @throws {UsageError} on an invalid argument, rule or setting; as `runWatch` */
export async function run(context: Context): Promise<number> {
  const { args, options } = context;
  const { file, settings } = await prepare(context);
  const accounts = chosenSubaccounts(options, settings.accounts);
  const markets = args.map((text) => parseMarket(text, settings.aliases));
  const { parts, observer } = createWatchMetrics(context);
  requireWork(context, file, { isNamed: markets.length + accounts.length > 0, parts });
  const service = liveService(settings);
  const { knownScales } = settings;
  const facts = { command: "watch", service, knownScales };
  return runWatch(context, {
    service,
    config: file.config,
    markets,
    accounts,
    parts,
    observer,
    knownScales,
    isEndless: parts.length > 0,
    openRecorder: async (of) => {
      const { openFlightRecorder } = await import("./flight.ts");
      return openFlightRecorder(context, { ...of, facts: () => facts });
    },
    follow: (onConfig) => followAlerts(context, file, onConfig),
  });
}

/** @throws {UsageError} if nothing could ever be printed: no alert, no metrics, no events, and no market or subaccount named */
function requireWork(
  { options, stderr }: Context,
  { config, path }: FoundConfig,
  { isNamed, parts }: { readonly isNamed: boolean; readonly parts: readonly WatchPart[] },
): void {
  const { alert = [], events } = options;
  const { alerts = [] } = config;
  if (alert.length + alerts.length + parts.length > 0 || events) return;
  if (isNamed) {
    stderr.write(`monitor: no alert is set yet: --alert RULE, or [[alerts]] in ${visible(path)}\n`);
    return;
  }
  throw new UsageError(
    "watch has no alert to watch for",
    "expected: --alert RULE, [[alerts]] in the config file, --metrics, --metrics-file, or --events",
  );
}

/** Applies each valid change of the file; while it is invalid, the previous alerts stay in force, reported once. */
function followAlerts(
  { clock, stderr }: Context,
  { path, config: start }: FoundConfig,
  onConfig: (config: Config) => void,
): () => void {
  let said = "";
  const report = (problem: string) => {
    if (problem === said) return;
    said = problem;
    stderr.write(`monitor: ${visible(problem)}\n`);
  };
  return watchConfig({
    location: { path, isNamed: false },
    clock,
    rules: CONFIG_RULES,
    start,
    isNeeded: true,
    onConfig(config) {
      said = "";
      onConfig(config);
    },
    onProblem: (problem) =>
      report(`config file not applied, the previous settings stay in force: ${problem}`),
  });
}

/** What --metrics and --metrics-file add to a watch, and the observer that counts for them. */
function createWatchMetrics(context: Context): {
  readonly parts: readonly WatchPart[];
  readonly observer: WatchObserver;
} {
  const { metrics: address, metricsFile: name, mask = false } = context.options;
  const counts = new RunCounts(mask);
  const { clock } = context;
  const print = (message: string) => context.stderr.write(`monitor: ${visible(message)}\n`);
  const renderOf = (watch: Watch) => (format: MetricFormat) => {
    for (const { typed, rule } of watch.alerts.alerts) counts.addRule(maskRule(typed, rule, mask));
    const { store, scales, channels } = watch;
    const source = { store, scales, counts, channels, nowMs: clock.now() };
    return formatMetrics(readMetrics(source), format);
  };
  const parts: WatchPart[] = [];
  if (address !== undefined) {
    parts.push(async (watch) => {
      const options = { address, hostNames: [hostname()], clock, render: renderOf(watch) };
      const server = await openMetricsServer(options);
      const readers = server.isLoopback ? "" : ", which other machines may reach";
      print(`metrics at ${server.url}${readers}`);
      return () => server.close();
    });
  }
  if (name !== undefined) {
    parts.push(async (watch) => {
      const render = renderOf(watch);
      const options = { name, clock, processes, report: print, render: () => render("text") };
      const file = await openMetricsFile(options);
      return () => file.close();
    });
  }
  return {
    parts,
    observer: {
      onEvent: (event) => counts.observe(event),
      onFiring: ({ alert: { typed, rule } }: AlertFiring) =>
        counts.fire(maskRule(typed, rule, mask)),
    },
  };
}
