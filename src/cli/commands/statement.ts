// monitor statement <owner> <subaccount_id>: the fills of a subaccount, summed by day and market.
import { join } from "node:path";
import { currenciesOf } from "../../dialect/markets.ts";
import { RestClient } from "../../listing/rest-client.ts";
import {
  closingLine,
  type PrintedStatement,
  statementJson,
  statementText,
} from "../../print/statement.ts";
import { formatDay } from "../../rows/format.ts";
import { type FillsRead, readFills } from "../../statement/fills.ts";
import { fillMarket, StatementFold } from "../../statement/fold.ts";
import {
  type Assets,
  assetsOf,
  checkOneMarket,
  KOINLY_HEADER,
  koinlyLines,
  requireAssets,
} from "../../statement/koinly.ts";
import {
  type Held,
  hasDifference,
  type Reconciliation,
  reconcile,
} from "../../statement/reconcile.ts";
import { printLine } from "../../system/print-line.ts";
import { pause } from "../../units/clock.ts";
import { errorText, UsageError } from "../../units/monitor-error.ts";
import { visible } from "../../units/visible.ts";
import type { FillsOwner } from "../../wire/rest/own-fill.ts";
import { folderOf } from "../config/config-location.ts";
import type { Settings } from "../config/settings.ts";
import { type Context, EXIT } from "../context.ts";
import { DEFAULT_TIMEOUT_MS } from "../live.ts";
import { showProgress } from "../plain-ink.ts";
import { zoneOf } from "../preferences.ts";
import { learnedCursors, prepare, requireBaseUrl } from "../prepare.ts";
import { type Listed, listedMarkets, openPositions } from "../stream-facts.ts";
import { chosenAccount, parseFillsOwner } from "../targets.ts";

/**
 * @returns the exit code: 3 when the fills are not proven complete, or do not add up to the position
 * @throws {UsageError} on an invalid argument or setting; {ServiceError} when the service fails
 */
export async function run(context: Context): Promise<number> {
  const { settings } = await prepare(context);
  const { options, args, clock } = context;
  const owner = parseFillsOwner(args);
  const choice = readChoice(options, clock.wall(), zoneOf(options.timeZone ?? "UTC"));
  requireBaseUrl(settings);
  return print({ context, settings, owner, choice });
}

interface Task {
  readonly context: Context;
  readonly settings: Settings;
  readonly owner: FillsOwner;
  readonly choice: Choice;
}

interface Choice {
  readonly dayOf: (ms: number) => string;
  /** True for days of the requested month; without one, for all. */
  readonly isWithin: (day: string) => boolean;
  /** A note that the month is not over; otherwise empty. */
  readonly unfinished: readonly string[];
  /** The assets given for the Koinly format; undefined with another format. */
  readonly assets: Partial<Assets> | undefined;
}

/** @param nowMs wall clock. @throws {UsageError} */
function readChoice(
  { month, format, baseAsset, quoteAsset }: Context["options"],
  nowMs: number,
  timeZone: string | undefined,
): Choice {
  if (format !== undefined && format !== "koinly") {
    throw new UsageError(
      `--format cannot be ${format} with statement`,
      "expected: --format koinly",
    );
  }
  if (format === undefined && (baseAsset !== undefined || quoteAsset !== undefined)) {
    throw new UsageError(
      "--base-asset and --quote-asset have no meaning alone",
      "add --format koinly",
    );
  }
  const dayOf = (ms: number) => formatDay(ms, { timeZone });
  const given = {
    ...(baseAsset !== undefined && { base: baseAsset }),
    ...(quoteAsset !== undefined && { quote: quoteAsset }),
  };
  return {
    dayOf,
    isWithin: (day) => month === undefined || day.startsWith(`${month}-`),
    unfinished: month === undefined ? [] : formatMonthNote(month, dayOf(nowMs)),
    assets: format === undefined ? undefined : given,
  };
}

/** @param today `2026-05-28` */
function formatMonthNote(month: string, today: string): readonly string[] {
  const is =
    today < `${month}-01` ? "has not begun" : today.startsWith(`${month}-`) && "is not over";
  return is ? [`${month} ${is}: by this machine's clock today is ${today}`] : [];
}

/** Reads the fills, proves them, sums them up and prints the sums. @throws {ServiceError} when the service fails */
async function print(task: Task): Promise<number> {
  const { context, owner, choice } = task;
  const { stdout, stderr, options } = context;
  const { read, fold, books, missing } = await readBalanced(task);
  const isComplete = read.isComplete && fold.unassigned === 0;
  const markets = [...fold.nets.keys()];
  const listed = await listedMarkets(context, task.settings, markets);
  context.interrupt.throwIfAborted();
  const statement = fold.statement(choice.isWithin);
  const isEmpty = statement.fills === 0 && fold.fills > 0;
  const none = `none of ${options.month}, but ${fold.fills} of other months`;
  const currencies = quotedIn(listed);
  const remarks = [read.proof, ...remarksOf(fold, currencies)];
  const words = [...choice.unfinished, ...(isEmpty ? [none] : []), ...remarks];
  const printed: PrintedStatement = {
    ...{ owner, isComplete, books, statement, currencies, proof: words.join("; ") },
    symbolOf: (market) => listed.get(market)?.symbol,
  };
  const unheld = missing === undefined ? [] : [`nothing to compare the fills with: ${missing}`];
  const notes = [...read.notes, ...unheld];
  const koinly = await koinlyText(task, read, markets, listed);
  for (const note of notes) stderr.write(`monitor: ${visible(note)}\n`);
  if (koinly === undefined)
    printLine({ stdout }, options.json ? statementJson(printed) : statementText(printed));
  else {
    stdout.write(koinly);
    stderr.write(`${visible(closingLine(printed))}\n`);
  }
  if (!printed.isComplete || hasDifference(printed.books)) return EXIT.unproven;
  return missing === undefined ? EXIT.done : EXIT.failed;
}

