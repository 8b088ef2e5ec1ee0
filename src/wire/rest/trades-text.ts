// Reads a page of trades directly from its bytes if it has exactly the documented form: compact JSON with the 17 fields in the
// order of section 2.4 and plain strings. Costs a fraction of JSON.parse plus validation, which handle everything else.
import { MAX_PAGE_LIMIT } from "../limits.ts";
import { CellScan, FixedBytes, QUOTED_FORMS } from "./cell-scan.ts";
import type { Form } from "./fields.ts";
import { TRADE_FIELDS, type TradeRecord } from "./trades.ts";

type Last<F extends readonly unknown[]> = F extends readonly [...unknown[], infer L] ? L : never;
/** The last integer of a record must be its time. */
const TIME: Last<typeof TRADE_FIELDS>[0] & "timestamp_ms" = "timestamp_ms";

/** Fixed text before each value, since the end of the previous one. */
const LEADS = TRADE_FIELDS.map(([name, form], i) => {
  const before = i === 0 ? "{" : `${quote(TRADE_FIELDS[i - 1]?.[1])},`;
  return new FixedBytes(`${before}"${name}":${quote(form)}`);
});
const FORMS: readonly Form[] = TRADE_FIELDS.map(([, form]) => form);
const placeOf = (wanted: keyof TradeRecord) => TRADE_FIELDS.findIndex(([name]) => name === wanted);
/** Range of fields that contains those identifying the market. */
const MARKET_FROM = Math.min(placeOf("market_type"), placeOf("market_id"));
const MARKET_UNTIL = Math.max(placeOf("market_type"), placeOf("market_id")) + 1;
const BEGIN = new FixedBytes("[");
const END = new FixedBytes("}");
const NEXT = new FixedBytes(",");
const CLOSE = new FixedBytes("]");

/** For fields sorted by name: the text before each value, and the value's index among the cells. */
const SORTED = TRADE_FIELDS.map(([name, form], place) => ({ name, form, place }))
  .sort((a, b) => (a.name < b.name ? -1 : 1))
  .map(({ name, form, place }, i, all) => ({
    form,
    place,
    before: `${i === 0 ? "{" : `${quote(all[i - 1]?.form)},`}"${name}":${quote(form)}`,
  }));
const SORTED_END = `${quote(SORTED.at(-1)?.form)}}`;
/** Length of that JSON apart from the values, less the commas between cells. */
const SORTED_MORE =
  SORTED.reduce((sum, { before }) => sum + before.length, SORTED_END.length) - (SORTED.length - 1);

/** Longer texts than any page of the interface are not worth optimising. */
const MAX_BYTES = 1024 * 1024;

function quote(form: Form | undefined): string {
  return form !== undefined && QUOTED_FORMS.includes(form) ? '"' : "";
}

interface PageCells {
  bytes: Buffer;
  /** Start of each record's cells, and the end of the last ones. */
  readonly ends: number[];
  /** All records have the same text for `market_type` and `market_id`. */
  isOneMarket: boolean;
}

/**
 * A record of such a page. Fields are parsed when accessed; they are not own properties, so to enumerate them use `toJSON`.
 * It keeps its page in memory: for readers that do not hold on to records.
 */
export class TradeText {
  readonly [TIME]: number;
  readonly #page: PageCells;
  readonly #place: number;
  #values: readonly string[] | undefined;

  constructor(page: PageCells, place: number, timestampMs: number) {
    this.#page = page;
    this.#place = place;
    this[TIME] = timestampMs;
  }

