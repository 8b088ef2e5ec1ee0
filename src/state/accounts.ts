// Folds the catalogue of an address: its subaccounts, and who may act for them. The first frame is the full list. A later one
// may hold only changed entries or the full list again, so entries missing from it are kept and the catalogue is fetched again
// to find out whether they are gone. Interpretation: docs/adr/0011.
import type {
  AccountCatalogEntry,
  AccountDelegation,
  AccountsUpdate,
} from "../wire/channels/accounts.ts";

/** Entries kept of each kind: subaccount ids go up to 65,535. `isCut` reports that there were more. */
const MAX_ENTRIES = 66_000;

/** An observed change of status; the document does not list the possible transitions. */
export interface StatusChange {
  readonly from: string;
  readonly to: string;
  readonly timestampNs: string;
}

export interface AccountsState {
  readonly subaccounts: readonly AccountCatalogEntry[];
  readonly delegations: readonly AccountDelegation[];
  readonly changes: ReadonlyMap<number, StatusChange>;
  readonly isCut: boolean;
  /** Entries that later frames omitted, as text: they may be gone. */
  readonly omitted: ReadonlySet<string>;
  /** Set when a fresh list contained entries that an earlier frame had omitted: so frames hold changes only. */
  readonly areChanges: boolean;
}

export const noAccounts: AccountsState = {
  subaccounts: [],
  delegations: [],
  changes: new Map(),
  isCut: false,
  omitted: new Set(),
  areChanges: false,
};

/**
 * Applies an update; a snapshot replaces everything.
 * @param continues the frame is another part of the same transaction: entries that it omits were in the part before
 */
export function reduceAccounts(
  state: AccountsState,
  frame: AccountsUpdate,
  isSnapshot: boolean,
  continues = false,
): AccountsState {
  const from = isSnapshot ? noAccounts : state;
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
    ...weighOmissions(state, entryTexts(frame), isSnapshot, continues),
  };
}

/** Why the catalogue should be fetched again; undefined while no omitted entry may be gone. */
export function suspectAccounts({ omitted, areChanges }: AccountsState): string | undefined {
  if (areChanges || omitted.size === 0) return undefined;
  return "the latest frame leaves out subaccounts or delegations: the list is fetched anew";
}

function weighOmissions(
  state: AccountsState,
  received: ReadonlySet<string>,
  isSnapshot: boolean,
  continues: boolean,
): Pick<AccountsState, "omitted" | "areChanges"> {
  const isRefuted = isSnapshot && state.omitted.size > 0 && isWithin(state.omitted, received);
  const areChanges = state.areChanges || isRefuted;
  if (isSnapshot || areChanges) return { omitted: noAccounts.omitted, areChanges };
  if (continues) return { omitted: state.omitted, areChanges };
  const held = [...entryTexts(state)].filter((text) => !received.has(text));
  return { omitted: new Set([...state.omitted, ...held]), areChanges };
}

function isWithin(part: ReadonlySet<string>, all: ReadonlySet<string>): boolean {
  return [...part].every((text) => all.has(text));
}

/** Identity of each entry: a subaccount with the same id but another creation time is another subaccount. */
function entryTexts({
  subaccounts,
  delegations,
}: Pick<AccountsUpdate, "subaccounts" | "delegations">): ReadonlySet<string> {
  return new Set([
    ...subaccounts.map(({ subaccount_id, created_at_ns }) => `${subaccount_id} ${created_at_ns}`),
    ...delegations.map((each) => `may ${delegationKey(each)}`),
  ]);
}

function delegationKey({ subaccount_id, delegate }: AccountDelegation): string {
  return `${subaccount_id} ${delegate}`;
}

/** Two entries with the same key in one frame are distinct. */
function merge<T>(held: readonly T[], received: readonly T[], keyOf: (entry: T) => string): T[] {
  const merged = new Map<string, T>();
  for (const list of [held, received]) {
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
