// A subaccount and its channels.
import { formatChannel } from "../wire/channels.ts";

/** An address of the stream (base58), and one of its subaccounts (digits). */
export interface Subaccount {
  readonly address: string;
  readonly subaccountId: string;
}

/** An address, and a subaccount if one is chosen. */
export interface AccountChoice {
  readonly address: string;
  readonly subaccountId: string | undefined;
}

export function chosenSubaccount({ address, subaccountId }: AccountChoice): Subaccount | undefined {
  return subaccountId === undefined ? undefined : { address, subaccountId };
}

export function accountChannel({ address, subaccountId }: Subaccount): string {
  return formatChannel({ kind: "account", address, subaccountId });
}

export function accountsChannel(address: string): string {
  return formatChannel({ kind: "accounts", address });
}

/** The channels of a choice: always the catalogue, and the subaccount if there is one. */
export function getChannels({ address, subaccountId }: AccountChoice): readonly string[] {
  const catalogue = accountsChannel(address);
  return subaccountId === undefined
    ? [catalogue]
    : [catalogue, accountChannel({ address, subaccountId })];
}
