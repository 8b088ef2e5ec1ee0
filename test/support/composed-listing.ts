// Listings composed from what the interface document leaves open, behind HTTP on the loopback address, and what an export of one has
// to be. Written from the document (2.4, 2.5, 4.2 to 4.5) with no code of the program but its random numbers.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { onTestFinished } from "vitest";
import { createRandom, type Random } from "../../src/units/random.ts";
import { listen } from "./listen.ts";

type Kind = "trades" | "fills" | "liquidations";
type Row = Readonly<Record<string, unknown>>;

export interface ListingOptions {
  readonly seed: number;
  readonly kind: Kind;
  /** At the first request. */
  readonly transactions: number;
  /** Rows of a transaction, at least and at most. */
  readonly rows: readonly [least: number, most: number];
  /** What `before` is compared with: each row's id, its time, or an index of its transaction that stands in no field. */
  readonly cursor: "id" | "time" | "hidden";
  /** Distance of hidden indexes: 1, or up to so many. */
  readonly step: number;
  readonly firstIndex: bigint;
  /** Milliseconds between transactions, at most; 0 puts many into one. */
  readonly pace: number;
  /** Share of rows that repeat the one before them in every field. */
  readonly twins: number;
  /** Rows of a page at most, whatever is asked for. */
  readonly cap: number;
  /** A page ends with a whole transaction, where it holds one. */
  readonly isWhole: boolean;
  /** Transactions that arrive, and rows that expire, with each request. */
  readonly arrivals: number;
  readonly expiring: number;
  /** Rows of others that count in ids and indexes: at most so many between two transactions, and one stretch of `quiet`. */
  readonly foreign: number;
  readonly quiet: number;
  /** How far below the cursor the service looks for rows, in units of the cursor; 0 for all. */
  readonly lookBack: number;
  readonly emptyPage: "list" | "204" | "404";
  /** Share of requests that get something else than their page. */
  readonly faults: number;
}

const PLAIN: ListingOptions = {
  seed: 1,
  kind: "trades",
  transactions: 300,
  rows: [1, 1],
  cursor: "id",
  step: 1,
  firstIndex: 1000n,
  pace: 900,
  twins: 0,
  cap: 1000,
  isWhole: false,
  arrivals: 0,
  expiring: 0,
  foreign: 0,
  quiet: 0,
  lookBack: 0,
  emptyPage: "list",
  faults: 0,
};

export const OWNER = `0x${"cd".repeat(20)}`;
const OTHER = `0x${"ab".repeat(20)}`;
const FIRST_MS = 1_763_000_000_000;
/** Transactions that may arrive. */
const MORE = 400;

/** A row, newest first, with what its page is found by. */
interface Place {
  readonly row: Row;
  readonly index: bigint;
  readonly transaction: number;
}

function decimal(random: Random, below: number): string {
  return `${Math.floor(random() * below)}.${String(Math.floor(random() * 1000)).padStart(3, "0")}`;
}

function recordOf(kind: Kind, id: string, ms: number, transaction: number, random: Random): Row {
  if (kind === "liquidations") {
    const positions = Array.from({ length: Math.floor(random() * 3) }, (_, i) => ({
      market_id: i,
      side: random() < 0.5 ? "long" : "short",
      size: decimal(random, 9),
      position_margin: `-${decimal(random, 90)}`,
      margin_mode: "cross",
    }));
    return {
      liquidation_id: id,
      liquidation_type: "partial",
      liquidator: OTHER,
      liquidatee: OWNER,
      liquidatee_subaccount: 1,
      bucket: "b",
      scope: "market",
      positions: [
        { market_id: 1, side: "long", size: "1", position_margin: "-2", margin_mode: "" },
        ...positions,
      ],
      timestamp_ms: ms,
    };
  }
  const isMaker = random() < 0.5;
  return {
    trade_id: id,
    tx_hash: `0x${transaction.toString(16).padStart(64, "7e")}`,
    market_type: "perp",
    market_id: 1,
    price: decimal(random, 90_000),
    quantity: decimal(random, 5),
    quote_notional: decimal(random, 9000),
    taker_is_bid: random() < 0.5,
    maker_address: isMaker ? OWNER : OTHER,
    maker_subaccount_id: 1,
    taker_address: isMaker ? OTHER : OWNER,
    taker_subaccount_id: 1,
    maker_fee_quote: `-0.${Math.floor(random() * 1000)}`,
    taker_fee_quote: decimal(random, 3),
    maker_client_order_id: "0",
    taker_client_order_id: "18446744073709551615",
    timestamp_ms: ms,
  };
}

