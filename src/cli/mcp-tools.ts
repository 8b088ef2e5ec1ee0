// The tools of `monitor mcp`: each is a command with `--json --once`, for arguments that an assistant gives.

import * as z from "zod";
import { getMembers, isObject } from "../wire/json.ts";
import { MAX_PAGE_LIMIT } from "../wire/limits.ts";
import { run as runAccount } from "./commands/account.ts";
import { run as runDoctor } from "./commands/doctor.ts";
import { run as runListing } from "./commands/listing.ts";
import { run as runMarket } from "./commands/market.ts";
import { run as runMarkets } from "./commands/markets.ts";
import { run as runStatement } from "./commands/statement.ts";
import type { Context } from "./context.ts";
import type { Options } from "./options.ts";

export interface Tool {
  readonly description: string;
  /** Arguments of the command, in its order. */
  readonly args?: z.ZodRawShape;
  /** What else can be given. */
  readonly more?: z.ZodRawShape;
  /** It tells of accounts: with --mask it is not there. */
  readonly isPrivate?: true;
  run(context: Context): Promise<number>;
}

const MARKET = z.string().describe("perp/1, spot/2, 1 (= perp/1), or a symbol such as BTC-PERP");
const ADDRESS = z.string().describe("address of the stream (base58), or a name of [accounts]");
const SUBACCOUNT = z.int().min(0).describe("id of a subaccount");
const OWN = {
  owner: z.string().describe("owner in the listings: 0x and 40 hex digits"),
  subaccount_id: SUBACCOUNT,
};
const ROWS = z.int().min(1).max(MAX_PAGE_LIMIT).default(50).describe("at most, of each list");
const BEFORE = z
  .string()
  .regex(/^\d{1,15}-\d{1,6}$/)
  .describe("next of the answer before");
const MONTH = z
  .string()
  .regex(/^\d{4}-(0[1-9]|1[0-2])$/)
  .describe("YYYY-MM");
const PAGE = { limit: ROWS, before: BEFORE.optional() };
const PROVEN = "complete says whether none is missing.";
const PAGES = `as listed, newest first. ${PROVEN} next, given as before, leads to older rows.`;
const PANES = "panes has the state and age of each part.";

export const TOOLS: Readonly<Record<string, Tool>> = {
  markets: {
    description: "All markets with their figures, each with the state of its data.",
    run: runMarkets,
  },
  market: {
    description: `One market now: book, trades, candles, figures and order flow. ${PANES}`,
    args: { market: MARKET },
    more: { rows: ROWS },
    run: runMarket,
  },
  listing: {
    description: `Trades or liquidations of a market ${PAGES}`,
    args: { kind: z.enum(["trades", "liquidations"]), market: MARKET },
    more: PAGE,
    run: (context) => runListing({ ...context, args: context.args.slice(1) }, `${context.args[0]}`),
  },
  doctor: {
    description: "Checks the service in twelve seconds, and how it is read (dialect).",
    run: runDoctor,
  },
  account: {
    description: `One subaccount now, or without subaccount_id all of the address. ${PANES}`,
    args: { address: ADDRESS, subaccount_id: SUBACCOUNT.optional() },
    more: { rows: ROWS },
    isPrivate: true,
    run: runAccount,
  },
  fills: {
    description: `Fills of a subaccount ${PAGES}`,
    args: OWN,
    more: PAGE,
    isPrivate: true,
    run: (context) => runListing(context, "fills"),
  },
  statement: {
    description: `Sums of all fills of a subaccount by day (UTC) and market. ${PROVEN}`,
    args: OWN,
    more: { month: MONTH.optional() },
    isPrivate: true,
    run: runStatement,
  },
};

/** As the tool's shapes have checked it. */
export interface Given {
  readonly rows?: number;
  readonly limit?: number;
  readonly before?: string;
  readonly month?: string;
}

/** A time, and how many rows of that millisecond have been given. */
const placeOf = ({ before }: Given) => before?.split("-").map(Number) ?? [];

export function optionsOf(given: Given): Options {
  const [until, skipped = 0] = placeOf(given);
  return {
    ...(given.month !== undefined && { month: given.month }),
    ...(given.limit !== undefined && { max: given.limit + skipped }),
    ...(until !== undefined && { until }),
  };
}

/** What an assistant reads of what a command printed, without losing sight of the rest. */
export function shorten(name: string, printed: unknown, given: Given): object {
  if (Array.isArray(printed)) return { [name]: printed };
  if (given.rows !== undefined) return newest(printed, given.rows);
  const json = getMembers(printed);
  if (given.limit === undefined) return json;
  const [, skipped = 0] = placeOf(given);
  const rows = (json.rows ?? []) as readonly { readonly timestamp_ms: number }[];
  const last = rows.at(-1)?.timestamp_ms;
  const same = rows.filter(({ timestamp_ms }) => timestamp_ms === last);
  const next = rows.length < given.limit + skipped ? null : `${last}-${same.length}`;
  return { ...json, next, rows: rows.slice(skipped) };
}

const NEWEST_FIRST = new Set(["trades", "fills", "funding_payments", "bids", "asks"]);

/** The newest of what may be thousands, and the levels next to the price. */
function newest(part: unknown, rows: number): object {
  const entries = Object.entries(getMembers(part)).map(([name, value]) => {
    if (!Array.isArray(value)) return [name, isObject(value) ? newest(value, rows) : value];
    if (name === "items") return [name, value.slice(-rows)];
    return [name, NEWEST_FIRST.has(name) ? value.slice(0, rows) : value];
  });
  return Object.fromEntries(entries);
}
