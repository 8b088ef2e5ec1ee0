/**
 * A service of the three REST listings (interface section 4.2 to 4.4), written from the document.
 *
 *   const service = createListingService(options)          // or composeListing(seed).service
 *   service.answer({ path, query, headers }, requestNumber) // pure: request numbers count from 1
 *   const { baseUrl, close } = await startListing(service)  // the same behind node:http
 *
 * `before` always means: strictly below this transaction index. What varies is everything that the
 * document leaves open, see `ListingOptions`. With `lie` set the service breaks the document.
 */
import { createServer } from "node:http";
import { onTestFinished } from "vitest";
import { listen } from "../support/listen.ts";
import {
  countBelow,
  createLedger,
  foreignBetween,
  type Ledger,
  type LedgerOptions,
} from "./listing-ledger.ts";
import { type ListingRecord, makeRecord, type RowLie, type RowStyle } from "./listing-rows.ts";
import { createRandom, hash, hashBigInt } from "./random.ts";

export type ListingLie = RowLie | "rewritten" | "not-newest-first" | "malformed-row";

export interface ListingOptions extends LedgerOptions, RowStyle {
  /** Before the path of the document, `/v1` for example, or empty. */
  prefix: string;
  /** Rows of a page at most, whatever the limit; 0 for no bound of its own. */
  cap: number;
  /** A limit above this one is taken for the default of 100; 0 for none. */
  largestLimit: number;
  /** Bytes of a page at most, though never less than a row; 0 for none. */
  byteBudget: number;
  /** Three requests in ten, as a function of cursor and limit, get fewer rows than they could. */
  shortensPages: boolean;
  /** So short that they may be empty. */
  shortensToNothing: boolean;
  /** `limit` counts rows of everybody, which are filtered afterwards. */
  scans: boolean;
  /** Rows further below the cursor than this, in index units, are not looked at; 0 for no bound. */
  lookBack: bigint;
  /** A page ends with a whole transaction when it holds one. */
  keepsTransactionsWhole: boolean;
  /** Order of the rows of one transaction: the same always (as numbered or the other way), or by request, or by cursor and limit. */
  orderInTransaction: "fixed" | "oldest-first" | "by-request" | "by-cursor";
  /** Rows that arrive with each request, on average. */
  arrivalsPerRequest: number;
  /** Rows at the old end that are gone with each request, on average. */
  expiringPerRequest: number;
  /** A transaction may be listed in part while it arrives. */
  arrivesInParts: boolean;
  /** Share of answers that come from a copy that is behind, and by how many transactions at most. */
  lagShare: number;
  lag: number;
  /** 400 for a cursor above the newest index, or at or below the oldest. */
  rejectsAboveNewest: boolean;
  rejectsBelowOldest: boolean;
  /** 400 for a limit above 1000, else it counts as 1000. */
  rejectsLargeLimit: boolean;
  /** A header, in lower case, without which a request is answered by 401, or sees the newer half only. */
  header: string;
  withoutHeader: "401" | "newer-half";
  /** Share of requests that are answered by 429, 500, 502 or 503. */
  faultShare: number;
  retryAfter: "none" | "0" | "1" | "2" | "past-date";
  /** What stands for a page without rows: status codes are not shown (4.5). `404-error` has no list, and is not the first page. */
  emptyPage: "list" | "204" | "404-list" | "404-error";
  /** Status of a page with rows. */
  pageStatus: 200 | 203 | 206;
  isPretty: boolean;
  lie: ListingLie | undefined;
}

export interface ListingRequest {
  path: string;
  /** As in a URL, without the question mark. */
  query: string;
  headers: Record<string, string | string[] | undefined>;
}

export interface ListingAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

export interface TruthRow {
  index: bigint;
  record: ListingRecord;
  /** The record as JSON text, as the service sends it. */
  text: string;
}

export interface ListingService {
  readonly options: ListingOptions;
  /** Path of the listing, prefix included. */
  readonly path: string;
  answer(request: ListingRequest, requestNumber: number): ListingAnswer;
  /** Newest first; rows of one transaction in their fixed order. */
  truthAt(requestNumber: number): TruthRow[];
  /** Rows that a page below this cursor holds, without faults of the moment. */
  countOfPage(before: bigint | undefined, limit: number, requestNumber: number): number;
  readonly ledger: Ledger;
}

