// Parses what commands operate on: markets, accounts, channels and listings. Everything is checked before any request.

import {
  fillsListing,
  isOwner,
  type Listing,
  liquidationsListing,
  tradesListing,
} from "../listing/listing.ts";
import type { AccountChoice, Subaccount } from "../select/account.ts";
import { type Market, readMarket, readMarketName } from "../select/market.ts";
import type { NamedAccount } from "../select/overview.ts";
import { UsageError } from "../units/monitor-error.ts";
import { MAX_INT32, MAX_UINT16, parseId } from "../units/uint.ts";
import { CHANNEL_FORMS, formatChannel, isAddress, parseTypedChannel } from "../wire/channels.ts";
import type { LiquidationRecord } from "../wire/rest/liquidations.ts";
import type { FillsOwner } from "../wire/rest/own-fill.ts";
import type { TradeRecord } from "../wire/rest/trades.ts";
import type { Options } from "./context.ts";

/** Names from the config file, and what they stand for. */
type Names = Readonly<Record<string, string>>;

export type MarketArgument = Market | { readonly symbol: string };

const FORMS = "expected: perp/1, spot/2, 1 (= perp/1), or a symbol such as BTC-PERP";

/** @throws {UsageError} if it is neither a market nor a symbol */
export function parseMarket(text: string, aliases: Names = {}): MarketArgument {
  const alias = Object.hasOwn(aliases, text) ? aliases[text] : undefined;
  const market = readMarket(alias ?? text);
  if (market !== undefined) return market;
  if (readMarketName(alias ?? text) !== undefined) {
    throw new UsageError(`market id out of range: ${text}`, `expected: 0 to ${MAX_INT32}`);
  }
  if (alias !== undefined) throw new UsageError(`alias ${text} is not a market: ${alias}`, FORMS);
  const isSymbol = /^(?=.*[A-Za-z])[A-Za-z0-9][A-Za-z0-9._:/-]{0,39}$/.test(text);
  // An unknown market type, or a type without an id, is a mistake rather than a symbol.
  if (!isSymbol || /^(?:perp|spot)(?:\/|$)/i.test(text) || /^[a-z]+\/[0-9]+$/.test(text)) {
    throw new UsageError(`not a market: ${text}`, FORMS);
  }
  return { symbol: text };
}

const ADDRESS_FORM = "expected: an address of the stream, 32 to 44 characters of base58";
const ID_FORM = `expected: a subaccount id from 0 to ${MAX_INT32}`;

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
function parseSubaccountId(text: string): string {
  const id = parseId(text);
  if (id !== undefined) return id;
  const isTooLarge = /^[0-9]{1,39}$/.test(text);
  throw new UsageError(
    isTooLarge ? `subaccount id out of range: ${text}` : `not a subaccount id: ${text}`,
    ID_FORM,
  );
}

/**
 * One address with an optional subaccount id, or several addresses; each may be a name of the config file. Without arguments, all
 * named accounts. @throws {UsageError} on an invalid argument
 */
export function parseAccounts(words: readonly string[], named: Names): readonly NamedAccount[] {
  const [first, second, ...more] = words;
  if (first === undefined) {
    const all = listNamedAccounts(named);
    if (all.length > 0) return all;
    throw new UsageError(
      "no address is named, and the config file has none in [accounts]",
      "expected: monitor account <address> [subaccount_id]",
    );
  }
  const account = parseNamed(first, named);
  if (second === undefined) return [account];
  if (more.length === 0 && !isNamed(second, named) && !isAddress(second)) {
    if (account.subaccountId === undefined)
      return [{ ...account, subaccountId: parseSubaccountId(second) }];
    throw new UsageError(
      `${first} is subaccount ${account.subaccountId} already`,
      `expected: monitor account ${first}`,
    );
  }
  const others = [second, ...more];
  const id = others.find((word) => /^[0-9]+$/.test(word) && !isNamed(word, named));
  if (id !== undefined) {
    throw new UsageError(
      others.indexOf(id) === 0
        ? `too many words after subaccount ${id}: ${more.join(" ")}`
        : `a subaccount id goes with one address: ${id}`,
      "expected: monitor account <address> [subaccount_id], or for several: monitor account <address>[/<subaccount_id>]...",
    );
  }
  return [account, ...others.map((word) => parseNamed(word, named))];
}

export function listNamedAccounts(named: Names): readonly NamedAccount[] {
  return Object.keys(named).map((name) => parseNamed(name, named));
}

function isNamed(word: string, named: Names): boolean {
  return Object.hasOwn(named, word);
}

function parseNamed(word: string, named: Names): NamedAccount {
  if (isNamed(word, named)) return { ...parseAccount(named[word] ?? ""), name: word };
  return { ...parseAccount(word), name: undefined };
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
  if (first === undefined) return undefined;
  const { address, subaccountId } = parseNamed(first, named);
  return { address, subaccountId };
}

