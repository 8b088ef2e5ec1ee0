// A short listing of trades over HTTP, each of whose answers a test can replace.
import { createServer } from "node:http";
import { onTestFinished } from "vitest";
import { listedTrade } from "./listed-trade.ts";
import { listen } from "./listen.ts";

export type Rows = readonly Readonly<Record<string, unknown>>[];

/** What a request gets instead of its page: a list of records, or a whole answer. */
export type Instead =
  | Rows
  | { readonly status: number; readonly body: string; readonly headers?: Record<string, string> };

const hex = (digits: string) => `0x${digits.repeat(20)}`;

/** A trade by its number; two have the same time. */
const tradeAt = (number: number) =>
  listedTrade({
    trade_id: `${number * 3}`,
    tx_hash: `0x${number.toString(16).padStart(64, "0")}`,
    price: `90000.${number}0`,
    quantity: "0.10",
    quote_notional: "9000.00",
    maker_address: hex("ab"),
    taker_address: hex("cd"),
    taker_subaccount_id: 1,
    maker_fee_quote: "-0.1",
    taker_fee_quote: "0.2",
    taker_client_order_id: "1",
    timestamp_ms: 1_763_000_000_000 + (number >> 1) * 1000,
  });

/** Newest first. */
export const tradesDownFrom = (newest: number) =>
  Array.from({ length: newest }, (_, i) => tradeAt(newest - i));

/**
 * Serves until the test is over.
 * @param insteadOf called with the page that a request would get, how many requests there were, this one too, and what it
 * asks for
 */
export async function serveTrades(
  ledger: Rows,
  insteadOf: (page: Rows, count: number, query: URLSearchParams) => Instead | undefined,
) {
  let count = 0;
  const ids = new WeakMap<object, bigint>();
  const idOf = (row: Rows[number]) => {
    const id = ids.get(row) ?? BigInt(row.trade_id as string);
    ids.set(row, id);
    return id;
  };
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? "", "http://any");
    const text = searchParams.get("before");
    const before = text === null ? undefined : BigInt(text);
    const page = ledger
      .filter((row) => before === undefined || idOf(row) < before)
      .slice(0, Number(searchParams.get("limit") ?? 100));
    const answer = insteadOf(page, ++count, searchParams) ?? page;
    if ("status" in answer) response.writeHead(answer.status, answer.headers).end(answer.body);
    else response.setHeader("content-type", "application/json").end(JSON.stringify(answer));
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { baseUrl: `http://127.0.0.1:${await listen(server)}` };
}
