// monitor trades, liquidations, fills: the newest rows of a listing on the screen, as text, or as JSON.

import { createDialect } from "../../dialect/dialect.ts";
import type { Listing } from "../../listing/listing.ts";
import { unproven, type Verdict } from "../../listing/look.ts";
import { Pager } from "../../listing/pager.ts";
import { RestClient } from "../../listing/rest-client.ts";
import { createSource } from "../../listing/source.ts";
import { sheetText } from "../../print/sheet-text.ts";
import type { Sheet } from "../../screen/pane.ts";
import { tableSheet } from "../../screen/table/pane.ts";
import { MASK } from "../../screen/table/table.ts";
import { fillMarket } from "../../statement/fold.ts";
import { printLine } from "../../system/print-line.ts";
import { UsageError } from "../../units/monitor-error.ts";
import { formatIsoMs } from "../../units/time.ts";
import { visible, visibleJson } from "../../units/visible.ts";
import { FILLS, FILLS_TABLE, fillRows } from "../../views/fills.ts";
import { LIQUIDATIONS, LIQUIDATIONS_TABLE, liquidationRows } from "../../views/liquidations.ts";
import { TRADES, TRADES_TABLE } from "../../views/trades.ts";
import { MAX_PAGE_LIMIT } from "../../wire/limits.ts";
import type { ListedRecord } from "../../wire/rest/fields.ts";
import type { Settings } from "../config/settings.ts";
import { type Context, EXIT } from "../context.ts";
import { readBounds } from "../export-options.ts";
import { findListing, type ListingArgument } from "../find-market.ts";
import { isHeadless } from "../headless.ts";
import { liveService } from "../live.ts";
import { prepare, requireBaseUrl } from "../prepare.ts";
import { runView } from "../run-view.ts";
import { listedMarkets } from "../stream-facts.ts";

const VIEW_OF = { trades: TRADES, liquidations: LIQUIDATIONS, fills: FILLS };

/** @throws {UsageError} on an invalid argument or setting; {ServiceError} when a listing that is printed fails */
export async function run(context: Context, kind: ListingArgument["kind"]): Promise<number> {
  const { file, settings } = await prepare(context);
  requireBaseUrl(settings);
  const isPrinted = isHeadless(context);
  if (!isPrinted) refuseBounds(context);
  const found = await findListing(context, settings, [kind, ...context.args]);
  if (isPrinted) return print(context, settings, found);
  const owner = "owner" in found ? found.owner : undefined;
  const market = "market" in found ? found.market : undefined;
  const service = { ...liveService(context, settings), owner };
  const { interval } = settings;
  return runView(
    context,
    { service, config: file.config, channels: ["markets"], view: VIEW_OF[kind] },
    () => ({ view: "market", market, addresses: [], interval }),
  );
}

/** @throws {UsageError} if an option bounds the rows: the screen loads older ones as one scrolls */
function refuseBounds({ options }: Context): void {
  const bound = (["max", "since", "until"] as const).find((key) => options[key] !== undefined);
  if (bound === undefined) return;
  throw new UsageError(`--${bound} has no meaning on the screen`, "add --once or --json");
}

function print(context: Context, settings: Settings, found: ListingArgument): Promise<number> {
  const { mask: isMasked = false } = context.options;
  if (found.kind === "trades") {
    return printRows(context, settings, found.listing, found.name, (records) =>
      tableSheet(TRADES_TABLE, records, isMasked),
    );
  }
  if (found.kind === "liquidations") {
    const dialect = createDialect({}, settings.pinned, settings.names);
    return printRows(context, settings, found.listing, found.name, (records) =>
      tableSheet(LIQUIDATIONS_TABLE, liquidationRows(records, { dialect }), isMasked),
    );
  }
  const { owner, subaccountId } = found.owner;
  const shown = isMasked ? MASK : `${owner.slice(0, 6)}…${owner.slice(-4)}`;
  const name = `fills ${shown} ${subaccountId}`;
  return printRows(context, settings, found.listing, name, async (records, isAll) => {
    const listed = await listedMarkets(context, settings, [...new Set(records.map(fillMarket))]);
    const symbolOf = (market: string) => listed.get(market)?.symbol ?? market;
    return tableSheet(FILLS_TABLE, fillRows(records, found.owner, symbolOf, isAll), isMasked);
  });
}

/** Rows printed by default: a page of the interface's default limit. */
const DEFAULT_ROWS = 100;

/**
 * @param name of the listing in text
 * @returns the exit code: 3 if the rows are not proven to be all that were requested
 */
async function printRows<T extends ListedRecord>(
  context: Context,
  settings: Settings,
  listing: Listing<T>,
  name: string,
  sheetOf: (records: readonly T[], isAll: boolean) => Sheet | Promise<Sheet>,
): Promise<number> {
  const { options } = context;
  const { max = DEFAULT_ROWS, since } = options;
  const read = await readRows(context, settings, listing);
  const { records, verdict } = read;
  const { isComplete, why } = verdict;
  if (options.json) printLine(context, listingJson(listing.name, read));
  else {
    const isAll = isComplete && since === undefined && records.length < max;
    const table = records.length === 0 ? "" : sheetText(await sheetOf(records, isAll));
    const complete = `complete: ${isComplete ? "yes" : "no"} (${why})`;
    const foot = visible(`${records.length} of ${name}, ${complete}`);
    printLine(context, [table, foot].filter(Boolean).join("\n"));
  }
  return isComplete ? EXIT.done : EXIT.unproven;
}

interface ListedRows<T> {
  readonly records: readonly T[];
  /** Of records, as received: as numbers, those of undocumented fields would lose digits. */
  readonly texts: WeakMap<object, string>;
  readonly verdict: Verdict;
  readonly newestMs: number | undefined;
}

/** Within the bounds of the options. @throws {ServiceError} when the service fails */
async function readRows<T extends ListedRecord>(
  { clock, random, interrupt: signal, options }: Context,
  settings: Settings,
  listing: Listing<T>,
): Promise<ListedRows<T>> {
  const texts = new WeakMap<object, string>();
  const bounds = readBounds({ max: DEFAULT_ROWS, ...options });
  const baseUrl = requireBaseUrl(settings);
  const client = new RestClient({ baseUrl, headers: settings.headers, clock, random });
  const source = createSource(client, listing, texts);
  const limit = Math.max(1, Math.min(bounds.max ?? DEFAULT_ROWS, MAX_PAGE_LIMIT));
  const pager = new Pager({ source, limit, bounds, signal });
  const records: T[] = [];
  try {
    for await (const { rows } of pager.pages()) records.push(...rows);
  } finally {
    await client.close();
  }
  const { verdict = unproven("it was not read to its end"), state } = pager;
  return { records, texts, verdict, newestMs: state.newestMs };
}

function listingJson(
  listing: string,
  { records, texts, verdict: { isComplete, why }, newestMs }: ListedRows<object>,
): string {
  const head = JSON.stringify({
    listing,
    as_of: newestMs === undefined ? null : formatIsoMs(newestMs),
    complete: isComplete,
    proof: why,
  });
  const rows = records.map((record) => texts.get(record) ?? "");
  return visibleJson(`${head.slice(0, -1)},"rows":[${rows.join(",")}]}`);
}