/** @throws {UsageError} if --owner has another form, or does not go with exactly one account */
export function chosenOwner(
  { owner }: Options,
  accounts: readonly (AccountChoice | undefined)[],
): FillsOwner | undefined {
  if (owner === undefined) return undefined;
  checkOwner(owner);
  const [account, ...more] = accounts;
  if (account !== undefined && more.length === 0)
    return { owner, subaccountId: Number(account.subaccountId ?? 0) };
  throw new UsageError(
    "--owner belongs to one account",
    "expected: monitor account <address> --owner OWNER, or --account ADDRESS/ID --owner OWNER beside a market",
  );
}

/** The subaccounts given by --account. @throws {UsageError} if one has another form, or no id */
export function chosenSubaccounts({ account = [] }: Options, named: Names): readonly Subaccount[] {
  return account.map((text) => {
    const { address, subaccountId } = parseNamed(text, named);
    if (subaccountId !== undefined) return { address, subaccountId };
    throw new UsageError(
      `--account names no subaccount: ${text}`,
      "expected: --account ADDRESS/ID, as in 7xKX…/0",
    );
  });
}

/** ADDRESS or ADDRESS/ID. @throws {UsageError} if either part has another form */
function parseAccount(text: string): AccountChoice {
  const slash = text.indexOf("/");
  if (slash < 0) return { address: parseAddress(text), subaccountId: undefined };
  const address = parseAddress(text.slice(0, slash));
  return { address, subaccountId: parseSubaccountId(text.slice(slash + 1)) };
}

/** Duplicates are removed. @throws {UsageError} that lists the channel forms */
export function parseChannels(args: readonly string[]): ReadonlySet<string> {
  const channels = args.map((text) => {
    const channel = parseTypedChannel(text);
    if (channel !== undefined) return formatChannel(channel);
    throw new UsageError(
      `not a channel: ${text}`,
      `expected: ${CHANNEL_FORMS.join(", ")}; ids are whole numbers from 0 to ${MAX_INT32}`,
    );
  });
  return new Set(channels);
}

/** A listing, and its name as the user wrote it, such as `trades perp/1`. */
interface Listed<Kind extends string, T> {
  readonly kind: Kind;
  readonly name: string;
  readonly listing: Listing<T>;
}

export type ListingArgument =
  | (Listed<"trades", TradeRecord> & { readonly market: Market })
  | (Listed<"liquidations", LiquidationRecord> & { readonly market: Market })
  | (Listed<"fills", TradeRecord> & { readonly owner: FillsOwner });

/** A listing of a market given by symbol: only the stream knows its id. */
export interface SymbolListing {
  readonly kind: "trades" | "liquidations";
  readonly symbol: string;
}

/** @throws {UsageError} on an invalid argument */
export function parseListing(
  words: readonly string[],
  aliases: Names,
): ListingArgument | SymbolListing {
  const [kind = "", first = "", second, ...more] = words;
  if (kind === "fills") {
    if (second === undefined || more.length > 0) throw wrongCount("fills <owner> <subaccount_id>");
    return fills(first, second);
  }
  if (kind !== "trades" && kind !== "liquidations") {
    throw new UsageError(`no such listing: ${kind}`, "expected: trades, liquidations or fills");
  }
  if (second !== undefined) throw wrongCount(`${kind} <market>`);
  const market = parseMarket(first, aliases);
  return "symbol" in market
    ? { kind, symbol: market.symbol }
    : marketListing(kind, market.type, market.id);
}

/** @param digits the market id. @throws {UsageError} above the range of the listings (interface 4.2: int32) */
export function marketListing(
  kind: SymbolListing["kind"],
  type: Market["type"],
  digits: string,
): ListingArgument {
  const id = parseId(digits);
  if (id === undefined) {
    throw new UsageError(`market id out of range: ${digits}`, `expected: 0 to ${MAX_INT32}`);
  }
  const market = { type, id };
  return kind === "trades"
    ? { kind, market, name: `trades ${type}/${id}`, listing: tradesListing(market) }
    : { kind, market, name: `liquidations ${id}`, listing: liquidationsListing(market.id) };
}

/** @throws {UsageError} */
function checkOwner(owner: string): void {
  if (isOwner(owner)) return;
  throw new UsageError(
    isAddress(owner)
      ? `an address of the stream is no owner of the listings: ${owner}`
      : `not an owner: ${owner}`,
    `expected: 0x and 40 hex digits${isAddress(owner) ? "; neither can be worked out from the other" : ""}`,
  );
}

function fills(owner: string, id: string): ListingArgument {
  checkOwner(owner);
  const digits = parseId(id, MAX_UINT16);
  if (digits === undefined) {
    throw new UsageError(`not a subaccount id: ${id}`, `expected: 0 to ${MAX_UINT16}`);
  }
  const subaccountId = Number(digits);
  return {
    kind: "fills",
    name: `fills ${owner} ${subaccountId}`,
    listing: fillsListing(owner, subaccountId),
    owner: { owner, subaccountId },
  };
}

function wrongCount(form: string): UsageError {
  return new UsageError("a word is missing or too many", `expected: ${form}`);
}
