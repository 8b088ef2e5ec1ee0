// Feeds the history views: REST listings, and exports of what they show.
import { basename, resolve } from "node:path";
import type { Context } from "../../args/context.ts";
import { filterRecords, liquidationsCsv, type RowFormat, tradesCsv } from "../../export/csv.ts";
import { disk } from "../../export/disk.ts";
import { exportToFile } from "../../export/export-file.ts";
import { continueCommand, exportIdentity } from "../../export/export-options.ts";
import type { ExportResult } from "../../export/export-run.ts";
import { shortClosing } from "../../export/progress-lines.ts";
import type { Listing } from "../../listing/listing.ts";
import { listingSource } from "../../listing/listing-source.ts";
import { RestClient } from "../../listing/rest/rest-client.ts";
import { type BackgroundListings, openBackgroundListings } from "../../live/background-listings.ts";
import type { Service } from "../../live/service.ts";
import type { Dashboard } from "../../screen/dashboard.ts";
import type { ExportRequest } from "../../screen/views/history/listings.ts";
import type { AccountChoice } from "../../select/account.ts";
import type { FillsOwner } from "../../select/listing-rows.ts";
import { openFillsFolder, readFills } from "../../statement/fills.ts";
import { processes } from "../../system/processes.ts";
import { visible } from "../../terminal/visible.ts";
import { errorText } from "../../units/monitor-error.ts";
import { formatIsoMs } from "../../units/time.ts";
import { MAX_UINT16 } from "../../units/uint.ts";
import { MAX_PAGE_LIMIT } from "../../wire/limits.ts";
import type { LiveMarketOptions } from "./live-market.ts";

const RULE = { isRaw: false, visible };
const EVERYTHING = { sinceMs: undefined, untilMs: undefined };

/** @returns its stop function. @param background source of automatic updates with newer rows; without it there are none */
export function feedHistories(
  context: Context,
  dashboard: Dashboard,
  service: Service,
  background?: Pick<BackgroundListings, "sourceOf">,
): () => void {
  const { clock, random, options, stderr } = context;
  const { baseUrl, headers, owner } = service;
  if (baseUrl === undefined) return () => {};
  const { isSimulated } = dashboard.options;
  const client = new RestClient({ baseUrl, headers, clock, random });
  const stop = new AbortController();
  const beside = service.account ?? dashboard.options.account;
  const owners = new FillOwners(owner, beside, () => dashboard.shown.account);
  const running = new Set<string>();
  const sourceOf = <T>(listing: Listing<T>) => listingSource(client, listing);

  const announce = (words: string, notify: (words: string) => void) => {
    if (stop.signal.aborted) stderr.write(`monitor: ${dashboard.shown.masked(words)}\n`);
    else notify(words);
  };

  const write = <T extends object>(
    request: ExportRequest,
    listing: Listing<T>,
    format: RowFormat<T>,
    notify: (words: string) => void,
  ): Promise<ExportResult> => {
    const { name, filter } = request;
    const path = resolve(process.cwd(), request.path);
    const more = filter === "" ? [] : [`only rows with ${filter}`];
    const parts = { name, baseUrl, headers, format: format.name, more };
    const plan = {
      identity: exportIdentity({ ...parts, order: "newest first", ...EVERYTHING }),
      source: sourceOf(listing),
      fields: listing.fields,
      format,
      limit: MAX_PAGE_LIMIT,
      bounds: EVERYTHING,
      isOldestFirst: false,
      isVerified: false,
      clock,
      signal: stop.signal,
      onProgress: ({ rows }: { readonly rows: number }) => {
        if (!stop.signal.aborted) notify(`exporting, ${rows} rows so far`);
      },
    };
    const isResumable = filter === "" && !isSimulated;
    // The name is new; a file created under it in the meantime is not replaced.
    const replaces = { name, isOwn: () => false };
    const target = { path, isAppended: false, isResumable, replaces, files: disk, processes };
    return exportToFile(plan, target).catch(async (error: unknown) => {
      const isKept = (await disk.stat(`${path}.part.journal`)) !== undefined;
      const next = isKept || !isResumable ? nextStep(request) : "";
      const what = stop.signal.aborted ? "stopped" : "failed";
      throw new Error(`export ${what}: ${errorText(error)}${next}`);
    });
  };

  const nextStep = (request: ExportRequest): string => {
    if (isSimulated) return "; nothing is kept: the simulated exchange ends with the program";
    if (request.filter !== "")
      return "; nothing is kept: an export with a filter cannot be resumed";
    return `; go on with: ${visible(continueCommand({ ...request, ...EVERYTHING }, request.path, options))}`;
  };

  const exportRows = (request: ExportRequest, notify: (words: string) => void) => {
    if (request.kind === "liquidations") {
      const format = filterRecords(liquidationsCsv(RULE), request.found);
      return write(request, request.listing, format, notify);
    }
    const format = filterRecords(tradesCsv(RULE, request.owner), request.found);
    return write(request, request.listing, format, notify);
  };

  /** Fills of the simulated exchange are not persisted. */
  const readAll = async (
    owner: FillsOwner,
    signal: AbortSignal,
    onProgress: (rows: number) => void,
  ) =>
    readFills({
      owner,
      listings: { baseUrl, headers },
      client,
      clock,
      signal: AbortSignal.any([signal, stop.signal]),
      folder: isSimulated ? undefined : await openFillsFolder(),
      onProgress: ({ rows }) => onProgress(rows),
    });

  dashboard.listings.feed = {
    clock,
    get owner() {
      return owners.now;
    },
    nameOwner(named) {
      owners.name(named);
      dashboard.notify();
    },
    sourceOf,
    readFills: readAll,
    ...(background && { headSourceOf: background.sourceOf }),
    fileName: (name) => fileName(name, clock.wall()),
    get running() {
      return [...running].map((path) => `exporting to ${path}`).join(", ");
    },
    export(request, notify) {
      const file = visible(request.path);
      running.add(file);
      const only = request.filter && `, only rows with ${visible(request.filter)}`;
      exportRows(request, notify)
        .then(
          (ended) => {
            const words = shortClosing(ended, ended.path && basename(ended.path));
            announce(`exported ${words}${only}`, notify);
          },
          (error: unknown) => announce(errorText(error), notify),
        )
        .finally(() => running.delete(file));
    },
  };
  dashboard.notify();
  return () => {
    // Unfinished exports keep their part file and print the command that resumes them.
    stop.abort(new Error("the screen was left"));
    void client.close();
  };
}

