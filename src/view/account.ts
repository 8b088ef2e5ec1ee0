// One subaccount and the channels that show it.
import { formatChannel } from "../protocol/channel.ts";

/** An address of the stream, base58, and one of its subaccounts, digit text. */
export interface Subaccount {
  readonly address: string;
  readonly subaccountId: string;
}

/** The channel of everything in a subaccount. */
export function accountChannel({ address, subaccountId }: Subaccount): string {
  return formatChannel({ kind: "account", address, subaccountId });
}

/** The channel of an address's subaccounts and delegations. */
export function accountsChannel(address: string): string {
  return formatChannel({ kind: "accounts", address });
}
