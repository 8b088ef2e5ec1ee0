// A service that puts every control sequence into every text that the interface lets it send.

import { listedTrade } from "./listed-trade.ts";
import { ScriptedService } from "./scripted-service.ts";
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
const ANSWERS: Readonly<Record<string, object>> = {
  bbo: { bbo: { bid: null, ask: null }, [EVIL]: EVIL },
  orderbook: { ...links, orderbook: { bids: [], asks: [] }, extra: EVIL },
  trades: {
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
  },
  candles: {
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
  },
  markets: { ...links, markets: [record(1), record(2)] },
  "market-stats": { ...links, market_stats: [record(1)] },
  "funding-rates": { ...links, funding_rates: [record(1)] },
  accounts: {
    ...links,
    subaccounts: [{ subaccount_id: 0, status: EVIL, created_at_ns: STAMP }],
    delegations: [{ subaccount_id: 0, delegate: EVIL, permissions: [EVIL], name: EVIL }],
  },
  account: {
    ...links,
    account: record(1),
    balances: [record(1)],
    positions: [record(1), record(2)],
    leverages: [{ market_id: 1, leverage: 2 }],
    orders: [record(1), record(2)],
    fills: [record(1), record(2)],
    funding_payments: [record(1)],
  },
};

const LISTED_ID = 7n;

/** Both sides of a trade, and a liquidation: every text of theirs, and a name that the document does not have. */
const LISTED = {
  trades: {
    ...listedTrade({
      trade_id: `${LISTED_ID}`,
      tx_hash: EVIL,
      market_type: EVIL,
      maker_address: EVIL,
      taker_address: OWNER,
      quantity: "2",
      quote_notional: "2",
      timestamp_ms: 1_767_225_600_000,
    }),
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

/**
 * Starts it: it lists two trades and two liquidations, and anything else is an error with words. Subscribes to mark candles
 * are refused, with words.
 */
export function startHostileService() {
  const service = new ScriptedService({
    message: EVIL,
    onOpen(peer) {
      peer.send({ type: EVIL, channel: EVIL });
      peer.error(500, undefined, EVIL);
      peer.send({
        type: "hello",
        protocol_version: 1,
        keepalive_timeout_ms: 120_000,
        [EVIL]: EVIL,
      });
    },
    answer(channel) {
      const payload = ANSWERS[channel.split("/")[0] ?? ""];
      if (payload === undefined || channel.endsWith("/9")) return undefined;
      const update = { type: "update", channel, ...payload };
      // A rejected update, with hostile words in it.
      return [STAMP, EVIL].map((timestamp_ns) => ({ ...update, timestamp_ns }));
    },
  });
  return service.listen(({ url = "" }, response) => {
    const [, kind] = /\/(trades|liquidations)(?:\?|$)/.exec(url) ?? [];
    const isPage = kind !== undefined && !url.includes("/9/");
    response.statusCode = isPage ? 200 : 400;
    const page = isPage ? pageOf(kind as keyof typeof LISTED, url) : { error: EVIL, message: EVIL };
    response.end(JSON.stringify(page));
  });
}
