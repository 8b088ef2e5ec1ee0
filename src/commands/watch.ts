// monitor watch [market]...: alerts without a screen, one JSON line for each firing.

import type { Context } from "../args/context.ts";
import { chosenSubaccounts, parseMarket } from "../args/targets.ts";
import type { Config } from "../config/config-file.ts";
import { watchConfig } from "../config/watch-config.ts";
import { runWatch, type WatchPart } from "../live/watch.ts";
import { visible } from "../terminal/visible.ts";
import { UsageError } from "../units/monitor-error.ts";
import { CONFIG_RULES } from "./config-rules.ts";
import { type FoundConfig, liveService, prepare } from "./prepare.ts";
import { createWatchMetrics } from "./watch-metrics.ts";

/** Answers the exit code. @throws {UsageError} when a word, a rule or a setting is wrong; as `runWatch` */
export async function run(context: Context): Promise<number> {
  const { args, options } = context;
  const { file, settings } = await prepare({ ...context, options: { ...options, account: [] } });
  const accounts = chosenSubaccounts(options, settings.accounts);
  const markets = args.map((text) => parseMarket(text, settings.aliases));
  const { parts, observer } = createWatchMetrics(context);
  requireWork(context, file, { isNamed: markets.length + accounts.length > 0, parts });
  const service = liveService(settings);
  const { knownScales } = settings;
  const facts = { command: "watch", service, knownScales };
  return runWatch(context, {
    ...{ service, config: file.config, markets, accounts, parts, observer },
    knownScales,
    isEndless: parts.length > 0,
    openRecorder: async (of) => {
      const { openFlightRecorder } = await import("./flight.ts");
      return openFlightRecorder(context, { ...of, facts: () => facts });
    },
    follow: (onConfig) => followAlerts(context, file.path, onConfig),
  });
}

/**
 * Says when nothing can be printed before alerts stand in the config file.
 * @throws {UsageError} when not even a market or a subaccount is named
 */
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

/** A changed file is taken up; of a broken one the alerts before stay in force, and that is said once. */
function followAlerts(
  { clock, stderr }: Context,
  path: string,
  onConfig: (config: Config) => void,
): () => void {
  let said = "";
  const say = (problem: string) => {
    if (problem === said) return;
    said = problem;
    stderr.write(`monitor: ${visible(problem)}\n`);
  };
  return watchConfig({
    location: { path, isNamed: false },
    ...{ clock, rules: CONFIG_RULES, isNeeded: true },
    onConfig(config) {
      said = "";
      onConfig(config);
    },
    onProblem: (problem) =>
      say(`config file not taken up, what it said before stays in force: ${problem}`),
  });
}
