// Entry of the worker thread of the simulated exchange: posts its addresses, and runs until asked to close or the parent ends.
import { parentPort, workerData } from "node:worker_threads";
import { readInputText } from "../system/input-file.ts";
import { systemClock } from "../system/system-clock.ts";
import { type ErrorKind, errorText, MonitorError } from "../units/monitor-error.ts";
import { isScenarioFile, loadScenario, noScenario } from "./scenario.ts";
import { type Announcement, startSimulator } from "./simulator.ts";

export interface WorkerInput {
  readonly seed?: number | undefined;
  readonly scenario?: string | undefined;
  readonly history?: number | undefined;
  readonly port?: number | undefined;
}

/** Posted once: either it listens, or why it cannot. */
export type WorkerOutput =
  | { readonly type: "listening"; readonly announcement: Announcement }
  | {
      readonly type: "failed";
      readonly code: string;
      readonly kind: ErrorKind;
      readonly message: string;
      readonly advice: string;
    };

export type WorkerCommand = "close";

function post(output: WorkerOutput): void {
  parentPort?.postMessage(output);
}

const DEFAULT_SEED = 1;
/** The largest built-in scenario has 8 KiB. */
const MAX_SCENARIO_BYTES = 1024 * 1024;

async function start(): Promise<void> {
  const { seed, scenario = "steady", history, port = 0 } = workerData as WorkerInput;
  const text = isScenarioFile(scenario) ? await readScenario(scenario) : "";
  const simulator = await startSimulator({
    seed: seed ?? DEFAULT_SEED,
    scenario: loadScenario(scenario, text),
    history,
    port,
    clock: systemClock,
  });
  const end = async () => {
    await simulator.close();
    parentPort?.close();
  };
  parentPort?.once("message", end);
  parentPort?.once("close", end);
  post({ type: "listening", announcement: simulator.announcement });
}

async function readScenario(path: string): Promise<string> {
  try {
    return (await readInputText(path, MAX_SCENARIO_BYTES, { clock: systemClock })).text;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw noScenario(`scenario ${path} cannot be read (${code ?? message})`, error);
  }
}

try {
  await start();
} catch (error) {
  const isExpected = error instanceof MonitorError;
  post({
    type: "failed",
    code: isExpected ? error.code : "simulator",
    kind: isExpected ? error.kind : "failed",
    message: errorText(error),
    advice: (isExpected && error.advice) || "",
  });
}
