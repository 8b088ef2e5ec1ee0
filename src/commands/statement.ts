// monitor statement <owner> <subaccount_id>: the fills of a subaccount, summed by day and market.
import { type Context, EXIT, interruptedExitCode } from "../args/context.ts";
import { chosenAccount, type ListingArgument, parseListing } from "../args/targets.ts";
import type { Listings, Settings } from "../config/settings.ts";
import { textCell } from "../export/csv.ts";
import { showProgress } from "../export/progress-lines.ts";
import { listingSource } from "../listing/listing-source.ts";
import { RestClient } from "../listing/rest/rest-client.ts";
import { DEFAULT_TIMEOUT_MS, HeadlessSession } from "../live/headless-session.ts";
import { HeldPositions, type PositionsAt } from "../live/held-positions.ts";
import type { Service } from "../live/service.ts";
import {
  assumptions,
  closingLine,
  type PrintedStatement,
  remarksOf,
  statementJson,
  statementText,
} from "../print/statement.ts";
import { DEFAULT_DISPLAY, Display } from "../select/display.ts";
import { findMarketRecord, readMarketName } from "../select/market.ts";
import { isAnswered } from "../state/feed.ts";
import {
  type Books,
  type BooksAt,
  balanceAt,
  type DifferenceSearch,
  explainDifference,
  hasDifference,
  isDifferent,
  ListedFills,
  openBooks,
} from "../statement/difference.ts";
import { type FillsRead, openFillsFolder, readFills } from "../statement/fills.ts";
import { listedName, StatementFold } from "../statement/fold.ts";
import { sumFunding } from "../statement/funding.ts";
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
import { liveService, prepare, requireBaseUrl } from "./prepare.ts";

type FillsArgument = Extract<ListingArgument, { kind: "fills" }>;

/**
 * @returns the exit code: 3 when the fills are not proven complete, or do not add up to the position
 * @throws {UsageError} on an invalid argument or setting; {HistoryError} when the service fails
 */
export async function run(context: Context): Promise<number> {
  const { options, args, interrupt } = context;
  const { settings } = await prepare(context);
  const argument = parseListing(["fills", ...args], settings.aliases) as FillsArgument;
  const choice = readChoice(options, context.clock.wall());
  const listings = { baseUrl: requireBaseUrl(settings), headers: settings.headers };
  checkAssets(choice, settings);
  try {
    return await print({ context, settings, listings, argument, choice });
  } catch (error) {
    if (interrupt.aborted) return interruptedExitCode(interrupt);
    throw error;
  }
}

interface Task {
  readonly context: Context;
  readonly settings: Settings;
  readonly listings: Listings;
  readonly argument: FillsArgument;
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
  if (format === undefined) {
    if (baseAsset === undefined && quoteAsset === undefined) return { ...days, assets: undefined };
    throw new UsageError(
      "--base-asset and --quote-asset have no meaning alone",
      "add --format koinly",
    );
  }
  const given = {
    ...(baseAsset !== undefined && { base: baseAsset }),
    ...(quoteAsset !== undefined && { quote: quoteAsset }),
  };
  return { ...days, assets: given };
}

/** @param today `2026-05-28` */
function formatMonthNote(month: string, today: string): readonly string[] {
  if (today < `${month}-01`) return [`${month} has not begun: today is ${today}`];
  return today.startsWith(`${month}-`) ? [`${month} is not over: today is ${today}`] : [];
}

