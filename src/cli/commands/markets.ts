// monitor markets: all markets with their figures, on the screen or printed once.

import { ALL_STATS } from "../../rows/market.ts";
import type { Context } from "../context.ts";
import { isHeadless } from "../headless.ts";
import { prepare } from "../prepare.ts";
import { runView } from "../run-view.ts";
import { namedAddresses } from "../targets.ts";

export async function run(context: Context): Promise<number> {
  const task = await prepare(context);
  const { settings, options } = task;
  const once = options.once || (options.for === undefined && isHeadless(task));
  const { interval, config } = settings;
  const addresses = namedAddresses(config.accounts);
  return runView({ ...task, options: { ...options, once } }, ["markets", ...ALL_STATS], () => ({
    ...{ view: "markets", addresses, interval },
  }));
}
