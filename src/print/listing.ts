// A listing without a screen: its newest rows once, as text or JSON, and their proof.

import { type Context, EXIT, interruptedExitCode } from "../args/context.ts";
import type { ListingArgument } from "../args/targets.ts";
import type { Listings } from "../config/settings.ts";
import type { Listing } from "../listing/listing.ts";
import { unproven, type Verdict } from "../listing/look.ts";
import { Pager } from "../listing/pager.ts";
import { RestClient } from "../listing/rest-client.ts";
import { createSource } from "../listing/source.ts";
import { formatCell, formatValue, shortAddress } from "../select/fields.ts";
import { fillRow, liquidationRows, tradeRow } from "../select/listing-rows.ts";
import { MASK, maskCell } from "../select/mask.ts";
import { defaultAliases } from "../state/aliases.ts";
import { printLine } from "../system/print-line.ts";
import { visible, visibleJson } from "../terminal/visible.ts";
import { formatIsoMs } from "../units/time.ts";
import { MAX_PAGE_LIMIT } from "../wire/limits.ts";
import type { ListedRecord } from "../wire/rest/fields.ts";
import type { OpenRecord } from "../wire/update.ts";
import { textTable } from "./text-table.ts";

/** Rows printed by default: a page of the interface's default limit. */
const DEFAULT_ROWS = 100;

/**
 * @returns the exit code: 3 if the rows are not proven to be all that were requested
 * @throws {HistoryError} if the listing does not respond, or not as described
 */
export async function printListing(
  context: Context,
  argument: ListingArgument,
  listings: Listings,
): Promise<number> {
  if (argument.kind === "liquidations") {
    return printRows(context, argument.name, argument.listing, listings, (event) =>
      liquidationRows(event, true),
    );
  }
  const { name, listing } = argument;
  if (argument.kind === "trades") {
    return printRows(context, name, listing, listings, (trade) => [tradeRow(trade)]);
  }
  const { owner } = argument;
  const shownOwner = context.options.mask ? MASK : shortAddress(owner.owner);
  const shownName = `fills ${shownOwner} ${owner.subaccountId}`;
  return printRows(context, name, listing, listings, (fill) => [fillRow(fill, owner)], shownName);
}

/** @param shownName name of the listing in text */
async function printRows<T extends ListedRecord>(
  context: Context,
  name: string,
  listing: Listing<T>,
  { baseUrl, headers }: Listings,
  rowsOf: (record: T) => OpenRecord[],
  shownName = name,
): Promise<number> {
  const { clock, random, interrupt, options } = context;
  const { max = DEFAULT_ROWS, since: sinceMs, until: untilMs } = options;
  const client = new RestClient({ baseUrl, headers, clock, random });
  const texts = new WeakMap<object, string>();
  const pager = new Pager({
    source: createSource(client, listing, texts),
    limit: Math.max(1, Math.min(max, MAX_PAGE_LIMIT)),
    bounds: { max, sinceMs, untilMs },
    signal: interrupt,
  });
  const records: T[] = [];
  try {
    for await (const { rows } of pager.pages()) records.push(...rows);
  } catch (error) {
    if (interrupt.aborted) return interruptedExitCode(interrupt);
    throw error;
  } finally {
    await client.close();
  }
  const { verdict = unproven("it was not read to its end"), state } = pager;
  const rows = records.map((record) => texts.get(record) ?? "");
  printLine(
    context,
    options.json
      ? json(name, verdict, state.newestMs, rows)
      : text(
          shownName,
          verdict,
          records,
          options.mask ? (one) => rowsOf(one).map(maskRow) : rowsOf,
        ),
  );
  return verdict.isComplete ? EXIT.done : EXIT.unproven;
}

/** @param rows texts of records: as numbers, those of undocumented fields would lose digits */
function json(
  listing: string,
  { isComplete, why }: Verdict,
  newestMs: number | undefined,
  rows: readonly string[],
): string {
  const head = JSON.stringify({
    listing,
    as_of: newestMs === undefined ? null : formatIsoMs(newestMs),
    complete: isComplete,
    proof: why,
  });
  return visibleJson(`${head.slice(0, -1)},"rows":[${rows.join(",")}]}`);
}

function text<T>(
  name: string,
  { isComplete, why }: Verdict,
  records: readonly T[],
  rowsOf: (record: T) => OpenRecord[],
): string {
  const foot = `${records.length} of ${name}, complete: ${isComplete ? "yes" : "no"} (${why})`;
  return [...formatTable(records.flatMap(rowsOf)), visible(foot)].join("\n");
}

/** The row with all private values masked; its time stays. */
function maskRow(row: OpenRecord): OpenRecord {
  const fields = Object.entries(row).map(([name, value]) => {
    const isHidden = maskCell(formatCell(name, value), name, defaultAliases).text === MASK;
    return [name, isHidden && name !== "timestamp_ms" ? MASK : value];
  });
  return Object.fromEntries(fields);
}

const NUMBER = /^-?[0-9]+(?:\.[0-9]+)?$/;

function formatTable(rows: readonly OpenRecord[]): string[] {
  // A row may have fields that the document does not list, and the first one does not have.
  const names = [...new Set(rows.flatMap(Object.keys))];
  if (names.length === 0) return [];
  const head = names.map((name) => (name === "timestamp_ms" ? "time" : name));
  const body = rows.map((row) => names.map((name) => formatField(row, name)));
  const areNumbers = names.map((name, i) =>
    body.every((row) => name !== "timestamp_ms" && NUMBER.test(row[i] ?? "")),
  );
  return textTable([head, ...body], (column) => areNumbers[column] ?? false);
}

function formatField(row: OpenRecord, name: string): string {
  const value = row[name];
  return name === "timestamp_ms" ? formatIsoMs(Number(value)) : formatValue(value);
}
