// monitor demo: the market view of a simulated exchange in the same process.
import type { Simulator } from "../../simulator/simulator.ts";
import type { Context } from "../context.ts";
import { isHeadless } from "../headless.ts";
import { findConfig } from "../prepare.ts";
import { chosenAccount, parseMarket } from "../targets.ts";
import { runMarket } from "./market.ts";
import { startFor } from "./simulate.ts";

export async function run(context: Context): Promise<number> {
  const { config } = await findConfig(context);
  const { args, options } = context;
  const market = parseMarket(args[0] ?? "perp/1", config.aliases);
  const chosen = chosenAccount(options);
  const simulator = await startExchange(context);
  try {
    const { ws_url: wsUrl, base_url: baseUrl, account } = simulator.announcement;
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
    await simulator.close();
  }
}

/** Its past takes a second or less, in which the screen is loaded. */
async function startExchange(context: Context): Promise<Simulator> {
  const { stderr } = context;
  const isShown = !isHeadless(context);
  const isSaid = isShown && stderr.isTTY === true;
  if (isSaid) stderr.write("starting the simulated exchange ...");
  try {
    const starting = startFor(context);
    const [simulator] = await Promise.all([starting, isShown ? import("../show.ts") : undefined]);
    return simulator;
  } finally {
    if (isSaid) stderr.write("\r\u001b[K");
  }
}
