// monitor watch [market]...: alerts without a screen, one JSON line for each firing.

import { statSync } from "node:fs";
import { hostname } from "node:os";
import type { AlertFiring } from "../alerts/alert-manager.ts";
import { maskRule } from "../alerts/alert-rows.ts";
import type { Context } from "../args/context.ts";
import { chosenSubaccounts, parseMarket } from "../args/targets.ts";
import type { Config } from "../config/config-file.ts";
import { runWatch, type Watch, type WatchObserver, type WatchPart } from "../live/watch.ts";
import { formatMetrics, type MetricFormat } from "../metrics/exposition.ts";
import { readMetrics } from "../metrics/families.ts";
import { openMetricsServer } from "../metrics/metrics-server.ts";
import { RunCounts } from "../metrics/run-counts.ts";
import { visible } from "../terminal/visible.ts";
import { errorText, UsageError } from "../units/monitor-error.ts";
import { type FoundConfig, findConfig, liveService, prepare } from "./prepare.ts";

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
    "expected: --alert RULE, [[alerts]] in the config file, --metrics, or --events",
  );
}

/** Reads the config file again at each SIGHUP. If it is not valid, that is reported, and the alerts before stay in force. */
function followAlerts(
  context: Context,
  { path }: FoundConfig,
  onConfig: (config: Config) => void,
): () => void {
  const reread = async () => {
    const { mode, config } = await findConfig(context);
    if (mode === undefined) throw new UsageError(`${path} is gone`);
    // What a pipe had was read at the start.
    if (!statSync(path).isFile()) throw new UsageError(`${path} is no file`);
    onConfig(config);
  };
  return context.onHangup(() => {
    reread().catch((error) => {
      const problem = `config file not applied, the previous settings stay in force: ${errorText(error)}`;
      context.stderr.write(`monitor: ${visible(problem)}
`);
    });
  });
}

/** What --metrics adds to a watch, and the observer that counts for it. */
function createWatchMetrics(context: Context): {
  readonly parts: readonly WatchPart[];
  readonly observer: WatchObserver;
} {
  const { metrics: address, mask = false } = context.options;
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
  return {
    parts,
    observer: {
      onEvent: (event) => counts.observe(event),
      onFiring: ({ alert: { typed, rule } }: AlertFiring) =>
        counts.fire(maskRule(typed, rule, mask)),
    },
  };
}
