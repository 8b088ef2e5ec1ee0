// <address> and [subaccount_id] on the command line, and ADDRESS[/ID] of --account.

import type { AccountChoice } from "../select/account.ts";
import { UsageError } from "../units/monitor-error.ts";
import { MAX_INT32, parseId } from "../units/uint.ts";
import { isAddress } from "../wire/channels.ts";
import type { Options } from "./context.ts";

const ADDRESS_FORM = "expected: an address of the stream, 32 to 44 characters of base58";
const ID_FORM = `expected: a subaccount id from 0 to ${MAX_INT32}`;

/**
 * Reads an address of the stream.
 * @throws {UsageError} when it is of another form: nothing has been sent then
 */
export function parseAddress(text: string): string {
  if (isAddress(text)) return text;
  if (/^0x[0-9a-fA-F]*$/.test(text)) {
    throw new UsageError(
      `an owner of the REST listings is no address of the stream: ${text}`,
      `${ADDRESS_FORM}; neither can be worked out from the other`,
    );
  }
  const wrong = /[^1-9A-HJ-NP-Za-km-z]/u.exec(text)?.[0];
  const why = wrong === undefined ? `${text.length} characters` : `it has ${JSON.stringify(wrong)}`;
  throw new UsageError(`not an address: ${text} (${why})`, ADDRESS_FORM);
}

/** @throws {UsageError} when it is not a whole number in range */
export function parseSubaccountId(text: string): string {
  const id = parseId(text);
  if (id !== undefined) return id;
  const isTooLarge = /^[0-9]{1,39}$/.test(text);
  throw new UsageError(
    isTooLarge ? `subaccount id out of range: ${text}` : `not a subaccount id: ${text}`,
    ID_FORM,
  );
}

/** The account that --account names. @throws {UsageError} when it is of another form */
export function chosenAccount({ account }: Options): AccountChoice | undefined {
  return account === undefined ? undefined : parseAccount(account);
}

/**
 * Reads ADDRESS or ADDRESS/ID, as --account takes it.
 * @throws {UsageError} when a part is not of its form
 */
function parseAccount(text: string): AccountChoice {
  const slash = text.indexOf("/");
  if (slash < 0) return { address: parseAddress(text), subaccountId: undefined };
  const address = parseAddress(text.slice(0, slash));
  return { address, subaccountId: parseSubaccountId(text.slice(slash + 1)) };
}
