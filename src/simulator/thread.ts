// Starts the simulated exchange in a worker thread, off the event loop of its client.
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { MonitorError } from "../units/monitor-error.ts";
import type { Announcement } from "./simulator.ts";
import type { WorkerCommand, WorkerInput, WorkerOutput } from "./worker.ts";

export interface SimulatorThread {
  readonly announcement: Announcement;
  close(): Promise<void>;
}

/** Far more than it needs; with V8's own limits, making the past would take forty megabytes more. */
const YOUNG_MB = 2;
const OLD_MB = 64;
const TRADES_IN_MB = 2000;

/**
 * @param options as on the command line; without `port`, any free one
 * @param abandoned aborted when the exchange is no longer needed: the thread is terminated, also while it simulates a long past
 * @throws {MonitorError} when the simulated exchange cannot start, or its scenario is invalid; the signal's reason
 */
export async function startSimulatorThread(
  { seed, scenario, history, port }: WorkerInput,
  abandoned: AbortSignal,
): Promise<SimulatorThread> {
  const workerData: WorkerInput = { seed, scenario, history, port };
  // In the build, the worker is in the same folder as this code.
  const worker = new Worker(new URL("simulator-worker.js", import.meta.url), {
    workerData,
    resourceLimits: {
      maxYoungGenerationSizeMb: YOUNG_MB,
      maxOldGenerationSizeMb: OLD_MB + Math.ceil((history ?? 0) / TRADES_IN_MB),
    },
  });
  const message = once(worker, "message", { signal: abandoned }).catch(async (error) => {
    await worker.terminate();
    throw abandoned.aborted ? abandoned.reason : error;
  });
  const [output] = (await message) as [WorkerOutput];
  if (output.type === "failed") {
    await worker.terminate();
    const { code, kind, message, advice } = output;
    throw new MonitorError(code, kind, message, { advice });
  }
  return {
    announcement: output.announcement,
    async close() {
      const exited = once(worker, "exit");
      worker.postMessage("close" satisfies WorkerCommand);
      await exited;
    },
  };
}
