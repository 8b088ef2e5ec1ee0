// accounts/<address>: the subaccounts of an owner and who may act for them (2.2, 3, 4.1, 6.3).
import type { Infer, Shape } from "../shape.ts";

/** Documented statuses of a subaccount; a newer service may send others. */
export const SUBACCOUNT_STATUSES = ["active", "restricted", "closed"] as const;

const catalogEntry = (s: Shape) =>
  s.record({
    subaccount_id: s.index32,
    /** One of SUBACCOUNT_STATUSES, or a newer one. */
    status: s.word(SUBACCOUNT_STATUSES),
    /** Unix nanoseconds, digit text. */
    created_at_ns: s.unsignedInteger,
  });

/** One subaccount of the owner. */
export type AccountCatalogEntry = Infer<typeof catalogEntry>;

const accountDelegation = (s: Shape) =>
  s.record({
    subaccount_id: s.index32,
    delegate: s.text,
    permissions: s.list(s.text),
    /** Unix nanoseconds, digit text; absent if it does not expire. */
    expires_at_ns: s.optional(s.unsignedInteger),
    name: s.optional(s.text),
  });

/** Permission to act for one subaccount. */
export type AccountDelegation = Infer<typeof accountDelegation>;

export const accountsUpdate = (s: Shape) =>
  s.update({
    ...s.sequences,
    subaccounts: s.list(catalogEntry(s)),
    delegations: s.list(accountDelegation(s)),
  });

export type AccountsUpdate = Infer<typeof accountsUpdate>;
