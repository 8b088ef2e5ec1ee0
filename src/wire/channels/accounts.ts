// accounts/<address>: the subaccounts of an owner and who may act for them (2.2, 3, 4.1, 6.3).
import * as z from "zod/mini";
import { index32, type Shape, sequences, text, unsignedInteger, updateFrame } from "../shape.ts";
import type { SequencedUpdate } from "./update.ts";

/** Status words of a subaccount that the document lists; a newer service may send others. */
export const SUBACCOUNT_STATUSES = ["active", "restricted", "closed"] as const;

/** One subaccount of the owner. */
export interface AccountCatalogEntry {
  readonly subaccount_id: number;
  /** One of SUBACCOUNT_STATUSES, or a word that came later. */
  readonly status: string;
  /** Unix nanoseconds, digit text. */
  readonly created_at_ns: string;
}

/** A right to act for one subaccount. */
export interface AccountDelegation {
  readonly subaccount_id: number;
  readonly delegate: string;
  readonly permissions: readonly string[];
  /** Unix nanoseconds, digit text; absent when no end was given. */
  readonly expires_at_ns?: string | undefined;
  readonly name?: string | undefined;
}

/** The subaccounts of an address, and who else may act for it. */
export interface AccountsUpdate extends SequencedUpdate {
  readonly subaccounts: readonly AccountCatalogEntry[];
  readonly delegations: readonly AccountDelegation[];
}

/** Its schema (6.3), as strict as the shape says. Never throws. */
export function accountsUpdate(shape: Shape): z.ZodMiniType<AccountsUpdate> {
  const entry = shape.record({
    subaccount_id: index32,
    status: shape.word(SUBACCOUNT_STATUSES),
    created_at_ns: unsignedInteger,
  });
  const delegation = shape.record({
    subaccount_id: index32,
    delegate: text,
    permissions: z.array(text),
    expires_at_ns: z.optional(unsignedInteger),
    name: z.optional(text),
  });
  return updateFrame(shape, {
    ...sequences,
    subaccounts: z.array(entry),
    delegations: z.array(delegation),
  });
}
