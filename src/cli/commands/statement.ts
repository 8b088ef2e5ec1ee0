// monitor statement <owner> <subaccount_id>: the fills of a subaccount, summed by day and market.
import { currenciesOf } from "../../dialect/markets.ts";
import {
  closingLine,
  type PrintedStatement,
  statementJson,
  statementText,
} from "../../print/statement.ts";
import { formatDay } from "../../rows/format.ts";
import { type FillsRead, readFills } from "../../statement/fills.ts";
import { StatementFold } from "../../statement/fold.ts";
import { assetsByMarket, koinlyText } from "../../statement/koinly.ts";
import { type Held, hasDifference, reconcile } from "../../statement/reconcile.ts";
import { printLine } from "../../system/print-line.ts";
import { pause } from "../../units/clock.ts";
import { errorText, UsageError } from "../../units/monitor-error.ts";
import { visible } from "../../units/visible.ts";
import type { FillsOwner } from "../../wire/rest/own-fill.ts";
import { type Context, EXIT } from "../context.ts";
import { showProgress } from "../plain-ink.ts";
import { zoneOf } from "../preferences.ts";
import {
  fillsFolder,
  learnedCursors,
  openClient,
  prepare,
  requireBaseUrl,
  type Task,
} from "../prepare.ts";
import { type Listed, listedMarkets, readPositions } from "../stream-facts.ts";
import { chosenAccount, parseFillsOwner } from "../targets.ts";

interface Chosen extends Task {
  readonly owner: FillsOwner;
  dayOf(ms: number): string;
  /** True for days of the requested month; without one, for all. */
  isWithin(day: string): boolean;
}

/**
 * @returns the exit code: 3 when the fills are not proven complete, or do not add up to the position
 * @throws {UsageError} on an invalid argument or setting; {ServiceError} when the service fails
 */
export async function run(context: Context): Promise<number> {
  const { month, format, baseAsset, quoteAsset, timeZone = "UTC" } = context.options;
  if (format !== undefined && format !== "koinly")
    throw new UsageError(
      `--format cannot be ${format} with statement`,
      "expected: --format koinly",
    );
  if (format === undefined && (baseAsset ?? quoteAsset) !== undefined)
    throw new UsageError("assets have no meaning alone", "add --format koinly");
  const task: Chosen = {
    ...(await prepare(context)),
    owner: parseFillsOwner(context.args),
    dayOf: (ms) => formatDay(ms, { timeZone: zoneOf(timeZone) }),
    isWithin: (day) => month === undefined || day.startsWith(`${month}-`),
  };
  requireBaseUrl(task);
  return print(task);
}

async function print(task: Chosen): Promise<number> {
  const { options, stdout, stderr, owner, interrupt } = task;
  const { read, fold, books, missing } = await readBalanced(task);
  const markets = [...fold.nets.keys()];
  const listed = await listedMarkets(task, markets);
  interrupt.throwIfAborted();
  const statement = fold.statement(task.isWithin);
  const currencies = quotedIn([...listed.values()]);
  const remarks = [...remarksOf(task, fold, statement.fills), read.proof];
  const printed: PrintedStatement = {
    ...{
      owner,
      books,
      statement,
      currencies,
      isComplete: read.isComplete && fold.unassigned === 0,
    },
    proof: [...remarks, ...assumed(fold, currencies)].join("; "),
    symbolOf: (market) => listed.get(market)?.symbol,
  };
  const koinly = options.format && (await koinlyOf(task, read, markets, listed));
  const unheld = missing ? [`nothing to compare the fills with: ${missing}`] : [];
  for (const note of [...read.notes, ...unheld]) stderr.write(`monitor: ${visible(note)}\n`);
  if (koinly === undefined)
    printLine(task, options.json ? statementJson(printed) : statementText(printed));
  else {
    stdout.write(koinly);
    stderr.write(`${visible(closingLine(printed))}\n`);
  }
  if (!printed.isComplete || hasDifference(books)) return EXIT.unproven;
  return missing ? EXIT.failed : EXIT.done;
}

/** What is to be known of the month. */
function remarksOf(
  { options: { month }, clock, dayOf }: Chosen,
  { fills }: StatementFold,
  shown: number,
): readonly string[] {
  if (month === undefined) return [];
  const today = dayOf(clock.wall());
  const lacks = today.startsWith(`${month}-`) ? "is not over" : "has not begun";
  return [
    ...(today.slice(0, 7) > month
      ? []
      : [`${month} ${lacks}: by this machine's clock today is ${today}`]),
    ...(shown === 0 && fills > 0 ? [`none of ${month}, but ${fills} of other months`] : []),
  ];
}

function quotedIn(listed: readonly Listed[]): readonly string[] {
  const records = listed.map(({ record }) => record);
  return listed[0] === undefined ? [] : currenciesOf(records, listed[0].names);
}

function assumed(
  { fills, unassigned }: StatementFold,
  currencies: readonly string[],
): readonly string[] {
  if (unassigned > 0)
    return [`${unassigned} in no sum: their addresses do not show which side was the owner's`];
  const apart = currencies.length > 1 ? [`no sum over ${currencies.join(" and ")}`] : [];
  return fills > 0 ? ["an opening position of 0 is assumed", ...apart] : [];
}

/** Attempts while fills and positions differ: listing and stream may be a moment apart. */
const MAX_READS = 3;
const PAUSE_MS = 1000;

/** Takes the positions first, then reads all fills up to now; again while they do not add up. */
async function readBalanced(task: Chosen) {
  const { options, settings, owner, interrupt, clock } = task;
  const account = chosenAccount(options, settings.config.accounts);
  const { address, subaccountId = owner.subaccountId } = account ?? {};
  for (let reads = 1; ; reads++) {
    const held =
      address && (await readPositions(task, `${address}/${subaccountId}`).catch(errorText));
    interrupt.throwIfAborted();
    const read = await readAll(task);
    const fold = await foldAll(read, new StatementFold(owner, task.dayOf));
    // Why the stream showed no position; undefined if it did, or was not asked.
    const [taken, missing] = typeof held === "object" ? [held, unreadOf(held)] : [undefined, held];
    const books = reconcile(fold.nets, taken);
    if (!hasDifference(books) || reads === MAX_READS) return { read, fold, books, missing };
    await pause(clock, PAUSE_MS, interrupt);
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

async function readAll(task: Chosen): Promise<FillsRead> {
  const { owner, interrupt: signal } = task;
  const { onRetry, onProgress, end } = await showProgress(task);
  const client = openClient(task, { onRetry });
  try {
    return await readFills({
      ...{ owner, client, signal, onProgress, baseUrl: requireBaseUrl(task) },
      cursor: learnedCursors(task).of("fills"),
      folder: fillsFolder(task),
    });
  } finally {
    end();
    await client.close();
  }
}

/** @throws {UsageError} when an asset is unknown */
function koinlyOf(
  { options: { baseAsset: base, quoteAsset: quote }, ...task }: Chosen,
  { pages }: FillsRead,
  markets: readonly string[],
  listed: ReadonlyMap<string, Listed>,
): Promise<string> {
  const given = { ...(base && { base }), ...(quote && { quote }) };
  return koinlyText({ ...task, pages, assets: assetsByMarket(markets, listed, given) });
}
