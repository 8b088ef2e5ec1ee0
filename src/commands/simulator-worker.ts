// Entry of the worker thread of the simulated exchange: says where it listens, and runs until it is told
// to end or its parent is gone.
import { parentPort, workerData } from "node:worker_threads";
import type { Options } from "../args/context.ts";
import { type Announcement, startSimulator } from "../simulator/simulator.ts";
import { systemClock } from "../system/system-clock.ts";
import { type ErrorKind, errorText, MonitorError } from "../units/monitor-error.ts";
import { readSimulation, wordSimulatorError } from "./simulation.ts";

/** What the worker is started with: its `workerData`. */
export type WorkerInput = {
  readonly [Key in "seed" | "scenario" | "history" | "port"]?: Options[Key] | undefined;
};

/** What the worker posts, once: it listens, or why it cannot. */
export type WorkerOutput =
  | { readonly type: "listening"; readonly announcement: Announcement }
  | {
      readonly type: "failed";
      readonly code: string;
      readonly kind: ErrorKind;
      readonly message: string;
      readonly advice: string;
    };

/** What ends the worker. */
export type WorkerCommand = "close";

function post(output: WorkerOutput): void {
  parentPort?.postMessage(output);
}

async function start(): Promise<void> {
  const input = workerData as WorkerInput;
  const simulation = await readSimulation(input, systemClock);
  const port = input.port ?? 0;
  const simulator = await startSimulator({ ...simulation, port, clock: systemClock });
  const end = async () => {
    await simulator.close();
    parentPort?.close();
  };
  parentPort?.once("message", end);
  parentPort?.once("close", end);
  post({ type: "listening", announcement: simulator.announcement });
}

try {
  await start();
} catch (error) {
  const worded = wordSimulatorError(error);
  const isExpected = worded instanceof MonitorError;
  post({
    type: "failed",
    code: isExpected ? worded.code : "simulator",
    kind: isExpected ? worded.kind : "failed",
    message: errorText(worded),
    advice: (isExpected && worded.advice) || "",
  });
}
