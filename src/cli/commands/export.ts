// monitor export trades|liquidations|fills …: a listing to a file or to standard output, with its proof.
import { realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exportToFile } from "../../export/export-file.ts";
import type { ExportPlan, ExportProgress, ExportResult } from "../../export/export-run.ts";
import { exportToStream } from "../../export/export-stream.ts";
import { writeWhole } from "../../export/files.ts";
import { manifestText } from "../../export/manifest.ts";
import { liquidationsCsv, ndjson, type RowFormat, tradesCsv } from "../../export/row-format.ts";
import { closingLine, stoppedLine } from "../../export/words.ts";
import type { Listing } from "../../history/listing.ts";
import { listingSource } from "../../history/listing-source.ts";
import { RestClient } from "../../history/rest/rest-client.ts";
import { visible, visibleJson } from "../../terminal/visible.ts";
import { UsageError } from "../../units/monitor-error.ts";
import { ownFill } from "../../view/fill.ts";
import { type ListingArgument, parseListing } from "../arguments/listing-argument.ts";
import { resolveListing } from "../arguments/look-up-market.ts";
import { type Context, EXIT, interruptedExitCode } from "../context.ts";
import { disk, processes } from "../export/disk.ts";
import { exportIdentity } from "../export/export-identity.ts";
import {
  checkManifest,
  chooseCursorFields,
  type ExportOptions,
  readExportOptions,
} from "../export/export-options.ts";
import { type ProgressShown, showProgress } from "../export/export-progress.ts";
import type { Listings } from "../service.ts";
import { loadSettings, requireBaseUrl } from "../settings/load-settings.ts";

/**
 * Answers the exit code: 0 when all that was asked for is written and proven, 3 when it is not proven.
 * @throws {UsageError} when a word or a setting is wrong; {HistoryError} when the service fails; {ExportError} when
 * the file cannot be written
 */
export async function run(context: Context): Promise<number> {
  const settings = await loadSettings(context);
  const named = parseListing(context.args, settings.aliases);
  const options = readExportOptions(context.options);
  await checkManifest(context.options);
  const rule = { isRaw: context.options.rawCells ?? false, visible };
  const isCsv = options.format === "csv";
  const baseUrl = requireBaseUrl(settings);
  const listings = { baseUrl, headers: settings.headers };
  const wanted = await resolveListing(context, settings, named);
  if (wanted === undefined) return interruptedExitCode(context.interrupt);
  if (wanted.kind === "liquidations") {
    const format = isCsv ? liquidationsCsv(rule) : ndjson();
    return new Exporter(context, options, listings).run(wanted.name, wanted.listing, format);
  }
  return new Exporter(context, options, listings).run(
    wanted.name,
    wanted.listing,
    isCsv ? tradesCsv(rule, ownerOf(wanted)) : tradesNdjson(wanted),
  );
}

function ownerOf(wanted: ListingArgument) {
  return wanted.kind === "fills" ? wanted.owner : undefined;
}

function tradesNdjson(wanted: ListingArgument) {
  const owner = ownerOf(wanted);
  return owner === undefined ? ndjson<never>() : ndjson<never>((record) => ownFill(record, owner));
}

/** What an export has come to, and where it is. */
type Ended = ExportResult & {
  readonly sha256: string | undefined;
  readonly path?: string | undefined;
};

class Exporter {
  readonly #context: Context;
  readonly #options: ExportOptions;
  readonly #client: RestClient;
  readonly #listings: Listings;
  readonly #progress: ProgressShown;
  #drifts = 0;
  /** How far the export is, for when it comes no further. */
  #reached: ExportProgress | undefined;

  constructor(context: Context, options: ExportOptions, listings: Listings) {
    const { clock, random } = context;
    this.#context = context;
    this.#options = options;
    this.#listings = listings;
    this.#progress = showProgress(context, options.bounds);
    this.#client = new RestClient({
      ...listings,
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
    const { stderr, interrupt } = this.#context;
    try {
      const ended = await this.#export(this.#plan(name, listing, format));
      this.#progress.end();
      await this.#writeManifest(name, format.name, ended);
      stderr.write(`${visible(closingLine(ended, ended.path !== undefined))}\n`);
      if (ended.verdict.isComplete) return EXIT.done;
      await this.#tellPart();
      return EXIT.unproven;
    } catch (error) {
      this.#progress.end();
      if (interrupt.aborted && interrupt.reason === "closed-stdout") return EXIT.done;
      this.#tellStop(error);
      // After a usage error nothing has been begun: what is there is of somebody else.
      if (!(error instanceof UsageError)) await this.#tellPart();
      if (interrupt.aborted) return interruptedExitCode(interrupt);
      throw error;
    } finally {
      await this.#client.close();
    }
  }

