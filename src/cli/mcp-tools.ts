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
import type { Context, Options } from "./context.ts";

/** What a tool runs: a command with its arguments, and options beside those of `monitor mcp`. */
interface Call {
  readonly run: (context: Context) => Promise<number>;
  readonly args: readonly string[];
  readonly options?: Options;
  /** What an assistant reads of the object without losing sight of the rest. */
  readonly shorten?: (printed: unknown) => object;
}

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodObject;
  /** @param given as `input` has checked it */
  call(given: Record<string, unknown>): Call;
}

function tool<S extends z.ZodRawShape>(
  name: string,
  description: string,
  shape: S,
  call: (given: z.infer<z.ZodObject<S>>) => Call,
): Tool {
  return { name, description, input: z.strictObject(shape), call: call as Tool["call"] };
}

const MARKET = z.string().describe("perp/1, spot/2, 1 (= perp/1), or a symbol such as BTC-PERP");
const ADDRESS = z.string().describe("address of the stream (base58), or a name of [accounts]");
const OWNER = z.string().describe("owner in the listings: 0x and 40 hex digits");
const SUBACCOUNT = z.int().min(0).describe("id of a subaccount");
const DEFAULT_ROWS = 50;
const ROWS = z.int().min(1).max(MAX_PAGE_LIMIT).default(DEFAULT_ROWS);
const PAGE = {
  limit: ROWS,
  before: z
    .string()
    .regex(/^\d{1,15}-\d{1,6}$/)
    .optional()
    .describe("next of the answer before"),
};

const PUBLIC = [
  tool(
    "markets",
    "All markets with last, mark, change and volume of 24 hours, funding and open interest, each with the state of its data.",
    {},
    () => ({ run: runMarkets, args: [], shorten: (markets) => ({ markets }) }),
  ),
  tool(
    "market",
    "One market now: best bid and ask, order book, newest trades, candles, figures and order flow. panes has the state and age of each part.",
    { market: MARKET, rows: ROWS.describe("levels of each side, trades and candles at most") },
    ({ market, rows }) => ({
      ...{ run: runMarket, args: [market] },
      shorten: (printed) => shorten(printed, rows),
    }),
  ),
  tool(
    "listing",
    "Trades or liquidations of a market as listed, newest first, with proof that none is missing between them. next, given as before, leads to older rows.",
    { kind: z.enum(["trades", "liquidations"]), market: MARKET, ...PAGE },
    ({ kind, market, ...page }) => listingCall(kind, [market], page),
  ),
  tool(
    "doctor",
    "Watches the service for twelve seconds: network, connection, channels, listings, and how the open points of the interface are read (dialect).",
    {},
    () => ({ run: runDoctor, args: [] }),
  ),
];

/** What belongs to accounts. */
const PRIVATE = [
  tool(
    "account",
    "One subaccount now: summary, positions, orders, balances, fills, funding payments; without subaccount_id all subaccounts of the address.",
    {
      ...{ address: ADDRESS, subaccount_id: SUBACCOUNT.optional() },
      rows: ROWS.describe("fills and funding payments at most"),
    },
    ({ address, subaccount_id: id, rows }) => ({
      ...{ run: runAccount, args: [address, ...(id === undefined ? [] : [`${id}`])] },
      shorten: (printed) => shorten(printed, rows),
    }),
  ),
  tool(
    "fills",
    "Fills of a subaccount as listed, newest first, with proof that none is missing between them. next, given as before, leads to older rows.",
    { owner: OWNER, subaccount_id: SUBACCOUNT, ...PAGE },
    ({ owner, subaccount_id: id, ...page }) => listingCall("fills", [owner, `${id}`], page),
  ),
  tool(
    "statement",
    "Bought, sold, fees and realised profit by day (UTC) and market, from all fills of a subaccount; complete says whether that is proven.",
    {
      owner: OWNER,
      subaccount_id: SUBACCOUNT,
      month: z
        .string()
        .regex(/^\d{4}-(0[1-9]|1[0-2])$/)
        .optional()
        .describe("YYYY-MM"),
    },
    ({ owner, subaccount_id, month }) => ({
      ...{ run: runStatement, args: [owner, `${subaccount_id}`] },
      options: month === undefined ? {} : { month },
    }),
  ),
];

/** With --mask nothing that belongs to an account is answered. */
export const toolsFor = ({ mask }: Options): readonly Tool[] =>
  mask ? PUBLIC : [...PUBLIC, ...PRIVATE];

const NEWEST_FIRST = new Set(["trades", "fills", "funding_payments", "bids", "asks"]);

/** The newest of what may be thousands, and the levels next to the price. */
function shorten(part: unknown, rows: number): object {
  const entries = Object.entries(getMembers(part)).map(([name, value]) => {
    if (!Array.isArray(value)) return [name, isObject(value) ? shorten(value, rows) : value];
    if (name === "items") return [name, value.slice(-rows)];
    return [name, NEWEST_FIRST.has(name) ? value.slice(0, rows) : value];
  });
  return Object.fromEntries(entries);
}

function listingCall(
  kind: "trades" | "liquidations" | "fills",
  args: readonly string[],
  { limit, before }: { readonly limit: number; readonly before?: string | undefined },
): Call {
  // A time, and how many rows of that millisecond have been given.
  const [until, skipped = 0] = before?.split("-").map(Number) ?? [];
  const max = limit + skipped;
  return {
    ...{ run: (context) => runListing(context, kind), args },
    options: { max, ...(until !== undefined && { until }) },
    shorten(printed) {
      const json = getMembers(printed);
      const rows = (json.rows ?? []) as readonly { readonly timestamp_ms: number }[];
      const last = rows.at(-1)?.timestamp_ms;
      const same = rows.filter(({ timestamp_ms }) => timestamp_ms === last);
      const next = rows.length < max ? null : `${last}-${same.length}`;
      return { ...json, next, rows: rows.slice(skipped) };
    },
  };
}
