// monitor demo: the market view of a simulated exchange that runs in a worker thread.

import { type SimulatorThread, startSimulatorThread } from "../../simulator/thread.ts";
import type { Context } from "../context.ts";
import { isHeadless } from "../headless.ts";
import { findConfig } from "../prepare.ts";
import { chosenAccount, parseMarket } from "../targets.ts";
import { runMarket } from "./market.ts";

export async function run(context: Context): Promise<number> {
  const { config } = await findConfig(context);
  const { args, options } = context;
  const market = parseMarket(args[0] ?? "perp/1", config.aliases);
  const chosen = chosenAccount(options);
  const thread = await startExchange(context);
  try {
    const { ws_url: wsUrl, base_url: baseUrl, account } = thread.announcement;
    const settings = {
      ...{ config, wsUrl, baseUrl, headers: {}, scales: {}, pinned: {}, names: {} },
      ...{ isSimulated: true, interval: options.interval ?? config.interval ?? "1m" },
      owner: { owner: account.owner, subaccountId: account.subaccount_id },
    };
    const { address, subaccountId = 0 } = chosen ?? {
      address: account.address,
      subaccountId: account.subaccount_id,
    };
    const own = { account: `${address}/${subaccountId}`, addresses: [address] };
    return await runMarket({ ...context, settings }, market, own);
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