  #plan<T extends object>(name: string, listing: Listing<T>, format: RowFormat<T>): ExportPlan<T> {
    const { options, clock, interrupt } = this.#context;
    const cursorFields = chooseCursorFields(listing, options.cursorField);
    const isVerified = options.verify ?? false;
    return {
      ...this.#options,
      identity: this.#identityOf(name, format.name),
      source: listingSource(this.#client, listing, {
        isStrict: options.strict ?? false,
        isPassing: true,
        onDrift: () => this.#drifts++,
      }),
      reading: { ...listing.reading, cursorFields },
      format,
      isVerified,
      clock,
      signal: interrupt,
      onProgress: (progress) => {
        this.#reached = progress;
        this.#progress.onProgress(progress);
      },
    };
  }

  /** Everything that decides about the bytes of the file. */
  #identityOf(name: string, format: string): string {
    const { max, since, until, rawCells, verify } = this.#context.options;
    const { isOldestFirst, isAppended } = this.#options;
    return exportIdentity({
      name,
      baseUrl: this.#listings.baseUrl,
      format,
      order: isAppended ? "added" : isOldestFirst ? "oldest first" : "newest first",
      sinceMs: since,
      untilMs: until,
      max,
      more: [rawCells ? "raw cells" : "", verify ? "verified" : ""],
    });
  }

  async #export<T extends object>(plan: ExportPlan<T>): Promise<Ended> {
    const { output } = this.#context.options;
    if (output === undefined) return this.#exportToStdout(plan);
    const { isAppended } = this.#options;
    const path = await realPath(output);
    return exportToFile(plan, {
      ...{ path, isAppended, isResumable: true, files: disk, processes },
      onResume: ({ rows }) => this.#progress.onResume(rows),
    });
  }

  async #exportToStdout<T extends object>(plan: ExportPlan<T>): Promise<Ended> {
    const { stdout, interrupt } = this.#context;
    const spoolPath = join(tmpdir(), `monitor-export-${process.pid}-${plan.clock.wall()}`);
    const write = (text: string | Uint8Array) =>
      new Promise<void>((resolve, reject) => {
        if (interrupt.aborted) return reject(interrupt.reason);
        if (stdout.write(stdout.isTTY ? shownText(text) : text)) return resolve();
        const stop = () => reject(interrupt.reason);
        interrupt.addEventListener("abort", stop, { once: true });
        stdout.once("drain", () => {
          interrupt.removeEventListener("abort", stop);
          resolve();
        });
      });
    return exportToStream(plan, { write, spoolPath, files: disk });
  }

  async #writeManifest(listing: string, format: string, ended: Ended): Promise<void> {
    const { manifest } = this.#context.options;
    if (manifest === undefined) return;
    const text = manifestText(ended, {
      listing,
      baseUrl: this.#listings.baseUrl,
      format,
      file: ended.path,
      sha256: ended.sha256,
      retries: this.#client.retries,
      drifts: this.#drifts,
    });
    await writeWhole(disk, manifest, text);
  }

  /** The closing line of an export that did not come to its end; one that was asked for wrongly never began. */
  #tellStop(error: unknown): void {
    const { interrupt, stderr } = this.#context;
    if (error instanceof UsageError) return;
    const failure = error instanceof Error ? error.message : String(error);
    const stop = interrupt.reason === "failed-stdout" ? "what it is written to" : interrupt.reason;
    const why = interrupt.aborted ? `stopped by ${stop}` : `failed: ${failure}`;
    stderr.write(`${visible(stoppedLine(this.#reached, why))}\n`);
  }

  /** Says what a stopped export leaves behind. */
  async #tellPart(): Promise<void> {
    const { options, stderr } = this.#context;
    if (options.output === undefined) return;
    const part = `${await realPath(options.output)}.part`;
    const journal = await disk.stat(`${part}.journal`);
    if (journal === undefined) return;
    stderr.write(
      `${visible(`what is proven is kept in ${part}; the same command goes on from there`)}\n`,
    );
  }
}

/** Where a link leads to, so that it is the file that is replaced and not the link. */
async function realPath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    return path;
  }
}

/** Whole lines as a terminal may get them: nothing in NDJSON or in raw cells is a command. */
function shownText(text: string | Uint8Array): string {
  const lines = typeof text === "string" ? text : new TextDecoder().decode(text);
  return visibleJson(lines.replaceAll("\r\n", "\n"));
}
