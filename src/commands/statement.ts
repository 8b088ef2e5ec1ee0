// monitor statement <owner> <subaccount_id>: the fills of a subaccount, summed by day and market.
import { join } from "node:path";
import { type Context, EXIT, interruptedExitCode } from "../args/context.ts";
import { chosenAccount, type ListingArgument, parseListing } from "../args/targets.ts";
import { dataFolder } from "../config/config-location.ts";
import type { Settings } from "../config/settings.ts";
import { showProgress } from "../export/progress.ts";
import { RestClient } from "../listing/rest-client.ts";
import { DEFAULT_TIMEOUT_MS, HeadlessSession } from "../live/headless-session.ts";
import { HeldPositions } from "../live/held-positions.ts";
import {
  closingLine,
  type PrintedStatement,
  statementJson,
  statementText,
} from "../print/statement.ts";
import { DEFAULT_DISPLAY, Display } from "../select/display.ts";
import { findMarketRecord, readMarketName, selectStat } from "../select/market.ts";
import { isAnswered } from "../state/feed.ts";
import { type Books, hasDifference, openBooks } from "../statement/books.ts";
import { type FillsRead, readFills } from "../statement/fills.ts";
import { fillMarket, StatementFold } from "../statement/fold.ts";
import {
  type Assets,
  areKnown,
  assetsOf,
  checkOneMarket,
  KOINLY_HEADER,
  koinlyLines,
  requireAssets,
} from "../statement/koinly.ts";
import { printLine } from "../system/print-line.ts";
import { visible } from "../terminal/visible.ts";
import { pause } from "../units/clock.ts";
import { UsageError } from "../units/monitor-error.ts";
import { formatIsoMs } from "../units/time.ts";
import { learnedCursors, liveService, prepare, requireBaseUrl } from "./prepare.ts";

type FillsArgument = Extract<ListingArgument, { kind: "fills" }>;

/**
 * @returns the exit code: 3 when the fills are not proven complete, or do not add up to the position
 * @throws {UsageError} on an invalid argument or setting; {HistoryError} when the service fails
 */
export async function run(context: Context): Promise<number> {
  const { options, args, interrupt } = context;
  const { settings } = await prepare(context);
  const { owner } = parseListing(["fills", ...args], settings.aliases) as FillsArgument;
  const choice = readChoice(options, context.clock.wall());
  requireBaseUrl(settings);
  checkAssets(choice, settings);
  try {
    return await print({ context, settings, owner, choice });
  } catch (error) {
    if (interrupt.aborted) return interruptedExitCode(interrupt);
    throw error;
  }
}

interface Task {
  readonly context: Context;
  readonly settings: Settings;
  readonly owner: FillsArgument["owner"];
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
  { month, timeZone = "UTC", format, baseAsset, quoteAsset }: Context["options"],
  nowMs: number,
): Choice {
  if (format !== undefined && format !== "koinly") {
    throw new UsageError(
      `--format cannot be ${format} with statement`,
      "expected: --format koinly",
    );
  }
  const display = new Display({ ...DEFAULT_DISPLAY, timeZone });
  const dayOf = (ms: number) => formatIsoMs(display.local(ms)).replace(/T.*$/, "");
  const isWithin = (day: string) => month === undefined || day.startsWith(`${month}-`);
  const unfinished = month === undefined ? [] : formatMonthNote(month, dayOf(nowMs));
  const days = { dayOf, isWithin, unfinished };
  if (format === undefined && (baseAsset !== undefined || quoteAsset !== undefined)) {
    throw new UsageError(
      "--base-asset and --quote-asset have no meaning alone",
      "add --format koinly",
    );
  }
  const given = {
    ...(baseAsset !== undefined && { base: baseAsset }),
    ...(quoteAsset !== undefined && { quote: quoteAsset }),
  };
  return { ...days, assets: format === undefined ? undefined : given };
}

/** @param today `2026-05-28` */
function formatMonthNote(month: string, today: string): readonly string[] {
  if (today < `${month}-01`) return [`${month} has not begun: today is ${today}`];
  return today.startsWith(`${month}-`) ? [`${month} is not over: today is ${today}`] : [];
}

/** Without an address of the stream, both assets are required: only the stream knows the symbols. @throws {UsageError} */
function checkAssets({ assets }: Choice, { wsUrl }: Settings): void {
  if (assets === undefined || areKnown(assets) || wsUrl !== undefined) return;
  throw new UsageError(
    "koinly names what is bought and what it is paid with",
    "give --base-asset and --quote-asset, as in --base-asset BTC --quote-asset USDC, or --ws-url, for the symbols of the service",
  );
}

async function print(task: Task): Promise<number> {
  const { context, owner, choice } = task;
  const { stdout, stderr, options } = context;
  const { read, fold, books, missing } = await readBalanced(task);
  const isComplete = read.isComplete && fold.unassigned === 0;
  const records = await findMarkets(task, [...fold.nets.keys()]);
  const symbols = [...records].flatMap(([market, { symbol }]) =>
    symbol === undefined ? [] : [[market, symbol] as const],
  );
  const printed: PrintedStatement = {
    ...{ owner, isComplete, books, symbols: new Map(symbols) },
    statement: fold.statement(choice.isWithin),
    proof: [...choice.unfinished, read.proof, ...remarksOf(fold)].join("; "),
  };
  const koinly = await koinlyText(task, read, records);
  const notes = missing === undefined ? [] : [`nothing to compare the fills with: ${missing}`];
  for (const note of [...read.notes, ...notes]) stderr.write(`monitor: ${visible(note)}\n`);
  if (koinly === undefined)
    printLine({ stdout }, options.json ? statementJson(printed) : statementText(printed));
  else {
    stdout.write(koinly);
    stderr.write(`${visible(closingLine(printed))}\n`);
  }
  if (!isComplete || hasDifference(books)) return EXIT.unproven;
  return missing === undefined ? EXIT.done : EXIT.failed;
}

