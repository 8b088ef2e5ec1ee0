// monitor simulate: the simulated exchange alone, until interrupted.
import { once } from "node:events";
import { loadScenario } from "../../simulator/scenario.ts";
import { type Simulator, startSimulator } from "../../simulator/simulator.ts";
import { systemClock } from "../../system/system-clock.ts";
import { type Context, stoppedExitCode } from "../context.ts";

export async function run(context: Context): Promise<number> {
  const { stdout, interrupt } = context;
  const simulator = await startFor(context);
  stdout.write(`${JSON.stringify(simulator.announcement)}\n`);
  if (!interrupt.aborted) await once(interrupt, "abort");
  await simulator.close();
  return stoppedExitCode(context);
}

/** The exchange of the options. @throws {MonitorError} when its scenario is invalid, or it cannot listen on the port */
export async function startFor({ options, interrupt }: Context): Promise<Simulator> {
  const { seed = 1, scenario = "steady", history = 0, port = 0 } = options;
  const setup = { seed, scenario: await loadScenario(scenario), history, port };
  return startSimulator({ ...setup, clock: systemClock, abandoned: interrupt });
}
