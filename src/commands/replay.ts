// monitor replay FILE [market]: a recording on the dashboard, or headless.

import type { Context } from "../args/context.ts";
import { parseMarket } from "../args/targets.ts";
import { openRecording } from "../timeline/recording-reader.ts";
import { UsageError } from "../units/monitor-error.ts";
import { INTERVALS } from "../wire/channels.ts";
import { isHeadless, refuseMaskedJson, requireScreen, watchTerminal } from "./live-run.ts";
import { findConfig } from "./prepare.ts";

/** @throws {UsageError} when the file is not a recording, or an argument is invalid */
export async function run(context: Context): Promise<number> {
  const [path = "", named] = context.args;
  const { options } = context;
  refuseMaskedJson(context);
  const { config } = await findConfig(context);
  const market = named === undefined ? undefined : parseMarket(named, config.aliases);
  const reader = await openRecording(path, {
    clock: context.clock,
    timeoutMs: options.timeout,
    interrupt: context.interrupt,
  });
  try {
    const { interval: recorded } = reader.heading.settings;
    const requested = options.interval ?? recorded ?? "1m";
    const interval = INTERVALS.find((each) => each === requested);
    if (interval === undefined) {
      throw new UsageError(
        `${path} is of candles of an unknown interval: ${JSON.stringify(recorded)}`,
        `name one of ${INTERVALS.join(", ")} with --interval`,
      );
    }
    if (isHeadless(context)) {
      const { runHeadlessReplay } = await import("./replay/headless-replay.ts");
      return await runHeadlessReplay(context, { reader, market, interval, config });
    }
    requireScreen(context);
    if (!reader.isRegular) {
      throw new UsageError(
        `${path} is no file: on the screen, a recording is read again to go back in it`,
        "write it to a file, or use --once or --json",
      );
    }
    const watcher = watchTerminal(context);
    const { runReplayDashboard } = await import("./replay/replay-dashboard.ts");
    const run = { reader, market, interval, config, path };
    return await runReplayDashboard(context, run, watcher);
  } finally {
    await reader.close();
  }
}