/** Newest first. */
function composeRows(options: ListingOptions, random: Random): readonly Place[] {
  const {
    kind,
    transactions,
    rows: [least, most],
    cursor,
    step,
    pace,
    foreign,
  } = options;
  const places: Place[] = [];
  const quietAt = Math.floor(transactions / 2);
  let [index, ms, id] = [options.firstIndex, FIRST_MS, 5000n];
  for (let transaction = 0; transaction < transactions + MORE; transaction++) {
    const others = Math.floor(random() * foreign) + (transaction === quietAt ? options.quiet : 0);
    index += 1n + BigInt(Math.floor(random() * step) + others);
    id += BigInt(others);
    ms += Math.floor(random() * pace);
    const count = least + Math.floor(random() * (most - least + 1));
    for (let i = 0; i < count; i++) {
      const before = places.at(-1);
      const isTwin = before?.transaction === transaction && random() < options.twins;
      if (!isTwin) id += 1n + BigInt(Math.floor(random() * 3));
      const row = isTwin ? before.row : recordOf(kind, `${id}`, ms, transaction, random);
      const indexes = { id, time: BigInt(ms), hidden: index };
      places.push({ row, index: indexes[cursor], transaction });
    }
  }
  return places.reverse();
}

function describeOptions(options: ListingOptions): string {
  const odd = Object.entries(options).filter(
    ([name, value]) => `${PLAIN[name as keyof ListingOptions]}` !== `${value}`,
  );
  return odd.map(([name, value]) => `${name}=${value}`).join(" ");
}

/** A listing with chosen oddities over a plain one. */
export function composeListing(chosen: Partial<ListingOptions> = {}) {
  const options = { ...PLAIN, ...chosen };
  const all = composeRows(options, createRandom(options.seed));
  /** Rows before each transaction, oldest first. */
  const starts: number[] = [];
  for (const [i, { transaction }] of all.toReversed().entries()) starts[transaction] ??= i;
  const texts = new Map(all.map(({ row }) => [row, JSON.stringify(row)]));
  const textOf = (row: Row) => texts.get(row) ?? JSON.stringify(row);
  const asked: URLSearchParams[] = [];
  const listing = {
    options,
    describe: describeOptions(options),
    /** Words of the command line that name it. */
    words: options.kind === "fills" ? `fills ${OWNER} 1` : `${options.kind} perp/1`,
    asked,
    get requests() {
      return asked.length;
    },
    textOf,
    /** The page of a request. */
    page(query: URLSearchParams): readonly Row[] {
      asked.push(query);
      return pageOf(options, listed(), query);
    },
    /** What is listed by now, newest first. */
    get rows(): readonly Row[] {
      return listed().map(({ row }) => row);
    },
    /**
     * What is wrong with rows that were read from request `from` on; undefined where they are the listing, or its newest part.
     * @param isComplete nothing older may be missing that is listed still
     */
    findFault(rows: readonly object[], isComplete: boolean): string | undefined {
      const found = rows.map((row) => JSON.stringify(row));
      const truth = all.map(({ row }) => textOf(row));
      const first = truth.length - listedAtFirst.length;
      const starts = Array.from({ length: first + 1 }, (_, i) => i).filter((start) =>
        found.every((text, i) => text === truth[start + i]),
      );
      const left = listed();
      const oldest = left.length === 0 ? 0 : all.indexOf(left.at(-1) as Place) + 1;
      if (starts.length === 0) return "its rows are not those of the listing, in their order";
      const isWhole = starts.some((start) => start + found.length >= oldest);
      return isComplete && !isWhole ? `of ${left.length} rows it has ${found.length}` : undefined;
    },
  };
  const listed = () => {
    const arrived = Math.min(MORE, Math.floor(asked.length * options.arrivals));
    const total = options.transactions + arrived;
    const gone = Math.floor(asked.length * options.expiring);
    const newest = all.length - (starts[total] ?? all.length);
    return all.slice(newest, all.length - gone);
  };
  const listedAtFirst = listed();
  return listing;
}

