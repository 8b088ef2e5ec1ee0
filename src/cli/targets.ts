// Parses what commands operate on: markets, accounts, channels and listings. Everything is checked before any request.

import { isOwner } from "../listing/listing.ts";
import { type MarketRef as Market, readMarket, readMarketName } from "../rows/market.ts";
import { UsageError } from "../units/monitor-error.ts";
import { MAX_INT32, MAX_UINT16, parseId } from "../units/uint.ts";
import { CHANNEL_FORMS, isAddress, parseChannel } from "../wire/channels.ts";
import type { FillsOwner } from "../wire/rest/own-fill.ts";
import type { Options } from "./context.ts";

/** An address of the stream, and a subaccount if one is chosen. */
export interface AccountChoice {
  readonly address: string;
  readonly subaccountId: string | undefined;
}

/** Names from the config file, and what they stand for. */
type Names = Readonly<Record<string, string>>;

export type MarketArgument = Market | { readonly symbol: string };

const FORMS = "expected: perp/1, spot/2, 1 (= perp/1), or a symbol such as BTC-PERP";

/** @throws {UsageError} if it is neither a market nor a symbol */
export function parseMarket(text: string, aliases: Names = {}): MarketArgument {
  const called = (Object.hasOwn(aliases, text) ? aliases[text] : undefined) ?? text;
  const market = readMarket(called);
  if (market !== undefined) return market;
  if (readMarketName(called) !== undefined) {
    throw new UsageError(`market id out of range: ${called}`, `expected: 0 to ${MAX_INT32}`);
  }
  if (!isSymbol(called)) throw new UsageError(`not a market: ${called}`, FORMS);
  return { symbol: called };
}

/** Any text may be one, in any script: an unknown market type alone, and a type without an id, are mistakes. */
export function isSymbol(text: string): boolean {
  return text.trim() !== "" && !/^(?:perp|spot)(?:\/|$)|^[a-z]+\/[0-9]+$/.test(text);
}

const ADDRESS_FORM = "expected: an address of the stream, 32 to 44 characters of base58";

/** @throws {UsageError} if it has another form */
function parseAddress(text: string): string {
  if (isAddress(text)) return text;
  if (/^0x[0-9a-fA-F]*$/.test(text)) {
    throw new UsageError(
      `an owner of the REST listings is no address of the stream: ${text}`,
      `${ADDRESS_FORM}; neither can be worked out from the other`,
    );
  }
  const invalid = /[^1-9A-HJ-NP-Za-km-z]/u.exec(text)?.[0];
  const detail =
    invalid === undefined ? `${text.length} characters` : `it has ${JSON.stringify(invalid)}`;
  throw new UsageError(
    `not an address: ${text} (${detail})`,
    `${ADDRESS_FORM}, or a name of [accounts] in the config file`,
  );
}

/** @throws {UsageError} if it is not an integer in range */
function parseSubaccountId(text: string, most = MAX_INT32): string {
  const id = parseId(text, most);
  if (id !== undefined) return id;
  throw new UsageError(
    `not a subaccount id: ${text}`,
    `expected: a subaccount id from 0 to ${most}`,
  );
}

/** ADDRESS, ADDRESS/ID, or a name of the config file for one, as in `desk` or `desk/1`. @throws {UsageError} if a part has another form */
function parseAccount(text: string, named: Names): AccountChoice {
  const [head = "", ...tail] = text.split("/");
  const ofHead = Object.hasOwn(named, head) ? named[head] : head;
  const meant = Object.hasOwn(named, text) ? (named[text] ?? "") : [ofHead, ...tail].join("/");
  const [address = "", ...ids] = meant.split("/");
  return {
    address: parseAddress(address),
    subaccountId: ids.length === 0 ? undefined : parseSubaccountId(ids.join("/")),
  };
}

