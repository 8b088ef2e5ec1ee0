// monitor demo: the market view on a simulated exchange that runs beside it, in a thread of its own.

import { chosenAccount } from "../args/account-argument.ts";
import type { Context } from "../args/context.ts";
import { parseInterval, parseMarket } from "../args/market-argument.ts";
import { parseRestRate } from "../config/settings.ts";
import { withRecording } from "./recording.ts";
import { runMarket } from "./run-market.ts";
import { type SimulatorThread, startSimulatorThread } from "./simulator-thread.ts";

/**
 * Answers the exit code.
 * @throws {UsageError} when a word is wrong; {MonitorError} when the simulated exchange cannot start
 */
export async function run(context: Context): Promise<number> {
  const interval = parseInterval(context.options.interval);
  const market = parseMarket(context.args[0] ?? "perp/1");
  const restRate = parseRestRate(context.options.restRate);
  const left = new AbortController();
  let thread: SimulatorThread | undefined;
  const findService = async () => {
    thread = await startSimulatorThread(context.options, left.signal);
    const { wsUrl: url, baseUrl, account, owner } = thread;
    return { url, baseUrl, headers: {}, account, owner, restRate };
  };
  try {
    const facts = { command: "demo", interval, isSimulated: true };
    const account = chosenAccount(context.options);
    const run = { interval, market, account, knownScales: {}, isSimulated: true };
    return await withRecording(context, findService, facts, (find) =>
      runMarket(context, { ...run, findService: find }),
    );
  } finally {
    left.abort();
    await thread?.close();
  }
}