function remarksOf({ fills, unassigned }: StatementFold): readonly string[] {
  if (unassigned > 0)
    return [`${unassigned} in no sum: their addresses do not show which side was the owner's`];
  return fills > 0 ? ["an opening position of 0 is assumed"] : [];
}

/** Attempts while fills and positions differ: listing and stream may be a moment apart. */
const MAX_READS = 3;
const PAUSE_MS = 1000;

interface Balanced {
  readonly read: FillsRead;
  readonly fold: StatementFold;
  readonly books: Books;
  /** Why the stream showed no position; undefined if it did, or was not asked. */
  readonly missing: string | undefined;
}

/** Takes the positions first, then reads all fills up to now; again while they do not add up. */
async function readBalanced(task: Task): Promise<Balanced> {
  const { context, owner, choice } = task;
  const held = openPositions(task);
  try {
    for (let reads = 1; ; reads++) {
      const taken = await held?.take(context.options.timeout ?? DEFAULT_TIMEOUT_MS);
      const read = await readAll(task);
      const fold = await foldAll(read, new StatementFold(owner, choice.dayOf));
      const isTaken = typeof taken === "object";
      const now = isTaken ? { ms: taken.ms, sizes: taken.sizes() } : undefined;
      const books = openBooks(fold.nets, now);
      const missing = isTaken ? undefined : taken;
      if (!hasDifference(books) || reads === MAX_READS) return { read, fold, books, missing };
      await pause(context.clock, PAUSE_MS, context.interrupt);
    }
  } finally {
    held?.close();
  }
}

async function foldAll({ pages }: FillsRead, fold: StatementFold): Promise<StatementFold> {
  for await (const fills of pages()) for (const fill of fills) fold.add(fill);
  return fold;
}

/** The positions to compare with; undefined without --account. @throws {UsageError} if the stream's address is unknown */
function openPositions({ context, settings, owner }: Task): HeldPositions | undefined {
  const account = chosenAccount(context.options, settings.accounts);
  if (account === undefined) return undefined;
  const { address, subaccountId = String(owner.subaccountId) } = account;
  const service = { ...liveService(settings), audit: false };
  return new HeldPositions(context, service, { address, subaccountId }, settings.knownScales);
}

async function readAll({ context, settings, owner }: Task): Promise<FillsRead> {
  const { clock, random, interrupt: signal } = context;
  const { onRetry, onProgress, end } = showProgress(context);
  const baseUrl = requireBaseUrl(settings);
  const client = new RestClient({ baseUrl, headers: settings.headers, clock, random, onRetry });
  const cursor = learnedCursors(context, settings).of("fills");
  const data = await dataFolder().catch(() => undefined);
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
  records: ReadonlyMap<string, Named>,
): Promise<string | undefined> {
  const { dayOf, isWithin, assets: given } = choice;
  if (given === undefined) return undefined;
  checkOneMarket(given, [...records.keys()]);
  const byMarket = new Map(
    [...records].map(([name, { assets }]) => [name, requireAssets(name, { ...assets, ...given })]),
  );
  const lines: string[] = [KOINLY_HEADER];
  for await (const fills of read.pages()) {
    for (const fill of fills) {
      const assets = byMarket.get(fillMarket(fill));
      if (assets !== undefined && isWithin(dayOf(fill.timestamp_ms)))
        lines.push(...koinlyLines(fill, owner, assets));
    }
  }
  return lines.join("");
}

/** What the service's own list says of a market. */
interface Named {
  readonly symbol?: string | undefined;
  readonly assets: Partial<Assets>;
}

/** Names are an addition: nobody waits long for them. */
const NAMES_TIMEOUT_MS = 3000;

/** By market name; without a stream, or without an answer of it, nothing is said of any. */
async function findMarkets(
  { context, settings, choice }: Task,
  names: readonly string[],
): Promise<ReadonlyMap<string, Named>> {
  const nothing = new Map(names.map((name) => [name, { assets: {} }]));
  if (settings.wsUrl === undefined || names.length === 0) return nothing;
  const session = new HeadlessSession(context, { ...liveService(settings), audit: false });
  const { store, stream } = session.live;
  try {
    stream.subscribe("markets");
    const { timeout = NAMES_TIMEOUT_MS } = context.options;
    await session.until(() => isAnswered(store.slice("markets", "markets").feed), timeout);
  } catch (error) {
    if (choice.assets !== undefined && !areKnown(choice.assets)) throw error;
    return nothing;
  } finally {
    session.close();
  }
  context.interrupt.throwIfAborted();
  const { records } = store.slice("markets", "markets").data;
  return new Map(
    names.map((name) => {
      const market = readMarketName(name);
      const record = market && findMarketRecord(records, market, store.aliases);
      if (record === undefined) return [name, { assets: {} }];
      const symbol = selectStat(record, "symbol", store.aliases);
      return [name, { symbol, assets: assetsOf(record, store.aliases) }];
    }),
  );
}
