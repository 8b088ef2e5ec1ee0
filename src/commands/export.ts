// monitor export trades|liquidations|fills …: a listing to a file or to standard output, with its proof of completeness.
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Context, EXIT, interruptedExitCode } from "../args/context.ts";
import { parseListing } from "../args/targets.ts";
import type { Listings } from "../config/settings.ts";
import { liquidationsCsv, ndjson, type RowFormat, tradesCsv } from "../export/csv.ts";
import { disk } from "../export/disk.ts";
import { exportToFile } from "../export/export-file.ts";
import {
  chooseCursorFields,
  type ExportOptions,
  type ExportTargets,
  exportIdentity,
  readExportOptions,
  readExportTargets,
} from "../export/export-options.ts";
import type { ExportPlan, ExportProgress, ExportResult } from "../export/export-run.ts";
import {
  ended,
  exportToStream,
  type InPlace,
  openInPlaceStream,
  paced,
} from "../export/export-stream.ts";
import { formatFileError, namesBeside, replaceWhole } from "../export/files.ts";
import { checkManifest, getOwnRows, manifestText, type OwnRows } from "../export/own-export.ts";
import {
  closingLine,
  type ProgressShown,
  showProgress,
  stoppedLine,
} from "../export/progress-lines.ts";
import type { Listing } from "../listing/listing.ts";
import { listingSource } from "../listing/listing-source.ts";
import { RestClient } from "../listing/rest/rest-client.ts";
import { resolveListing } from "../live/find-symbol.ts";
import { ownFill } from "../select/listing-rows.ts";
import { processes } from "../system/processes.ts";
import { visible, visibleJson } from "../terminal/visible.ts";
import { errorText, UsageError } from "../units/monitor-error.ts";
import type { TradeRecord } from "../wire/rest/trades.ts";
import { prepare, requireBaseUrl } from "./prepare.ts";

/**
 * @returns the exit code: 0 when everything requested is written and proven, 3 when it is not proven
 * @throws {UsageError} on an invalid argument or setting; {HistoryError} when the service fails; {ExportError} when
 * the file cannot be written
 */
export async function run(context: Context): Promise<number> {
  const { settings } = await prepare(context);
  const named = parseListing(context.args, settings.aliases);
  const options = readExportOptions(context.options);
  const targets = readExportTargets(context.options);
  const rule = { isRaw: context.options.rawCells ?? false, visible };
  const isCsv = options.format === "csv";
  const baseUrl = requireBaseUrl(settings);
  const listings = { baseUrl, headers: settings.headers };
  const argument = await resolveListing(context, settings, named);
  if (argument === undefined) return interruptedExitCode(context.interrupt);
  const isForced = context.options.force ?? false;
  if (!isForced) await checkManifest(disk, targets, argument.name);
  const rows = isForced ? undefined : getOwnRows(argument);
  const exporter = new Exporter(context, { options, listings, targets, rows });
  if (argument.kind === "liquidations") {
    const format = isCsv ? liquidationsCsv(rule) : ndjson();
    return exporter.run(argument.name, argument.listing, format);
  }
  const owner = argument.kind === "fills" ? argument.owner : undefined;
  const ownFields = owner && ((record: TradeRecord) => ownFill(record, owner));
  const format = isCsv ? tradesCsv(rule, owner) : ndjson(ownFields);
  return exporter.run(argument.name, argument.listing, format);
}

interface ExporterParts {
  readonly options: ExportOptions;
  readonly listings: Listings;
  readonly targets: ExportTargets;
  /** Which existing rows may be replaced; undefined: any. */
  readonly rows: OwnRows | undefined;
}

class Exporter {
  readonly #context: Context;
  readonly #parts: ExporterParts;
  readonly #client: RestClient;
  readonly #progress: ProgressShown;
  #drifts = 0;
  /** Progress so far, for the closing line of a stopped export. */
  #reached: ExportProgress | undefined;

