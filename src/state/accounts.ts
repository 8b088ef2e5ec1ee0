// Folds the catalogue of an address: its subaccounts, and who may act for them. The first frame is the full list. A later one
// may hold only changed entries or the full list again, so entries missing from it are kept and the catalogue is fetched again
// to find out whether they are gone.
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

/** Omitted entries by their identity, and how the list omitted them: `delegations empty`. */
type Omissions = ReadonlyMap<string, string>;

export interface AccountsState {
  readonly subaccounts: readonly AccountCatalogEntry[];
  readonly delegations: readonly AccountDelegation[];
  readonly changes: ReadonlyMap<number, StatusChange>;
  readonly isCut: boolean;
  /** Entries that later frames omitted: they may be gone. */
  readonly omitted: Omissions;
  /** Those for which the list is fetched again, as far as they have not reappeared. */
  readonly asked: Omissions;
  /** Ways of omitting that say nothing: entries omitted like this reappeared. */
  readonly harmless: ReadonlySet<string>;
}

const NO_OMISSIONS: Omissions = new Map();

export const noAccounts: AccountsState = {
  subaccounts: [],
  delegations: [],
  changes: new Map(),
  isCut: false,
  omitted: NO_OMISSIONS,
  asked: NO_OMISSIONS,
  harmless: new Set(),
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
  const subaccounts = merge(from.subaccounts, frame.subaccounts, SUBACCOUNTS);
  const delegations = merge(from.delegations, frame.delegations, DELEGATIONS);
  const isCut = from.isCut || subaccounts.length > MAX_ENTRIES || delegations.length > MAX_ENTRIES;
  const isLater = !isSnapshot && !continues;
  return {
    subaccounts: subaccounts.slice(0, MAX_ENTRIES),
    delegations: delegations.slice(0, MAX_ENTRIES),
    changes: findChanges(state, frame),
    isCut,
    ...(isLater ? weighOmissions(state, frame) : answerOmissions(state, frame, isSnapshot)),
  };
}

/** Why the catalogue should be fetched again; undefined while no omitted entry may be gone. */
export function suspectAccounts({ omitted }: AccountsState): string | undefined {
  if (omitted.size === 0) return undefined;
  return "the latest frame leaves out subaccounts or delegations: the list is fetched anew";
}

type Weighed = Pick<AccountsState, "omitted" | "asked" | "harmless">;

function weighOmissions(state: AccountsState, frame: AccountsUpdate): Weighed {
  const { harmless } = state;
  const found = [
    ...findOmitted(state.subaccounts, frame.subaccounts, SUBACCOUNTS),
    ...findOmitted(state.delegations, frame.delegations, DELEGATIONS),
  ].filter(([, how]) => !harmless.has(how));
  return { omitted: new Map([...state.omitted, ...found]), asked: NO_OMISSIONS, harmless };
}

/** If everything omitted in one way reappears in a snapshot, which may arrive in several frames, that way says nothing. */
function answerOmissions(
  { omitted, asked, harmless }: AccountsState,
  { subaccounts, delegations }: AccountsUpdate,
  isSnapshot: boolean,
): Weighed {
  const before = isSnapshot ? omitted : asked;
  const received = new Set([
    ...textsOf(subaccounts, SUBACCOUNTS),
    ...textsOf(delegations, DELEGATIONS),
  ]);
  const left = new Map([...before].filter(([text]) => !received.has(text)));
  const open = new Set(left.values());
  const answered = [...before.values()].filter((how) => !open.has(how) && !how.endsWith(TWIN));
  return {
    omitted: isSnapshot ? NO_OMISSIONS : omitted,
    asked: left,
    harmless: answered.length === 0 ? harmless : new Set([...harmless, ...answered]),
  };
}

/** One of the two lists: the key of an entry, and its identity. */
interface ListKind<T> {
  readonly words: string;
  readonly keyOf: (entry: T) => string;
  readonly textOf: (name: string, entry: T) => string;
}

const SUBACCOUNTS: ListKind<AccountCatalogEntry> = {
  words: "subaccounts",
  keyOf: ({ subaccount_id }) => `${subaccount_id}`,
  // The same id with another creation time is another subaccount.
  textOf: (name, { created_at_ns }) => `${name} ${created_at_ns}`,
};

const DELEGATIONS: ListKind<AccountDelegation> = {
  words: "delegations",
  keyOf: ({ subaccount_id, delegate }) => `${subaccount_id} ${delegate}`,
  textOf: (name) => `may ${name}`,
};

/** An entry with the same key was received: which of them it is remains unknown, whatever else lists omit. */
const TWIN = "twin";

/**
 * The entries that a list omits, and how. A list may be empty because nothing in it has changed, contain everything of the
 * subaccounts that it names, or contain changed entries only: evidence for one of these proves nothing about the others.
 */
function findOmitted<T extends { readonly subaccount_id: number }>(
  held: readonly T[],
  received: readonly T[],
  kind: ListKind<T>,
): readonly (readonly [text: string, how: string])[] {
  const there = nameEach(received, kind);
  const named = new Set(received.map(({ subaccount_id }) => subaccount_id));
  const howOf = (entry: T) => {
    if (received.length === 0) return "empty";
    if (there.has(`${kind.keyOf(entry)} 0`)) return TWIN;
    return named.has(entry.subaccount_id) ? "beside others" : "elsewhere";
  };
  return [...nameEach(held, kind)].flatMap(([name, entry]) =>
    there.has(name) ? [] : [[kind.textOf(name, entry), `${kind.words} ${howOf(entry)}`] as const],
  );
}

function textsOf<T>(entries: readonly T[], kind: ListKind<T>): readonly string[] {
  return Array.from(nameEach(entries, kind), ([name, entry]) => kind.textOf(name, entry));
}

function merge<T>(held: readonly T[], received: readonly T[], kind: ListKind<T>): T[] {
  return [...new Map([...nameEach(held, kind), ...nameEach(received, kind)]).values()];
}

/** Two entries with the same key in one frame are distinct. */
function nameEach<T>(entries: readonly T[], { keyOf }: ListKind<T>): ReadonlyMap<string, T> {
  const copies = new Map<string, number>();
  return new Map(
    entries.map((entry) => {
      const key = keyOf(entry);
      const copy = copies.get(key) ?? 0;
      copies.set(key, copy + 1);
      return [`${key} ${copy}`, entry];
    }),
  );
}

function findChanges(state: AccountsState, frame: AccountsUpdate): AccountsState["changes"] {
  const before = new Map(state.subaccounts.map((entry) => [entry.subaccount_id, entry]));
  const changes = new Map(state.changes);
  for (const { subaccount_id, status, created_at_ns } of frame.subaccounts) {
    const { status: from = status, created_at_ns: since } = before.get(subaccount_id) ?? {};
    if (from === status || since !== created_at_ns || changes.size >= MAX_ENTRIES) continue;
    changes.set(subaccount_id, { from, to: status, timestampNs: frame.timestamp_ns });
  }
  return changes;
}
