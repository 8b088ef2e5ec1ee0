// All subaccounts of an address as one JSON object: a row for each, and what the live ones come to.
import { accountsChannel } from "../select/account.ts";
import type { NamedAccount, OverviewRow, OverviewTotals } from "../select/overview.ts";
import { selectTotals } from "../select/overview.ts";
import type { Slice } from "../state/slices.ts";
import type { Store } from "../state/store.ts";
import { formatDecimal, parseDecimal } from "../units/decimal.ts";
import { exactInteger } from "../wire/exact-numbers.ts";
import { linkJson, paneJson } from "./account-json.ts";

/** What an overview shows at one moment. `nowMs` is monotonic. */
export interface OverviewSnapshot {
  readonly store: Store;
  readonly accounts: readonly NamedAccount[];
  readonly rows: readonly OverviewRow[];
  readonly nowMs: number;
  /** True when addresses, sizes, balances and profit are hidden. */
  readonly isMasked: boolean;
}

/** Of one address its object, of several a list of them under `accounts` with what all come to. */
export function overviewJson(snapshot: OverviewSnapshot): object {
  const { store, accounts, rows } = snapshot;
  const addresses = [...new Set(accounts.map(({ address }) => address))];
  const all = addresses.map((address) => addressJson(snapshot, address));
  const [only, ...others] = all;
  if (only !== undefined && others.length === 0) return { ...only, link: linkJson(store) };
  return { accounts: all, totals: totalsJson(selectTotals(rows)), link: linkJson(store) };
}

function addressJson({ store, accounts, rows, nowMs }: OverviewSnapshot, address: string): object {
  const catalogue = store.slice("accounts", accountsChannel(address));
  const own = rows.filter(({ entry }) => entry.address === address);
  const name = accounts.find(
    (each) => each.address === address && each.subaccountId === undefined,
  )?.name;
  return {
    address,
    ...(name !== undefined && { name }),
    subaccounts: own.map(rowJson),
    totals: totalsJson(selectTotals(own)),
    delegations: catalogue.data.delegations,
    panes: { accounts: paneJson(store, catalogue as Slice, nowMs) },
  };
}

function rowJson(row: OverviewRow): object {
  const { entry, status, ageMs, nearest } = row;
  return {
    subaccount_id: exactInteger(entry.subaccountId),
    ...(entry.name !== undefined && { name: entry.name }),
    status: entry.status ?? row.ownStatus ?? null,
    ...(entry.createdAtNs !== undefined && { created_at_ns: entry.createdAtNs }),
    state: status.state,
    ...(status.note !== "" && { note: status.note }),
    age_ms: ageMs ?? null,
    ...moneyJson(row),
    ...(row.marginPercent !== undefined && { margin_ratio: toFraction(row.marginPercent) }),
    ...(nearest !== undefined && {
      nearest_liquidation: {
        market: nearest.name ?? null,
        symbol: nearest.market,
        distance: toFraction(nearest.percent),
      },
    }),
    in_question: row.questions,
  };
}

function totalsJson(totals: OverviewTotals): object {
  const { live, of, closed, why } = totals;
  return { live, of, closed, ...moneyJson(totals), ...(why !== "" && { why }) };
}

type Sums = Pick<
  OverviewTotals,
  "currency" | "equity" | "unrealised" | "marginUsed" | "orders" | "positions"
>;

function moneyJson({ currency, equity, unrealised, marginUsed, orders, positions }: Sums): object {
  return {
    ...(currency !== undefined && { currency }),
    ...(equity !== undefined && { equity }),
    ...(unrealised !== undefined && { unrealised }),
    ...(marginUsed !== undefined && { margin_used: marginUsed }),
    ...(orders !== undefined && { orders }),
    ...(positions !== undefined && { positions }),
  };
}

/** @param percent decimal text */
function toFraction(percent: string): string {
  const { mantissa = 0n, places = 0 } = parseDecimal(percent) ?? {};
  return formatDecimal({ mantissa, places: places + 2 });
}
