// What can be typed in the palette: one table for running, completing and listing.

import { parseAlert } from "../../alerts/alert-rule.ts";
import { parseAmount } from "../../select/book-amount.ts";
import { formatMarket, type Market, marketOf, readMarket } from "../../select/market.ts";
import { selectStat } from "../../select/market-stats.ts";
import { MAX_INT32, parseId } from "../../units/uint.ts";
import { isAddress } from "../../wire/channels.ts";
import type { Dashboard } from "../dashboard.ts";
import { accountView } from "../views/account/account.ts";
import { marketView } from "../views/market/market.ts";
import { showBook } from "../views/market/market-actions.ts";
import { CHOICE_COMMANDS, viewCommand } from "./choice-commands.ts";
import type { PaletteCommand } from "./palette-command.ts";

/** All of them, in the order in which they are listed. */
export const PALETTE_COMMANDS: readonly PaletteCommand[] = [
  {
    name: "market",
    usage: "<perp/1 | symbol | alias>",
    words: "show a market",
    complete: (dashboard) => {
      const listed = listedMarkets(dashboard).map(({ name }) => name);
      return [...new Set([...Object.keys(dashboard.aliases), ...listed])];
    },
    run: showMarket,
  },
  viewCommand,
  {
    name: "cost",
    usage: "<amount> [quote]",
    words: "what an amount costs on both sides of the book",
    complete: () => [],
    run(dashboard, argument) {
      const model = dashboard.modelOf(marketView);
      const parsed = parseAmount(argument, model.scale);
      if ("fault" in parsed) return parsed.fault;
      model.amount.set(argument);
      dashboard.show(marketView);
      showBook(model);
      return undefined;
    },
  },
  {
    name: "account",
    usage: "<address> [subaccount_id]",
    words: "watch an account",
    complete: ({ account }) => (account === undefined ? [] : [account.address]),
    run: watchAccount,
  },
  {
    name: "alert",
    usage: "<rule>",
    words: "set an alert: perp/1 last > 65000 every 10m",
    complete: ({ market }) => (market === undefined ? [] : alertExamples(formatMarket(market))),
    run: setAlert,
  },
  ...CHOICE_COMMANDS,
];

interface ListedMarket {
  readonly name: string;
  readonly market: Market;
}

/** Markets of the service's list, by symbol where that names one market only, else by type and id. */
function listedMarkets({ store, market }: Dashboard): readonly ListedMarket[] {
  const { records } = store.slice("markets", "markets").data;
  const listed = records.flatMap((record): ListedMarket[] => {
    const found = marketOf(record, store.aliases, "perp", "marketRecord");
    if (found === undefined) return [];
    const symbol = selectStat(record, "symbol", store.aliases);
    const name = symbol !== undefined && /^\S+$/.test(symbol) ? symbol : formatMarket(found);
    return [{ name, market: found }];
  });
  const counts = new Map<string, number>();
  for (const { name } of listed) counts.set(name, (counts.get(name) ?? 0) + 1);
  const known = listed.map((each) =>
    counts.get(each.name) === 1 ? each : { ...each, name: formatMarket(each.market) },
  );
  return known.length === 0 && market !== undefined
    ? [{ name: formatMarket(market), market }]
    : known;
}

function showMarket(dashboard: Dashboard, argument: string): string | undefined {
  const { aliases } = dashboard;
  const alias = Object.hasOwn(aliases, argument) ? aliases[argument] : undefined;
  const listed = listedMarkets(dashboard).find(
    ({ name }) => name.toLowerCase() === argument.toLowerCase(),
  );
  const market = alias === undefined ? (listed?.market ?? readMarket(argument)) : readMarket(alias);
  if (market === undefined) {
    return alias === undefined
      ? `no market ${argument}: perp/1, spot/2, a symbol of the service or an alias of yours`
      : `alias ${argument} is not a market: ${alias}`;
  }
  dashboard.open(market);
  dashboard.show(marketView);
  return undefined;
}

function watchAccount(dashboard: Dashboard, argument: string): string | undefined {
  const [address = "", id, ...more] = argument.split(/\s+/);
  const subaccountId = id === undefined ? undefined : parseId(id);
  if (!isAddress(address) || more.length > 0 || (id !== undefined && subaccountId === undefined)) {
    return `expected: an address in base58, 32 to 44 characters, and a subaccount's number up to ${MAX_INT32}`;
  }
  dashboard.watch({ address, subaccountId });
  dashboard.show(accountView);
  return undefined;
}

function setAlert({ alerts }: Dashboard, argument: string): string | undefined {
  const parsed = parseAlert(argument);
  if ("fault" in parsed) return parsed.fault;
  if (alerts === undefined) return "alerts are not heard here";
  return alerts.add(parsed.rule, "screen") === undefined ? "there are too many alerts" : undefined;
}

function alertExamples(market: string): readonly string[] {
  return [
    `${market} last > `,
    `${market} last < `,
    `${market} spread > 5 bp every 10m`,
    `${market} funding crosses 0 every 1h`,
    `${market} imbalance > 80 every 10m`,
    `${market} trades stale every`,
  ];
}