  /** The values of the 17 fields in the documented order, separated by commas; no value contains one. */
  get cells(): string {
    const { bytes, ends } = this.#page;
    return bytes.toString("latin1", ends[this.#place], ends[this.#place + 1]);
  }

  /** True when all records of its page have the same `market_type` and `market_id`. */
  get isMarketShared(): boolean {
    return this.#page.isOneMarket;
  }

  get cellBytes(): number {
    const { ends } = this.#page;
    return (ends[this.#place + 1] ?? 0) - (ends[this.#place] ?? 0);
  }

  copyCells(target: Uint8Array, at: number): void {
    const { bytes, ends } = this.#page;
    bytes.copy(target, at, ends[this.#place], ends[this.#place + 1]);
  }

  isSame(other: TradeText): boolean {
    const [ours, theirs] = [this.#page, other.#page];
    const [from, until] = [theirs.ends[other.#place], theirs.ends[other.#place + 1]];
    const [start, end] = [ours.ends[this.#place], ours.ends[this.#place + 1]];
    return ours.bytes.compare(theirs.bytes, from, until, start, end) === 0;
  }

  /** Length of `sortedJson`, without building it. */
  get sortedJsonLength(): number {
    return this.cellBytes + SORTED_MORE;
  }

  /** The record as JSON with its fields sorted by name. */
  get sortedJson(): string {
    const cells = this.cells.split(",");
    let json = "";
    for (const { place, before } of SORTED) json += before + cells[place];
    return `${json}${SORTED_END}`;
  }

  get values(): readonly string[] {
    this.#values ??= this.cells.split(",");
    return this.#values;
  }

  /** The record as parsing and validation would return it. */
  toJSON(): TradeRecord {
    const { values } = this;
    const record: Record<string, string | number | boolean> = {};
    for (let i = 0; i < READERS.length; i++) {
      const [name, read] = READERS[i] as (typeof READERS)[number];
      record[name] = read(values[i] as string);
    }
    return record as unknown as TradeRecord;
  }
}

const readerOf = (form: Form) =>
  form === "integer" ? Number : form === "flag" ? (cell: string) => cell === "true" : String;
const READERS = TRADE_FIELDS.map(([name, form]) => [name, readerOf(form)] as const);

for (const [place, [name, read]] of READERS.entries()) {
  if (name === TIME) continue;
  Object.defineProperty(TradeText.prototype, name, {
    get(this: TradeText) {
      return read(this.values[place] as string);
    },
  });
}

const NO_BYTES = Buffer.alloc(0);
/** Created when first needed, since its tables take a moment. */
let scanned: CellScan | undefined;

/**
 * The records of a page, identical to what parsing and validation would return.
 * @param body UTF-8
 * @returns undefined when it has any other form, valid or not
 */
export function readTradesText(body: Uint8Array): readonly (TradeText & TradeRecord)[] | undefined {
  if (body.length > MAX_BYTES) return undefined;
  scanned ??= new CellScan();
  const scan = scanned;
  const page: PageCells = { bytes: NO_BYTES, ends: [0], isOneMarket: true };
  scan.begin(body);
  const records = readRecords(scan, page);
  const bytes = scan.finish();
  if (records === undefined) return undefined;
  page.bytes = bytes;
  return records;
}

function readRecords(
  scan: CellScan,
  page: PageCells,
): readonly (TradeText & TradeRecord)[] | undefined {
  if (!scan.skip(BEGIN)) return undefined;
  const records: (TradeText & TradeRecord)[] = [];
  const market = new MarketCells(scan);
  do {
    if (records.length === MAX_PAGE_LIMIT || !readRecord(scan, market)) return undefined;
    records.push(new TradeText(page, records.length, scan.integer) as TradeText & TradeRecord);
    page.ends.push(scan.end);
  } while (scan.skip(NEXT));
  page.isOneMarket = market.isOne;
  return scan.skip(CLOSE) && scan.isAtEnd ? records : undefined;
}

/** Reads the cells of one record. Its last integer is its time. */
function readRecord(scan: CellScan, market: MarketCells): boolean {
  if (!scan.skip(LEADS[0] as FixedBytes) || !scan.read(FORMS[0] as Form)) return false;
  if (!readFields(scan, 1, MARKET_FROM)) return false;
  const start = scan.end;
  if (!readFields(scan, MARKET_FROM, MARKET_UNTIL)) return false;
  market.see(start, scan.end);
  return readFields(scan, MARKET_UNTIL, FORMS.length) && scan.skip(END);
}

/** Reads the fields from one index up to, excluding, another; not the first field. */
function readFields(scan: CellScan, from: number, until: number): boolean {
  for (let i = from; i < until; i++) {
    if (!scan.separate(LEADS[i] as FixedBytes) || !scan.read(FORMS[i] as Form)) return false;
  }
  return true;
}

/** Compares the `market_type` and `market_id` cells of each record with those of the first one. */
class MarketCells {
  readonly #scan: CellScan;
  #first: readonly [start: number, end: number] | undefined;
  isOne = true;

  constructor(scan: CellScan) {
    this.#scan = scan;
  }

  see(start: number, end: number): void {
    this.#first ??= [start, end];
    const [firstStart, firstEnd] = this.#first;
    this.isOne &&=
      firstEnd - firstStart === end - start && this.#scan.isSame(firstStart, start, end - start);
  }
}
