// <address> and [subaccount_id] on the command line, and ADDRESS[/ID] of --account.
import { isAddress } from "../../protocol/channel.ts";
import { UsageError } from "../../units/monitor-error.ts";
import { stripZeros } from "../../units/uint.ts";
import type { AccountChoice } from "../../view/account.ts";
import type { Options } from "../context.ts";

const ADDRESS_FORM = "expected: an address of the stream, 32 to 44 characters of base58";
const ID_FORM = "expected: a subaccount id from 0 to 2147483647";
/** The largest int32: subaccount ids of the stream (2.2). */
const MAX_SUBACCOUNT_ID = 2_147_483_647n;

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
  if (!/^[0-9]{1,39}$/.test(text)) throw new UsageError(`not a subaccount id: ${text}`, ID_FORM);
  const id = stripZeros(text);
  if (BigInt(id) <= MAX_SUBACCOUNT_ID) return id;
  throw new UsageError(`subaccount id out of range: ${text}`, ID_FORM);
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
