// monitor simulate: the simulated exchange alone, until it is told to end.
import { once } from "node:events";
import { startSimulator } from "../../simulator/simulator.ts";
import { type Context, EXIT } from "../context.ts";
import { readSimulation, wordSimulatorError } from "../simulation.ts";

/** Answers the exit code. */
export async function run(context: Context): Promise<number> {
  const { clock, stdout, interrupt, options } = context;
  const simulation = readSimulation(options);
  const simulator = await startSimulator({ ...simulation, port: options.port ?? 0, clock }).catch(
    (error: unknown) => {
      throw wordSimulatorError(error);
    },
  );
  stdout.write(`${JSON.stringify(simulator.announcement)}\n`);
  if (!interrupt.aborted) await once(interrupt, "abort");
  await simulator.close();
  return EXIT.done;
}
