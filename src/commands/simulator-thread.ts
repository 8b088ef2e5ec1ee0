// Starts the simulated exchange in a worker thread, so that it takes no time from the event loop of its client.
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { Announcement } from "../simulator/simulator.ts";
import { MonitorError } from "../units/monitor-error.ts";
import type { WorkerCommand, WorkerInput, WorkerOutput } from "./simulator-worker.ts";

export interface SimulatorThread {
  readonly announcement: Announcement;
  close(): Promise<void>;
}

/**
 * @param options as on the command line; `port` of any free one when it is left out
 * @param abandoned aborted when the start is no longer needed: the thread ends, and this never resolves
 * @throws {MonitorError} when the simulated exchange cannot start, or its scenario is wrong
 */
export async function startSimulatorThread(
  { seed, scenario, history, port }: WorkerInput,
  abandoned?: AbortSignal,
): Promise<SimulatorThread> {
  const workerData: WorkerInput = { seed, scenario, history, port };
  // Once built, this code and the worker lie in one folder.
  const worker = new Worker(new URL("simulator-worker.js", import.meta.url), { workerData });
  const abandon = () => void worker.terminate();
  abandoned?.addEventListener("abort", abandon);
  const [output] = (await once(worker, "message")) as [WorkerOutput];
  abandoned?.removeEventListener("abort", abandon);
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
