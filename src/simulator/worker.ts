// Entry of the worker thread of the simulated exchange: posts its addresses, and runs until it is terminated.
import { parentPort, workerData } from "node:worker_threads";
import { systemClock } from "../system/system-clock.ts";
import { type SimulatorOptions, startSimulator } from "./simulator.ts";

export type WorkerInput = Omit<SimulatorOptions, "clock">;

const input = workerData as WorkerInput;
const { announcement } = await startSimulator({ ...input, clock: systemClock });
parentPort?.postMessage(announcement);
