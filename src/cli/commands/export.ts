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
import { createSource } from "../../listing/source.ts";
import { isThere } from "../../system/named-file.ts";
import { errorText, UsageError } from "../../units/monitor-error.ts";
import { visible } from "../../units/visible.ts";
import type { ListedRecord } from "../../wire/rest/fields.ts";
import { type Context, EXIT, interruptedExitCode } from "../context.ts";
import { type ExportOptions, readExportOptions } from "../export-options.ts";
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
  const chosen = readExportOptions(context.options);
  requireBaseUrl(task);
  const { kind, listing } = await findListing(task, context.args);
  const texts = new WeakMap<object, string>();
  return kind === "liquidations"
    ? runExport(task, chosen, listing, liquidationFormat(chosen.format, listing, texts), texts)
    : runExport(task, chosen, listing, tradeFormat(chosen.format, listing, texts), texts);
}

async function runExport<T extends ListedRecord>(
  task: Task,
  chosen: ExportOptions,
  listing: Listing<T>,
  format: Format<T>,
  texts: WeakMap<object, string>,
): Promise<number> {
  const { interrupt: signal } = task;
  const { manifest, output } = chosen;
  if (manifest !== undefined && !chosen.isForced) await checkManifest(manifest, listing.name);
  const { onRetry, onProgress, end } = await showProgress(task, chosen.bounds);
  const client = openClient(task, { onRetry });
  const learned = learnedCursors(task);
  let reached: Partial<Reached> = {};
  const plan: ExportPlan<T> = {
    ...{ ...chosen, format, signal, cursor: learned.of(listing.kind) },
    source: createSource(client, listing, format.name === "ndjson" ? texts : undefined),
    onProgress(now) {
      reached = now;
      onProgress(now);
    },
  };
  try {
    const result = await write(task, plan, chosen).finally(end);
    if (result.cursor !== undefined) learned.learn(listing.kind, result.cursor);
    const code = tellEnd(task, chosen, result);
    if (manifest !== undefined) {
      const facts = { listing: listing.name, baseUrl: requireBaseUrl(task), format: format.name };
      const { retries } = client;
      await writeManifest(manifest, result, { ...facts, retries, file: output?.path });
    }
    return code;
  } catch (error) {
    tellFailure(task, chosen, reached, error);
    if (signal.aborted) return interruptedExitCode(signal);
    throw error;
  } finally {
    await client.close();
  }
}

/** @returns the exit code */
function tellEnd(task: Task, chosen: ExportOptions, result: ExportResult): number {
  const { isComplete, why } = result.verdict;
  print(task, closingLine(result, `${isComplete ? "yes" : "no"} (${why})`));
  if (!result.isWritten)
    printPart(task, chosen, "the same command tries again, --allow-unproven makes it the file");
  return isComplete ? EXIT.done : EXIT.unproven;
}

function tellFailure(
  task: Task,
  chosen: ExportOptions,
  reached: Partial<Reached>,
  error: unknown,
): void {
  const { aborted, reason } = task.interrupt;
  // After wrong use nothing was begun: an existing part file belongs to another run.
  if (error instanceof UsageError || reason === "closed-stdout") return;
  const why = aborted ? `stopped by ${reason}` : `failed: ${errorText(error)}`;
  print(task, closingLine(reached, `no (${why})`));
  printPart(task, chosen, "the same command goes on there");
}

async function write<T extends ListedRecord>(
  task: Task,
  plan: ExportPlan<T>,
  { output, isAppended, isForced, allowsUnproven }: ExportOptions,
): Promise<ExportResult> {
  const { stdout, interrupt } = task;
  if (output?.kind === "file") {
    const target = { path: output.path, identity: requireBaseUrl(task) };
    return exportToFile(plan, { ...target, isAppended, isForced, allowsUnproven });
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

function printPart(task: Task, { output }: ExportOptions, next: string): void {
  if (output?.kind !== "file") return;
  const { part, journal } = namesBeside(output.path);
  if (isThere(part) && isThere(journal)) print(task, `what is proven is in ${part}: ${next}`);
}

function print({ stderr }: Task, line: string): void {
  stderr.write(`${visible(line)}\n`);
}
