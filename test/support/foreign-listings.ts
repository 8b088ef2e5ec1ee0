// Somebody else's REST service of the same interface document: written from the document alone, with its own
// meaning of the cursor. It shares no code with the program or with its simulator.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { listen } from "./listen.ts";

export interface ForeignListingsOptions {
  /** What `before` is compared with. `transaction`: a number that stands in no field, shared by up to seven trades. */
  readonly cursor: "trade_id" | "transaction" | "timestamp_ms";
  readonly transactions: number;
  /** Path below which the listings are. */
  readonly prefix: string;
  /** Of a hundred requests: answered by 500, 429, or cut in the middle. */
  readonly faultPercent: number;
  /** A transaction of so many trades stands in the middle. */
  readonly giantRows: number;
  /** A transaction comes before each request. */
  readonly isGrowing: boolean;
  /** Milliseconds until an answer comes. */
  readonly delayMs: number;
  /** First id: ids may be larger than any Number can hold. */
  readonly firstId: bigint;
  readonly seed: number;
}

const USUAL: ForeignListingsOptions = {
  cursor: "trade_id",
  transactions: 600,
  prefix: "",
  faultPercent: 0,
  giantRows: 0,
  isGrowing: false,
  delayMs: 0,
  firstId: 4_611_686_018_427_000_000n,
  seed: 1,
};

const MAX_TRADES = 7;
export const OWNER = `0x${"ab12".repeat(10)}`;
const OTHERS = [`0x${"cd34".repeat(10)}`, `0x${"ef56".repeat(10)}`];

interface Row {
  readonly index: bigint;
  readonly record: Readonly<Record<string, unknown>>;
}

export class ForeignListings {
  readonly #options: ForeignListingsOptions;
  readonly #server = createServer((request, response) => this.#answer(request, response));
  /** Oldest first. */
  readonly #trades: Row[] = [];
  readonly #fills: Row[] = [];
  readonly #liquidations: Row[] = [];
  readonly requests: string[] = [];
  baseUrl = "";
  /** Called with each request, before it is answered; its promise is waited for. */
  onRequest: (count: number) => unknown = () => {};
  #random: number;
  #transaction = 900_000n;
  #id: bigint;
  #ms = 1_763_000_000_000;

  private constructor(options: ForeignListingsOptions) {
    this.#options = options;
    this.#random = options.seed;
    this.#id = options.firstId;
    for (let i = 0; i < options.transactions; i++) {
      const isGiant = options.giantRows > 0 && i === options.transactions >> 1;
      this.#trade(isGiant ? options.giantRows : undefined);
      if (i % 10 === 0) this.#liquidate();
    }
  }

  static async start(options: Partial<ForeignListingsOptions> = {}): Promise<ForeignListings> {
    const service = new ForeignListings({ ...USUAL, ...options });
    service.baseUrl = `http://127.0.0.1:${await listen(service.#server)}${service.#options.prefix}`;
    return service;
  }

