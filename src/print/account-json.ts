// A subaccount as one JSON object, in the shape that scripts rely on. Records are as the service sent them.
import {
  type AccountChoice,
  accountChannel,
  accountsChannel,
  chosenSubaccount,
  type Subaccount,
} from "../select/account.ts";
import { type AccountScales, selectAccountScales } from "../select/scale.ts";
import { ACCOUNT_LISTS, ACCOUNT_LOGS } from "../state/account.ts";
import type { MarketScale, Scales } from "../state/scales.ts";
import type { Slice } from "../state/slices.ts";
import type { Store } from "../state/store.ts";
import { formatDecimal } from "../units/decimal.ts";
import type { ScaleSource } from "../units/scale.ts";
import { exactInteger } from "../wire/exact-numbers.ts";
import type { OpenRecord } from "../wire/update.ts";

/**
 * The view of a subaccount at one moment. `nowMs` is monotonic; `wallMs`, Unix milliseconds, decides which delegations have
 * ended.
 */
export interface AccountSnapshot {
  readonly store: Store;
  readonly account: AccountChoice;
  readonly scales: Scales;
  readonly nowMs: number;
  readonly wallMs: number;
  readonly isMasked: boolean;
}

/** The shape is that of the market view. `scales` are those of markets with rows in ticks or lots. */
export function accountViewJson({
  store,
  account,
  scales,
  nowMs,
}: Omit<AccountSnapshot, "wallMs" | "isMasked">): object {
  const { address } = account;
  const chosen = chosenSubaccount(account);
  const accounts = store.slice("accounts", accountsChannel(address));
  const { subaccounts, delegations } = accounts.data;
  return {
    market: null,
    scale: { tick_size: null, lot_size: null, source: "none" satisfies ScaleSource },
    scales: chosen === undefined ? {} : scalesJson(selectAccountScales(store, chosen, scales)),
    bbo: null,
    orderbook: null,
    trades: [],
    candles: null,
    account: chosen === undefined ? null : accountJson(store, chosen),
    accounts: { address, subaccounts, delegations },
    panes: {
      ...(chosen === undefined ? {} : accountPaneJson(store, chosen, nowMs)),
      accounts: paneJson(store, accounts, nowMs),
    },
    link: linkJson(store),
  };
}

/** The current state of a subaccount; null for what was never received. Fills and payments are newest first. */
export function accountJson(store: Store, account: Subaccount): object {
  const { data } = store.slice("account", accountChannel(account));
  const lists = ACCOUNT_LISTS.map((name) => [name, data.lists[name]] as const);
  const logs = ACCOUNT_LOGS.map((name) => [name, data.logs[name]] as const);
  return {
    address: account.address,
    subaccount_id: exactInteger(account.subaccountId),
    account: data.summary ?? null,
    ...Object.fromEntries(
      [...lists, ...logs].map(([name, list]) => [name, list.isReceived ? list.rows : null]),
    ),
  };
}

/**
 * State of the account's channel, and how its lists are interpreted. Rows are given by index: `unnamed` are rows that the
 * newest list left out, which still stand if it holds only changed rows, as is assumed; `in_question` are all that may be
 * wrong, have ended, or are duplicates. `missing` counts rows that an audit found and that are not held.
 */
export function accountPaneJson(store: Store, account: Subaccount, nowMs: number): object {
  const slice = store.slice("account", accountChannel(account));
  const { lists, logs, heldOver } = slice.data;
  const ofLists = ACCOUNT_LISTS.map((name) => {
    const { interpretation, isDecided, observations, key, rows } = lists[name];
    const { unnamed, inQuestion, missing } = lists[name];
    const reading = {
      reading: interpretation,
      known: knownAs(isDecided),
      observations,
      key: key || null,
      unnamed: findPositions(rows, unnamed),
      in_question: findPositions(rows, inQuestion),
      missing,
    };
    return [name, reading];
  });
  const ofLogs = ACCOUNT_LOGS.map((name) => {
    const { interpretation, isDecided, rows, inQuestion, mayMiss } = logs[name];
    const reading = {
      reading: interpretation,
      known: knownAs(isDecided),
      in_question: findPositions(rows, inQuestion),
      may_miss: mayMiss,
    };
    return [name, reading];
  });
  const readings = {
    account: heldOver.size === 0 ? undefined : { in_question: [...heldOver] },
    ...Object.fromEntries([...ofLists, ...ofLogs]),
  };
  return { account: { ...paneJson(store, slice, nowMs), readings } };
}

function knownAs(isDecided: boolean): string {
  return isDecided ? "inferred" : "assumed";
}

function findPositions(
  rows: readonly OpenRecord[],
  some: ReadonlySet<OpenRecord>,
): readonly number[] {
  return some.size === 0 ? [] : rows.flatMap((row, place) => (some.has(row) ? [place] : []));
}

function scalesJson(scales: AccountScales): object {
  return Object.fromEntries(
    Object.entries(scales).map(([name, scale]) => [name, scaleJson(scale)]),
  );
}

/** State and counts of one channel; ages in milliseconds, null before the first frame. */
export function paneJson(store: Store, slice: Slice, nowMs: number): object {
  const { feed } = slice;
  const { lastFrameAtMs } = feed;
  return {
    state: store.paneState(slice, nowMs),
    age_ms: lastFrameAtMs === undefined ? null : Math.round(nowMs - lastFrameAtMs),
    gaps: feed.gaps,
    resyncs: feed.resyncs,
    rejected: feed.rejected,
    late: feed.late,
    drift: feed.drifts,
  };
}

/** State of the connection; `connecting` before anything is known. */
export function linkJson({ link }: Store): object {
  return {
    state: link?.state ?? "connecting",
    reconnects: link?.reconnects ?? 0,
    protocol_version: link?.protocolVersion ?? null,
  };
}

/** Tick and lot size, and their source; null while unknown. */
export function scaleJson({
  scale,
  source,
  pairs,
  contradictions,
  inconsistency,
}: MarketScale): object {
  return {
    tick_size: scale === undefined ? null : formatDecimal(scale.tickSize),
    lot_size: scale === undefined ? null : formatDecimal(scale.lotSize),
    source,
    pairs,
    contradictions,
    doubt: inconsistency === "" ? null : inconsistency,
  };
}
