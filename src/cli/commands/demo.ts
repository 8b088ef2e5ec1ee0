// monitor demo: the market view of a simulated exchange that runs in a worker thread.

import { type SimulatorThread, startSimulatorThread } from "../../simulator/thread.ts";
import { effectiveOptions } from "../config/settings.ts";
import type { Context } from "../context.ts";
import { isHeadless } from "../headless.ts";
import { findConfig } from "../prepare.ts";
import { chosenAccount, parseMarket } from "../targets.ts";
import { runMarket } from "./market.ts";

export async function run(context: Context): Promise<number> {
  const { config } = await findConfig(context);
  const { interval = "1m" } = effectiveOptions(context, config);
  const market = parseMarket(context.args[0] ?? "perp/1", config.aliases);
  const chosen = chosenAccount(context.options);
  const thread = await startExchange(context);
  try {
    const { ws_url: wsUrl, base_url: baseUrl, account: trader } = thread.announcement;
    const service = {
      ...{ wsUrl, baseUrl, headers: {}, restRate: config.rest_rate },
      ...{ knownScales: {}, pinned: {}, names: {}, learnedPath: undefined },
      owner: { owner: trader.owner, subaccountId: trader.subaccount_id },
    };
    const { address, subaccountId = "0" } = chosen ?? {
      address: trader.address,
      subaccountId: String(trader.subaccount_id),
    };
    return await runMarket(context, service, {
      ...{ config, market, interval, isSimulated: true },
      account: `${address}/${subaccountId}`,
      addresses: [address],
    });
  } finally {
    await thread.close();
  }
}

/** Its past takes a second or two, in which the screen is loaded. */
async function startExchange(context: Context): Promise<SimulatorThread> {
  const { options, interrupt, stderr } = context;
  const isShown = !isHeadless(context);
  const isSaid = isShown && stderr.isTTY === true;
  if (isSaid) stderr.write("starting the simulated exchange ...");
  try {
    const starting = startSimulatorThread(options, interrupt);
    const [thread] = await Promise.all([starting, isShown ? import("../show.ts") : undefined]);
    return thread;
  } finally {
    if (isSaid) stderr.write("\r\u001b[K");
  }
}
