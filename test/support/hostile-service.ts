// A service that puts every control sequence into every text that the interface lets it send.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
import { ATTACKS } from "./terminal/hostile-text.ts";

/** All attacks in one text. Lone halves of pairs cannot be sent; accents on accents are ugly, but nothing obeys them. */
const EVIL = ATTACKS.join(" ").replaceAll(/[\p{Cs}\p{Mn}\p{Me}]/gu, "");
/** Whose fills are listed. */
export const OWNER = "9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin";
const STAMP = "1767225600000000000";
const links = { previous_sequence: null, sequence: "1" };

/** Records without listed fields: hostile names and values, beside those that are looked for. */
const record = (id: number) => ({
  market_id: id,
  market_type: "perp",
  // Short enough to be shown whole: a longer one is left out.
  symbol: `S\u001b[6n\u202e${id}`,
  base_asset: EVIL,
  status: EVIL,
  side: EVIL,
  price: EVIL,
  size: EVIL,
  order_id: `${id} ${EVIL}`,
  [EVIL]: EVIL,
  nested: { [EVIL]: [EVIL] },
});

/** What a subscribe gets, by the kind of its channel. */
const ANSWERS: Readonly<Record<string, (channel: string) => object>> = {
  bbo: () => ({ bbo: { bid: null, ask: null }, [EVIL]: EVIL }),
  orderbook: () => ({ ...links, orderbook: { bids: [], asks: [] }, extra: EVIL }),
  trades: () => ({
    ...links,
    trades: [
      {
        timestamp_ns: STAMP,
        price_ticks: "1",
        size_base_lots: "2",
        taker_is_bid: true,
        [EVIL]: EVIL,
      },
    ],
  }),
  candles: () => ({
    candles: [
      {
        open_time_ms: 1_767_225_600_000,
        open: "1",
        high: "2",
        low: "1",
        close: "2",
        volume_base: "1",
        volume_quote: "1",
        trades: 1,
        note: EVIL,
      },
    ],
  }),
  markets: () => ({ ...links, markets: [record(1), record(2)] }),
  "market-stats": () => ({ ...links, market_stats: [record(1)] }),
  "funding-rates": () => ({ ...links, funding_rates: [record(1)] }),
  accounts: () => ({
    ...links,
    subaccounts: [{ subaccount_id: 0, status: EVIL, created_at_ns: STAMP }],
    delegations: [{ subaccount_id: 0, delegate: EVIL, permissions: [EVIL], name: EVIL }],
  }),
  account: () => ({
    ...links,
    account: record(1),
    balances: [record(1)],
    positions: [record(1), record(2)],
    leverages: [{ market_id: 1, leverage: 2 }],
    orders: [record(1), record(2)],
    fills: [record(1), record(2)],
    funding_payments: [record(1)],
  }),
};

const LISTED_ID = 7n;

/** Both sides of a trade, and a liquidation: every text of theirs, and a name that the document does not have. */
const LISTED = {
  trades: {
    trade_id: `${LISTED_ID}`,
    tx_hash: EVIL,
    market_type: EVIL,
    market_id: 1,
    price: "1",
    quantity: "2",
    quote_notional: "2",
    taker_is_bid: true,
    maker_address: EVIL,
    maker_subaccount_id: 0,
    taker_address: OWNER,
    taker_subaccount_id: 0,
    maker_fee_quote: "0",
    taker_fee_quote: "0",
    maker_client_order_id: "0",
    taker_client_order_id: "0",
    timestamp_ms: 1_767_225_600_000,
    [EVIL]: EVIL,
  },
  liquidations: {
    liquidation_id: `${LISTED_ID}`,
    liquidation_type: EVIL,
    liquidator: EVIL,
    liquidatee: EVIL,
    liquidatee_subaccount: 0,
    bucket: EVIL,
    scope: EVIL,
    positions: [
      {
        market_id: 1,
        side: EVIL,
        size: "1",
        position_margin: "1",
        margin_mode: EVIL,
        [EVIL]: EVIL,
      },
    ],
    timestamp_ms: 1_767_225_600_000,
    [EVIL]: EVIL,
  },
} as const;

export interface HostileService {
  readonly url: string;
  /** Lists two trades and two liquidations; any other path is an error, with words. */
  readonly baseUrl: string;
  close(): void;
}

/**
 * Their place in the listing is their id. An older record shows that a page can hold more than one: else it could not be
 * proven that there are no more.
 */
function pageOf(kind: keyof typeof LISTED, url: string): readonly object[] {
  const before = BigInt(/[?&]before=(\d+)/.exec(url)?.[1] ?? LISTED_ID + 1n);
  const id = kind === "trades" ? "trade_id" : "liquidation_id";
  const older = { ...LISTED[kind], [id]: "1", timestamp_ms: 1 };
  return [...(before > LISTED_ID ? [LISTED[kind]] : []), ...(before > 1n ? [older] : [])];
}

/** Starts it on a free port of the loopback address. Subscribes to mark candles are refused, with words. */
export async function startHostileService(): Promise<HostileService> {
  const http = createServer(({ url = "" }, response) => {
    const kind = /\/(trades|liquidations)(?:\?|$)/.exec(url)?.[1] as
      | keyof typeof LISTED
      | undefined;
    response.statusCode = kind === undefined || url.includes("/9/") ? 400 : 200;
    const isPage = response.statusCode === 200;
    const page = kind === undefined ? [] : pageOf(kind, url);
    response.end(JSON.stringify(isPage ? page : { error: EVIL, message: EVIL }));
  });
  const server = new WebSocketServer({ server: http, path: "/v1/ws" });
  server.on("connection", (peer) => serve(peer));
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const { port } = http.address() as AddressInfo;
  return {
    url: `ws://127.0.0.1:${port}/v1/ws`,
    baseUrl: `http://127.0.0.1:${port}/rest`,
    close() {
      for (const peer of server.clients) peer.terminate();
      server.close();
      http.closeAllConnections();
      http.close();
    },
  };
}

function serve(peer: WebSocket): void {
  const say = (frame: object) => peer.send(JSON.stringify(frame));
  say({ type: EVIL, channel: EVIL });
  say({ type: "error", code: 500, message: EVIL, timestamp_ns: STAMP });
  say({ type: "hello", protocol_version: 1, keepalive_timeout_ms: 120_000, [EVIL]: EVIL });
  peer.on("message", (data) => {
    const { type, channel } = JSON.parse(String(data));
    if (type === "unsubscribe") say({ type: "unsubscribed", channel, timestamp_ns: STAMP });
    if (type !== "subscribe") return;
    const answer = ANSWERS[String(channel).split("/")[0] ?? ""];
    if (answer === undefined || String(channel).endsWith("/9")) {
      say({ type: "error", channel, code: 404, message: EVIL, timestamp_ns: STAMP });
      return;
    }
    say({ type: "update", channel, timestamp_ns: STAMP, ...answer(channel) });
    // It takes no more than these three to see a rejected update, with hostile words in it.
    say({ type: "update", channel, timestamp_ns: EVIL, ...answer(channel) });
  });
}
