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
import type { Bounds } from "../../listing/pager.ts";
import { createSource } from "../../listing/source.ts";
import { isThere, type NamedFile } from "../../system/named-file.ts";
import { errorText, UsageError } from "../../units/monitor-error.ts";
import { visible } from "../../units/visible.ts";
import { MAX_PAGE_LIMIT } from "../../wire/limits.ts";
import type { ListedRecord } from "../../wire/rest/fields.ts";
import { type Context, EXIT, interruptedExitCode } from "../context.ts";
import { readBounds, readFormat, readManifest, readOutput } from "../export-options.ts";
import { findListing } from "../find-market.ts";
import { showProgress } from "../plain-ink.ts";
import { learnedCursors, openClient, prepare, requireBaseUrl, type Task } from "../prepare.ts";

/**
 * @returns the exit code: 0 when everything requested is written and proven, 3 when it is not proven
 * @throws {UsageError} on an invalid argument or setting; {ServiceError} when the service fails; {MonitorError} when a file cannot
 *   be written
 */
export async function run(context: Context): Promise<number> {
  const task = await prepare(context);
  const { options, args } = task;
  const [output, manifest] = [readOutput(options), readManifest(options)];
  const [name, bounds] = [readFormat(options), readBounds(options)];
  requireBaseUrl(task);
  const { kind, listing } = await findListing(task, args);
  const texts = new WeakMap<object, string>();
  const chosen: Chosen = { ...task, output, manifest, bounds, texts };
  return kind === "liquidations"
    ? runExport(chosen, listing, liquidationFormat(name, listing, texts))
    : runExport(chosen, listing, tradeFormat(name, listing, texts));
}

interface Chosen extends Task {
  /** Undefined for standard output. */
  readonly output: NamedFile | undefined;
  readonly manifest: NamedFile | undefined;
  readonly bounds: Bounds;
  /** Of records, as received. */
  readonly texts: WeakMap<object, string>;
}

async function runExport<T extends ListedRecord>(
  task: Chosen,
  listing: Listing<T>,
  format: Format<T>,
): Promise<number> {
  const { interrupt: signal, options, manifest, bounds, output } = task;
  const { append = false, oldestFirst = append, pageSize = MAX_PAGE_LIMIT, force } = options;
  if (manifest !== undefined && !force) await checkManifest(manifest, listing.name);
  const { onRetry, onProgress, end } = await showProgress(task, bounds);
  const client = openClient(task, { onRetry });
  const learned = learnedCursors(task);
  let reached: Partial<Reached> = {};
  const plan: ExportPlan<T> = {
    ...{ format, bounds, signal, limit: pageSize, isOldestFirst: oldestFirst || append },
    cursor: learned.of(listing.kind),
    source: createSource(client, listing, format.name === "ndjson" ? task.texts : undefined),
    onProgress(now) {
      reached = now;
      onProgress(now);
    },
  };
  try {
    const result = await write(task, plan).finally(end);
    if (result.cursor !== undefined) learned.learn(listing.kind, result.cursor);
    const code = tellEnd(task, result);
    if (manifest !== undefined) {
      const facts = { listing: listing.name, baseUrl: requireBaseUrl(task), format: format.name };
      const { retries } = client;
      await writeManifest(manifest, result, { ...facts, retries, file: output?.path });
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
function tellEnd(task: Chosen, result: ExportResult): number {
  const { isComplete, why } = result.verdict;
  print(task, closingLine(result, `${isComplete ? "yes" : "no"} (${why})`));
  if (!result.isWritten)
    printPart(task, "the same command tries again, --allow-unproven makes it the file");
  return isComplete ? EXIT.done : EXIT.unproven;
}

function tellFailure(task: Chosen, reached: Partial<Reached>, error: unknown): void {
  const { aborted, reason } = task.interrupt;
  // After wrong use nothing was begun: an existing part file belongs to another run.
  if (error instanceof UsageError || reason === "closed-stdout") return;
  const why = aborted ? `stopped by ${reason}` : `failed: ${errorText(error)}`;
  print(task, closingLine(reached, `no (${why})`));
  printPart(task, "the same command goes on there");
}

async function write<T extends ListedRecord>(
  task: Chosen,
  plan: ExportPlan<T>,
): Promise<ExportResult> {
  const { stdout, interrupt, output, options } = task;
  const { append = false, force = false, allowUnproven = false } = options;
  if (output?.kind === "file") {
    const target = { path: output.path, identity: requireBaseUrl(task) };
    const how = { isAppended: append, isForced: force, allowsUnproven: allowUnproven };
    return exportToFile(plan, { ...target, ...how });
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

function printPart(task: Chosen, next: string): void {
  const { output } = task;
  if (output?.kind !== "file") return;
  const { part, journal } = namesBeside(output.path);
  if (isThere(part) && isThere(journal)) print(task, `what is proven is in ${part}: ${next}`);
}

function print({ stderr }: Task, line: string): void {
  stderr.write(`${visible(line)}\n`);
}
