// A service with one market, perp/1, that moves for a while and then stands still, and in which a test may trade.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Level, Trade } from "../../src/wire/frames.ts";
import { listedTrade } from "./listed-trade.ts";
import { type Payload, ScriptedService } from "./scripted-service.ts";
import { runSettled } from "./settled-run.ts";
import type { VirtualClock } from "./virtual-clock.ts";

interface MarketOptions {
  /** It stands still from this long after the first command. */
  readonly quietAfterMs: number;
  /** Ticks in the middle of the book. */
  readonly middle: bigint;
  /** Digits after the point of a tick and of a lot, 2 is 0.01: of candles and of the listing, which there is with them only. */
  readonly scale: { readonly tickPlaces: number; readonly lotPlaces: number } | undefined;
  /** Records of further channels. */
  readonly records: Readonly<Record<string, readonly object[]>>;
  /** Its timer. Returns the undo. */
  readonly after: VirtualClock["after"];
}

const DEFAULTS: MarketOptions = {
  quietAfterMs: 1500,
  middle: 5000n,
  scale: undefined,
  records: {},
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

const STEP_MS = 15;
const LEVELS = 20;
const BACKLOG = 50;
const START_MS = 1_800_000_000_000;

/** Decimal text of a whole number of 10^-places. */
function pointed(value: bigint, places: number): string {
  const digits = value.toString().padStart(places + 1, "0");
  const whole = digits.slice(0, digits.length - places);
  return places === 0 ? whole : `${whole}.${digits.slice(-places)}`;
}

export async function startMarketService(given: Partial<MarketOptions> = {}) {
  const { quietAfterMs, middle, scale, records, after } = { ...DEFAULTS, ...given };
  const { tickPlaces, lotPlaces } = scale ?? { tickPlaces: 0, lotPlaces: 0 };
  const trades: Trade[] = [];
  const sizes = [1n, -1n].map(() => Array.from({ length: LEVELS }, (_, i) => 10 + i));
  const timers = new Set<() => unknown>();
  let [atMs, hasStarted] = [START_MS, false];
  let asked: string | undefined;

  const level = (side: number, place: number): Level => ({
    price_ticks: `${side === 0 ? middle - BigInt(place + 1) : middle + BigInt(place + 1)}`,
    size_base_lots: `${sizes[side]?.[place]}`,
  });
  const bookOf = (levels: (side: number) => readonly Level[]) => ({
    bids: levels(0),
    asks: levels(1),
  });
  const whole = (side: number) => Array.from({ length: LEVELS }, (_, place) => level(side, place));
  const bbo = () => ({ bid: level(0, 0), ask: level(1, 0) });

  /** Of the one minute in which everything happens. */
  function candles(): readonly object[] {
    if (trades.length === 0) return [];
    const prices = trades.map(({ price_ticks }) => BigInt(price_ticks));
    const sorted = prices.toSorted((a, b) => (a < b ? -1 : 1));
    const [open, close, low, high] = [prices[0], prices.at(-1), sorted[0], sorted.at(-1)];
    const text = (ticks = 0n) => pointed(ticks, tickPlaces);
    const lots = trades.reduce((sum, trade) => sum + BigInt(trade.size_base_lots), 0n);
    return [
      {
        ...{ open_time_ms: START_MS, open: text(open), high: text(high), low: text(low) },
        ...{ close: text(close), volume_base: pointed(lots, lotPlaces), volume_quote: "0.5" },
        trades: prices.length,
      },
    ];
  }

  const service: ScriptedService = new ScriptedService({
    message: "unknown here",
    wallMs: () => atMs,
    onCommand() {
      start();
      return false;
    },
    channels: {
      "bbo/perp/1": () => ({ bbo: bbo() }),
      "orderbook/perp/1": () => ({ orderbook: bookOf(whole) }),
      "trades/perp/1": () => ({ trades: trades.slice(-BACKLOG) }),
      "candles/perp/1/1m": () => ({ candles: candles() }),
      ...Object.fromEntries(
        Object.entries(records).map(([channel, rows]): [string, () => Payload] => {
          const [kind = ""] = channel.split("/");
          return [channel, () => ({ [kind.replace("-", "_")]: rows })];
        }),
      ),
    },
  });

  /** The market begins to move when somebody looks. */
  function start(): void {
    if (hasStarted) return;
    hasStarted = true;
    for (let step = 1; step <= quietAfterMs / STEP_MS; step++) {
      const cancel = after(step * STEP_MS, () => {
        timers.delete(cancel);
        move(step);
      });
      timers.add(cancel);
    }
  }

  /** A level of each side changes, and now and then there is a trade. */
  function move(step: number): void {
    atMs += STEP_MS;
    const place = step % LEVELS;
    for (const [side, each] of sizes.entries()) each[place] = 1 + ((step * 37 + side * 11) % 90);
    service.publish("orderbook/perp/1", { orderbook: bookOf((side) => [level(side, place)]) });
    if (place === 0) service.publish("bbo/perp/1", { bbo: bbo() });
    if (step % 3 > 0) return;
    addTrade(step % 2 === 0 ? middle + 1n : middle - 1n, step % 2 === 0);
    service.publish("candles/perp/1/1m", { candles: candles() });
  }

  function addTrade(price: bigint, taker_is_bid: boolean): void {
    const trade = {
      timestamp_ns: `${atMs}000000`,
      price_ticks: `${price}`,
      size_base_lots: "1",
      taker_is_bid,
    };
    trades.push(trade);
    service.publish("trades/perp/1", { trades: [trade] });
  }

  /** Newest first, by a cursor that is the place of a trade from the beginning. */
  function pageOf(query: URLSearchParams): readonly object[] {
    const end = Math.min(Number(query.get("before") ?? trades.length + 1) - 1, trades.length);
    const begin = Math.max(0, end - Number(query.get("limit") ?? 100));
    const rows = trades.slice(begin, end).map((trade, i) =>
      listedTrade({
        trade_id: `${begin + i + 1}`,
        price: pointed(BigInt(trade.price_ticks), tickPlaces),
        quantity: pointed(BigInt(trade.size_base_lots), lotPlaces),
        taker_is_bid: trade.taker_is_bid,
        timestamp_ms: Number(BigInt(trade.timestamp_ns) / 1_000_000n),
      }),
    );
    return rows.reverse();
  }

  function onRequest({ url = "", headers }: IncomingMessage, to: ServerResponse): void {
    asked = headers.authorization;
    const { pathname, searchParams } = new URL(url, "http://service");
    const isKnown = scale !== undefined && pathname === "/rest/markets/1/trades";
    to.writeHead(isKnown ? 200 : 404, { "content-type": "application/json" });
    to.end(JSON.stringify(isKnown ? pageOf(searchParams) : {}));
  }

  const { wsUrl, baseUrl, close } = await service.listen(onRequest);
  return {
    wsUrl,
    baseUrl,
    close() {
      for (const cancel of timers) cancel();
      return close();
    },
    get bbo() {
      return bbo();
    },
    /** Of the newest request to the listings; of the newest connection where there was none. */
    get authorization(): string | undefined {
      return asked ?? service.last.headers.authorization;
    },
    /** Channels that are subscribed now, on any connection. */
    get held(): string[] {
      return service.open.flatMap(({ channels }) => [...channels]).sort();
    },
    /** Somebody has looked, and by itself it will send nothing more. */
    get isStill(): boolean {
      return hasStarted && timers.size === 0;
    },
    /** For markets that stand still by themselves. */
    trade(priceTicks: bigint): void {
      atMs += 1000;
      addTrade(priceTicks, true);
    },
  };
}

export type MarketService = Awaited<ReturnType<typeof startMarketService>>;

/** For a run on a virtual clock. */
export const withMarketService = <T>(
  options: Partial<MarketOptions>,
  use: (service: MarketService, clock: VirtualClock) => Promise<T>,
): Promise<T> =>
  runSettled(async (clock) => {
    const service = await startMarketService({ ...options, after: clock.after });
    return use(service, clock).finally(service.close);
  });
