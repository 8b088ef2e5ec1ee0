// Whose fills are listed. Stream and listings name an account by different identifiers, neither of which can be worked out from the
// other: an owner counts for the address beside which the user has named it, and for no other one.
import type { AccountChoice } from "../select/account.ts";
import type { FillsOwner } from "../select/listing-rows.ts";
import { MAX_UINT16 } from "../units/uint.ts";

export class FillOwners {
  readonly #given: FillsOwner | undefined;
  readonly #watched: () => AccountChoice | undefined;
  readonly #byAddress = new Map<string, string>();
  #last: FillsOwner | undefined;

  /**
   * @param given the owner that the command names
   * @param beside the address that it was named beside; undefined where the command lists its fills and watches no account
   * @param watched the account that is watched now
   */
  constructor(
    given: FillsOwner | undefined,
    beside: AccountChoice | undefined,
    watched: () => AccountChoice | undefined,
  ) {
    this.#given = beside === undefined ? given : undefined;
    this.#watched = watched;
    if (given !== undefined && beside !== undefined)
      this.#byAddress.set(beside.address, given.owner);
  }

  /** The same object until it is another one; undefined where nobody has named one for the subaccount that is watched. */
  get now(): FillsOwner | undefined {
    const found = this.#find();
    const { owner, subaccountId } = this.#last ?? {};
    if (found?.owner !== owner || found?.subaccountId !== subaccountId) this.#last = found;
    return this.#last;
  }

  /** Names it for the address that is watched. */
  name(owner: string): void {
    const account = this.#watched();
    if (account !== undefined) this.#byAddress.set(account.address, owner);
  }

  #find(): FillsOwner | undefined {
    const account = this.#watched();
    if (account === undefined) return this.#given;
    const owner = this.#byAddress.get(account.address);
    const subaccountId = Number(account.subaccountId ?? Number.NaN);
    // Listings number fewer subaccounts than the stream.
    return owner !== undefined && subaccountId <= MAX_UINT16 ? { owner, subaccountId } : undefined;
  }
}
