// A market's scale as text, and the scales of an account's markets.

import type { AccountState } from "../state/account.ts";
import type { Aliases, Meaning } from "../state/aliases.ts";
import { type MarketScale, Scales } from "../state/scales.ts";
import type { Store } from "../state/store.ts";
import { formatDecimal } from "../units/decimal.ts";
import type { Scale } from "../units/scale.ts";
import type { MarketType } from "../wire/channels.ts";
import type { OpenRecord } from "../wire/update.ts";
import { accountChannel, type Subaccount } from "./account.ts";
import { readNumber } from "./fields.ts";
import { findMarketRecord, readRecordMarket } from "./market.ts";

/**
 * The scales of a store's markets.
 * @param known from the config, by market: `perp/1`
 */
export function openScales(store: Store, known: Readonly<Record<string, Scale>>): Scales {
  return new Scales({ store, known, claimOf: (market) => selectScaleClaim(store, market) });
}

/** The scale in a market's own record; undefined if it has none. @param name `perp/1` */
function selectScaleClaim(store: Store, name: string): Scale | undefined {
  const [type, id = ""] = name.split("/");
  const { records } = store.slice("markets", "markets").data;
  const record = findMarketRecord(records, { type: type as MarketType, id }, store.aliases);
  if (record === undefined) return undefined;
  const tickSize = readNumber(store.aliases.value(record, "tickSize"));
  const lotSize = readNumber(store.aliases.value(record, "lotSize"));
  if (tickSize === undefined || lotSize === undefined) return undefined;
  return tickSize.mantissa > 0n && lotSize.mantissa > 0n ? { tickSize, lotSize } : undefined;
}

/** `tick 0.01 lot 0.0001 (measured, 40 trades)`, or what is shown instead, and why. */
export function formatScale({ scale, source, evidence, inconsistency }: MarketScale): string {
  const words =
    scale === undefined
      ? `prices in ticks, sizes in lots (${evidence})`
      : `tick ${formatDecimal(scale.tickSize)} lot ${formatDecimal(scale.lotSize)} (${source}, ${evidence})`;
  return inconsistency === "" ? words : `${words}: ${inconsistency}`;
}

/** Maximum rows searched in each list, and markets named: further rows are of the same markets. */
const MAX_ROWS = 200;
const MAX_MARKETS = 16;
const IN_UNITS: readonly Meaning[] = ["priceTicks", "sizeLots", "remainingLots"];

/** Last results for each subaccount, and for each row: changed rows are new objects. */
const found = new WeakMap<
  AccountState,
  { readonly version: number; readonly names: readonly string[] }
>();
const foundInRows = new WeakMap<OpenRecord, { readonly name: string | undefined }>();

/**
 * Markets, `perp/1`, with rows in ticks or lots: in the order of the lists, without duplicates; the same array until the
 * subaccount changes.
 */
export function marketsInUnits(store: Store, account: Subaccount): readonly string[] {
  const { data, version } = store.slice("account", accountChannel(account));
  const known = found.get(data);
  if (known?.version === version) return known.names;
  const names = new Set<string>();
  for (const list of [...Object.values(data.lists), ...Object.values(data.logs)]) {
    const rows = list.isReceived ? list.rows : [];
    for (let i = 0; i < Math.min(MAX_ROWS, rows.length) && names.size < MAX_MARKETS; i++) {
      const name = nameIn(rows[i], store.aliases);
      if (name !== undefined) names.add(name);
    }
  }
  const answer = { version, names: [...names] };
  found.set(data, answer);
  return answer.names;
}

function nameIn(row: OpenRecord | undefined, aliases: Aliases): string | undefined {
  if (row === undefined) return undefined;
  const known = foundInRows.get(row);
  if (known !== undefined) return known.name;
  const isInUnits = IN_UNITS.some((meaning) => aliases.columnOf(row, meaning) !== undefined);
  const name = isInUnits ? readRecordMarket(row, aliases) : undefined;
  foundInRows.set(row, { name });
  return name;
}

export type AccountScales = Readonly<Record<string, MarketScale>>;

/** The scale of every market for which the subaccount has rows in ticks or lots. */
export function selectAccountScales(
  store: Store,
  account: Subaccount,
  scales: Scales,
): AccountScales {
  const names = marketsInUnits(store, account);
  return Object.fromEntries(names.map((name) => [name, scales.of(name)]));
}

/** If all have the same source, how far all of them are tested; else the source of each. Empty without scales. */
export function formatScaleSources(scales: AccountScales): string {
  const all = Object.values(scales);
  const [first] = all;
  if (first === undefined) return "";
  const isAlike = all.every(
    ({ source, inconsistency }) => source === first.source && inconsistency === "",
  );
  if (!isAlike) {
    return Object.entries(scales)
      .map(([name, scale]) => `${name} ${formatSource(scale)}`)
      .join("; ");
  }
  if (all.length === 1 || first.source === "none") return formatSource(first);
  const fewest = Math.min(...all.map(({ pairs }) => pairs));
  return `${first.source}, ${fewest === 0 ? "not all tested" : `${fewest} trades or more`}`;
}

function formatSource({ source, evidence, inconsistency }: MarketScale): string {
  if (source === "none")
    return inconsistency === "" ? "ticks, lots" : `ticks, lots: ${inconsistency}`;
  return `${source}, ${evidence}${inconsistency === "" ? "" : `: ${inconsistency}`}`;
}
