// Somebody else's listing of a great many trades, written from the interface document alone: no record is kept, each is
// made from its number when it is asked for. `before` is compared with a transaction index that stands in no field
// and that up to seven trades share.
import { createServer } from "node:http";
import { countBelow } from "./foreign-listings.ts";
import { listen } from "./listen.ts";

const MAX_TRADES = 7;
const FIRST_ID = 4_611_686_018_427_000_000n;
const FIRST_MS = 1_763_000_000_000;

/** A number below 2^32 that looks like chance, and is the same for the same place. */
function mixed(place: number, salt: number): number {
  let mix = Math.imul(place ^ (salt * 0x9e3779b1), 0x85ebca6b);
  mix = Math.imul(mix ^ (mix >>> 13), 0xc2b2ae35);
  return (mix ^ (mix >>> 16)) >>> 0;
}

/** Of so many trades; place 0 is the oldest. */
export class LargeListing {
  readonly rows: number;
  /** Of each trade: its transaction, which rises, and its time. */
  readonly #transactions: Uint32Array;
  readonly #times: Float64Array;
  readonly #server = createServer((request, response) => {
    const body = Buffer.from(this.#page(new URL(request.url ?? "", "http://any").searchParams));
    response.writeHead(200, { "content-type": "application/json", "content-length": body.length });
    response.end(body);
  });

  constructor(rows: number) {
    this.rows = rows;
    this.#transactions = new Uint32Array(rows);
    this.#times = new Float64Array(rows);
    let [transaction, ms, left] = [900_000, FIRST_MS, 0];
    for (let place = 0; place < rows; place++) {
      if (left === 0) {
        left = 1 + (mixed(place, 1) % MAX_TRADES);
        transaction += 1 + (mixed(place, 2) % 90);
        ms += mixed(place, 3) % 3 === 0 ? 0 : mixed(place, 4) % 900;
      }
      left--;
      this.#transactions[place] = transaction;
      this.#times[place] = ms;
    }
  }

  /** @returns its base URL */
  async start(): Promise<string> {
    return `http://127.0.0.1:${await listen(this.#server)}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  recordAt(place: number) {
    const person = (salt: number) =>
      `0x${mixed(place, salt).toString(16).padStart(40, `${salt}c`)}`;
    const text = (salt: number, below: number) => String(mixed(place, salt) % below);
    return {
      trade_id: `${FIRST_ID + BigInt(place) * 3n}`,
      tx_hash: `0x${(this.#transactions[place] ?? 0).toString(16).padStart(64, "7e")}`,
      market_type: "perp",
      market_id: 1,
      price: `${90_000 + (mixed(place, 5) % 9999)}.${text(6, 100)}0`,
      quantity: `0.${text(7, 1_000_000)}00`,
      quote_notional: `${text(8, 9999)}.${text(9, 1_000_000_000)}`,
      taker_is_bid: mixed(place, 10) % 2 === 0,
      maker_address: person(11),
      maker_subaccount_id: mixed(place, 12) % 3,
      taker_address: person(13),
      taker_subaccount_id: mixed(place, 14) % 3,
      maker_fee_quote: `-0.${text(15, 1_000_000)}`,
      taker_fee_quote: `0.${text(16, 10_000)}`,
      maker_client_order_id: text(17, 2_000_000),
      taker_client_order_id: "18446744073709551615",
      timestamp_ms: this.#times[place] ?? 0,
    };
  }

  #page(query: URLSearchParams): string {
    const before = query.get("before");
    const indexAt = (place: number) => BigInt(this.#transactions[place] ?? 0);
    const end = before === null ? this.rows : countBelow(this.rows, indexAt, BigInt(before));
    const start = Math.max(0, end - Number(query.get("limit") ?? 100));
    const page = Array.from({ length: end - start }, (_, i) => this.recordAt(end - 1 - i));
    return JSON.stringify(page);
  }
}