interface PageRequest {
  /** Rows below this number are not shown. */
  oldest: number;
  before: bigint | undefined;
  limit: number;
  number: number;
}

const INT64_MAX = 2n ** 63n - 1n;

function pathOf(options: ListingOptions): string {
  const { prefix, kind, marketId, owner, subaccountId } = options;
  if (kind === "fills") return `${prefix}/accounts/${owner}/subaccounts/${subaccountId}/trades`;
  return `${prefix}/markets/${marketId}/${kind}`;
}

class RequestError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

function parseLimit(text: string | null, options: ListingOptions): number {
  if (text === null) return 100;
  const limit = Number(text);
  if (!/^\d+$/.test(text) || limit < 1) throw new RequestError(400, "limit is not valid");
  if (limit > 1000 && options.rejectsLargeLimit) throw new RequestError(400, "limit is too large");
  return Math.min(limit, 1000);
}

function parseBefore(text: string | null): bigint | undefined {
  if (text === null) return undefined;
  if (!/^-?\d+$/.test(text)) throw new RequestError(400, "before is not an integer");
  const before = BigInt(text);
  if (before > INT64_MAX || before < -INT64_MAX) throw new RequestError(400, "before is no int64");
  return before;
}

function isShared(draw: number, share: number): boolean {
  return draw % 1000 < share * 1000;
}

class ListingServer implements ListingService {
  readonly options: ListingOptions;
  readonly path: string;
  readonly ledger: Ledger;
  readonly #sent: (string | undefined)[] = [];
  readonly #rewritten = new Map<number, string>();
  readonly #truth: (TruthRow | undefined)[] = [];
  readonly #firstRows: number;
  /** From this request on, some rows are others than they were: a lie. */
  readonly #rewrittenFrom: number;
  readonly #lieRow: number;

  constructor(options: ListingOptions) {
    this.options = options;
    this.path = pathOf(options);
    this.ledger = createLedger(options);
    this.#firstRows = this.ledger.start[options.transactions] ?? 0;
    this.#rewrittenFrom = 2 + (hash(options.seed, 63) % 4);
    this.#lieRow = this.#firstRows > 0 ? hash(options.seed, 60) % this.#firstRows : -1;
  }

