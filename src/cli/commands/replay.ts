// monitor replay FILE [market]: a recording, printed.
import type { Context } from "../context.ts";
import { parseInterval, parseMarket } from "../market-argument.ts";
import { openRecording } from "../recording-reader.ts";

export async function run(context: Context): Promise<number> {
  const [path = "", named] = context.args;
  const { options } = context;
  const market = named === undefined ? undefined : parseMarket(named);
  const reader = await openRecording(path);
  const interval = parseInterval(options.interval ?? reader.heading.settings.interval ?? undefined);
  const { runHeadlessReplay } = await import("../replay/headless-replay.ts");
  return runHeadlessReplay(context, { reader, market, interval });
}
