// All subaccounts, the most endangered first.

import { read } from "../dialect/fields.ts";
import { type ChannelState, channelState } from "../state/channel-state.ts";
import type { List } from "../state/list.ts";
import type { Moment } from "../state/moment.ts";
import { type Store, select } from "../state/store.ts";
import { approximate } from "../units/decimal.ts";
import { MemoOf } from "../units/memo.ts";
import type { OpenRecord } from "../wire/frames.ts";
import {
  nearestLiquidation,
  type Position,
  type Summary,
  selectPositions,
  selectSummary,
} from "./account.ts";

interface Subaccount {
  /** `ADDRESS/ID`. */
  readonly name: string;
  readonly channel: string;
  /** Active, restricted, closed. */
  readonly status: string | undefined;
}

export interface SubaccountRow extends Subaccount {
  readonly summary: Summary | undefined;
  readonly positions: readonly Position[] | undefined;
  readonly orders: number | undefined;
  readonly nearest: Position | undefined;
  /** 0 to 1 and more: the share of margin used, or how near liquidation is, whichever is worse. */
  readonly danger: number;
  readonly state: ChannelState;
  readonly ageMs: number | undefined;
}

const subaccountsOf = new MemoOf<List, readonly Subaccount[]>();

function listedSubaccounts(store: Store, addresses: readonly string[]): readonly Subaccount[] {
  const { names } = store.dialect;
  return addresses.flatMap((address) => {
    const list = select(store, "accounts", `accounts/${address}`)?.subaccounts;
    const records = [...(list?.rows.values() ?? [])];
    const toSubaccount = (record: OpenRecord): Subaccount => {
      const name = `${address}/${read(record, "subaccountId", names) ?? ""}`;
      return { name, channel: `account/${name}`, status: read(record, "status", names) };
    };
    return list === undefined
      ? []
      : subaccountsOf.get(list, records, () => records.map(toSubaccount));
  });
}

/** Subaccounts that are watched or listed by the catalogues of these addresses. */
export function selectSubaccounts(
  { store, nowMs }: Moment,
  addresses: readonly string[],
): readonly SubaccountRow[] {
  const all = new Map<string, Subaccount>();
  for (const channel of store.channels.keys())
    if (channel.startsWith("account/"))
      all.set(channel, { name: channel.slice("account/".length), channel, status: undefined });
  for (const each of listedSubaccounts(store, addresses)) all.set(each.channel, each);
  return Array.from(all.values(), (subaccount): SubaccountRow => {
    const { name, channel } = subaccount;
    const status = store.channels.get(channel);
    const positions = selectPositions(store, name);
    const summary = selectSummary(store, name);
    const nearest = positions && nearestLiquidation(positions);
    return {
      ...subaccount,
      ...{ positions, summary, nearest },
      orders: select(store, "account", channel)?.orders.rows.size,
      danger: dangerOf(summary, positions ?? [], nearest),
      state: channelState(status, store.link, nowMs),
      ageMs: status?.lastAtMs === undefined ? undefined : nowMs - status.lastAtMs,
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
    .map(({ channel }) => channel)
    .slice(0, MAX_OPENED);
  const pending = channels.findIndex((channel) => {
    const status = store.channels.get(channel);
    return status?.lastAtMs === undefined && status?.error === undefined;
  });
  return pending < 0 ? channels : channels.slice(0, pending + 1);
}

function dangerOf(
  summary: Summary | undefined,
  positions: readonly Position[],
  nearest: Position | undefined,
): number {
  const margin = summary?.marginPercent ? approximate(summary.marginPercent) : 0;
  const distance = nearest?.distancePercent && approximate(nearest.distancePercent);
  const byMargin = summary?.isSpent ? Number.MAX_VALUE : margin / 100;
  const byDistance = distance === undefined ? 0 : 1 / (1 + distance / 5);
  return Math.max(byMargin, byDistance) + (positions.length > 0 ? 0.001 : 0);
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
  const placed = rows.toSorted((a, b) => {
    const [x, y] = [before.indexOf(a.name), before.indexOf(b.name)];
    return (x < 0 ? before.length : x) - (y < 0 ? before.length : y);
  });
  // Insertion keeps neighbours where they are unless the difference is worth it.
  const order: SubaccountRow[] = [];
  for (const row of placed) {
    let at = order.length;
    while (at > 0 && row.danger > (order[at - 1] as SubaccountRow).danger * (1 + MARGIN)) at--;
    order.splice(at, 0, row);
  }
  return order;
}