/** Shortens an owner's address in a file name: the whole of it does not fit 80 columns. */
const OWNER_START = /(0x[0-9a-f]{8})[0-9a-f]{32}/i;

/** `trades-perp-1-20251121T131500Z.csv`: the time keeps exports apart. */
function fileName(name: string, wallMs: number): string {
  const time = formatIsoMs(wallMs).replace(/[-:]|\.[0-9]+/g, "");
  return `${name.replace(OWNER_START, "$1").replace(/[^0-9A-Za-z]+/g, "-")}-${time}.csv`;
}

/** Feeds a dashboard when only the listings are known. @throws {TypeError} on an invalid service address */
export function feedListings(options: LiveMarketOptions): void {
  const { context, dashboard, service, market, onOpen } = options;
  if (market !== undefined && !("symbol" in market)) dashboard.open(market);
  const background = openBackgroundListings(context, service);
  onOpen(() => background?.close());
  onOpen(feedHistories(context, dashboard, service, background));
}

// Whose fills are listed. Stream and listings identify an account differently (interface 4.1, 4.4), and neither identifier can
// be derived from the other: an owner applies only to the stream address for which the user named it.

export class FillOwners {
  readonly #given: FillsOwner | undefined;
  readonly #watched: () => AccountChoice | undefined;
  readonly #byAddress = new Map<string, string>();
  #last: FillsOwner | undefined;

  /**
   * @param given the owner named on the command line
   * @param beside the account for which it was named; undefined if the command lists fills and watches no account
   * @param watched returns the currently watched account
   */
  constructor(
    given: FillsOwner | undefined,
    beside: AccountChoice | undefined,
    watched: () => AccountChoice | undefined,
  ) {
    this.#given = beside === undefined ? given : undefined;
    this.#watched = watched;
    if (given !== undefined && beside !== undefined)
      this.#byAddress.set(beside.address, given.owner);
  }

  /** The same object until owner or subaccount changes; undefined if no owner is named for the watched account. */
  get now(): FillsOwner | undefined {
    const next = this.#find();
    const { owner, subaccountId } = this.#last ?? {};
    if (next?.owner !== owner || next?.subaccountId !== subaccountId) this.#last = next;
    return this.#last;
  }

  name(owner: string): void {
    const account = this.#watched();
    if (account !== undefined) this.#byAddress.set(account.address, owner);
  }

  #find(): FillsOwner | undefined {
    const account = this.#watched();
    if (account === undefined) return this.#given;
    const owner = this.#byAddress.get(account.address);
    const subaccountId = Number(account.subaccountId ?? Number.NaN);
    // Listings support fewer subaccounts than the stream (interface 4.4: uint16).
    return owner !== undefined && subaccountId <= MAX_UINT16 ? { owner, subaccountId } : undefined;
  }
}
