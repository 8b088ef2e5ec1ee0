// What a watch publishes of itself: metrics over HTTP, in a file, or both.
import { hostname } from "node:os";
import type { AlertFiring } from "../alerts/alert-manager.ts";
import { maskRule } from "../alerts/alert-rows.ts";
import type { Context } from "../args/context.ts";
import type { Watch, WatchObserver, WatchPart } from "../live/watch.ts";
import { formatMetrics, type MetricFormat } from "../metrics/exposition.ts";
import { readMetrics } from "../metrics/families.ts";
import { openMetricsFile } from "../metrics/metrics-file.ts";
import { openMetricsServer } from "../metrics/metrics-server.ts";
import { RunCounts } from "../metrics/run-counts.ts";
import { processes } from "../system/processes.ts";
import { visible } from "../terminal/visible.ts";

/** What --metrics and --metrics-file ask for: parts of a watch, and who counts what happens in it. */
export interface WatchMetrics {
  readonly parts: readonly WatchPart[];
  readonly observer: WatchObserver;
}

export function createWatchMetrics(context: Context): WatchMetrics {
  const { metrics: address, metricsFile: name, mask = false } = context.options;
  const counts = new RunCounts(mask);
  const { clock } = context;
  const say = (words: string) => context.stderr.write(`monitor: ${visible(words)}\n`);
  const renderOf = (watch: Watch) => (format: MetricFormat) => {
    for (const { typed, rule } of watch.alerts.alerts) counts.addRule(maskRule(typed, rule, mask));
    const { store, scales, channels } = watch;
    const source = { store, scales, counts, channels, nowMs: clock.now() };
    return formatMetrics(readMetrics(source), format);
  };
  const serve: WatchPart = async (watch) => {
    const { host = "", port = 0 } = address ?? {};
    const options = { address: { host, port }, hostNames: [hostname()], clock };
    const server = await openMetricsServer({ ...options, render: renderOf(watch) });
    const readers = server.isLoopback ? "" : ", which other machines may reach";
    say(`metrics at ${server.url}${readers}`);
    return () => server.close();
  };
  const write: WatchPart = async (watch) => {
    const render = renderOf(watch);
    const options = { name: name ?? "", clock, processes, report: say };
    const file = await openMetricsFile({ ...options, render: () => render("text") });
    return () => file.close();
  };
  return {
    parts: [...(address === undefined ? [] : [serve]), ...(name === undefined ? [] : [write])],
    observer: {
      onEvent: (event) => counts.observe(event),
      onFiring: ({ alert: { typed, rule } }: AlertFiring) =>
        counts.fire(maskRule(typed, rule, mask)),
    },
  };
}
