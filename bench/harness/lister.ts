// A listing of trades in a process of its own, so that only the export is measured: arguments are the number of rows, and the
// milliseconds of a request. The trade id is the cursor.
import { createServer } from "node:http";

const FIRST_ID = 1_000_000_000;
const [rowsOf = 0, delayMs = 0] = process.argv.slice(2).map(Number);
const NEWEST = FIRST_ID + rowsOf;

/** All of a record except id and time, made once. */
const middles = Array.from({ length: 1000 }, (_, i) => {
  const fields = {
    tx_hash: `0x${String(i).padStart(64, "a7")}`,
    market_type: "perp",
    market_id: 1,
    price: `${90_000 + i}.25`,
    quantity: `0.${String((i * 7919) % 100_000).padStart(5, "0")}`,
    quote_notional: `${i}.123456`,
    taker_is_bid: i % 2 === 0,
    maker_address: `0x${"ab".repeat(20)}`,
    maker_subaccount_id: 1,
    taker_address: `0x${"cd".repeat(20)}`,
    taker_subaccount_id: 2,
    maker_fee_quote: "-0.01234",
    taker_fee_quote: "0.04321",
    maker_client_order_id: `${i * 31}`,
    taker_client_order_id: `${i * 37}`,
  };
  return JSON.stringify(fields).slice(1, -1);
});

/** Pages are cached, so that making them is not part of later measurements. */
const MAX_KEPT = 200;
const kept = new Map<string, Buffer>();

function pageOf(url: string): Buffer {
  const query = new URL(url, "http://any").searchParams;
  const before = BigInt(query.get("before") ?? NEWEST + 1);
  const newest = before > BigInt(NEWEST) ? NEWEST : Number(before) - 1;
  const oldest = Math.max(FIRST_ID + 1, newest - Number(query.get("limit") ?? 100) + 1);
  const rows: string[] = [];
  for (let id = newest; id >= oldest; id--) {
    rows.push(
      `{"trade_id":"${id}",${middles[id % 1000]},"timestamp_ms":${1_700_000_000_000 + id}}`,
    );
  }
  return Buffer.from(`[${rows.join(",")}]`);
}

const server = createServer(({ url = "/" }, response) => {
  const body = kept.get(url) ?? pageOf(url);
  if (kept.size < MAX_KEPT) kept.set(url, body);
  response.writeHead(200, { "content-type": "application/json", "content-length": body.length });
  if (delayMs === 0) response.end(body);
  else setTimeout(() => response.end(body), delayMs);
});

server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.send?.(typeof address === "object" ? address?.port : undefined);
});
process.on("disconnect", () => process.exit(0));
