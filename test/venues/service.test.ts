// A client that knows each house style sees what the ledger says. It shares nothing with the program.
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import type { Market } from "../support/venues/exchange.ts";
import { type Switches, startVenue, type VenueService } from "../support/venues/service.ts";
import { STYLES } from "../support/venues/styles/all.ts";
import { lighter } from "../support/venues/styles/lighter.ts";
import { decimal, type Row, type Style } from "../support/venues/styles/style.ts";
import { accountDifferences, marketDifferences } from "../support/venues/truth.ts";

type Frame = Readonly<Record<string, never>>;
type ListName = "positions" | "orders" | "balances";

/** What tells rows apart, and which word or number ends one. */
const KEYS: Readonly<Record<string, Record<ListName, string>>> = {
  lighter: { positions: "market_id margin_mode", orders: "order_index", balances: "symbol" },
  hyperliquid: { positions: "position", orders: "oid", balances: "coin" },
  dydx: { positions: "positionId", orders: "id", balances: "symbol" },
  binance: { positions: "symbol positionSide", orders: "orderId", balances: "asset" },
  paradex: { positions: "market", orders: "id", balances: "token" },
  drift: { positions: "marketIndex", orders: "orderId", balances: "marketIndex" },
  vertex: { positions: "product_id isolated", orders: "digest", balances: "product_id" },
  phoenix: { positions: "symbol", orders: "orderSequenceNumber", balances: "symbol" },
};
const ENDS = [
  "canceled",
  "filled",
  "FILLED",
  "CANCELED",
  "BEST_EFFORT_CANCELED",
  "CLOSED",
  "closed",
];
const SIZES = ["position", "positionAmt", "size", "baseAssetAmount", "amount"];

function hasEnded(row: Row): boolean {
  if ([row.status, row.change].some((word) => ENDS.includes(String(word)))) return true;
  return SIZES.some((name) => typeof row[name] === "string" && Number(row[name]) === 0);
}

