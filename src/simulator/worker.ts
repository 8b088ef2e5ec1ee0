// Entry of a worker thread that runs a simulator: started with WorkerInput, it says where it listens and runs until it is
// told to end, or until its parent is gone.
import { parentPort, workerData } from "node:worker_threads";
import type { Clock } from "../units/clock.ts";
import type { Scenario } from "./scenarios/scenario.ts";
import { type Announcement, startSimulator } from "./simulator.ts";
import { SimulatorError, type SimulatorErrorCode } from "./simulator-error.ts";

/** workerData: the options of startSimulator that can cross threads. */
export interface WorkerInput {
  readonly seed: number;
  readonly scenario: Scenario;
  readonly history: number;
  readonly port: number;
}

/** What the worker posts, once: it listens, or it cannot. */
export type WorkerOutput =
  | { readonly type: "listening"; readonly announcement: Announcement }
  | {
      readonly type: "failed";
      /** undefined for a fault of the simulator itself. */
      readonly code: SimulatorErrorCode | undefined;
      readonly message: string;
    };

/** What ends the worker. */
export type WorkerCommand = "close";

/** Functions do not cross threads, so this thread needs a clock of its own. */
const clock: Clock = {
  // biome-ignore lint/plugin: the seam itself, in a thread that no clock can be handed to
  now: () => performance.now(),
  // biome-ignore lint/plugin: the seam itself, in a thread that no clock can be handed to
  wall: () => Date.now(),
  after(delayMs, callback) {
    // biome-ignore lint/plugin: the seam itself, in a thread that no clock can be handed to
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
  soon(callback) {
    // biome-ignore lint/plugin: the seam itself, in a thread that no clock can be handed to
    const immediate = setImmediate(callback);
    return () => clearImmediate(immediate);
  },
};

function post(output: WorkerOutput): void {
  parentPort?.postMessage(output);
}

try {
  const simulator = await startSimulator({ ...(workerData as WorkerInput), clock });
  // The port is all that keeps the thread alive once the simulator is closed.
  const end = async () => {
    await simulator.close();
    parentPort?.close();
  };
  parentPort?.once("message", end);
  parentPort?.once("close", end);
  post({ type: "listening", announcement: simulator.announcement });
} catch (error) {
  const code = error instanceof SimulatorError ? error.code : undefined;
  post({ type: "failed", code, message: error instanceof Error ? error.message : String(error) });
}