  constructor(context: Context, parts: ExporterParts) {
    const { clock, random } = context;
    this.#context = context;
    this.#parts = parts;
    this.#progress = showProgress(context, parts.options.bounds);
    this.#client = new RestClient({
      ...parts.listings,
      clock,
      random,
      onRetry: (retry) => this.#progress.onRetry(retry),
    });
  }

  async run<T extends { readonly timestamp_ms: number }>(
    name: string,
    listing: Listing<T>,
    format: RowFormat<T>,
  ): Promise<number> {
    const { listings, targets } = this.#parts;
    const { manifest, output } = targets;
    // A pipe without a reader fails here, before any request, not at the first write.
    const place = manifest?.kind === "inPlace" ? openInPlaceStream(manifest.path) : undefined;
    try {
      const result = await this.#export(this.#plan(name, listing, format)).catch((error) =>
        this.#stopped(error),
      );
      if (typeof result === "number") return result;
      this.#progress.end();
      this.#print(closingLine(result, result.path !== undefined));
      if (!result.verdict.isComplete) await this.#printPart(result.isOutdated);
      // The manifest is written after the export: if that fails, the exported file still exists.
      if (manifest !== undefined) {
        const text = manifestText(result, {
          listing: name,
          baseUrl: listings.baseUrl,
          format: format.name,
          file: output?.kind === "inPlace" ? output.path : result.path,
          retries: this.#client.retries,
          drifts: this.#drifts,
        });
        await writeManifest(manifest.path, text, place);
      }
      return result.verdict.isComplete ? EXIT.done : EXIT.unproven;
    } finally {
      place?.stream.destroy();
      await this.#client.close();
    }
  }

  /** @returns the exit code of an interrupted export. @throws the error of any other failure */
  async #stopped(error: unknown): Promise<number> {
    const { interrupt } = this.#context;
    this.#progress.end();
    if (interrupt.aborted && interrupt.reason === "closed-stdout") return EXIT.done;
    // After a usage error nothing was started: an existing part file belongs to another run.
    if (!(error instanceof UsageError)) {
      const stop =
        interrupt.reason === "failed-stdout" ? "what it is written to" : interrupt.reason;
      const reason = interrupt.aborted ? `stopped by ${stop}` : `failed: ${errorText(error)}`;
      this.#print(stoppedLine(this.#reached, reason));
      await this.#printPart();
    }
    if (interrupt.aborted) return interruptedExitCode(interrupt);
    throw error;
  }

  #plan<T extends object>(name: string, listing: Listing<T>, format: RowFormat<T>): ExportPlan<T> {
    const { options, clock, interrupt } = this.#context;
    const { listings, options: exported } = this.#parts;
    const { max, sinceMs, untilMs } = exported.bounds;
    const { verify = false, rawCells = false } = options;
    const order = exported.isOldestFirst ? "oldest first" : "newest first";
    return {
      ...exported,
      identity: exportIdentity({
        name,
        ...listings,
        format: format.name,
        sinceMs,
        untilMs,
        max,
        order: exported.isAppended ? "added" : order,
        more: [rawCells ? "raw cells" : "", verify ? "verified" : ""],
      }),
      source: listingSource(this.#client, listing, {
        isTransient: true,
        onDrift: () => this.#drifts++,
      }),
      fields: {
        ...listing.fields,
        cursorFields: chooseCursorFields(listing, options.cursorField),
      },
      format,
      isVerified: verify,
      clock,
      signal: interrupt,
      onProgress: (progress) => {
        this.#reached = progress;
        this.#progress.onProgress(progress);
      },
    };
  }

  async #export<T extends object>(plan: ExportPlan<T>): Promise<ExportResult> {
    const { options, targets, rows } = this.#parts;
    const { output } = targets;
    if (output?.kind === "file") {
      const { isAppended } = options;
      return exportToFile(plan, {
        path: output.path,
        isAppended,
        isResumable: true,
        replaces: rows,
        files: disk,
        processes,
        onResume: ({ rows: proven }) => this.#progress.onResume(proven),
      });
    }
    const { stdout, interrupt } = this.#context;
    const place = output && openInPlaceStream(output.path);
    const { stream, isTerminal } = place ?? { stream: stdout, isTerminal: stdout.isTTY ?? false };
    const spoolPath = join(tmpdir(), `monitor-export-${process.pid}-${plan.clock.wall()}`);
    const send = paced(stream, interrupt);
    const write = (text: string | Uint8Array) => send(isTerminal ? shownText(text) : text);
    try {
      const result = await exportToStream(plan, { write, spoolPath, files: disk });
      if (place !== undefined) await ended(place.stream);
      return result;
    } catch (error) {
      throw output === undefined ? error : formatFileError(error, output.path, false);
    } finally {
      place?.stream.destroy();
    }
  }

  async #printPart(isOutdated = false): Promise<void> {
    const { output } = this.#parts.targets;
    if (output?.kind !== "file") return;
    const { part, journal } = namesBeside(output.path);
    const [isNamed, isAvailable] = [await disk.stat(journal), await disk.stat(part)];
    if (isNamed === undefined || isAvailable === undefined) return;
    this.#print(
      isOutdated
        ? `what was proven before is kept in ${part}; remove it and ${journal} to begin anew`
        : `what is proven is kept in ${part}; the same command resumes there`,
    );
  }

  #print(line: string): void {
    this.#context.stderr.write(`${visible(line)}\n`);
  }
}

async function writeManifest(path: string, text: string, place?: InPlace): Promise<void> {
  try {
    if (place === undefined) await replaceWhole(disk, path, text);
    else await ended(place.stream, text);
  } catch (error) {
    throw formatFileError(error, path, false);
  }
}

/** Lines made safe for a terminal: neither NDJSON nor raw cells can contain an escape sequence. */
function shownText(text: string | Uint8Array): string {
  const lines = typeof text === "string" ? text : new TextDecoder().decode(text);
  return visibleJson(lines.replaceAll("\r\n", "\n"));
}
