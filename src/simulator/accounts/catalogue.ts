// The published owner: subaccounts of every status, and who may act for them.
import type { Account } from "./account.ts";
import type { Owner } from "./owner.ts";

/** A right to act for one subaccount. Times in simulated microseconds, negative before the simulation began. */
export interface Delegation {
  readonly subaccountId: number;
  readonly delegate: string;
  readonly permissions: readonly string[];
  readonly expiresAtUs: number | undefined;
  readonly name: string | undefined;
}

/** What the stream tells of the published owner. */
export interface Catalogue {
  readonly owner: Owner;
  /** By subaccount id, from 0. */
  readonly accounts: readonly Account[];
  /** Never fewer than before: a delegation that ends has expired, it does not vanish. */
  readonly delegations: Delegation[];
  /** Index of the last transaction that changed a delegation, and its place in the list. */
  sequence: number;
  changed: number;
}
