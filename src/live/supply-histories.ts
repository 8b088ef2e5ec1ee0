// Supplies the history views: their listings over REST, and files of what they show.
import { basename, join } from "node:path";
import type { Context } from "../args/context.ts";
import type { Listings } from "../config/settings.ts";
import { disk, processes } from "../export/disk.ts";
import { exportToFile } from "../export/export-file.ts";
import { exportIdentity, goOnCommand } from "../export/export-options.ts";
import type { ExportResult } from "../export/export-run.ts";
import { liquidationsCsv, onlyFound, type RowFormat, tradesCsv } from "../export/row-format.ts";
import { shortClosing } from "../export/text.ts";
import type { Listing } from "../listing/listing.ts";
import { listingSource } from "../listing/listing-source.ts";
import { RestClient } from "../listing/rest/rest-client.ts";
import type { Dashboard } from "../screen/dashboard.ts";
import type { ExportRequest } from "../screen/views/history/listings.ts";
import { visible } from "../terminal/visible.ts";
import { formatIsoMs } from "../units/time.ts";
import { MAX_PAGE_LIMIT } from "../wire/limits.ts";
import type { LiveMarketOptions } from "./live-market.ts";
import type { Service } from "./service.ts";

/** Does nothing where the address of the listings is not known. Answers how to stop. */
export function supplyHistories(
  context: Context,
  dashboard: Dashboard,
  service: Service,
): () => void {
  const { baseUrl, owner } = service;
  if (baseUrl === undefined) return () => {};
  const { isSimulated } = dashboard.options;
  const seen = (words: string) => dashboard.shown.seen(words);
  const supply = new Supply(context, { ...service, baseUrl, isSimulated, seen });
  dashboard.listings.supply = {
    clock: context.clock,
    owner,
    sourceOf: (listing) => supply.sourceOf(listing),
    export(request, notify) {
      supply.write(request, notify).then(
        (ended) => {
          const words = shortClosing(ended, ended.path && basename(ended.path));
          supply.say(
            `exported ${words}${request.filter && `, only rows with ${visible(request.filter)}`}`,
            notify,
          );
        },
        (error: unknown) => supply.say(wordsOf(error), notify),
      );
    },
  };
  dashboard.notify();
  return () => supply.close();
}

const RULE = { isRaw: false, visible };

interface Supplied extends Listings {
  /** The service ends with the program. */
  readonly isSimulated: boolean;
  /** Words as others may see them. */
  readonly seen: (words: string) => string;
}

class Supply {
  readonly #context: Context;
  readonly #baseUrl: string;
  readonly #headers: Listings["headers"];
  readonly #isSimulated: boolean;
  readonly #seen: Supplied["seen"];
  readonly #client: RestClient;
  readonly #stop = new AbortController();

  constructor(context: Context, { baseUrl, headers, isSimulated, seen }: Supplied) {
    const { clock, random } = context;
    this.#context = context;
    this.#baseUrl = baseUrl;
    this.#headers = headers;
    this.#isSimulated = isSimulated;
    this.#seen = seen;
    this.#client = new RestClient({ baseUrl, headers, clock, random });
  }

  sourceOf<T>(listing: Listing<T>) {
    return listingSource(this.#client, listing, {
      isStrict: this.#context.options.strict ?? false,
    });
  }

  /** Writes what is asked for to a new file in the current folder. */
  write(request: ExportRequest, notify: (words: string) => void): Promise<ExportResult> {
    return request.kind === "liquidations"
      ? this.#write(
          request,
          request.listing,
          onlyFound(liquidationsCsv(RULE), request.found),
          notify,
        )
      : this.#write(
          request,
          request.listing,
          onlyFound(tradesCsv(RULE, request.owner), request.found),
          notify,
        );
  }

  /** Tells what has come of an export: in its view, or, when the screen is gone, below it. */
  say(words: string, notify: (words: string) => void): void {
    if (this.#stop.signal.aborted) this.#context.stderr.write(`monitor: ${this.#seen(words)}\n`);
    else notify(words);
  }

  /** Exports that are not finished keep what they have, and say how they go on. */
  close(): void {
    this.#stop.abort(new Error("the screen was left"));
    void this.#client.close();
  }

  #write<T extends object>(
    request: ExportRequest,
    listing: Listing<T>,
    format: RowFormat<T>,
    notify: (words: string) => void,
  ): Promise<ExportResult> {
    const { clock } = this.#context;
    const { name, sinceMs, untilMs, filter } = request;
    const baseUrl = this.#baseUrl;
    const path = join(process.cwd(), fileName(name, clock.wall()));
    const plan = {
      identity: exportIdentity({
        name,
        baseUrl,
        headers: this.#headers,
        format: format.name,
        order: "newest first",
        sinceMs,
        untilMs,
        more: filter === "" ? [] : [`only rows with ${filter}`],
      }),
      source: this.sourceOf(listing),
      fields: listing.fields,
      format,
      limit: MAX_PAGE_LIMIT,
      bounds: { sinceMs, untilMs },
      isOldestFirst: false,
      isVerified: false,
      clock,
      signal: this.#stop.signal,
      onProgress: ({ rows }: { readonly rows: number }) => notify(`exporting, ${rows} rows so far`),
    };
    const isResumable = filter === "" && !this.#isSimulated;
    // No file has this name yet, nor is one replaced that gets it meanwhile.
    const replaces = { name, isOwn: () => false };
    const target = { path, isAppended: false, isResumable, replaces, files: disk, processes };
    return exportToFile(plan, target).catch(async (error: unknown) => {
      const isKept = (await disk.stat(`${path}.part.journal`)) !== undefined;
      const next = isKept || !isResumable ? this.#next(request, basename(path)) : "";
      const what = this.#stop.signal.aborted ? "stopped" : "failed";
      throw new Error(`export ${what}: ${wordsOf(error)}${next}`);
    });
  }

  /** How it goes on, or why nothing is kept of it. */
  #next(request: ExportRequest, file: string): string {
    if (this.#isSimulated) return "; nothing is kept: the simulated exchange ends with the program";
    if (request.filter !== "") return "; nothing is kept: no command goes on with a filter";
    return `; go on with: ${visible(goOnCommand(request, file, this.#context.options))}`;
  }
}

const wordsOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** `trades-perp-1-20251121T131500Z.csv`: a second export never meets the first. */
function fileName(name: string, wallMs: number): string {
  const time = formatIsoMs(wallMs).replace(/[-:]|\.[0-9]+/g, "");
  return `${name.replace(/[^0-9A-Za-z]+/g, "-")}-${time}.csv`;
}

/** Keeps a dashboard supplied where only the listings are known. @throws {TypeError} when the service has an address that is none */
export function supplyListings(options: LiveMarketOptions): void {
  const { context, dashboard, service, market, onOpen } = options;
  if (market !== undefined && !("symbol" in market)) dashboard.open(market);
  onOpen(supplyHistories(context, dashboard, service));
}