  #isLieAt(row: number): boolean {
    const { seed } = this.options;
    return row === this.#lieRow || (hash(seed, 61) % 3 === 0 && hash(seed, row, 62) % 50 === 0);
  }

  #recordOf(row: number, lie?: RowLie): ListingRecord {
    const { ledger } = this;
    const place = {
      content: ledger.content[row] ?? 0,
      id: ledger.id[row] ?? "0",
      transaction: ledger.transactionOf[row] ?? 0,
      timestampMs: ledger.timestampMs[row] ?? 0,
    };
    return makeRecord(place, this.options, lie);
  }

  #sentRecord(row: number): ListingRecord {
    const { lie } = this.options;
    if (lie === undefined || lie === "rewritten" || lie === "not-newest-first") {
      return this.#truthOf(row).record;
    }
    if (!this.#isLieAt(row)) return this.#truthOf(row).record;
    if (lie !== "malformed-row") return this.#recordOf(row, lie);
    const { timestamp_ms: _, ...rest } = this.#recordOf(row);
    return rest;
  }

  #textOf(row: number): string {
    if (this.options.lie === undefined) return this.#truthOf(row).text;
    let text = this.#sent[row];
    if (text === undefined) {
      text = JSON.stringify(this.#sentRecord(row));
      this.#sent[row] = text;
    }
    return text;
  }

  #sentText(row: number, requestNumber: number): string {
    if (this.options.lie !== "rewritten" || requestNumber < this.#rewrittenFrom) {
      return this.#textOf(row);
    }
    if (row % 7 !== this.#lieRow % 7) return this.#textOf(row);
    let text = this.#rewritten.get(row);
    if (text === undefined) {
      const field = this.options.kind === "liquidations" ? "bucket" : "quantity";
      text = JSON.stringify({ ...this.#recordOf(row), [field]: "999999.999" });
      this.#rewritten.set(row, text);
    }
    return text;
  }

  #truthOf(row: number): TruthRow {
    let truth = this.#truth[row];
    if (truth === undefined) {
      const record = this.#recordOf(row);
      const index = this.ledger.index[this.ledger.transactionOf[row] ?? 0] ?? 0n;
      truth = { index, record, text: JSON.stringify(record) };
      this.#truth[row] = truth;
    }
    return truth;
  }

  #isBehind(requestNumber: number): boolean {
    const { seed, lagShare } = this.options;
    return requestNumber > 1 && isShared(hash(seed, requestNumber, 64), lagShare);
  }

  /** Rows that exist by now. */
  #rowsAt(requestNumber: number): number {
    const { arrivalsPerRequest, arrivesInParts } = this.options;
    const total = this.ledger.content.length;
    const arrived = Math.floor((requestNumber - 1) * arrivalsPerRequest);
    const rows = Math.min(this.#firstRows + arrived, total);
    if (arrivesInParts || rows === 0 || rows === total) return rows;
    return Math.min(rows, this.ledger.start[this.ledger.transactionOf[rows] ?? 0] ?? rows);
  }

  /** Rows at the old end that are gone by now. */
  #expiredAt(requestNumber: number): number {
    return Math.floor((requestNumber - 1) * this.options.expiringPerRequest);
  }

  #oldestFor(request: ListingRequest, requestNumber: number): number {
    const { header, withoutHeader } = this.options;
    const expired = this.#expiredAt(requestNumber);
    if (header === "" || request.headers[header] !== undefined) return expired;
    if (withoutHeader === "401") throw new RequestError(401, "a header is required");
    return Math.max(expired, this.#firstRows >> 1);
  }

  /** Rows that exist for this request, which may be answered by a copy that is behind. */
  #visibleAt(requestNumber: number): number {
    const rows = this.#rowsAt(requestNumber);
    if (!this.#isBehind(requestNumber)) return rows;
    const behind = 1 + (hash(this.options.seed, requestNumber, 65) % this.options.lag);
    const t = (this.ledger.transactionOf[rows - 1] ?? 0) - behind;
    return t < 0 ? rows : (this.ledger.start[t + 1] ?? rows);
  }

  /** Rows of one transaction below `end`, in the order of this answer, newest first. */
  #orderOf(t: number, end: number, page: PageRequest): number[] {
    const rows: number[] = [];
    const oldest = Math.max(this.ledger.start[t] ?? 0, page.oldest);
    for (let row = end - 1; row >= oldest; row--) rows.push(row);
    const { orderInTransaction: order, seed } = this.options;
    if (order === "fixed" || rows.length < 2) return rows;
    if (order === "oldest-first") return rows.reverse();
    const byCursor = hash(hashBigInt(page.before ?? -1n), page.limit);
    const random = createRandom(hash(seed, t, order === "by-request" ? page.number : byCursor, 66));
    for (let i = rows.length - 1; i > 0; i--) {
      const j = random.int(0, i);
      [rows[i], rows[j]] = [rows[j] ?? 0, rows[i] ?? 0];
    }
    return rows;
  }

  /** The lowest position among the rows of everybody that a page looks at. */
  #lowestPosition(end: number, page: PageRequest, capacity: number): number {
    if (!this.options.scans || end === 0) return -1;
    const { ledger, options } = this;
    const t = ledger.transactionOf[end - 1] ?? 0;
    const isHead = t >= options.transactions - 1;
    const above =
      isHead && options.quietHead === 0
        ? 0
        : foreignBetween(ledger, t, page.before ?? ledger.index[t + 1] ?? 0n);
    return end + (ledger.foreignBelow[t] ?? 0) + above - capacity;
  }

  /** The lowest index that a page looks back to. */
  #lowestIndex(end: number, page: PageRequest): bigint {
    const { lookBack, quietHead, transactions } = this.options;
    if (lookBack === 0n || end === 0) return -1n;
    const t = this.ledger.transactionOf[end - 1] ?? 0;
    const isQuiet = quietHead > 0 && t === transactions - 1;
    const head = (this.ledger.index[isQuiet ? t + 1 : t] ?? 0n) + 1n;
    // A cursor above the head counts as the head only where nothing newer can exist yet.
    const isAboveHead = t >= transactions - 1 && (page.before ?? head) >= head;
    return (isAboveHead ? head : (page.before ?? head)) - lookBack;
  }

  /** Rows in reach of a page, newest first, before it is cut for other reasons. */
  #candidates(end: number, page: PageRequest, capacity: number): number[] {
    const rows: number[] = [];
    const floorPosition = this.#lowestPosition(end, page, capacity);
    const floorIndex = this.#lowestIndex(end, page);
    let next = end;
    while (next > page.oldest && rows.length < capacity) {
      const t = this.ledger.transactionOf[next - 1] ?? 0;
      if ((this.ledger.index[t] as bigint) < floorIndex) break;
      const order = this.#orderOf(t, next, page);
      // A position is of the place in the order, not of the row, when the order changes.
      const top = next + (this.ledger.foreignBelow[t] ?? 0);
      const inReach = Math.min(order.length, top - floorPosition, capacity - rows.length);
      for (let i = 0; i < inReach; i++) rows.push(order[i] ?? 0);
      if (inReach < order.length) break;
      next -= order.length;
    }
    return rows;
  }

  #cutToBudget(rows: number[]): number[] {
    const { byteBudget } = this.options;
    let bytes = 0;
    for (const [i, row] of rows.entries()) {
      bytes += this.#textOf(row).length + 1;
      if (bytes > byteBudget && i > 0) return rows.slice(0, i);
    }
    return rows;
  }

  #shorten(rows: number[], page: PageRequest): number[] {
    const { seed, shortensToNothing } = this.options;
    const draw = hash(seed, hashBigInt(page.before ?? -1n), page.limit, 67);
    if (rows.length === 0 || draw % 10 >= 3) return rows;
    const least = shortensToNothing ? 0 : 1;
    return rows.slice(0, least + (hash(draw, 68) % (rows.length + 1 - least)));
  }

  /** Leaves out a transaction that the page would cut, when a whole one is there. */
  #keepWhole(rows: number[], end: number): number[] {
    const t = this.ledger.transactionOf[rows.at(-1) ?? -1];
    if (t === undefined) return rows;
    const first = rows.findIndex((row) => this.ledger.transactionOf[row] === t);
    const size = Math.min(this.ledger.start[t + 1] ?? end, end) - (this.ledger.start[t] ?? 0);
    return first > 0 && rows.length - first < size ? rows.slice(0, first) : rows;
  }

  /** The count of rows below the cursor. */
  #endOf(page: PageRequest): number {
    const visible = this.#visibleAt(page.number);
    if (page.before === undefined || visible === 0) return visible;
    const transactions = (this.ledger.transactionOf[visible - 1] ?? 0) + 1;
    const below = countBelow(this.ledger.index, transactions, page.before);
    return Math.min(this.ledger.start[below] ?? 0, visible);
  }

  #pageOf(page: PageRequest): number[] {
    const { cap, largestLimit, byteBudget, shortensPages, keepsTransactionsWhole } = this.options;
    const end = this.#endOf(page);
    const limit = largestLimit > 0 && page.limit > largestLimit ? 100 : page.limit;
    const capacity = cap > 0 ? Math.min(limit, cap) : limit;
    let rows = this.#candidates(end, page, capacity);
    if (byteBudget > 0) rows = this.#cutToBudget(rows);
    if (shortensPages) rows = this.#shorten(rows, page);
    return keepsTransactionsWhole ? this.#keepWhole(rows, end) : rows;
  }

  #newestIndex(requestNumber: number): bigint {
    const rows = this.#visibleAt(requestNumber);
    return rows === 0 ? 0n : (this.ledger.index[this.ledger.transactionOf[rows - 1] ?? 0] ?? 0n);
  }

  #checkCursor(page: PageRequest): void {
    const { rejectsAboveNewest, rejectsBelowOldest } = this.options;
    if (page.before === undefined) return;
    if (rejectsAboveNewest && page.before > this.#newestIndex(page.number)) {
      throw new RequestError(400, "before is above the newest transaction");
    }
    if (rejectsBelowOldest && page.before <= (this.ledger.index[0] ?? 0n)) {
      throw new RequestError(400, "before is out of range");
    }
  }

  #fault(requestNumber: number): ListingAnswer | undefined {
    const { seed, faultShare, retryAfter } = this.options;
    if (!isShared(hash(seed, requestNumber, 69), faultShare)) return undefined;
    const headers: Record<string, string> = { "content-type": "text/plain" };
    if (retryAfter !== "none") {
      const isDate = retryAfter === "past-date";
      headers["retry-after"] = isDate ? "Wed, 21 Oct 2015 07:28:00 GMT" : retryAfter;
    }
    const status = [429, 503, 429, 503, 500, 502][hash(seed, requestNumber, 70) % 6] ?? 503;
    return { status, headers, body: "not now" };
  }

  #isOtherType(query: URLSearchParams): boolean {
    if (this.options.kind !== "trades") return false;
    const type = query.get("market_type") ?? "perp";
    if (type !== "perp" && type !== "spot") throw new RequestError(400, "unknown market type");
    return type !== this.options.marketType;
  }

  #bodyOf(request: ListingRequest, requestNumber: number): string {
    const query = new URLSearchParams(request.query);
    const page: PageRequest = {
      oldest: this.#oldestFor(request, requestNumber),
      before: parseBefore(query.get("before")),
      limit: parseLimit(query.get("limit"), this.options),
      number: requestNumber,
    };
    if (this.#isOtherType(query)) return "[]";
    this.#checkCursor(page);
    const list = this.#pageOf(page).map((row) => this.#sentText(row, requestNumber));
    if (list.length === 0) return "[]";
    if (this.options.lie === "not-newest-first") list.reverse();
    return this.options.isPretty ? `[\n  ${list.join(",\n  ")}\n]\n` : `[${list.join(",")}]`;
  }

  #pageAnswer(request: ListingRequest, requestNumber: number) {
    const body = this.#bodyOf(request, requestNumber);
    const { emptyPage, pageStatus } = this.options;
    if (emptyPage === "list" || body.length > 2) return { status: pageStatus, body };
    if (emptyPage === "204") return { status: 204, body: "" };
    const isError = emptyPage === "404-error" && request.query.includes("before=");
    return { status: 404, body: isError ? '{"error":"nothing found"}' : body };
  }

  answer(request: ListingRequest, requestNumber: number): ListingAnswer {
    if (request.path.toLowerCase() !== this.path.toLowerCase()) {
      return { status: 404, headers: { "content-type": "text/plain" }, body: "not found" };
    }
    const headers = { "content-type": "application/json" };
    try {
      return (
        this.#fault(requestNumber) ?? {
          headers,
          ...this.#pageAnswer(request, requestNumber),
        }
      );
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      return { status: error.status, headers, body: JSON.stringify({ error: error.message }) };
    }
  }

  truthAt(requestNumber: number): TruthRow[] {
    const list: TruthRow[] = [];
    const oldest = this.#expiredAt(requestNumber);
    let next = this.#rowsAt(requestNumber);
    while (next > oldest) {
      const start = Math.max(
        this.ledger.start[this.ledger.transactionOf[next - 1] ?? 0] ?? 0,
        oldest,
      );
      const rows: TruthRow[] = [];
      for (let row = next - 1; row >= start; row--) rows.push(this.#truthOf(row));
      list.push(...(this.options.orderInTransaction === "oldest-first" ? rows.reverse() : rows));
      next = start;
    }
    return list;
  }

  countOfPage(before: bigint | undefined, limit: number, requestNumber: number): number {
    const oldest = this.#expiredAt(requestNumber);
    return this.#pageOf({ oldest, before, limit, number: requestNumber }).length;
  }
}

export function createListingService(options: ListingOptions): ListingService {
  return new ListingServer(options);
}

/**
 * On 127.0.0.1 at a free port, until it is closed or the test is over; request numbers count from 1 over all connections.
 * @param onRequest called with the number of each request before it is answered
 */
export async function startListing(
  service: Pick<ListingService, "options" | "answer">,
  onRequest: (count: number) => void = () => {},
) {
  let requests = 0;
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    onRequest(++requests);
    const answer =
      request.method === "GET"
        ? service.answer(
            { path: url.pathname, query: url.search.slice(1), headers: request.headers },
            requests,
          )
        : { status: 405, headers: {}, body: "" };
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  const port = await listen(server);
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  onTestFinished(close);
  return {
    baseUrl: `http://127.0.0.1:${port}${service.options.prefix}`,
    requests: () => requests,
    close,
  };
}
