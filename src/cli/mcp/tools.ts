// The tools of `monitor mcp`: what a command prints with `--json --once`, for arguments that an assistant gives.

import * as z from "zod";
import { alertJson } from "../../alerts/alerts.ts";
import type { Listing } from "../../listing/listing.ts";
import { headlessView } from "../../print/headless-view.ts";
import { type marketJson, statusJson } from "../../print/json.ts";
import { statementJson } from "../../print/statement.ts";
import { MASK } from "../../screen/table/table.ts";
import type { Shown } from "../../timeline/entry.ts";
import { UsageError } from "../../units/monitor-error.ts";
import { visible } from "../../units/visible.ts";
import { formatJson } from "../../wire/json.ts";
import { MAX_PAGE_LIMIT } from "../../wire/limits.ts";
import type { ListedRecord } from "../../wire/rest/fields.ts";
import { accountsShown } from "../commands/account.ts";
import { listingJson, readRows } from "../commands/listing.ts";
import { readStatement, taskOf } from "../commands/statement.ts";
import { createAddressMask } from "../commands/watch.ts";
import type { Config } from "../config/config-keys.ts";
import type { Settings } from "../config/settings.ts";
import type { Context } from "../context.ts";
import { findMarket } from "../find-market.ts";
import type { Live } from "../live.ts";
import { printOptions } from "../preferences.ts";
import { parseAccounts, parseListing, parseMarket } from "../targets.ts";
import type { Answer, HeldViews } from "./held-views.ts";

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodObject;
  /** @param args as `input` has checked them. @throws {MonitorError} */
  answer(args: Record<string, unknown>, signal: AbortSignal): Promise<Answer>;
}

interface Sources {
  readonly context: Context;
  readonly live: Live;
  readonly settings: Settings;
  readonly config: Config;
  readonly views: HeldViews;
}

function tool<S extends z.ZodRawShape>(
  name: string,
  description: string,
  shape: S,
  answer: (args: z.infer<z.ZodObject<S>>, signal: AbortSignal) => Promise<Answer>,
): Tool {
  return { name, description, input: z.strictObject(shape), answer: answer as Tool["answer"] };
}

const MARKET = z.string().describe("perp/1, spot/2, 1 (= perp/1), or a symbol such as BTC-PERP");
const ADDRESS = z.string().describe("address of the stream (base58), or a name of [accounts]");
const OWNER = z.string().describe("owner in the listings: 0x and 40 hex digits");
const SUBACCOUNT = z.int().min(0).describe("id of a subaccount");
/** What an assistant reads without losing sight of the rest. */
const DEFAULT_ROWS = 50;
const ROWS = z.int().min(1).max(MAX_PAGE_LIMIT).default(DEFAULT_ROWS);
const KINDS = ["trades", "liquidations", "fills"] as const;
const LISTING = {
  kind: z.enum(KINDS),
  market: MARKET.optional().describe("for trades and liquidations: perp/1, spot/2, or a symbol"),
  owner: OWNER.optional().describe("for fills: 0x and 40 hex digits"),
  subaccount_id: SUBACCOUNT.default(0),
  limit: ROWS,
  before: z
    .string()
    .regex(/^\d{1,15}-\d{1,6}$/)
    .optional()
    .describe("next of the answer before"),
};

