// Feeds the history views: REST listings, and exports of what they show.
import { basename, join, resolve } from "node:path";
import type { Context } from "../../args/context.ts";
import { dataFolder } from "../../config/config-location.ts";
import { type ExportResult, exportToFile } from "../../export/export.ts";
import { type Format, filtered, liquidationFormat, tradeFormat } from "../../export/format.ts";
import { counted } from "../../export/progress.ts";
import type { Listing } from "../../listing/listing.ts";
import { RestClient } from "../../listing/rest-client.ts";
import { createSource } from "../../listing/source.ts";
import { type BackgroundListings, openBackgroundListings } from "../../live/background-listings.ts";
import type { Service } from "../../live/service.ts";
import type { Dashboard } from "../../screen/dashboard.ts";
import type { ExportRequest } from "../../screen/views/history/listings.ts";
import type { AccountChoice } from "../../select/account.ts";
import { readFills } from "../../statement/fills.ts";
import { visible } from "../../terminal/visible.ts";
import { errorText } from "../../units/monitor-error.ts";
import { formatIsoMs } from "../../units/time.ts";
import { MAX_UINT16 } from "../../units/uint.ts";
import { MAX_PAGE_LIMIT } from "../../wire/limits.ts";
import type { ListedRecord } from "../../wire/rest/fields.ts";
import type { FillsOwner } from "../../wire/rest/own-fill.ts";
import type { LiveMarketOptions } from "./live-market.ts";

/** @returns its stop function. @param background source of automatic updates with newer rows; without it there are none */
export function feedHistories(
  context: Context,
  dashboard: Dashboard,
  service: Service,
  background?: Pick<BackgroundListings, "sourceOf">,
): () => void {
  const { clock, random, stderr } = context;
  const { baseUrl, headers, owner } = service;
  if (baseUrl === undefined) return () => {};
  const { isSimulated } = dashboard.options;
  const client = new RestClient({ baseUrl, headers, clock, random });
  const stop = new AbortController();
  const beside = service.account ?? dashboard.options.account;
  const owners = new FillOwners(owner, beside, () => dashboard.shown.account);
  const running = new Set<string>();
  const sourceOf = <T extends ListedRecord>(listing: Listing<T>) => createSource(client, listing);

  const announce = (words: string, notify: (words: string) => void) => {
    if (stop.signal.aborted) stderr.write(`monitor: ${dashboard.shown.masked(words)}\n`);
    else notify(words);
  };

  const write = <T extends ListedRecord>(
    { path: named, name, filter }: ExportRequest,
    listing: Listing<T>,
    format: Format<T>,
    notify: (words: string) => void,
  ): Promise<ExportResult> => {
    const path = resolve(process.cwd(), named);
    const plan = {
      source: sourceOf(listing),
      format,
      limit: MAX_PAGE_LIMIT,
      bounds: {},
      isOldestFirst: false,
      signal: stop.signal,
      onProgress: ({ rows }: { readonly rows: number }) => {
        if (!stop.signal.aborted) notify(`exporting, ${rows} rows so far`);
      },
    };
    const identity = filter === "" ? baseUrl : `${baseUrl}, only rows with ${filter}`;
    const only = { isAppended: false, isForced: false, allowsUnproven: false };
    return exportToFile(plan, { path, identity, ...only }).catch((error: unknown) => {
      const what = stop.signal.aborted ? "stopped" : "failed";
      const next = filter === "" ? `; go on with: monitor export ${name} -o ${visible(named)}` : "";
      throw new Error(`export ${what}: ${errorText(error)}${next}`);
    });
  };

  const exportRows = (request: ExportRequest, notify: (words: string) => void) => {
    const texts = new WeakMap();
    if (request.kind === "liquidations") {
      const { listing, found } = request;
      const format = filtered(liquidationFormat("csv", listing, texts), found);
      return write(request, listing, format, notify);
    }
    const { listing, found } = request;
    return write(request, listing, filtered(tradeFormat("csv", listing, texts), found), notify);
  };

  /** Fills of the simulated exchange are not stored. */
  const readAll = async (
    owner: FillsOwner,
    signal: AbortSignal,
    onProgress: (rows: number) => void,
  ) =>
    readFills({
      ...{ owner, baseUrl, client },
      signal: AbortSignal.any([signal, stop.signal]),
      folder: isSimulated ? undefined : join(await dataFolder(), "fills"),
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
          ({ rows, verdict, isWritten }) => {
            const proof = verdict.isComplete ? "yes" : `no (${verdict.why})`;
            const where = basename(isWritten ? request.path : `${request.path}.part`);
            const words = `${counted(rows, "row")}, complete: ${proof}, ${where}`;
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
