// What an overview of subaccounts says in words: on the screen and in plain text.
import { formatDistance } from "./account-rows.ts";
import { shortAddress } from "./fields.ts";
import { MASK } from "./mask.ts";
import type { NamedAccount, OverviewRow, OverviewTotals } from "./overview.ts";

/** `3 of 4 live`, what they come to, and what is left out of that. @param show how an amount is shown */
export function formatTotals(
  totals: OverviewTotals,
  show: (amount: string) => string,
): readonly string[] {
  const { live, of, closed, equity, unrealised, marginUsed, orders, positions } = totals;
  const unit = totals.currency === undefined ? "" : ` ${totals.currency}`;
  const money = (label: string, text: string | undefined) =>
    text === undefined ? [] : [`${label} ${show(text)}${unit}`];
  return [
    `${live} of ${of} live`,
    ...(closed > 0 ? [`${closed} closed`] : []),
    ...money("equity", equity),
    ...money("unrealised", unrealised),
    ...money("margin", marginUsed),
    ...(orders === undefined ? [] : [`orders ${orders}`]),
    ...(positions === undefined ? [] : [`positions ${positions}`]),
    ...(totals.why === "" ? [] : [`no sums: ${totals.why}`]),
  ];
}

/** Of all rows, with the subaccount that it is of. */
export function formatNearest(rows: readonly OverviewRow[]): readonly string[] {
  const [first] = rows
    .flatMap(({ nearest, entry }) => (nearest === undefined ? [] : [{ nearest, entry }]))
    .sort((a, b) => Number(a.nearest.percent) - Number(b.nearest.percent));
  if (first === undefined) return [];
  const { nearest, entry } = first;
  const words = `${nearest.market} ${formatDistance(nearest.percent)}`;
  return [`liquidation ${words} (subaccount ${entry.subaccountId})`];
}

export function formatCount(count: number | undefined, inQuestion: number): string | undefined {
  return count === undefined ? undefined : `${count}${inQuestion > 0 ? "?" : ""}`;
}

/** The id alone where all rows are of one address. */
export function formatRowName(
  { entry }: OverviewRow,
  {
    accounts,
    isMasked,
  }: { readonly accounts: readonly NamedAccount[]; readonly isMasked: boolean },
): string {
  const { address, name, subaccountId } = entry;
  const isOne = accounts.every((each) => each.address === address);
  if (isOne && accounts.length === 1) return subaccountId;
  return `${isMasked ? MASK : (name ?? shortAddress(address))}/${subaccountId}`;
}
