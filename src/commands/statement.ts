// monitor statement <owner> <subaccount_id>: what the fills of a subaccount come to, by day and market.
import { type Context, EXIT, interruptedExitCode } from "../args/context.ts";
import { type ListingArgument, parseListing } from "../args/targets.ts";
import type { Listings } from "../config/settings.ts";
import { textCell } from "../export/csv.ts";
import type { ExportProgress } from "../export/export-run.ts";
import { showProgress } from "../export/progress-lines.ts";
import { listingSource } from "../listing/listing-source.ts";
import { RestClient } from "../listing/rest/rest-client.ts";
import {
  closingLine,
  type PrintedStatement,
  statementJson,
  statementText,
} from "../print/statement.ts";
import { DEFAULT_DISPLAY, Display, isTimeZone } from "../select/display.ts";
import { balanceBooks, hasDifference } from "../statement/books.ts";
import { type FillsRead, readFills } from "../statement/fills.ts";
import { StatementFold } from "../statement/fold.ts";
import { type Assets, KOINLY_HEADER, koinlyLines } from "../statement/koinly.ts";
import { printLine } from "../system/print-line.ts";
import { visible } from "../terminal/visible.ts";
import { UsageError } from "../units/monitor-error.ts";
import { formatIsoMs } from "../units/time.ts";
import { openFillsFolder } from "./fills-folder.ts";
import { prepare, requireBaseUrl } from "./prepare.ts";

type FillsArgument = Extract<ListingArgument, { kind: "fills" }>;

/**
 * Answers the exit code: 3 when the fills are not proven, or do not add up to what is held.
 * @throws {UsageError} when a word or a setting is wrong; {HistoryError} when the service fails
 */
export async function run(context: Context): Promise<number> {
  const { options, args, interrupt } = context;
  const { settings } = await prepare(context);
  const wanted = parseListing(["fills", ...args], settings.aliases) as FillsArgument;
  const choice = readChoice(options);
  const listings = { baseUrl: requireBaseUrl(settings), headers: settings.headers };
  try {
    return await print(context, wanted, listings, choice);
  } catch (error) {
    if (interrupt.aborted) return interruptedExitCode(interrupt);
    throw error;
  }
}

interface Choice {
  readonly dayOf: (ms: number) => string;
  /** Of the month that is asked for; every day without one. */
  readonly isWithin: (day: string) => boolean;
  /** Of the Koinly form; undefined for another form. */
  readonly assets: Assets | undefined;
}

/** @throws {UsageError} */
function readChoice({
  month,
  timeZone = "UTC",
  format,
  baseAsset,
  quoteAsset,
}: Context["options"]): Choice {
  if (month !== undefined && !/^[0-9]{4}-(?:0[1-9]|1[0-2])$/.test(month)) {
    throw new UsageError(`--month cannot be ${JSON.stringify(month)}`, "expected: --month YYYY-MM");
  }
  if (timeZone !== "local" && !isTimeZone(timeZone)) {
    throw new UsageError(
      `--time-zone cannot be ${JSON.stringify(timeZone)}`,
      "give local, UTC, or a name such as Europe/Berlin",
    );
  }
  if (format !== undefined && format !== "koinly") {
    throw new UsageError(
      `--format cannot be ${format} with statement`,
      "expected: --format koinly",
    );
  }
  const display = new Display({ ...DEFAULT_DISPLAY, timeZone });
  const dayOf = (ms: number) => formatIsoMs(display.local(ms)).replace(/T.*$/, "");
  const isWithin = (day: string) => month === undefined || day.startsWith(`${month}-`);
  if (format === undefined) {
    if (baseAsset === undefined && quoteAsset === undefined)
      return { dayOf, isWithin, assets: undefined };
    throw new UsageError(
      "--base-asset and --quote-asset have no meaning alone",
      "add --format koinly",
    );
  }
  if (baseAsset === undefined || quoteAsset === undefined) {
    throw new UsageError(
      "koinly names what is bought and what it is paid with",
      "give --base-asset and --quote-asset, as in --base-asset BTC --quote-asset USDC",
    );
  }
  return { dayOf, isWithin, assets: { base: baseAsset, quote: quoteAsset } };
}

