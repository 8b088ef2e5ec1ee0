// The catalogue of an address: its subaccounts, and who may act for them. The first frame is the list, later ones
// change or add: a subaccount or a right that is not mentioned stays as it was. See docs/adr/0011.
import type {
  AccountCatalogEntry,
  AccountDelegation,
  AccountsUpdate,
} from "../wire/channels/accounts.ts";

/** Entries of each kind that are kept: subaccounts are numbered to 65,535; that more came is said. */
const MAX_ENTRIES = 66_000;

/** A change of status that was seen happening; which changes a service makes is not shown. */
export interface StatusChange {
  readonly from: string;
  readonly to: string;
  readonly timestampNs: string;
}

/** The catalogue of an address. */
export interface AccountsState {
  /** In the order first seen. */
  readonly subaccounts: readonly AccountCatalogEntry[];
  readonly delegations: readonly AccountDelegation[];
  readonly changes: ReadonlyMap<number, StatusChange>;
  /** True when more came than is held. */
  readonly isCut: boolean;
}

/** What frames do not say of a catalogue, as plain values. */
export interface AccountsFacts {
  readonly changes: readonly (readonly [subaccountId: number, change: StatusChange])[];
  readonly isCut: boolean;
}

/** Before the first update. */
export const noAccounts: AccountsState = {
  subaccounts: [],
  delegations: [],
  changes: new Map(),
  isCut: false,
};

/** Folds in an update; the first of a subscription replaces everything. */
export function reduceAccounts(
  state: AccountsState,
  frame: AccountsUpdate,
  isFirst: boolean,
): AccountsState {
  const from = isFirst ? noAccounts : state;
  const subaccounts = merge(from.subaccounts, frame.subaccounts, ({ subaccount_id }) =>
    String(subaccount_id),
  );
  const delegations = merge(from.delegations, frame.delegations, delegationKey);
  const isCut = from.isCut || subaccounts.length > MAX_ENTRIES || delegations.length > MAX_ENTRIES;
  return {
    subaccounts: subaccounts.slice(0, MAX_ENTRIES),
    delegations: delegations.slice(0, MAX_ENTRIES),
    changes: findChanges(state, frame),
    isCut,
  };
}

function delegationKey({ subaccount_id, delegate }: AccountDelegation): string {
  return `${subaccount_id} ${delegate}`;
}

/** Two rights of one frame with one key are two rights. */
function merge<T>(held: readonly T[], came: readonly T[], keyOf: (entry: T) => string): T[] {
  const merged = new Map<string, T>();
  for (const list of [held, came]) {
    const copies = new Map<string, number>();
    for (const entry of list) {
      const key = keyOf(entry);
      const copy = copies.get(key) ?? 0;
      copies.set(key, copy + 1);
      merged.set(`${key} ${copy}`, entry);
    }
  }
  return [...merged.values()];
}

function findChanges(state: AccountsState, frame: AccountsUpdate): AccountsState["changes"] {
  const before = new Map(state.subaccounts.map((entry) => [entry.subaccount_id, entry.status]));
  const changes = new Map(state.changes);
  for (const { subaccount_id, status } of frame.subaccounts) {
    const from = before.get(subaccount_id);
    if (from === undefined || from === status || changes.size >= MAX_ENTRIES) continue;
    changes.set(subaccount_id, { from, to: status, timestampNs: frame.timestamp_ns });
  }
  return changes;
}
