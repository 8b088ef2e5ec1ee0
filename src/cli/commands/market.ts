// monitor <market>: the live dashboard of one market, or its headless forms.

import { channelsOf } from "../../rows/market.ts";
import type { Shown } from "../../timeline/entry.ts";
import { UsageError } from "../../units/monitor-error.ts";
import type { Interval } from "../../wire/channels.ts";
import { nearestCommand } from "../arguments.ts";
import type { Config } from "../config/config-keys.ts";
import type { Context } from "../context.ts";
import { findMarket } from "../find-market.ts";
import { liveService, type Service } from "../live.ts";
import { prepare } from "../prepare.ts";
import { runView } from "../run-view.ts";
import {
  chosenAccount,
  chosenOwner,
  listNamedAccounts,
  type MarketArgument,
  parseMarket,
} from "../targets.ts";

export async function run(context: Context): Promise<number> {
  const { file, settings } = await prepare(context);
  const account = chosenAccount(context.options, settings.accounts);
  const market = parseMarket(context.args[0] ?? "", settings.aliases);
  const near = "symbol" in market ? nearestCommand(market.symbol) : undefined;
  // Nobody can be asked for the symbol, and the word may be a command.
  if (near !== undefined && settings.wsUrl === undefined)
    throw new UsageError(`unknown market: ${context.args[0]}`, `did you mean monitor ${near}?`);
  const addresses = listNamedAccounts(settings.accounts).map(({ address }) => address);
  const owner = chosenOwner(context.options, [account]);
  return runMarket(
    context,
    { ...liveService(context, settings), owner },
    {
      config: file.config,
      market,
      account: account && `${account.address}/${account.subaccountId ?? 0}`,
      addresses: [...(account === undefined ? [] : [account.address]), ...addresses],
      interval: settings.interval,
    },
  );
}

export interface MarketRun extends Pick<Shown, "isSimulated"> {
  readonly config: Config;
  readonly market: MarketArgument;
  /** `ADDRESS/ID`. */
  readonly account: string | undefined;
  readonly addresses: readonly string[];
  readonly interval: Interval;
}

/** @throws {UsageError} for a symbol that the service does not list; {ServiceError} when it cannot be reached */
export function runMarket(
  context: Context,
  service: Service,
  { market: argument, account, addresses, interval, config, isSimulated }: MarketRun,
): Promise<number> {
  const channels = firstChannels(argument, interval);
  return runView(context, { service, config, channels }, async (live) => ({
    ...{ view: "market", interval, account, addresses: [...new Set(addresses)] },
    ...{ market: await findMarket(context, live, argument) },
    ...{ flowSinceMs: context.options.since, isSimulated },
  }));
}

/** They are asked for while the rest of the program is still being loaded. */
function firstChannels(market: MarketArgument, interval: Interval): readonly string[] {
  if ("symbol" in market) return ["markets"];
  const { bbo, stats } = channelsOf(`${market.type}/${market.id}`, interval);
  return [bbo, stats, "markets"];
}