  /** What is listed now, newest first. */
  get trades() {
    return recordsOf(this.#trades);
  }

  get fills() {
    return recordsOf(this.#fills);
  }

  get liquidations() {
    return recordsOf(this.#liquidations);
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #pick(below: number): number {
    this.#random = (this.#random * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((this.#random / 2_147_483_648) * below);
  }

  #digits(count: number): string {
    return Array.from({ length: count }, () => this.#pick(10)).join("");
  }

  #indexOf(id: bigint): bigint {
    const { cursor } = this.#options;
    return cursor === "trade_id"
      ? id
      : cursor === "transaction"
        ? this.#transaction
        : BigInt(this.#ms);
  }

  #trade(count = 1 + this.#pick(MAX_TRADES)): void {
    this.#transaction += BigInt(1 + this.#pick(90));
    this.#ms += this.#pick(3) === 0 ? 0 : this.#pick(900);
    const hash = `0x${this.#transaction.toString(16).padStart(64, "7")}`;
    for (let i = 0; i < count; i++) {
      this.#id += BigInt(1 + this.#pick(3));
      const row = { index: this.#indexOf(this.#id), record: this.#tradeRecord(hash) };
      this.#trades.push(row);
      if (isOwn(row.record)) this.#fills.push(row);
    }
  }

  #tradeRecord(hash: string) {
    const people = [OWNER, OWNER.toUpperCase().replace("0X", "0x"), ...OTHERS];
    const person = () => people[this.#pick(people.length)] ?? OWNER;
    return {
      trade_id: `${this.#id}`,
      tx_hash: hash,
      market_type: "perp",
      market_id: 1,
      price: `${90_000 + this.#pick(9999)}.${this.#digits(2)}`,
      quantity: `0.${this.#digits(18)}`,
      quote_notional: `${this.#pick(9999)}.${this.#digits(12)}`,
      taker_is_bid: this.#pick(2) === 0,
      maker_address: person(),
      maker_subaccount_id: this.#pick(2),
      taker_address: person(),
      taker_subaccount_id: this.#pick(2),
      maker_fee_quote: `-0.${this.#digits(6)}`,
      taker_fee_quote: `0.${this.#digits(4)}`,
      maker_client_order_id: `${this.#pick(2_000_000)}`,
      taker_client_order_id: "18446744073709551615",
      timestamp_ms: this.#ms,
    };
  }

  #liquidate(): void {
    const words = [
      "full",
      "=SUM(A1)",
      'a "word", with comma',
      "line\nbreak",
      "-1.5",
      "\u202ehidden",
    ];
    const position = () => ({
      market_id: this.#pick(4),
      side: this.#pick(2) === 0 ? "long" : "short",
      size: `${this.#pick(50)}.${this.#digits(4)}`,
      position_margin: `-${this.#pick(50)}.25`,
      margin_mode: "cross",
    });
    this.#id += 1n;
    const record = {
      liquidation_id: `${this.#id}`,
      liquidation_type: words[this.#pick(words.length)],
      liquidator: OWNER,
      liquidatee: OTHERS[0],
      liquidatee_subaccount: this.#pick(9),
      bucket: "maintenance",
      scope: "",
      // Events touch the market: the first of their positions is in it.
      positions: Array.from({ length: this.#pick(4) }, position).map((each, i) =>
        i === 0 ? { ...each, market_id: 1 } : each,
      ),
      timestamp_ms: this.#ms,
    };
    this.#liquidations.push({ index: this.#indexOf(this.#id), record });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { prefix, isGrowing, delayMs } = this.#options;
    await this.onRequest(this.requests.push(request.url ?? ""));
    if (isGrowing) this.#trade();
    const url = new URL(request.url ?? "", "http://any");
    const path = url.pathname.startsWith(prefix) ? url.pathname.slice(prefix.length) : "";
    const rows = this.#listing(path);
    if (rows === undefined) {
      response.writeHead(404, { "content-type": "text/plain" }).end("nothing here");
      return;
    }
    const before = url.searchParams.get("before");
    const indexAt = (place: number) => rows[place]?.index ?? 0n;
    const end = before === null ? rows.length : countBelow(rows.length, indexAt, BigInt(before));
    const start = Math.max(0, end - Number(url.searchParams.get("limit") ?? 100));
    const body = Buffer.from(JSON.stringify(recordsOf(rows.slice(start, end))));
    if (delayMs === 0) this.#send(response, body);
    else setTimeout(() => this.#send(response, body), delayMs);
  }

  #listing(path: string): readonly Row[] | undefined {
    if (path === "/markets/1/trades") return this.#trades;
    if (path === "/markets/1/liquidations") return this.#liquidations;
    return path === `/accounts/${OWNER}/subaccounts/1/trades` ? this.#fills : undefined;
  }

  #send(response: ServerResponse, body: Buffer): void {
    const isFaulty = this.#pick(100) < this.#options.faultPercent;
    const fault = isFaulty ? this.#pick(3) : undefined;
    if (fault === 0) response.writeHead(500).end("broken");
    else if (fault === 1) response.writeHead(429, { "retry-after": "0" }).end("too fast");
    else {
      const headers = { "content-type": "application/json", "content-length": body.length };
      response.writeHead(200, headers);
      if (fault === undefined) response.end(body);
      else response.write(body.subarray(0, body.length >> 1), () => response.destroy());
    }
  }
}

/** Newest first, as they are listed. */
const recordsOf = (rows: readonly Row[]) => rows.map(({ record }) => record).reverse();

/** How many of so many rows have an index below one: indexes never fall. */
function countBelow(count: number, indexAt: (place: number) => bigint, index: bigint): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (indexAt(middle) < index) low = middle + 1;
    else high = middle;
  }
  return low;
}

function isOwn(record: Readonly<Record<string, unknown>>): boolean {
  const is = (side: "maker" | "taker") =>
    String(record[`${side}_address`]).toLowerCase() === OWNER &&
    record[`${side}_subaccount_id`] === 1;
  return is("maker") || is("taker");
}
