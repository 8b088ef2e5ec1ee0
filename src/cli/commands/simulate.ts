// monitor simulate: the simulated exchange alone, until interrupted.
import { once } from "node:events";
import { startSimulatorThread } from "../../simulator/thread.ts";
import { type Context, stoppedExitCode } from "../context.ts";

/** @throws {UsageError} when the scenario is invalid; {MonitorError} when it cannot listen on the port */
export async function run(context: Context): Promise<number> {
  const { stdout, interrupt, options } = context;
  const thread = await startSimulatorThread(options, interrupt);
  stdout.write(`${JSON.stringify(thread.announcement)}\n`);
  if (!interrupt.aborted) await once(interrupt, "abort");
  await thread.close();
  return stoppedExitCode(context);
}
