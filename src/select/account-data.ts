// What the view of a subaccount reads: live from the store, or as it was at one moment. Rows are the same arrays until
// they change, so that what was read stays as it was.

import {
  ACCOUNT_LISTS,
  ACCOUNT_LOGS,
  type AccountListName,
  type AccountState,
} from "../state/account.ts";
import type { AccountsState } from "../state/accounts.ts";
import type { Slice } from "../state/slices.ts";
import type { Store } from "../state/store.ts";
import type { OpenRecord } from "../wire/update.ts";
import { type AccountChoice, accountChannel, accountsChannel } from "./account.ts";
import { formatTimeNs } from "./cells.ts";
import type { PositionRows } from "./positions.ts";

/** Everything that a subaccount has rows of. */
export type AccountTable =
  | AccountListName
  | (typeof ACCOUNT_LOGS)[number]
  | "summary"
  | "subaccounts"
  | "delegations";

/** Everything that the view of a subaccount shows. Rows that are undefined have never come. */
export interface AccountData {
  readonly summary: OpenRecord | undefined;
  /** Word of the service for the state of the subaccount: by its catalogue, else by its own record. */
  readonly status: string | undefined;
  readonly rows: Readonly<Record<AccountTable, readonly OpenRecord[] | undefined>>;
  /** What is to be known of a table's rows: how they are read, what may be missing. */
  readonly notes: Readonly<Partial<Record<AccountTable, readonly string[]>>>;
  /** Rows, as they came, that may be wrong, over, or one row with another. */
  readonly inQuestion: Readonly<Partial<Record<AccountTable, ReadonlySet<OpenRecord>>>>;
}

type Rows = readonly OpenRecord[] | undefined;

/** Reads everything at once. Never throws. */
export function selectAccount(
  store: Store,
  choice: AccountChoice,
  positions: PositionRows,
): AccountData {
  const { address, subaccountId } = choice;
  const catalogue = store.slice("accounts", accountsChannel(address));
  const account =
    subaccountId === undefined
      ? undefined
      : store.slice("account", accountChannel({ address, subaccountId }));
  const { summary } = account?.data ?? {};
  const entry = catalogue.data.subaccounts.find((each) => `${each.subaccount_id}` === subaccountId);
  return {
    summary,
    status: entry?.status ?? (summary && store.aliases.text(summary, "status")),
    rows: { ...accountRows(account, positions), ...catalogueRows(catalogue) },
    notes: { ...(account && notesOf(account.data)), ...catalogueNotes(catalogue.data) },
    inQuestion: account === undefined ? {} : questionsOf(account.data),
  };
}

function accountRows(account: Slice<"account"> | undefined, positions: PositionRows) {
  const { lists, logs, summary } = account?.data ?? {};
  const list = (name: AccountListName): Rows => {
    const { hasCome = false, rows } = lists?.[name] ?? {};
    return hasCome ? rows : undefined;
  };
  const log = (name: (typeof ACCOUNT_LOGS)[number]): Rows => {
    const { hasCome = false, rows } = logs?.[name] ?? {};
    return hasCome ? rows : undefined;
  };
  const held = list("positions");
  return {
    positions: held && positions.select(held, list("leverages") ?? NONE),
    orders: list("orders"),
    balances: list("balances"),
    leverages: list("leverages"),
    fills: log("fills"),
    funding_payments: log("funding_payments"),
    summary: summary && oneRow(summary),
  };
}

function catalogueRows({ feed, data }: Slice<"accounts">) {
  const hasCome = feed.frames > 0;
  return {
    subaccounts: hasCome
      ? (data.subaccounts as readonly object[] as readonly OpenRecord[])
      : undefined,
    delegations: hasCome
      ? (data.delegations as readonly object[] as readonly OpenRecord[])
      : undefined,
  };
}

function catalogueNotes({ isCut }: AccountsState): AccountData["notes"] {
  const notes = isCut ? ["more not held"] : [];
  return { subaccounts: notes, delegations: notes };
}

const LISTS = { markets: "whole markets", whole: "whole lists" } as const;

function notesOf({ lists, logs }: AccountState): AccountData["notes"] {
  const ofLists = ACCOUNT_LISTS.map((name) => {
    const { leftOut, isOld, unnamed, inQuestion, missing, isDecided, reading } = lists[name];
    return [
      name,
      [
        isOld ? "from before the reconnect" : "",
        counted(leftOut, "more not held"),
        counted(unnamed.size, "not in the newest list"),
        counted(inQuestion.size, "rows in question"),
        counted(missing, "more found by an audit"),
        isDecided && reading !== "rows" ? `${LISTS[reading]}, inferred` : "",
      ],
    ] as const;
  });
  const ofLogs = ACCOUNT_LOGS.map((name) => {
    const { mayMissBeforeNs: before, mayMissAfterNs: after, inQuestion } = logs[name];
    return [
      name,
      [
        before === undefined ? "" : `some before ${formatTimeNs(before)} may be missing`,
        after === undefined ? "" : `some after ${formatTimeNs(after)} may be missing`,
        counted(inQuestion.size, "rows in question"),
      ],
    ] as const;
  });
  return Object.fromEntries([...ofLists, ...ofLogs]);
}

function counted(count: number, words: string): string {
  return count === 0 ? "" : `${count} ${words}`;
}

function questionsOf({ lists, logs }: AccountState): AccountData["inQuestion"] {
  return Object.fromEntries([
    ...ACCOUNT_LISTS.map((name) => [name, lists[name].inQuestion] as const),
    ...ACCOUNT_LOGS.map((name) => [name, logs[name].inQuestion] as const),
  ]);
}

const NONE: readonly OpenRecord[] = [];
const rowsOfOne = new WeakMap<OpenRecord, readonly OpenRecord[]>();

/** A list of one record: the same list for the same record. */
function oneRow(record: OpenRecord): readonly OpenRecord[] {
  const rows = rowsOfOne.get(record) ?? [record];
  rowsOfOne.set(record, rows);
  return rows;
}