/** One account and the id of its subaccount, or several; without a word, all of the config file. @throws {UsageError} */
export function parseAccounts(words: readonly string[], named: Names): readonly AccountChoice[] {
  const [first, id, ...more] = words;
  if (first === undefined) {
    const all = listNamedAccounts(named);
    if (all.length > 0) return all;
    throw new UsageError(
      "no address is named, and the config file has none in [accounts]",
      "expected: monitor account <address> [subaccount_id]",
    );
  }
  const isPair =
    id !== undefined && !Object.hasOwn(named, id) && !isAddress(id.split("/")[0] ?? "");
  if (!isPair) return words.map((word) => parseAccount(word, named));
  const account = parseAccount(first, named);
  if (more.length === 0 && account.subaccountId === undefined)
    return [{ ...account, subaccountId: parseSubaccountId(id) }];
  throw new UsageError(
    `a subaccount id goes with one address: ${id}`,
    "expected: monitor account <address> [subaccount_id], or for several: monitor account <address>[/<subaccount_id>]...",
  );
}

export function listNamedAccounts(named: Names): readonly AccountChoice[] {
  return Object.keys(named).map((name) => parseAccount(name, named));
}

/** The account given by --account. @throws {UsageError} if it has another form */
export function chosenAccount(
  { account = [] }: Options,
  named: Names = {},
): AccountChoice | undefined {
  const [first, ...more] = account;
  if (more.length > 0) {
    throw new UsageError(
      "--account is given more than once",
      "expected: one --account ADDRESS[/ID]; monitor watch takes several",
    );
  }
  return first === undefined ? undefined : parseAccount(first, named);
}

/** The subaccounts given by --account, as `ADDRESS/ID`. @throws {UsageError} if one has another form, or no id */
export function chosenSubaccounts({ account = [] }: Options, named: Names): readonly string[] {
  return account.map((text) => {
    const { address, subaccountId } = parseAccount(text, named);
    if (subaccountId !== undefined) return `${address}/${subaccountId}`;
    throw new UsageError(
      `--account names no subaccount: ${text}`,
      "expected: --account ADDRESS/ID, as in 7xKX…/0",
    );
  });
}

/** @throws {UsageError} if --owner has another form, or does not go with exactly one account */
export function chosenOwner(
  { owner }: Options,
  accounts: readonly (AccountChoice | undefined)[],
): FillsOwner | undefined {
  if (owner === undefined) return undefined;
  const [account, ...more] = accounts;
  if (account !== undefined && more.length === 0)
    return { owner: parseOwner(owner), subaccountId: Number(account.subaccountId ?? 0) };
  throw new UsageError(
    "--owner belongs to one account",
    "expected: monitor account <address> --owner OWNER, or --account ADDRESS/ID --owner OWNER beside a market",
  );
}

/** Duplicates are removed. @throws {UsageError} that lists the channel forms */
export function parseChannels(args: readonly string[]): ReadonlySet<string> {
  const channels = args.map((text) => {
    if (parseChannel(text) !== undefined) return text;
    throw new UsageError(
      `not a channel: ${text}`,
      `expected: ${CHANNEL_FORMS.join(", ")}; ids are whole numbers from 0 to ${MAX_INT32}`,
    );
  });
  return new Set(channels);
}

/** @throws {UsageError} if it has another form */
function parseOwner(text: string): string {
  if (isOwner(text)) return text;
  const form = "expected: 0x and 40 hex digits";
  throw isAddress(text)
    ? new UsageError(
        `an address of the stream is no owner of the listings: ${text}`,
        `${form}; neither can be worked out from the other`,
      )
    : new UsageError(`not an owner: ${text}`, form);
}

/** @throws {UsageError} */
export function parseFillsOwner(words: readonly string[]): FillsOwner {
  const [owner = "", id = "", ...more] = words;
  if (id === "" || more.length > 0)
    throw new UsageError(
      "a word is missing or too many",
      "expected: fills <owner> <subaccount_id>",
    );
  return { owner: parseOwner(owner), subaccountId: Number(parseSubaccountId(id, MAX_UINT16)) };
}
