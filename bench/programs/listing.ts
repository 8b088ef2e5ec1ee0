// A listing of trades, of which `before` is the trade id. Arguments: rows, and milliseconds that each request takes. Says its port; a
// message asks for the number of requests so far.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const [rows = 0, delayMs = 0] = process.argv.slice(2).map(Number);
const FIRST_ID = 1_000_000_000;
const START_MS = Date.UTC(2026, 0, 1);
/** Pages are kept, so that making them again does not count. */
const MAX_KEPT = 300;
const kept = new Map<string, Buffer>();
let requests = 0;

/** All of a row but its id and time. */
const FIELDS = Array.from({ length: 1000 }, (_, i) =>
  JSON.stringify({
    ...{ tx_hash: `0x${String(i).padStart(64, "a7")}`, market_type: "perp", market_id: 1 },
    ...{ price: `${90_000 + i}.25`, quantity: `0.${i + 10_000}`, quote_notional: `${i}.123456` },
    ...{ taker_is_bid: i % 2 === 0, maker_subaccount_id: 1, taker_subaccount_id: 2 },
    ...{ maker_address: `0x${"ab".repeat(20)}`, taker_address: `0x${"cd".repeat(20)}` },
    ...{ maker_fee_quote: "-0.01234", taker_fee_quote: "0.04321" },
    ...{ maker_client_order_id: `${i * 31}`, taker_client_order_id: `${i * 37}` },
  }).slice(1, -1),
);

function makePage(url: string): Buffer {
  const query = new URL(url, "http://any").searchParams;
  const end = Math.min(FIRST_ID + rows, Number(query.get("before") ?? FIRST_ID + rows));
  const count = Math.max(0, Math.min(Number(query.get("limit") ?? 100), end - FIRST_ID));
  const texts = Array.from({ length: count }, (_, i) => {
    const id = end - 1 - i;
    const ms = START_MS + (id - FIRST_ID) * 10;
    return `{"trade_id":"${id}",${FIELDS[id % FIELDS.length]},"timestamp_ms":${ms}}`;
  });
  return Buffer.from(`[${texts.join(",")}]`);
}

const server = createServer(({ url = "/" }, response) => {
  requests++;
  const page = kept.get(url) ?? makePage(url);
  if (kept.size < MAX_KEPT) kept.set(url, page);
  const head = { "content-type": "application/json", "content-length": page.length };
  const send = () => response.writeHead(200, head).end(page);
  if (delayMs === 0) send();
  else setTimeout(send, delayMs);
});
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
process.on("message", () => process.send?.(requests));