/** With --mask nothing that belongs to an account is answered. */
export function createTools({ context, live, settings, config, views }: Sources): readonly Tool[] {
  const { mask: isMasked = false } = context.options;
  const mask = isMasked ? MASK : undefined;
  const hide = isMasked ? createAddressMask() : (text: string) => text;
  const look = (shown: Shown, rows?: number) =>
    views.look(
      JSON.stringify(shown),
      () => headlessView(shown, printOptions(context, config)),
      rows === undefined ? undefined : (json) => shorten(json, rows),
    );
  const marketOf = async (text = "") => {
    const market = await findMarket(context, live, parseMarket(text, settings.aliases));
    if (market === undefined) throw new UsageError("monitor is ending");
    return market;
  };
  const { interval } = settings;

  async function list(
    {
      kind,
      market,
      owner = "",
      subaccount_id,
      limit,
      before,
    }: z.infer<z.ZodObject<typeof LISTING>>,
    signal: AbortSignal,
  ): Promise<Answer> {
    const named = kind === "fills" ? [owner, `${subaccount_id}`] : [await marketOf(market)];
    const found = parseListing([kind, ...named], settings.aliases);
    if ("symbol" in found) throw new UsageError(`unknown market: ${market}`);
    // A time, and how many rows of that millisecond have been given.
    const [until, skipped = 0] = before?.split("-").map(Number) ?? [];
    const max = limit + skipped;
    const bounded = withOptions({ max, ...(until !== undefined && { until }) }, signal);
    const read = await readRows(bounded, settings, found.listing as Listing<ListedRecord>);
    const last = read.records.at(-1)?.timestamp_ms;
    const same = read.records.filter(({ timestamp_ms }) => timestamp_ms === last);
    const next = read.records.length < max ? null : `${last}-${same.length}`;
    const records = read.records.slice(skipped);
    return { text: listingJson(found.listing.name, { ...read, records }, next) };
  }

  const withOptions = (options: Partial<Context["options"]>, signal: AbortSignal): Context => ({
    ...context,
    options: { ...context.options, ...options },
    interrupt: AbortSignal.any([context.interrupt, signal]),
  });

  const tools = [
    tool(
      "markets",
      "All markets with last, mark, change and volume of 24 hours, funding and open interest, each with the state of its data.",
      {},
      async () => {
        const { text, ...rest } = await look({ view: "markets", addresses: [], interval });
        return { text: `{"markets":${text}}`, ...rest };
      },
    ),
    tool(
      "market",
      "One market now: best bid and ask, order book, newest trades, candles, figures and order flow. panes has the state and age of each part.",
      { market: MARKET, rows: ROWS.describe("levels of each side, trades and candles at most") },
      async ({ market, rows }) =>
        look({ view: "market", market: await marketOf(market), addresses: [], interval }, rows),
    ),
    tool(
      "listing",
      "Rows of a REST listing, newest first, with proof that none is missing between them. next, given as before, leads to older rows.",
      { ...LISTING, kind: z.enum(isMasked ? ["trades", "liquidations"] : KINDS) },
      list,
    ),
    tool(
      "alerts",
      "The user's alerts: whether each is watching, past its level, or cannot be judged and why; values and firings since this server began. Alerts about accounts have no values with --mask.",
      {},
      async () => {
        const { alerts } = views;
        const missing = await views.wait({ needed: () => alerts.channels, besides: () => [] });
        const standing = alerts.alerts.map((alert) => alertJson(alert, views.moment(), mask));
        const waiting = alerts.waiting.map(({ when }) => ({
          condition: "not evaluated",
          rule: mask ?? when,
          why: "it cannot be read, or its market is not known yet",
        }));
        const text = formatJson({ alerts: [...standing, ...waiting] });
        return { text: hide(text), missing: hide(missing) };
      },
    ),
    tool(
      "status",
      "The connection, every subscribed channel with its state and age in ms, and how the open points of the interface are read (dialect).",
      {},
      async () => {
        await views.wait({ needed: () => ["markets"], besides: () => [] });
        return { text: hide(formatJson(statusJson(views.moment()))) };
      },
    ),
  ];
  if (isMasked) return tools;
  return [
    ...tools,
    tool(
      "account",
      "One subaccount now: summary, positions, orders, balances, fills, funding payments; without subaccount_id all subaccounts of the address.",
      {
        ...{ address: ADDRESS, subaccount_id: SUBACCOUNT.optional() },
        rows: ROWS.describe("fills and funding payments at most"),
      },
      ({ address, subaccount_id: id, rows }) => {
        const words = [address, ...(id === undefined ? [] : [`${id}`])];
        return look(accountsShown(parseAccounts(words, settings.accounts), settings), rows);
      },
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
      async ({ owner, subaccount_id, month }, signal) => {
        const args = [owner, `${subaccount_id}`];
        const task = taskOf(
          { ...withOptions(month === undefined ? {} : { month }, signal), args },
          settings,
        );
        const { printed, notes } = await readStatement(task);
        return { text: statementJson(printed), missing: visible(notes.join("\n")) };
      },
    ),
  ];
}

/** The newest of what may be thousands, and the levels next to the price. */
function shorten(json: object, rows: number): object {
  const { orderbook, trades, candles, account } = json as Partial<ReturnType<typeof marketJson>>;
  const first = <T>(all: readonly T[]) => all.slice(0, rows);
  return {
    ...json,
    ...(orderbook && {
      orderbook: { ...orderbook, bids: first(orderbook.bids), asks: first(orderbook.asks) },
    }),
    ...(trades && { trades: first(trades) }),
    ...(candles && { candles: { ...candles, items: candles.items.slice(-rows) } }),
    ...(account && {
      account: {
        ...account,
        fills: first(account.fills),
        funding_payments: first(account.funding_payments),
      },
    }),
  };
}