/** Follows one market and the account, and draws the picture that the program's `--json` has. */
class KnowingClient {
  readonly #style: Style;
  readonly #frames = new Map<string, number>();
  readonly #book = { bids: new Map<number, string>(), asks: new Map<number, string>() };
  readonly #lists: Record<ListName, Map<string, Row>> = {
    positions: new Map(),
    orders: new Map(),
    balances: new Map(),
  };
  readonly #trades: Row[] = [];
  readonly #logs = { fills: new Map<string, Row>(), funding_payments: new Map<string, Row>() };
  #candles: readonly Row[] = [];
  #bbo: unknown = null;
  #holeAfter: unknown;
  readonly holes: object[] = [];
  readonly errors: Row[] = [];

  constructor(style: Style) {
    this.#style = style;
  }

  /** A new connection: first frames replace. */
  begin(): void {
    this.#frames.clear();
    this.#holeAfter = this.#trades.at(-1)?.timestamp_ns;
  }

  receive(text: string): void {
    const frame = JSON.parse(text) as Frame;
    if (frame.type === "error") this.errors.push(frame);
    if (frame.type !== "update") return;
    const channel = String(frame.channel);
    const isFirst = !this.#frames.has(channel);
    this.#frames.set(channel, 1);
    this.#bbo = frame.bbo ?? this.#bbo;
    this.#candles = frame.candles ?? this.#candles;
    if (frame.orderbook) this.#applyBook(frame.orderbook, isFirst);
    if (frame.trades) this.#applyTrades(frame.trades, isFirst);
    this.#applyAccount(frame, isFirst);
  }

  #applyAccount(frame: Frame, isFirst: boolean): void {
    for (const name of ["positions", "orders", "balances"] as const) {
      if (frame[name]) this.#applyList(name, frame[name], isFirst);
    }
    for (const name of ["fills", "funding_payments"] as const) {
      for (const row of (frame[name] ?? []) as Row[])
        this.#logs[name].set(this.#tell(name, row), row);
    }
  }

  #tell(name: "fills" | "funding_payments", row: Row): string {
    return JSON.stringify(this.#style.tells[name].map((field) => row[field]));
  }

  #applyBook(book: Record<"bids" | "asks", readonly Row[]>, isFirst: boolean): void {
    for (const side of ["bids", "asks"] as const) {
      if (isFirst || this.#style.book === "snapshots") this.#book[side].clear();
      for (const { price_ticks, size_base_lots } of book[side]) {
        if (size_base_lots === "0") this.#book[side].delete(Number(price_ticks));
        else this.#book[side].set(Number(price_ticks), String(size_base_lots));
      }
    }
  }

  #applyTrades(rows: readonly Row[], isFirst: boolean): void {
    const { newestFirst } = this.#style;
    const isReversed = isFirst ? newestFirst.first : newestFirst.later;
    const trades = isReversed ? rows.toReversed() : rows;
    const last = this.#trades.at(-1);
    const text = JSON.stringify(last);
    const overlap = isFirst ? trades.findLastIndex((row) => JSON.stringify(row) === text) : -1;
    this.#trades.push(...trades.slice(overlap + 1));
    if (!isFirst || !last || overlap >= 0) return;
    const until_ns = trades[0]?.timestamp_ns ?? null;
    this.holes.push({ after_ns: this.#holeAfter, until_ns, healed: false });
  }

  #applyList(name: ListName, rows: readonly Row[], isFirst: boolean): void {
    const held = this.#lists[name];
    if (isFirst || this.#style.lists[name] === "whole") held.clear();
    const fields = KEYS[this.#style.name]?.[name].split(" ") ?? [];
    for (const row of rows) {
      // One way positions of Hyperliquid have their coin inside.
      const value = (field: string) =>
        field === "position" ? (row.position as Row).coin : row[field];
      const key = JSON.stringify(fields.map(value));
      if (name !== "balances" && hasEnded(row)) held.delete(key);
      else held.set(key, { ...held.get(key), ...row });
    }
  }

  get market() {
    const levels = (side: "bids" | "asks") =>
      [...this.#book[side]]
        .sort(([a], [b]) => (side === "bids" ? b - a : a - b))
        .map(([price, size_base_lots]) => ({ price_ticks: `${price}`, size_base_lots }));
    return {
      orderbook: { bids: levels("bids"), asks: levels("asks") },
      bbo: this.#bbo,
      trades: this.#trades.toReversed(),
      candles: { interval: "1m", items: this.#candles },
      panes: { trades: { holes: this.holes } },
    };
  }

  get account() {
    const { positions, orders, balances } = this.#lists;
    return {
      account: {
        positions: [...positions.values()],
        orders: [...orders.values()],
        balances: [...balances.values()],
        fills: [...this.#logs.fills.values()],
        funding_payments: [...this.#logs.funding_payments.values()],
      },
    };
  }
}

async function connect(
  service: VenueService,
  client: KnowingClient,
  market: Market,
): Promise<WebSocket> {
  const name = `${market.type}/${service.style.id(market)}`;
  const socket = new WebSocket(service.wsUrl);
  socket.on("message", (data) => client.receive(data.toString()));
  await once(socket, "open");
  client.begin();
  for (const channel of [
    `bbo/${name}`,
    `orderbook/${name}`,
    `trades/${name}`,
    `candles/${name}/1m`,
  ]) {
    socket.send(JSON.stringify({ type: "subscribe", channel }));
  }
  socket.send(JSON.stringify({ type: "subscribe", channel: service.accountChannel }));
  await settled(socket);
  return socket;
}

/** All that was sent to either end has arrived. */
async function settled(socket: WebSocket): Promise<void> {
  socket.ping();
  await once(socket, "pong");
}

async function follow(style: Style, switches: Switches = {}, base = "BTC") {
  const service = await startVenue(style, switches);
  try {
    const market = service.exchange.markets.find((each) => each.base === base);
    if (!market) throw new Error(`no market ${base}`);
    const client = new KnowingClient(service.style);
    const first = await connect(service, client, market);
    service.advance(10_000);
    await settled(first);
    service.cut();
    await once(first, "close");
    service.advance(300);
    const second = await connect(service, client, market);
    service.advance(10_000);
    service.advance(2000, true);
    await settled(second);
    const picture = {
      ...client.market,
      ...client.account,
      scale: {
        tick_size: decimal(1, market.plan.tickDigits),
        lot_size: decimal(1, market.plan.lotDigits),
      },
    };
    const differences = [
      ...marketDifferences(picture, service, market),
      ...accountDifferences(picture, service),
    ];
    return { service, client, market, picture, differences };
  } finally {
    await service.close();
  }
}

describe("a house style", () => {
  for (const style of STYLES) {
    it(`${style.name} says what its ledger says`, async () => {
      const { differences, client, service } = await follow(style);
      expect(differences).toEqual([]);
      expect(client.errors).toEqual([]);
      expect(service.exchange.fills.length).toBeGreaterThan(30);
    });
  }

  it("says the same with slow, late and whole frames", async () => {
    const switches = {
      bboEveryMs: 1000,
      bookEveryMs: 1000,
      bboBehindMs: 700,
      isMarkedAlways: true,
    };
    const { differences } = await follow(lighter, { ...switches, lists: { balances: "whole" } });
    expect(differences).toEqual([]);
  });

  for (const [base, trades] of [
    ["SOL", 30],
    ["QUIET", 30],
    ["GONE", 0],
  ] as const) {
    it(`says what happens in ${base}`, async () => {
      const { differences, picture } = await follow(lighter, {}, base);
      expect(differences).toEqual([]);
      expect(picture.trades.length).toBeGreaterThanOrEqual(trades);
    });
  }

  it("is told from a picture that is wrong", async () => {
    const { picture, service, market } = await follow(lighter);
    const { trades, orderbook, account } = picture;
    const wrong = {
      ...picture,
      trades: [trades[0], ...trades.slice(0, 9), ...trades.slice(10)],
      orderbook: { ...orderbook, bids: orderbook.bids.slice(1) },
      account: {
        ...account,
        positions: account.positions.slice(1),
        fills: account.fills.slice(0, -1),
      },
    };
    const areas = [
      ...marketDifferences(wrong, service, market),
      ...accountDifferences(wrong, service),
    ];
    const words = areas.map((each) => each.replace(/:.* is/, ""));
    expect(words).toEqual([
      "book bids missing",
      "tape missing",
      "tape too much",
      "positions missing",
      "fills missing",
    ]);
  });
});
