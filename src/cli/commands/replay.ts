// monitor replay FILE [market]: a recording on the dashboard, or printed.
import { UsageError } from "../../units/monitor-error.ts";
import { parseInterval, parseMarket } from "../arguments/market-argument.ts";
import type { Context } from "../context.ts";
import { watchTerminal } from "../dashboard/terminal-watcher.ts";
import { openRecording } from "../recording/recording-reader.ts";
import { isHeadless, requireScreen } from "../runs/plain.ts";
import { loadConfig } from "../settings/load-settings.ts";

/** Answers the exit code. @throws {UsageError} when the file is no recording, or a word is wrong */
export async function run(context: Context): Promise<number> {
  const [path = "", named] = context.args;
  const { options } = context;
  const { aliases, fields } = await loadConfig(context);
  const market = named === undefined ? undefined : parseMarket(named, aliases);
  const reader = await openRecording(path);
  const interval = parseInterval(options.interval ?? reader.heading.settings.interval ?? undefined);
  const speed = parseSpeed(options.speed);
  if (isHeadless(context)) {
    const { runHeadlessReplay } = await import("../replay/headless-replay.ts");
    return runHeadlessReplay(context, { reader, market, interval, fields });
  }
  requireScreen(context);
  const watcher = watchTerminal(context);
  const { runReplayDashboard } = await import("../replay/replay-dashboard.ts");
  return runReplayDashboard(context, { reader, market, interval, fields, path, speed }, watcher);
}

const SLOWEST = 0.1;
const FASTEST = 1000;

/** @throws {UsageError} when it is no number, or out of bounds */
function parseSpeed(text = "1"): number {
  const speed = /^[0-9]{1,4}(?:\.[0-9]{1,3})?$/.test(text) ? Number(text) : 0;
  if (speed >= SLOWEST && speed <= FASTEST) return speed;
  throw new UsageError(`--speed cannot be ${text}`, `expected: ${SLOWEST} to ${FASTEST}`);
}
