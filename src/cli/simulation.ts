// The options of the simulated exchange, and its errors in the words of the command line.
import { readFileSync } from "node:fs";
import { loadScenario, type Scenario } from "../simulator/scenarios/scenario.ts";
import { SimulatorError } from "../simulator/simulator-error.ts";
import { MonitorError, UsageError } from "../units/monitor-error.ts";
import type { WorkerInput } from "./simulator-worker.ts";

const DEFAULT_SEED = 1;
/** Enough for every chart to have a past, made in a moment. */
const DEFAULT_HISTORY = 10_000;

/** What a simulated exchange is made from. */
export interface Simulation {
  readonly seed: number;
  readonly scenario: Scenario;
  readonly history: number;
}

/** @throws {UsageError} when the scenario does not exist or does not fit */
export function readSimulation({ seed, scenario, history }: WorkerInput): Simulation {
  try {
    return {
      seed: seed ?? DEFAULT_SEED,
      scenario: loadScenario(scenario ?? "steady", (path) => readFileSync(path, "utf8")),
      history: history ?? DEFAULT_HISTORY,
    };
  } catch (error) {
    throw wordSimulatorError(error);
  }
}

const ADVICE: Readonly<Record<string, string>> = {
  "no-scenario": "expected: --scenario NAME, or the path of a scenario file",
  "bad-scenario": "see docs/scenarios.md",
  "port-in-use": "choose another --port, or 0 for any free one",
};

/** An expected error of the simulator for the user; any other error as it is. Never throws. */
export function wordSimulatorError(error: unknown): unknown {
  if (!(error instanceof SimulatorError)) return error;
  const { code, message } = error;
  const advice = ADVICE[code] ?? "";
  return code === "no-scenario" || code === "bad-scenario"
    ? new UsageError(message, advice)
    : new MonitorError(code, "failed", message, { advice, cause: error });
}
