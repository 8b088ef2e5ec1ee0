// Entry of the worker thread of the simulated exchange: says where it listens, and runs until it is told
// to end or its parent is gone.
import { parentPort, workerData } from "node:worker_threads";
import type { Options } from "../args/context.ts";
import { isScenarioFile, loadScenario, type Scenario } from "../simulator/scenarios/scenario.ts";
import { type Announcement, startSimulator } from "../simulator/simulator.ts";
import { SimulatorError } from "../simulator/simulator-error.ts";
import { readGivenText } from "../system/given-file.ts";
import { systemClock } from "../system/system-clock.ts";
import type { Clock } from "../units/clock.ts";
import { type ErrorKind, errorText, MonitorError, UsageError } from "../units/monitor-error.ts";

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

const DEFAULT_SEED = 1;

/** What a simulated exchange is made from. */
interface Simulation {
  readonly seed: number;
  readonly scenario: Scenario;
  readonly history: number | undefined;
}

/** The largest that is built in has 8 KiB. */
const MAX_SCENARIO_BYTES = 1024 * 1024;

/** @throws {UsageError} when the scenario does not exist or does not fit */
async function readSimulation(
  { seed, scenario = "steady", history }: WorkerInput,
  clock: Clock,
): Promise<Simulation> {
  try {
    const text = isScenarioFile(scenario) ? await readScenario(scenario, clock) : "";
    return {
      seed: seed ?? DEFAULT_SEED,
      scenario: loadScenario(scenario, () => text),
      history,
    };
  } catch (error) {
    throw wordSimulatorError(error);
  }
}

async function readScenario(path: string, clock: Clock): Promise<string> {
  try {
    return (await readGivenText(path, MAX_SCENARIO_BYTES, { clock })).text;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new SimulatorError(
      "no-scenario",
      `scenario ${path} cannot be read (${code ?? message})`,
      { cause: error },
    );
  }
}

const ADVICE: Readonly<Record<string, string>> = {
  "no-scenario": "expected: --scenario NAME, or the path of a scenario file",
  "bad-scenario": "see docs/scenarios.md",
  "port-in-use": "choose another --port, or 0 for any free one",
};

/** An expected error of the simulator for the user; any other error as it is. */
function wordSimulatorError(error: unknown): unknown {
  if (!(error instanceof SimulatorError)) return error;
  const { code, message } = error;
  const advice = ADVICE[code] ?? "";
  return code === "no-scenario" || code === "bad-scenario"
    ? new UsageError(message, advice)
    : new MonitorError(code, "failed", message, { advice, cause: error });
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
