// monitor trades, liquidations, fills: the newest rows of a listing on the screen, as text, or as JSON.

import type { Listing } from "../../history/listing.ts";
import { listingSource } from "../../history/listing-source.ts";
import { Pager } from "../../history/paging/pager.ts";
import { formatVerdict } from "../../history/paging/verdict.ts";
import { RestClient } from "../../history/rest/rest-client.ts";
import type { OpenRecord } from "../../protocol/channels/update.ts";
import { stringifyExact } from "../../protocol/exact-numbers.ts";
import { MAX_PAGE_LIMIT } from "../../protocol/limits.ts";
import { usualAliases } from "../../store/aliases.ts";
import { visible } from "../../terminal/visible.ts";
import { UsageError } from "../../units/monitor-error.ts";
import { formatIsoMs } from "../../units/time.ts";
import { cellOf } from "../../view/cells.ts";
import { fillRow, liquidationRows, tradeRow } from "../../view/history-rows.ts";
import { MASK, maskCell } from "../../view/mask.ts";
import {
  type ListingArgument,
  parseListing,
  type SymbolListing,
} from "../arguments/listing-argument.ts";
import { resolveListing, unknownSymbol } from "../arguments/look-up-market.ts";
import { type MarketArgument, parseInterval } from "../arguments/market-argument.ts";
import { type Context, EXIT, interruptedExitCode } from "../context.ts";
import { watchTerminal } from "../dashboard/terminal-watcher.ts";
import { textTable } from "../headless/text-table.ts";
import { printLine } from "../print-line.ts";
import { loadSettings, requireBaseUrl } from "../settings/load-settings.ts";
import { isHeadless, refuseAlerts, requireScreen } from "./plain.ts";
import { maskedJson } from "./run-live.ts";

/** Rows that are printed when nothing else is asked for: a page of the interface's default. */
const DEFAULT_ROWS = 100;

/** Runs one of the three commands. Answers the exit code. */
export async function runHistory(context: Context, kind: ListingArgument["kind"]): Promise<number> {
  const { for: forMs, json: isJson, mask } = context.options;
  if (isJson && mask) throw maskedJson();
  if (forMs !== undefined) {
    throw new UsageError(
      `--for has no meaning with ${kind}`,
      "a listing is asked for once: --once",
    );
  }
  const settings = await loadSettings(context);
  const wanted = parseListing([kind, ...context.args], settings.aliases);
  const baseUrl = requireBaseUrl(settings);
  if (isHeadless(context)) {
    refuseAlerts(context);
    const found = await resolveListing(context, settings, wanted);
    if (found === undefined) return interruptedExitCode(context.interrupt);
    return print(context, found, { ...settings, baseUrl });
  }
  requireScreen(context);
  const watcher = watchTerminal(context);
  const { runDashboard } = await import("../dashboard/dashboard.ts");
  const { wsUrl, headers, fields, knownScales } = settings;
  if ("symbol" in wanted && wsUrl === undefined) throw unknownSymbol(wanted);
  const owner = wanted.kind === "fills" ? wanted.owner : undefined;
  const service = { url: wsUrl ?? "", baseUrl, headers, fields, owner };
  const run = {
    findService: async () => service,
    isListingOnly: wsUrl === undefined,
    market: marketOf(wanted),
    start: kind,
    interval: parseInterval(settings.interval),
    knownScales,
    isSimulated: false,
  };
  return runDashboard(context, run, watcher);
}

/** A symbol is looked up while the screen is there already. */
function marketOf(wanted: ListingArgument | SymbolListing): MarketArgument | undefined {
  if ("symbol" in wanted) return { symbol: wanted.symbol };
  return wanted.kind === "fills" ? undefined : wanted.market;
}

interface Rest {
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Prints the newest rows once, and how they are proven. */
async function print(context: Context, wanted: ListingArgument, rest: Rest): Promise<number> {
  if (wanted.kind === "liquidations") {
    return printListing(context, wanted.name, wanted.listing, rest, (event) =>
      liquidationRows(event, true),
    );
  }
  const owner = wanted.kind === "fills" ? wanted.owner : undefined;
  const name =
    owner !== undefined && context.options.mask
      ? `fills ${MASK} ${owner.subaccountId}`
      : wanted.name;
  return printListing(context, name, wanted.listing, rest, (trade) => [
    owner === undefined ? tradeRow(trade) : fillRow(trade, owner),
  ]);
}

async function printListing<T extends { readonly timestamp_ms: number }>(
  context: Context,
  name: string,
  listing: Listing<T>,
  { baseUrl, headers }: Rest,
  rowsOf: (record: T) => OpenRecord[],
): Promise<number> {
  const { clock, random, interrupt, options } = context;
  const { max = DEFAULT_ROWS, since: sinceMs, until: untilMs } = options;
  const client = new RestClient({ baseUrl, headers, clock, random });
  const pager = new Pager({
    source: listingSource(client, listing, { isStrict: options.strict ?? false }),
    reading: listing.reading,
    limit: Math.max(1, Math.min(max, MAX_PAGE_LIMIT)),
    bounds: { max, sinceMs, untilMs },
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
      : text(name, pager, records, options.mask ? (one) => rowsOf(one).map(maskRow) : rowsOf),
  );
  return pager.verdict?.isComplete === true ? EXIT.done : EXIT.unproven;
}

type Read = Pick<Pager<never>, "verdict" | "asOfMs">;

function json(listing: string, { verdict, asOfMs }: Read, rows: readonly object[]): string {
  const as_of = asOfMs === undefined ? null : formatIsoMs(asOfMs);
  const complete = verdict?.isComplete ?? false;
  return stringifyExact({ listing, as_of, complete, proof: proofOf(verdict), rows });
}

function text<T>(
  name: string,
  { verdict }: Read,
  records: readonly T[],
  rowsOf: (record: T) => OpenRecord[],
): string {
  const foot = visible(`${records.length} of ${name}, ${proofOf(verdict)}`);
  return [...tableOf(records.flatMap(rowsOf)), foot].join("\n");
}

function proofOf(verdict: Read["verdict"]): string {
  return verdict === undefined ? "" : formatVerdict(verdict);
}

/** The row with everything hidden that others must not see; its time stays. */
function maskRow(row: OpenRecord): OpenRecord {
  const fields = Object.entries(row).map(([name, value]) => {
    const isHidden = maskCell(cellOf(name, value), name, usualAliases).text === MASK;
    return [name, isHidden && name !== "timestamp_ms" ? MASK : value];
  });
  return Object.fromEntries(fields);
}

const NUMBER = /^-?[0-9]+(?:\.[0-9]+)?$/;

/** Times in words, everything else as it was sent. */
function tableOf(rows: readonly OpenRecord[]): string[] {
  const names = Object.keys(rows[0] ?? {});
  if (names.length === 0) return [];
  const head = names.map((name) => ({
    text: name === "timestamp_ms" ? "time" : name,
    isRight: rows.every((row) => name !== "timestamp_ms" && NUMBER.test(textOf(row, name))),
  }));
  const body = rows.map((row) =>
    names.map((name, i) => ({ text: textOf(row, name), isRight: head[i]?.isRight ?? false })),
  );
  return textTable([head, ...body]);
}

function textOf(row: OpenRecord, name: string): string {
  const value = row[name];
  return name === "timestamp_ms" ? formatIsoMs(Number(value)) : String(value ?? "");
}
