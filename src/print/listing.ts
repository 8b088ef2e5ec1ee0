// A listing without a screen: its newest rows once, as text or JSON, and their proof.

import { type Context, EXIT, interruptedExitCode } from "../args/context.ts";
import type { ListingArgument } from "../args/targets.ts";
import type { Listings } from "../config/settings.ts";
import type { Listing } from "../listing/listing.ts";
import { listingSource } from "../listing/listing-source.ts";
import { Pager } from "../listing/paging/pager.ts";
import {
  formatEvidence,
  formatReach,
  formatVerdict,
  type Verdict,
} from "../listing/paging/verdict.ts";
import { RestClient } from "../listing/rest/rest-client.ts";
import { formatCell, formatValue, shortAddress } from "../select/fields.ts";
import { fillRow, liquidationRows, tradeRow } from "../select/listing-rows.ts";
import { MASK, maskCell } from "../select/mask.ts";
import { defaultAliases } from "../state/aliases.ts";
import { printLine } from "../system/print-line.ts";
import { visible } from "../terminal/visible.ts";
import { formatIsoMs } from "../units/time.ts";
import { MAX_PAGE_LIMIT } from "../wire/limits.ts";
import type { OpenRecord } from "../wire/update.ts";
import { jsonText } from "./json-text.ts";
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
async function printRows<T extends { readonly timestamp_ms: number }>(
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
  const pager = new Pager({
    source: listingSource(client, listing),
    fields: listing.fields,
    limit: Math.max(1, Math.min(max, MAX_PAGE_LIMIT)),
    bounds: { max, sinceMs, untilMs },
    looksBeyondTimes: true,
    clock,
    signal: interrupt,
  });
  const records: T[] = [];
  try {
    for await (const page of pager.pages()) records.push(...page);
  } catch (error) {
    if (interrupt.aborted) return interruptedExitCode(interrupt);
    throw error;
  } finally {
    await client.close();
  }
  printLine(
    context,
    options.json
      ? json(name, pager, records)
      : text(shownName, pager, records, options.mask ? (one) => rowsOf(one).map(maskRow) : rowsOf),
  );
  return pager.verdict?.isComplete === true ? EXIT.done : EXIT.unproven;
}

type Read = Pick<Pager<never>, "verdict" | "asOfMs">;

function json(listing: string, { verdict, asOfMs }: Read, rows: readonly object[]): string {
  return jsonText({
    listing,
    as_of: asOfMs === undefined ? null : formatIsoMs(asOfMs),
    complete: verdict?.isComplete ?? false,
    proof: verdict === undefined ? "" : formatVerdict(verdict),
    rows,
  });
}

function text<T>(
  name: string,
  { verdict }: Read,
  records: readonly T[],
  rowsOf: (record: T) => OpenRecord[],
): string {
  const count = `${records.length} of ${name}`;
  const foot = verdict === undefined ? [count] : footOf(count, verdict);
  return [...formatTable(records.flatMap(rowsOf)), ...foot.map(visible)].join("\n");
}

function footOf(count: string, verdict: Verdict): readonly string[] {
  const words = formatEvidence(verdict);
  return [`${count}: ${formatReach(verdict)}`, verdict.isComplete ? `proof: ${words}` : words];
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
