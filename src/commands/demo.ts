// monitor demo: the market view of a simulated exchange that runs in a worker thread.

import type { Context } from "../args/context.ts";
import { chosenAccount, parseMarket } from "../args/targets.ts";
import { effectiveOptions } from "../config/settings.ts";
import { runMarket } from "./market.ts";
import { findConfig } from "./prepare.ts";
import { type SimulatorThread, startSimulatorThread } from "./simulator-thread.ts";

/** @throws {UsageError} on an invalid argument; {MonitorError} when the simulated exchange cannot start */
export async function run(context: Context): Promise<number> {
  const { config } = await findConfig(context);
  const { interval = "1m" } = effectiveOptions(context, config);
  const market = parseMarket(context.args[0] ?? "perp/1", config.aliases);
  const account = chosenAccount(context.options);
  const left = new AbortController();
  let thread: SimulatorThread | undefined;
  const findService = async () => {
    const signal = AbortSignal.any([left.signal, context.interrupt]);
    thread = await startSimulatorThread(context.options, signal);
    const { ws_url: url, base_url: baseUrl, account: trader } = thread.announcement;
    const { address, owner, subaccount_id: subaccountId } = trader;
    return {
      url,
      baseUrl,
      headers: {},
      restRate: config.rest_rate,
      account: { address, subaccountId: String(subaccountId) },
      owner: { owner, subaccountId },
    };
  };
  try {
    return await runMarket(context, {
      command: "demo",
      config,
      findService,
      interval,
      market,
      account,
      knownScales: {},
      isSimulated: true,
    });
  } finally {
    left.abort();
    await thread?.close();
  }
}