async function print(task: Task): Promise<number> {
  const { context, argument, choice } = task;
  const stream = openStream(task);
  try {
    const balanced = await readBalanced(task, stream?.held);
    const { read, folded, books, missing } = balanced;
    const { fold } = folded;
    const isComplete = read.isComplete && fold.unassigned === 0;
    const funding = missing === undefined ? stream?.held.funding : undefined;
    const reasons = (reason: string) =>
      [...choice.unfinished, reason, ...assumptions(read, fold)].join("; ");
    const printed: PrintedStatement = {
      owner: argument.owner,
      isComplete,
      books: await explain(task, balanced, stream?.address ?? ""),
      proof: reasons(read.proof),
      evidence: reasons(read.evidence),
      statement: fold.statement(choice.isWithin),
      remarks: remarksOf(fold),
      funding: funding && sumFunding(funding.payments, funding.mayMiss, choice.dayOf),
    };
    const notes = missing === undefined ? [] : [`nothing to compare the fills with: ${missing}`];
    const koinly = await koinlyText(task, balanced);
    write(context, printed, koinly, [...read.notes, ...notes]);
    if (!isComplete || hasDifference(books)) return EXIT.unproven;
    return missing === undefined ? EXIT.done : EXIT.failed;
  } finally {
    stream?.held.close();
  }
}

function write(
  { stdout, stderr, options }: Context,
  printed: PrintedStatement,
  koinly: string | undefined,
  notes: readonly string[],
): void {
  for (const note of notes) stderr.write(`monitor: ${visible(note)}\n`);
  if (koinly === undefined) {
    printLine({ stdout }, options.json ? statementJson(printed) : statementText(printed));
    return;
  }
  stdout.write(koinly);
  stderr.write(`${visible(closingLine(printed))}\n`);
}

/** The positions to compare with; undefined without --account. @throws {UsageError} if the stream's address is unknown */
function openStream({ context, settings, argument }: Task) {
  const account = chosenAccount(context.options, settings.accounts);
  if (account === undefined) return undefined;
  const { address, subaccountId = String(argument.owner.subaccountId) } = account;
  const service = { ...liveService(settings), audit: false };
  const held = new HeldPositions(context, service, { address, subaccountId }, settings.knownScales);
  return { address, held };
}

/** Attempts while fills and positions differ: listing and stream may be a moment apart. */
const MAX_READS = 3;
const PAUSE_MS = 1000;

interface Balanced extends BooksAt {
  readonly read: FillsRead;
  readonly folded: Folded;
  /** Why the stream showed no position; undefined if it did, or was not asked. */
  readonly missing: string | undefined;
}

/** Takes the positions first, then reads all fills up to now; repeated while they do not add up. */
async function readBalanced(task: Task, held: HeldPositions | undefined): Promise<Balanced> {
  const { clock, interrupt, options } = task.context;
  const moments: PositionsAt[] = [];
  const notes: string[] = [];
  for (;;) {
    const positions = await held?.take(options.timeout ?? DEFAULT_TIMEOUT_MS);
    const missing = typeof positions === "string" ? positions : undefined;
    if (typeof positions === "object") moments.push(positions);
    const read = await readAll(task);
    notes.push(...read.notes.filter((note) => !notes.includes(note)));
    const folded = await foldAll(read, task);
    const { markets } = folded.fold;
    const shown = moments.map(({ ms, sizes }) => ({ ms, sizes: sizes() }));
    const open = { books: openBooks(markets), ms: undefined };
    const balanced = moments.length > 0 ? balanceAt(markets, shown) : open;
    const isOver = missing !== undefined || moments.length === MAX_READS;
    if (isOver || !hasDifference(balanced.books)) {
      return { read: { ...read, notes }, folded, ...balanced, missing };
    }
    await pause(clock, PAUSE_MS, interrupt);
  }
}

async function explain(
  { context, listings, argument }: Task,
  { books, ms, folded: { fold, listed } }: Balanced,
  address: string,
): Promise<Books> {
  if (!hasDifference(books)) return books;
  const { clock, random, interrupt: signal } = context;
  const client = new RestClient({ ...listings, clock, random });
  const search: DifferenceSearch = {
    owner: argument.owner,
    address,
    listed,
    clock,
    signal,
    untilMs: ms,
    oldestFillMs: fold.oldestMs,
    sourceOf: (listing) => listingSource(client, listing),
  };
  try {
    const explained = new Map(books);
    for (const [market, book] of books) {
      if (!isDifferent(book)) continue;
      const couldExplain = await explainDifference(market, book, search);
      explained.set(market, { ...book, couldExplain });
    }
    return explained;
  } finally {
    await client.close();
  }
}