/** The same behind HTTP, until the test is over. */
export async function serveListing(chosen: Partial<ListingOptions> = {}) {
  const composed = composeListing(chosen);
  const { asked, options, textOf } = composed;
  const chance = createRandom(options.seed + 1);
  const listing = Object.assign(composed, {
    baseUrl: "",
    /** Called with each request, before it is answered. */
    onRequest: (_: number) => {},
    /** Instead of the page of a request: status and body. */
    insteadOf: (
      _count: number,
      _query: URLSearchParams,
      _page: readonly Row[],
    ): [number, string | Buffer] | undefined => undefined,
  });
  const server = createServer((request, response) => {
    const { searchParams: query } = new URL(request.url ?? "", "http://any");
    const rows = listing.page(query);
    listing.onRequest(asked.length);
    const instead = listing.insteadOf(asked.length, query, rows);
    if (instead !== undefined) response.writeHead(instead[0]).end(instead[1]);
    else if (chance() < options.faults) answerFault(chance, request, response);
    else if (rows.length === 0 && query.has("before") && options.emptyPage !== "list")
      response.writeHead(Number(options.emptyPage)).end();
    else response.end(`[${rows.map(textOf).join(",")}]`);
  });
  listing.baseUrl = `http://127.0.0.1:${await listen(server)}`;
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return listing;
}

function pageOf(
  { cap, isWhole, lookBack }: ListingOptions,
  rows: readonly Place[],
  query: URLSearchParams,
): readonly Row[] {
  const text = query.get("before");
  const before = text === null ? (rows[0]?.index ?? 0n) + 1n : BigInt(text);
  const start = countFrom(rows, before);
  const end = start + Math.min(cap, Number(query.get("limit") ?? 100));
  const next = rows[end]?.transaction;
  const cut = isWhole ? rows.findIndex(({ transaction }) => transaction === next) : -1;
  const page = rows.slice(start, cut > start && cut < end ? cut : end);
  const seen =
    lookBack === 0 ? page : page.filter(({ index }) => index >= before - BigInt(lookBack));
  return seen.map(({ row }) => row);
}

/** How many rows have this index or a higher one. */
function countFrom(rows: readonly Place[], index: bigint): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle]?.index ?? 0n) >= index) low = middle + 1;
    else high = middle;
  }
  return low;
}

function answerFault(chance: Random, { socket }: IncomingMessage, response: ServerResponse): void {
  const faults = [
    () => void response.writeHead(500).end("broken"),
    () => void response.writeHead(503, { "retry-after": "1" }).end(),
    () => void response.writeHead(429).end("slowly"),
    () => void response.writeHead(200).end("<html>maintenance</html>"),
    () => void response.writeHead(200).end('{"error":"busy"}'),
    () => void socket.destroy(),
  ];
  faults[Math.floor(chance() * faults.length)]?.();
}

/** A service that a seed chooses. */
export function composeOptions(seed: number): Partial<ListingOptions> {
  const random = createRandom(seed);
  const pick = <T>(...list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const cursor = pick("id", "time", "hidden", "hidden");
  const cap = pick(1000, 1000, 500, 100, 40);
  const isFiltered = random() < 0.15;
  const rows = pick<readonly [number, number]>([1, 1], [1, 5], [1, 30]);
  return {
    seed,
    kind: pick("trades", "trades", "fills", "liquidations"),
    transactions: rows[1] > 5 ? pick(1, 5, 40) : pick(0, 1, 5, 60, 200, 700),
    rows,
    cursor,
    step: pick(1, 50, 1_000_000_000),
    firstIndex: pick(0n, 1n, 900_000n, 1_700_000_000_000_000_000n),
    pace: pick(0, 3, 900, 60_000),
    twins: pick(0, 0, 0, 0.3),
    cap,
    arrivals: pick(0, 0, 0.3, 2),
    expiring: pick(0, 0, 0, 0.3),
    emptyPage: pick("list", "list", "204", "404"),
    faults: pick(0, 0, 0, 0.05),
    isWhole: random() < 0.2,
    ...(isFiltered &&
      cursor !== "time" && {
        ...{ foreign: 8, quiet: pick(0, 2000), lookBack: 1000, step: 1 },
        ...{ expiring: 0, arrivals: 0 },
      }),
  };
}
