// All subaccounts, the most endangered first.

import { read } from "../dialect/fields.ts";
import { type PaneState, paneState } from "../state/pane.ts";
import { type Store, select } from "../state/store.ts";
import { type Decimal, formatDecimal } from "../units/decimal.ts";
import {
  nearestLiquidation,
  type Position,
  type Summary,
  selectPositions,
  selectSummary,
} from "./account.ts";
import type { Moment } from "./moment.ts";

export interface SubaccountRow {
  /** `ADDRESS/ID`. */
  readonly name: string;
  readonly address: string;
  readonly id: string;
  /** Active, restricted, closed. */
  readonly status: string | undefined;
  readonly summary: Summary | undefined;
  readonly positions: readonly Position[] | undefined;
  readonly orders: number | undefined;
  readonly nearest: Position | undefined;
  readonly state: PaneState;
  readonly ageMs: number | undefined;
}

function listedSubaccounts(store: Store, addresses: readonly string[]) {
  const { names } = store.dialect;
  return addresses.flatMap((address) => {
    const rows = select(store, "accounts", `accounts/${address}`)?.subaccounts.rows.values() ?? [];
    return Array.from(rows, (record) => ({
      name: `${address}/${read(record, "subaccountId", names) ?? ""}`,
      status: read(record, "status", names),
    }));
  });
}

/** Subaccounts that are watched or listed by the catalogues of these addresses. */
export function selectSubaccounts(
  { store, nowMs }: Moment,
  addresses: readonly string[],
): readonly SubaccountRow[] {
  const listed = listedSubaccounts(store, addresses);
  const watched = [...store.channels.keys()]
    .filter((channel) => channel.startsWith("account/"))
    .map((channel) => ({ name: channel.slice("account/".length), status: undefined }));
  const all = new Map([...watched, ...listed].map((each) => [each.name, each]));
  return [...all.values()].map(({ name, status }): SubaccountRow => {
    const [address = "", id = ""] = name.split("/");
    const channel = store.channels.get(`account/${name}`);
    const positions = selectPositions(store, name);
    return {
      ...{ name, address, id, status, positions },
      summary: selectSummary(store, name),
      orders: select(store, "account", `account/${name}`)?.orders.rows.size,
      nearest: positions && nearestLiquidation(positions),
      state: paneState(channel, store.link, nowMs),
      ageMs: channel?.lastAtMs === undefined ? undefined : nowMs - channel.lastAtMs,
    };
  });
}

/** More would burden a service that limits subscriptions. */
const MAX_OPENED = 16;

/**
 * The channels of subaccounts that the catalogues of these addresses list: one is opened when those before it have answered, the
 * closed ones never.
 */
export function overviewChannels(store: Store, addresses: readonly string[]): readonly string[] {
  const channels = listedSubaccounts(store, addresses)
    .filter(({ status }) => status !== "closed")
    .map(({ name }) => `account/${name}`)
    .slice(0, MAX_OPENED);
  const pending = channels.findIndex((channel) => {
    const status = store.channels.get(channel);
    return status?.lastAtMs === undefined && status?.error === undefined;
  });
  return pending < 0 ? channels : channels.slice(0, pending + 1);
}

const number = (value: Decimal | undefined) =>
  value === undefined ? undefined : Number(formatDecimal(value));

/** 0 to 1 and more: the share of margin used, or how near liquidation is, whichever is worse. */
export function dangerOf({ summary, nearest, positions }: SubaccountRow): number {
  const margin = number(summary?.marginPercent) ?? 0;
  const distance = number(nearest?.distancePercent);
  const byMargin = summary?.isSpent ? Number.MAX_VALUE : margin / 100;
  const byDistance = distance === undefined ? 0 : 1 / (1 + distance / 5);
  return (
    Math.max(byMargin, byDistance) + (positions !== undefined && positions.length > 0 ? 0.001 : 0)
  );
}

/** A rank must change by so much before rows change places. */
const MARGIN = 0.1;

/**
 * The order in which rows stand, most endangered first; it changes only where a rank changes by more than a tenth.
 * @param before names in the order of before
 */
export function orderByDanger(
  rows: readonly SubaccountRow[],
  before: readonly string[],
): readonly SubaccountRow[] {
  const danger = new Map(rows.map((row) => [row.name, dangerOf(row)]));
  const of = (row: SubaccountRow) => danger.get(row.name) ?? 0;
  const placed = rows.toSorted((a, b) => {
    const [x, y] = [before.indexOf(a.name), before.indexOf(b.name)];
    return (x < 0 ? before.length : x) - (y < 0 ? before.length : y);
  });
  // Insertion keeps neighbours where they are unless the difference is worth it.
  const order: SubaccountRow[] = [];
  for (const row of placed) {
    let at = order.length;
    while (at > 0 && of(row) > of(order[at - 1] as SubaccountRow) * (1 + MARGIN)) at--;
    order.splice(at, 0, row);
  }
  return order;
}
