// Parses what commands operate on: markets, accounts and channels. Everything is checked before any request.

import { isOwner } from "../listing/listing.ts";
import { marketName, readMarket } from "../rows/market.ts";
import { UsageError } from "../units/monitor-error.ts";
import { MAX_INT32, MAX_UINT16, parseId } from "../units/uint.ts";
import { CHANNEL_FORMS, isAddress, parseChannel } from "../wire/channels.ts";
import type { FillsOwner } from "../wire/rest/own-fill.ts";
import type { Options } from "./options.ts";

/** An address of the stream, and a subaccount if one is chosen. */
export interface AccountChoice {
  readonly address: string;
  readonly subaccountId: string | undefined;
}

/** Names from the config file, and what they stand for. */
type Names = Readonly<Record<string, string>>;

function meantBy(text: string, names: Names): string {
  return (Object.hasOwn(names, text) ? names[text] : undefined) ?? text;
}

/** @returns `perp/1`, or a symbol, of which only the service knows what it names. @throws {UsageError} if it is neither */
export function parseMarket(text: string, aliases: Names = {}): string {
  const called = meantBy(text, aliases);
  const market = readMarket(called);
  if (market !== undefined) return marketName(market);
  if (isSymbol(called)) return called;
  throw new UsageError(
    `not a market: ${called}`,
    `expected: perp/1, spot/2, 1 (= perp/1; ids up to ${MAX_INT32}), or a symbol such as BTC-PERP`,
  );
}

/** Any text may be one, in any script: an unknown market type alone, and a type without an id, are mistakes. */
export function isSymbol(text: string): boolean {
  return text.trim() !== "" && !/^(?:perp|spot)(?:\/|$)|^(?:[a-z]+\/)?[0-9]+$/.test(text);
}

/** @throws {UsageError} if it is not an integer in range */
function parseSubaccountId(text: string, most = MAX_INT32): string {
  const id = parseId(text, most);
  if (id !== undefined) return id;
  throw new UsageError(`not a subaccount id: ${text}`, `expected: a number from 0 to ${most}`);
}

/** ADDRESS, ADDRESS/ID, or a name of the config file for one, as in `desk` or `desk/1`. @throws {UsageError} if a part has another form */
function parseAccount(text: string, named: Names): AccountChoice {
  const [head = "", ...tail] = meantBy(text, named).split("/");
  const [address = "", ...ids] = [meantBy(head, named), ...tail].join("/").split("/");
  if (isAddress(address))
    return {
      address,
      subaccountId: ids.length === 0 ? undefined : parseSubaccountId(ids.join("/")),
    };
  const isOwnerForm = /^0x/.test(address);
  throw new UsageError(
    `${isOwnerForm ? "an owner of the listings is no address of the stream" : "not an address"}: ${address}`,
    "expected: 32 to 44 characters of base58, or a name of [accounts] in the config file",
  );
}

/** One account, whose subaccount may be a word of its own, or several; without a word, all of the config file. @throws {UsageError} */
export function parseAccounts(words: readonly string[], named: Names): readonly AccountChoice[] {
  const [first, id] = words;
  const expected = "expected: monitor account <address> [subaccount_id], or <address>[/ID]...";
  if (first === undefined && Object.keys(named).length === 0)
    throw new UsageError("no address is named, and the config file has none", expected);
  if (id === undefined || !/^[-+.0-9]+$/.test(id) || Object.hasOwn(named, id))
    return (first === undefined ? Object.keys(named) : words).map((word) =>
      parseAccount(word, named),
    );
  const account = parseAccount(first ?? "", named);
  if (words.length > 2 || account.subaccountId !== undefined)
    throw new UsageError(`a subaccount id goes with one address: ${id}`, expected);
  return [{ ...account, subaccountId: parseSubaccountId(id) }];
}

/** All addresses that the config file names. @throws {UsageError} */
export function namedAddresses(named: Names = {}): readonly string[] {
  return Object.keys(named).map((name) => parseAccount(name, named).address);
}

/** The account given by --account. @throws {UsageError} if it has another form */
export function chosenAccount(
  { account = [] }: Options,
  named: Names = {},
): AccountChoice | undefined {
  const [first, ...more] = account;
  if (more.length > 0)
    throw new UsageError("--account is given more than once", "only monitor watch takes several");
  return first === undefined ? undefined : parseAccount(first, named);
}

/** The subaccounts given by --account, as `ADDRESS/ID`. @throws {UsageError} if one has another form, or no id */
export function chosenSubaccounts({ account = [] }: Options, named: Names = {}): readonly string[] {
  return account.map((text) => {
    const { address, subaccountId } = parseAccount(text, named);
    if (subaccountId !== undefined) return `${address}/${subaccountId}`;
    throw new UsageError(`--account names no subaccount: ${text}`, "expected: ADDRESS/ID");
  });
}

/** @throws {UsageError} if --owner has another form, or does not go with exactly one account */
export function chosenOwner(
  { owner }: Options,
  [account, ...more]: readonly (AccountChoice | undefined)[],
): FillsOwner | undefined {
  if (owner === undefined) return undefined;
  if (account !== undefined && more.length === 0)
    return parseFillsOwner([owner, account.subaccountId ?? "0"]);
  throw new UsageError("--owner belongs to one account", "expected: --account A/ID --owner OWNER");
}

/** @throws {UsageError} */
export function parseFillsOwner([owner = "", id = "", ...more]: readonly string[]): FillsOwner {
  const expected = "expected: 0x and 40 hex digits (no address), and the id of a subaccount";
  if (isOwner(owner) && id !== "" && more.length === 0)
    return { owner, subaccountId: Number(parseSubaccountId(id, MAX_UINT16)) };
  throw new UsageError(`not an owner: ${[owner, id, ...more].join(" ")}`, expected);
}

/** Duplicates are removed. @throws {UsageError} that lists the channel forms */
export function parseChannels(args: readonly string[]): readonly string[] {
  const wrong = args.find((text) => parseChannel(text) === undefined);
  if (wrong === undefined) return [...new Set(args)];
  throw new UsageError(`not a channel: ${wrong}`, `expected: ${CHANNEL_FORMS.join(", ")}`);
}
