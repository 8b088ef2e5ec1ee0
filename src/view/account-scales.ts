// Which markets the rows of a subaccount are of, and what their ticks and lots are worth.
import type { OpenRecord } from "../protocol/channels/update.ts";
import { ACCOUNT_LISTS, ACCOUNT_LOGS } from "../store/account.ts";
import type { Aliases, Meaning } from "../store/aliases.ts";
import type { MarketScale, Scales } from "../store/scales.ts";
import type { Store } from "../store/store.ts";
import { accountChannel, type Subaccount } from "./account.ts";
import { formatMarket, marketOf } from "./market.ts";

/** Rows of each list that are looked through, and markets that are told of: more rows are of the same markets. */
const MAX_ROWS = 200;
const MAX_MARKETS = 16;
const IN_UNITS: readonly Meaning[] = ["priceTicks", "sizeLots", "remainingLots"];

/** Markets, `perp/1`, of which rows are in ticks or lots: in the order of the lists, none twice. Never throws. */
export function marketsInUnits(store: Store, account: Subaccount): readonly string[] {
  const { lists, logs } = store.slice("account", accountChannel(account)).data;
  const rows = [
    ...ACCOUNT_LISTS.map((name) => lists[name]),
    ...ACCOUNT_LOGS.map((name) => logs[name]),
  ].flatMap((list) => (list.hasCome ? list.rows.slice(0, MAX_ROWS) : []));
  const names = rows.flatMap((row) => nameInUnits(row, store.aliases) ?? []);
  return [...new Set(names)].slice(0, MAX_MARKETS);
}

function nameInUnits(row: OpenRecord, aliases: Aliases): string | undefined {
  if (!IN_UNITS.some((meaning) => aliases.columnOf(row, meaning) !== undefined)) return undefined;
  const market = marketOf(row, aliases);
  return market && formatMarket(market);
}

/** The scale of each of these markets, by its name. */
export type AccountScales = Readonly<Record<string, MarketScale>>;

/** Never throws. */
export function selectAccountScales(
  store: Store,
  account: Subaccount,
  scales: Scales,
): AccountScales {
  const names = marketsInUnits(store, account);
  return Object.fromEntries(names.map((name) => [name, scales.of(name)]));
}

/** `market, untested`, where all are known in the same way; else how each is. Empty without one. Never throws. */
export function formatScaleSources(scales: AccountScales): string {
  const told = Object.entries(scales).map(([name, { source, evidence, doubt }]) => {
    const words = `${source === "none" ? "ticks, lots" : source}, ${evidence}`;
    return [name, doubt === "" ? words : `${words}: ${doubt}`] as const;
  });
  const [first] = told;
  if (first === undefined) return "";
  return told.every(([, words]) => words === first[1])
    ? first[1]
    : told.map(([name, words]) => `${name} ${words}`).join("; ");
}
