// Starts the simulated exchange in a worker thread, off the event loop of its client.
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { MonitorError } from "../units/monitor-error.ts";
import { loadScenario } from "./scenario.ts";
import type { Announcement } from "./simulator.ts";
import type { WorkerInput } from "./worker.ts";

export interface SimulatorThread {
  readonly announcement: Announcement;
  close(): Promise<unknown>;
}

/** As on the command line. */
interface ThreadOptions {
  readonly seed?: number;
  readonly scenario?: string;
  readonly history?: number;
  readonly port?: number;
}

/** Far more than it needs: what a client has yet to read waits there, too. With V8's own limits, its garbage would take forty more. */
const YOUNG_MB = 2;
const OLD_MB = 64;
const TRADES_IN_MB = 5000;

/**
 * @param abandoned aborted when the exchange is no longer needed: the thread is terminated, also while it simulates a long past
 * @throws {MonitorError} when the simulated exchange cannot start, or its scenario is invalid; the signal's reason
 */
export async function startSimulatorThread(
  { seed = 1, scenario = "steady", history = 0, port = 0 }: ThreadOptions,
  abandoned: AbortSignal,
): Promise<SimulatorThread> {
  const workerData: WorkerInput = { seed, scenario: await loadScenario(scenario), history, port };
  // In the build, the worker is in the same folder as this code.
  const worker = new Worker(new URL("simulator-worker.js", import.meta.url), {
    workerData,
    resourceLimits: {
      maxYoungGenerationSizeMb: YOUNG_MB,
      maxOldGenerationSizeMb: OLD_MB + Math.ceil(history / TRADES_IN_MB),
    },
  });
  try {
    const [announcement] = await once(worker, "message", { signal: abandoned });
    return { announcement, close: () => worker.terminate() };
  } catch (error) {
    await worker.terminate();
    if (abandoned.aborted) throw abandoned.reason;
    // What comes from a thread has lost its class.
    const { code, kind, message, advice = "" } = error as MonitorError;
    throw kind === undefined ? error : new MonitorError(code, kind, message, { advice });
  }
}
