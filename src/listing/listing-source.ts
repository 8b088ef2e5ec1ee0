// Reads pages of a listing. Separate from the definitions of listings, so that starting without history does not load it.
import { HistoryError } from "../units/monitor-error.ts";
import type { MarketType } from "../wire/channels.ts";
import { type Rejection, reject } from "../wire/rejection.ts";
import { decodeLiquidationsPage, decodeTradesPage, type Page } from "../wire/rest/page.ts";
import type { TradeRecord } from "../wire/rest/trades.ts";
import { readTradesText, TradeText } from "../wire/rest/trades-text.ts";
import type { Listing } from "./listing.ts";
import type { PageRequest, Source } from "./paging/source.ts";
import type { RestClient } from "./rest/rest-client.ts";

interface Reader<T> {
  readonly decode: (body: string) => Page<T>;
  /** Faster parser for most valid pages; undefined for the others. Its records reference the text of their page. */
  readonly readText?: (body: Uint8Array) => readonly T[] | undefined;
}

const trades = { decode: decodeTradesPage, readText: readTradesText };
const READERS = { trades, fills: trades, liquidations: { decode: decodeLiquidationsPage } };

function readerOf<T>({ kind }: Listing<T>): Reader<T> {
  return READERS[kind] as unknown as Reader<T>;
}

/**
 * Rejects the page if a record does not fit the schema or belongs to another market or subaccount than requested.
 * @param check shared by all pages of one reader
 */
export function decodeListed<T>(
  listing: Listing<T>,
  body: string,
  check = new RowCheck(listing.asked),
): Page<T> {
  const page = readerOf(listing).decode(body);
  const foreign = page.ok ? check.find(page.records) : undefined;
  if (foreign === undefined) return page;
  const { path, detail } = foreign;
  return { ok: false, rejection: reject(body, "foreign-row", detail, { path }) };
}

export interface SourceOptions {
  /**
   * Records are dropped soon, so the faster parser may be used. The fields of its records are not own properties: where all
   * fields matter, read them as JSON.
   */
  readonly isTransient?: boolean;
  /** Called when an accepted page has unlisted fields. */
  readonly onDrift?: (() => void) | undefined;
}

/** Throws {HistoryError} when the service cannot be read (`get`) and when a record does not fit (`records`). */
export function listingSource<T>(
  client: RestClient,
  listing: Listing<T>,
  { isTransient = false, onDrift }: SourceOptions = {},
): Source<T> {
  const check = new RowCheck(listing.asked);
  const { readText } = readerOf(listing);
  const readQuickly = (bytes: Uint8Array) => {
    const records = isTransient ? readText?.(bytes) : undefined;
    return records !== undefined && check.find(records) === undefined ? records : undefined;
  };
  const read = (body: string, url: string) => {
    const page = decodeListed(listing, body, check);
    if (!page.ok) throw badPage(url, page.rejection);
    if (page.drifts) onDrift?.();
    return page.records;
  };
  return {
    async get({ before, limit }: PageRequest, signal: AbortSignal) {
      const query = { ...listing.query, limit, before };
      const body = await client.get(listing.path, query, signal);
      return {
        end: (count) => lastRecords<T>(body.bytes, count),
        records: () =>
          readQuickly(body.bytes) ?? read(body.text, client.urlOf(listing.path, query)),
      };
    },
  };
}

function badPage(url: string, { reason, path, detail }: Rejection): HistoryError {
  const what = `${url}: ${path === "" ? "" : `${path}: `}${detail}`;
  return reason === "foreign-row"
    ? new HistoryError("foreign-row", what, {
        advice: "the service lists rows that were not asked for: none of them is shown or written",
      })
    : new HistoryError("bad-page", what, {
        advice: "the answer does not fit the interface; monitor doctor says more",
      });
}

/** Flat records at the end of an array, parsed on their own: guesses, verified when the whole array is parsed. */
function lastRecords<T>(body: Buffer, count: number): readonly Partial<T>[] {
  const records: Partial<T>[] = [];
  let end = body.length;
  while (records.length < count) {
    const start = end > 0 ? body.lastIndexOf('{"', end - 1) : -1;
    if (start < 0) break;
    try {
      const text = body.toString("utf8", start, body.lastIndexOf("}", end - 1) + 1);
      records.unshift(JSON.parse(text) as Partial<T>);
    } catch {
      break;
    }
    end = start;
  }
  return records;
}

export type Asked =
  | { readonly kind: "market"; readonly type: MarketType; readonly id: string }
  | { readonly kind: "subaccount"; readonly owner: string; readonly id: number };

/** Such as `[3].market_id`, `7, asked for 1`. */
export interface ForeignRow {
  readonly path: string;
  readonly detail: string;
}

/** An address that can be compared with an owner (4.4): 20 bytes of hex. */
const COMPARABLE = /^(?:0x)?[0-9a-f]{40}$/;

export class RowCheck {
  readonly #asked: Asked | undefined;
  /** From the first row: the document does not list the values of `market_type` (2.4). */
  #type: string | undefined;

  /** @param asked undefined where rows may belong to anything */
  constructor(asked: Asked | undefined) {
    this.#asked = asked;
  }

  /** @returns the first row that was not requested */
  find(records: readonly unknown[]): ForeignRow | undefined {
    const asked = this.#asked;
    if (asked === undefined) return undefined;
    const trades = records as readonly TradeRecord[];
    const [first] = trades;
    // The fast parser has verified that all rows share one market.
    const isSeen = asked.kind === "market" && first instanceof TradeText && first.isMarketShared;
    const most = isSeen ? 1 : trades.length;
    for (let i = 0; i < most; i++) {
      const trade = trades[i] as TradeRecord;
      const mismatch =
        asked.kind === "market" ? this.#otherMarket(trade, asked) : otherSubaccount(trade, asked);
      if (mismatch !== undefined) return { path: `[${i}].${mismatch[0]}`, detail: mismatch[1] };
    }
    return undefined;
  }

  #otherMarket(
    { market_id, market_type }: TradeRecord,
    { type, id }: Extract<Asked, { kind: "market" }>,
  ): readonly [field: string, detail: string] | undefined {
    if (String(market_id) !== id) return ["market_id", `${market_id}, asked for ${id}`];
    const word = market_type.toLowerCase();
    const isOther = type === "perp" ? word.startsWith("spot") : word.startsWith("perp");
    const shown = JSON.stringify(market_type);
    if (isOther) return ["market_type", `${shown}, asked for ${type}`];
    this.#type ??= word;
    return word === this.#type
      ? undefined
      : ["market_type", `${shown}, other rows have ${JSON.stringify(this.#type)}`];
  }
}

function otherSubaccount(
  trade: TradeRecord,
  { owner, id }: Extract<Asked, { kind: "subaccount" }>,
): readonly [field: string, detail: string] | undefined {
  const { maker_address, maker_subaccount_id, taker_address, taker_subaccount_id } = trade;
  const wanted = toHex(owner);
  // An address in another format may be the owner's.
  const isOwn = (address: string, subaccount: number) => {
    const hex = toHex(address);
    return subaccount === id && (hex === wanted || !COMPARABLE.test(hex));
  };
  if (isOwn(maker_address, maker_subaccount_id) || isOwn(taker_address, taker_subaccount_id)) {
    return undefined;
  }
  const sides = `${maker_address}/${maker_subaccount_id} and ${taker_address}/${taker_subaccount_id}`;
  return ["maker_address", `a trade of ${sides}, asked for ${owner}/${id}`];
}

function toHex(address: string): string {
  return address.toLowerCase().replace(/^0x/, "");
}