async function print(
  context: Context,
  wanted: FillsArgument,
  listings: Listings,
  choice: Choice,
): Promise<number> {
  const { stdout, stderr, options } = context;
  const read = await readAll(context, wanted, listings);
  const { fold, koinly } = await foldAll(read, wanted, choice);
  const books = balanceBooks(fold.markets, undefined);
  const isComplete = read.isComplete && fold.unassigned === 0;
  const printed: PrintedStatement = {
    ...{ owner: wanted.owner, isComplete, books },
    proof: [read.proof, ...assumptions(read, fold)].join("; "),
    statement: fold.statement(choice.isWithin),
    remarks: remarksOf(fold),
  };
  for (const note of read.notes) stderr.write(`monitor: ${visible(note)}\n`);
  if (choice.assets !== undefined) {
    stdout.write(koinly);
    stderr.write(`${visible(closingLine(printed))}\n`);
  } else printLine({ stdout }, options.json ? statementJson(printed) : statementText(printed));
  return isComplete && !hasDifference(books) ? EXIT.done : EXIT.unproven;
}

/** The text of the Koinly form, too, where that is asked for. @throws {UsageError} when it cannot be of these fills */
async function foldAll(
  { fills: pages }: FillsRead,
  { owner }: FillsArgument,
  { dayOf, isWithin, assets }: Choice,
): Promise<{ readonly fold: StatementFold; readonly koinly: string }> {
  const fold = new StatementFold(owner, dayOf);
  const lines: string[] = [];
  for await (const fills of pages) {
    for (const fill of fills) fold.add(fill);
    if (assets === undefined) continue;
    const some = fills.filter(({ timestamp_ms }) => isWithin(dayOf(timestamp_ms)));
    lines.push(...some.flatMap((fill) => koinlyLines(fill, owner, assets, cell)));
  }
  if (assets !== undefined) checkOneMarket(fold);
  return { fold, koinly: KOINLY_HEADER + lines.join("") };
}

const cell = (text: string) => textCell(text, { isRaw: false, visible });

async function readAll(
  context: Context,
  { name, listing }: FillsArgument,
  listings: Listings,
): Promise<FillsRead> {
  const { clock, random, interrupt, options } = context;
  const folder = options.noCache ? undefined : await openFillsFolder();
  const progress = showProgress(context, {});
  const client = new RestClient({
    ...{ ...listings, clock, random },
    onRetry: (retry) => progress.onRetry(retry),
  });
  const source = listingSource(client, listing, {
    isStrict: options.strict ?? false,
    isPassing: true,
  });
  try {
    const request = { name, listings, listing, source, clock, signal: interrupt };
    const isOpen = typeof folder === "object";
    const onProgress = (reached: ExportProgress) => progress.onProgress(reached);
    const read = await readFills({ ...request, folder: isOpen ? folder : undefined, onProgress });
    return typeof folder === "string" ? { ...read, notes: [...read.notes, folder] } : read;
  } finally {
    progress.end();
    await client.close();
  }
}

function assumptions({ isComplete }: FillsRead, { fills, unassigned }: StatementFold): string[] {
  return [
    ...(isComplete && fills > 0 ? ["an opening position of 0 is assumed"] : []),
    ...(unassigned > 0
      ? [
          `${counted(unassigned, "fill")} in no sum: their addresses do not show which side was the owner's`,
        ]
      : []),
  ];
}

function remarksOf({ otherValues }: StatementFold): string[] {
  if (otherValues === 0) return [];
  return [
    `${counted(otherValues, "fill")} with a value that is not price × quantity: bought, sold and volume are as listed, realised is by the price`,
  ];
}

function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}

/** @throws {UsageError} */
function checkOneMarket({ markets }: StatementFold): void {
  if (markets.size <= 1) return;
  throw new UsageError(
    `--base-asset names one asset, and the fills are of ${[...markets.keys()].join(", ")}`,
    "a statement of several markets cannot be written for Koinly by one pair of assets",
  );
}
