// monitor <market>: the live dashboard of one market, or its headless forms.

import { channelsOf, parseMarketName } from "../../rows/market.ts";
import { UsageError } from "../../units/monitor-error.ts";
import { nearestCommand } from "../commands.ts";
import type { Context } from "../context.ts";
import { findMarket } from "../find-market.ts";
import { prepare, type Task } from "../prepare.ts";
import { runView } from "../run-view.ts";
import { chosenAccount, chosenOwner, namedAddresses, parseMarket } from "../targets.ts";

export async function run(context: Context): Promise<number> {
  const task = await prepare(context);
  const { settings, options } = task;
  const { aliases, accounts } = settings.config;
  const account = chosenAccount(options, accounts);
  const called = parseMarket(context.args[0] ?? "", aliases);
  const near = parseMarketName(called) === undefined ? nearestCommand(called) : undefined;
  // Nobody can be asked for the symbol, and the word may be a command.
  if (near !== undefined && settings.wsUrl === undefined)
    throw new UsageError(`unknown market: ${called}`, `did you mean monitor ${near}?`);
  const owner = chosenOwner(options, [account]);
  const addresses = [...(account === undefined ? [] : [account.address])];
  return runMarket({ ...task, settings: { ...settings, owner } }, called, {
    account: account && `${account.address}/${account.subaccountId ?? 0}`,
    addresses: [...new Set([...addresses, ...namedAddresses(accounts)])],
  });
}

interface OfAccount {
  /** `ADDRESS/ID`. */
  readonly account: string | undefined;
  readonly addresses: readonly string[];
}

/** @throws {UsageError} for a symbol that the service does not list; {ServiceError} when it cannot be reached */
export function runMarket(task: Task, called: string, own: OfAccount): Promise<number> {
  const { interval, isSimulated } = task.settings;
  const { bbo, stats } = channelsOf(called, interval);
  // They are asked for while the rest of the program is still being loaded.
  const first = parseMarketName(called) === undefined ? [] : [bbo, stats];
  return runView(task, [...first, "markets"], async (live) => ({
    ...{ view: "market", interval, isSimulated, flowSinceMs: task.options.since },
    ...own,
    market: await findMarket(task, live, called),
  }));
}