interface Folded {
  readonly fold: StatementFold;
  readonly listed: ListedFills;
}

async function foldAll({ pages }: FillsRead, { argument, choice }: Task): Promise<Folded> {
  const fold = new StatementFold(argument.owner, choice.dayOf);
  const listed = new ListedFills();
  for await (const fills of pages()) {
    for (const fill of fills) {
      fold.add(fill);
      listed.add(fill);
    }
  }
  return { fold, listed };
}

const cell = (text: string) => textCell(text, { isRaw: false, visible });

async function readAll({ context, listings, argument: { owner } }: Task): Promise<FillsRead> {
  const { clock, random, interrupt: signal, options } = context;
  const folder = options.noCache ? undefined : await openFillsFolder();
  const progress = showProgress(context, {});
  const client = new RestClient({
    ...listings,
    clock,
    random,
    onRetry: (retry) => progress.onRetry(retry),
  });
  try {
    return await readFills({
      owner,
      listings,
      client,
      clock,
      signal,
      folder,
      onProgress: (reached) => progress.onProgress(reached),
    });
  } finally {
    progress.end();
    await client.close();
  }
}

/** Without an address of the stream, both assets are required: only the stream knows the symbols. @throws {UsageError} */
function checkAssets({ assets }: Choice, { wsUrl }: Settings): void {
  if (assets === undefined || areKnown(assets) || wsUrl !== undefined) return;
  throw new UsageError(
    "koinly names what is bought and what it is paid with",
    "give --base-asset and --quote-asset, as in --base-asset BTC --quote-asset USDC, or --ws-url, for the symbols of the service",
  );
}

/** The fills as Koinly CSV, if requested. @throws {UsageError} when their assets are unknown */
async function koinlyText(
  { context, settings, argument, choice }: Task,
  { read, folded }: Balanced,
): Promise<string | undefined> {
  const { dayOf, isWithin, assets: given } = choice;
  if (given === undefined) return undefined;
  const names = [...folded.fold.markets.keys()];
  checkOneMarket(given, names);
  const found = areKnown(given)
    ? undefined
    : await findAssets(context, liveService(settings), names);
  const byMarket = new Map(
    names.map((name) => [name, requireAssets(name, { ...found?.get(name), ...given })]),
  );
  const listedNames = folded.fold.names;
  const lines: string[] = [KOINLY_HEADER];
  for await (const fills of read.pages()) {
    const selected = fills.filter(({ timestamp_ms }) => isWithin(dayOf(timestamp_ms)));
    for (const fill of selected) {
      const name = listedNames.get(listedName(fill.market_type, fill.market_id)) ?? "";
      const assets = byMarket.get(name);
      if (assets !== undefined) lines.push(...koinlyLines(fill, argument.owner, assets, cell));
    }
  }
  return lines.join("");
}

// Base and quote asset of a market, from the service's own list of markets.

/** By market name; unknown halves are omitted. @throws {ServiceError} when the first connection fails */
async function findAssets(
  context: Context,
  service: Service,
  names: readonly string[],
): Promise<ReadonlyMap<string, Partial<Assets>>> {
  const session = new HeadlessSession(context, { ...service, audit: false });
  try {
    const { store, stream } = session.live;
    stream.subscribe("markets");
    const { timeout = DEFAULT_TIMEOUT_MS } = context.options;
    await session.until(() => isAnswered(store.slice("markets", "markets").feed), timeout);
    const { records } = store.slice("markets", "markets").data;
    return new Map(
      names.map((name) => {
        const market = readMarketName(name);
        const record = market && findMarketRecord(records, market, store.aliases);
        return [name, record === undefined ? {} : assetsOf(record, store.aliases)];
      }),
    );
  } finally {
    session.close();
  }
}
