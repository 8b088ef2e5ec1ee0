// monitor trades|liquidations <market>, monitor fills <owner> <subaccount_id>: a listing on the screen, or the rows that are asked
// for as text, or as JSON.

import { createDialect } from "../../dialect/dialect.ts";
import type { Listing } from "../../listing/listing.ts";
import { unproven, type Verdict } from "../../listing/look.ts";
import { Pager } from "../../listing/pager.ts";
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
import { type Context, EXIT } from "../context.ts";
import { readBounds } from "../export-options.ts";
import { findListing, type ListingArgument } from "../find-market.ts";
import { isHeadless } from "../headless.ts";
import { openClient, prepare, requireBaseUrl, type Task } from "../prepare.ts";
import { runView } from "../run-view.ts";
import { listedMarkets } from "../stream-facts.ts";

const VIEW_OF = { trades: TRADES, liquidations: LIQUIDATIONS, fills: FILLS };

/** @throws {UsageError} on an invalid argument or setting; {ServiceError} when a listing that is printed fails */
export async function run(context: Context, name: string): Promise<number> {
  const task = await prepare(context);
  requireBaseUrl(task);
  const isPrinted = isHeadless(task);
  if (!isPrinted) refuseBounds(task);
  const found = await findListing(task, [name, ...context.args]);
  if (isPrinted) return print(task, found);
  const { interval } = task.settings;
  const owner = "owner" in found ? found.owner : undefined;
  const market = "market" in found ? found.market : undefined;
  return runView(
    { ...task, settings: { ...task.settings, owner } },
    ["markets"],
    () => ({ view: "market", market, addresses: [], interval }),
    VIEW_OF[found.kind],
  );
}

/** @throws {UsageError} if an option bounds the rows: the screen loads older ones as one scrolls */
function refuseBounds({ options }: Context): void {
  const bound = (["max", "since", "until"] as const).find((key) => options[key] !== undefined);
  if (bound === undefined) return;
  throw new UsageError(`--${bound} has no meaning on the screen`, "add --once or --json");
}

function print(task: Task, found: ListingArgument): Promise<number> {
  const { options, settings } = task;
  const { mask: isMasked = false } = options;
  switch (found.kind) {
    case "trades":
      return printRows(task, found.listing, (records) =>
        tableSheet(TRADES_TABLE, records, isMasked),
      );
    case "liquidations": {
      const dialect = createDialect({}, settings.pinned, settings.names);
      return printRows(task, found.listing, (records) =>
        tableSheet(LIQUIDATIONS_TABLE, liquidationRows(records, { dialect }), isMasked),
      );
    }
    case "fills":
      return printRows(task, found.listing, async (records, isAll) => {
        const listed = await listedMarkets(task, [...new Set(records.map(fillMarket))]);
        const symbolOf = (market: string) => listed.get(market)?.symbol ?? market;
        return tableSheet(FILLS_TABLE, fillRows(records, found.owner, symbolOf, isAll), isMasked);
      });
  }
}

/** Rows printed by default: a page of the interface's default limit. */
const DEFAULT_ROWS = 100;

/**
 * Rows within the bounds of the options, as text or JSON.
 * @returns the exit code: 3 if the rows are not proven to be all that were requested
 * @throws {ServiceError} when the service fails
 */
async function printRows<T extends ListedRecord>(
  task: Task,
  listing: Listing<T>,
  sheetOf: (records: readonly T[], isAll: boolean) => Sheet | Promise<Sheet>,
): Promise<number> {
  const { options, interrupt: signal } = task;
  const { max = DEFAULT_ROWS, since } = options;
  const client = openClient(task);
  // As received: as numbers, those of undocumented fields would lose digits.
  const texts = new WeakMap<object, string>();
  const pager = new Pager({
    ...{ source: createSource(client, listing, texts), signal },
    limit: Math.max(1, Math.min(max, MAX_PAGE_LIMIT)),
    bounds: readBounds({ ...options, max }),
  });
  const records: T[] = [];
  try {
    for await (const { rows } of pager.pages()) records.push(...rows);
  } finally {
    await client.close();
  }
  const { verdict = unproven("it was not read to its end"), state } = pager;
  const { isComplete } = verdict;
  if (options.json) {
    const rows = records.map((record) => texts.get(record) ?? "");
    printLine(task, listingJson(listing.name, rows, verdict, state.newestMs));
  } else {
    const isAll = isComplete && since === undefined && records.length < max;
    if (records.length > 0) printLine(task, sheetText(await sheetOf(records, isAll)));
    printLine(task, footOf(task, records.length, listing.name, verdict));
  }
  return isComplete ? EXIT.done : EXIT.unproven;
}

function footOf(
  { options: { mask } }: Task,
  count: number,
  listing: string,
  { isComplete, why }: Verdict,
): string {
  const name = mask ? listing.replace(/0x\S+/, MASK) : listing;
  return visible(`${count} of ${name}, complete: ${isComplete ? "yes" : "no"} (${why})`);
}

function listingJson(
  listing: string,
  rows: readonly string[],
  { isComplete: complete, why: proof }: Verdict,
  newestMs: number | undefined,
): string {
  const as_of = newestMs === undefined ? null : formatIsoMs(newestMs);
  const head = JSON.stringify({ listing, as_of, complete, proof });
  return visibleJson(`${head.slice(0, -1)},"rows":[${rows.join(",")}]}`);
}
