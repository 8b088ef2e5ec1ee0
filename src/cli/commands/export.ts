// monitor export trades|liquidations|fills …: a listing to a file or to standard output, with its proof of completeness.
import {
  type ExportPlan,
  type ExportResult,
  exportToFile,
  exportToStream,
  type Reached,
} from "../../export/export.ts";
import { type Format, liquidationFormat, tradeFormat } from "../../export/format.ts";
import { createWriter, endStream, openInPlaceStream } from "../../export/in-place.ts";
import { checkManifest, writeManifest } from "../../export/manifest.ts";
import { namesBeside } from "../../export/part-file.ts";
import { closingLine } from "../../export/progress.tsx";
import type { Listing } from "../../listing/listing.ts";
import { RestClient } from "../../listing/rest-client.ts";
import { createSource } from "../../listing/source.ts";
import { isThere } from "../../system/named-file.ts";
import { errorText, UsageError } from "../../units/monitor-error.ts";
import { visible } from "../../units/visible.ts";
import type { ListedRecord } from "../../wire/rest/fields.ts";
import type { Settings } from "../config/settings.ts";
import { type Context, EXIT, interruptedExitCode } from "../context.ts";
import { type ExportOptions, readExportOptions } from "../export-options.ts";
import { findListing } from "../find-market.ts";
import { showProgress } from "../plain-ink.ts";
import { learnedCursors, prepare, requireBaseUrl } from "../prepare.ts";

/**
 * @returns the exit code: 0 when everything requested is written and proven, 3 when it is not proven
 * @throws {UsageError} on an invalid argument or setting; {ServiceError} when the service fails; {MonitorError} when a file cannot
 *   be written
 */
export async function run(context: Context): Promise<number> {
  const { settings } = await prepare(context);
  const options = readExportOptions(context.options);
  requireBaseUrl(settings);
  const argument = await findListing(context, settings, context.args);
  const task = { context, settings, options };
  const texts = new WeakMap<object, string>();
  return argument.kind === "liquidations"
    ? runExport(task, argument.listing, texts, liquidationFormat)
    : runExport(task, argument.listing, texts, tradeFormat);
}

interface Task {
  readonly context: Context;
  readonly settings: Settings;
  readonly options: ExportOptions;
}

async function runExport<T extends ListedRecord>(
  task: Task,
  listing: Listing<T>,
  texts: WeakMap<object, string>,
  formatOf: (
    name: Format<T>["name"],
    listing: Listing<T>,
    texts: WeakMap<object, string>,
  ) => Format<T>,
): Promise<number> {
  const { context, settings, options } = task;
  const { clock, random, interrupt: signal } = context;
  const { manifest, format } = options;
  if (manifest !== undefined && !options.isForced) await checkManifest(manifest, listing.name);
  const baseUrl = requireBaseUrl(settings);
  const { onRetry, onProgress, end } = await showProgress(context, options.bounds);
  const client = new RestClient({ baseUrl, headers: settings.headers, clock, random, onRetry });
  const learned = learnedCursors(context, settings);
  let reached: Partial<Reached> = {};
  const plan: ExportPlan<T> = {
    ...options,
    source: createSource(client, listing, format === "ndjson" ? texts : undefined),
    format: formatOf(format, listing, texts),
    cursor: learned.of(listing.kind),
    signal,
    onProgress(now) {
      reached = now;
      onProgress(now);
    },
  };
  try {
    const result = await write(context, plan, options, baseUrl).finally(end);
    if (result.cursor !== undefined) learned.learn(listing.kind, result.cursor);
    const code = tellEnd(task, result);
    if (manifest !== undefined) {
      const facts = { listing: listing.name, baseUrl, format, retries: client.retries };
      await writeManifest(manifest, result, { ...facts, file: options.output?.path });
    }
    return code;
  } catch (error) {
    tellFailure(task, reached, error);
    if (signal.aborted) return interruptedExitCode(signal);
    throw error;
  } finally {
    await client.close();
  }
}

/** @returns the exit code */
function tellEnd(task: Task, result: ExportResult): number {
  const { isComplete, why } = result.verdict;
  print(task, closingLine(result, `${isComplete ? "yes" : "no"} (${why})`));
  if (!result.isWritten)
    printPart(task, "the same command tries again, --allow-unproven makes it the file");
  return isComplete ? EXIT.done : EXIT.unproven;
}

function tellFailure(task: Task, reached: Partial<Reached>, error: unknown): void {
  const { aborted, reason } = task.context.interrupt;
  // After wrong use nothing was begun: an existing part file belongs to another run.
  if (error instanceof UsageError || (aborted && reason === "closed-stdout")) return;
  const why = aborted ? `stopped by ${reason}` : `failed: ${errorText(error)}`;
  print(task, closingLine(reached, `no (${why})`));
  printPart(task, "the same command goes on there");
}

async function write<T extends ListedRecord>(
  { stdout, interrupt }: Context,
  plan: ExportPlan<T>,
  { output, isAppended, isForced, allowsUnproven }: ExportOptions,
  baseUrl: string,
): Promise<ExportResult> {
  if (output?.kind === "file") {
    const { path } = output;
    return exportToFile(plan, { path, identity: baseUrl, isAppended, isForced, allowsUnproven });
  }
  if (output === undefined) return exportToStream(plan, createWriter(stdout, interrupt));
  const stream = openInPlaceStream(output.path);
  try {
    const result = await exportToStream(plan, createWriter(stream, interrupt));
    await endStream(stream);
    return result;
  } finally {
    stream.destroy();
  }
}

function printPart(task: Task, next: string): void {
  const { output } = task.options;
  if (output?.kind !== "file") return;
  const { part, journal } = namesBeside(output.path);
  if (isThere(part) && isThere(journal)) print(task, `what is proven is in ${part}: ${next}`);
}

function print({ context }: Task, line: string): void {
  context.stderr.write(`${visible(line)}\n`);
}
