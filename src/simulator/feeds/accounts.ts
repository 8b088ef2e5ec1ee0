// accounts: the subaccounts and delegations of the published owner first, then delegations as they change.
import type {
  AccountCatalogEntry,
  AccountDelegation,
  AccountsUpdate,
} from "../../wire/channels/accounts.ts";
import type { Account } from "../accounts/account.ts";
import type { Delegation } from "../accounts/catalogue.ts";
import { type Feed, type FeedContext, updateOf } from "./feed.ts";
import { SequenceChain } from "./sequence-chain.ts";

/** @returns undefined when nobody of that address is known. Never throws. */
export function openAccountsFeed(
  context: FeedContext,
  name: string,
  channel: { readonly address: string },
): Feed | undefined {
  const { catalogue, readings } = context;
  if (channel.address !== catalogue.owner.address) return undefined;
  const chain = new SequenceChain(readings, catalogue.sequence);
  return {
    isChained: true,
    first: (): AccountsUpdate => ({
      ...updateOf(context, name),
      ...chain.first(),
      subaccounts: catalogue.accounts.map((account) => entryOf(context, account)),
      delegations: catalogue.delegations.map((delegation) => delegationOf(context, delegation)),
    }),
    change(index): AccountsUpdate | undefined {
      if (catalogue.sequence !== index) return undefined;
      const delegation = catalogue.delegations[catalogue.changed];
      return {
        ...updateOf(context, name),
        ...chain.next(index),
        subaccounts: [],
        delegations: delegation === undefined ? [] : [delegationOf(context, delegation)],
      };
    },
  };
}

function entryOf({ time }: FeedContext, account: Account): AccountCatalogEntry {
  return {
    subaccount_id: account.subaccountId,
    status: account.status,
    created_at_ns: time.ns(account.createdAtUs),
  };
}

function delegationOf({ time }: FeedContext, delegation: Delegation): AccountDelegation {
  const { subaccountId, delegate, permissions, expiresAtUs, name } = delegation;
  return {
    subaccount_id: subaccountId,
    delegate,
    permissions,
    ...(expiresAtUs === undefined ? {} : { expires_at_ns: time.ns(expiresAtUs) }),
    ...(name === undefined ? {} : { name }),
  };
}