function quotedIn(listed: ReadonlyMap<string, Listed>): readonly string[] {
  const [first, ...others] = listed.values();
  return first
    ? currenciesOf(
        [first, ...others].map(({ record }) => record),
        first.names,
      )
    : [];
}

function remarksOf(
  { fills, unassigned }: StatementFold,
  currencies: readonly string[],
): readonly string[] {
  const apart = currencies.length > 1 ? [`no sum over ${currencies.join(" and ")}`] : [];
  if (unassigned > 0)
    return [`${unassigned} in no sum: their addresses do not show which side was the owner's`];
  return fills > 0 ? ["an opening position of 0 is assumed", ...apart] : [];
}

/** Attempts while fills and positions differ: listing and stream may be a moment apart. */
const MAX_READS = 3;
const PAUSE_MS = 1000;

interface Balanced {
  readonly read: FillsRead;
  readonly fold: StatementFold;
  readonly books: Reconciliation;
  /** Why the stream showed no position; undefined if it did, or was not asked. */
  readonly missing: string | undefined;
}

/** Takes the positions first, then reads all fills up to now; again while they do not add up. */
async function readBalanced(task: Task): Promise<Balanced> {
  const { context, settings, owner, choice } = task;
  const account = chosenAccount(context.options, settings.accounts);
  const { subaccountId = owner.subaccountId } = account ?? {};
  const held = account && openPositions(context, settings, `${account.address}/${subaccountId}`);
  try {
    for (let reads = 1; ; reads++) {
      const { timeout = DEFAULT_TIMEOUT_MS } = context.options;
      const taken = await held?.take(timeout).catch(errorText);
      context.interrupt.throwIfAborted();
      const read = await readAll(task);
      const fold = await foldAll(read, new StatementFold(owner, choice.dayOf));
      const isTaken = typeof taken === "object";
      const books = reconcile(fold.nets, isTaken ? taken : undefined);
      const missing = isTaken ? unreadOf(taken) : taken;
      if (!hasDifference(books) || reads === MAX_READS) return { read, fold, books, missing };
      await pause(context.clock, PAUSE_MS, context.interrupt);
    }
  } finally {
    held?.close();
  }
}

/** A position that is held, but of an unknown size, balances nothing. */
function unreadOf({ sizes }: Held): string | undefined {
  const unread = [...sizes].flatMap(([market, size]) => (size === undefined ? [market] : []));
  return unread.length > 0 ? `unknown size of the position in ${unread.join(", ")}` : undefined;
}

async function foldAll({ pages }: FillsRead, fold: StatementFold): Promise<StatementFold> {
  for await (const fills of pages()) for (const fill of fills) fold.add(fill);
  return fold;
}

async function readAll({ context, settings, owner }: Task): Promise<FillsRead> {
  const { clock, random, interrupt: signal } = context;
  const { onRetry, onProgress, end } = await showProgress(context);
  const baseUrl = requireBaseUrl(settings);
  const client = new RestClient({ baseUrl, headers: settings.headers, clock, random, onRetry });
  const cursor = learnedCursors(context, settings).of("fills");
  const data = folderOf("data", context.env);
  const folder = data && join(data, "fills");
  try {
    return await readFills({ owner, baseUrl, client, cursor, signal, folder, onProgress });
  } finally {
    end();
    await client.close();
  }
}

/** The fills as Koinly CSV, if requested. @throws {UsageError} when their assets are unknown */
async function koinlyText(
  { owner, choice }: Task,
  read: FillsRead,
  markets: readonly string[],
  listed: ReadonlyMap<string, Listed>,
): Promise<string | undefined> {
  const { dayOf, isWithin, assets: given } = choice;
  if (given === undefined) return undefined;
  checkOneMarket(given, markets);
  const byMarket = new Map(
    markets.map((market) => {
      const found = listed.get(market);
      const known = found === undefined ? {} : assetsOf(found.record, found.names);
      return [market, requireAssets(market, { ...known, ...given })];
    }),
  );
  const fold = new StatementFold(owner, dayOf);
  const lines: string[] = [KOINLY_HEADER];
  for await (const fills of read.pages()) {
    for (const fill of fills) {
      const realised = fold.add(fill);
      const assets = byMarket.get(fillMarket(fill));
      if (assets !== undefined && isWithin(dayOf(fill.timestamp_ms)))
        lines.push(...koinlyLines(fill, owner, assets, realised));
    }
  }
  return lines.join("");
}
