// What each kind of channel says: all of it when somebody subscribes, what changed when a frame is due.
import type {
  Candle,
  Fill,
  Interval,
  Market,
  Order,
  Payment,
  Position,
  Side,
  Trade,
} from "./exchange.ts";
import type { VenueService } from "./service.ts";
import { decimal, type ListName, type Row, type Style } from "./styles/style.ts";

export type Body = Readonly<Record<string, unknown>>;

export interface Feed {
  readonly isNumbered: boolean;
  /** @returns empty: nothing has ever been said on this channel, or this service tells nothing again */
  first(): { body: Body; isEmpty: boolean };
  /** What changed since the last call, or since `first`. */
  next(): Body | undefined;
}

interface List {
  first(): readonly Row[];
  /** Undefined when nothing changed. */
  next(): readonly Row[] | undefined;
}

/**
 * Rows that have names. Under `changes` a row that is no longer there is said once more, as its end; under `whole` it is left
 * out.
 */
function list(
  way: "changes" | "whole",
  rows: () => ReadonlyMap<string, Row>,
  ends: () => readonly Row[],
  always: readonly string[] | undefined,
): List {
  let held = new Map<string, Row>();
  return {
    first() {
      held = new Map(rows());
      ends();
      return [...held.values()];
    },
    next() {
      const before = held;
      held = new Map(rows());
      const ended = ends();
      const changed = [...held].flatMap(([key, row]) => {
        const old = before.get(key);
        if (old === undefined) return [row];
        if (isSame(old, row)) return [];
        return [always ? changedOf(old, row, always) : row];
      });
      const isGone = [...before.keys()].some((key) => !held.has(key));
      if (changed.length === 0 && ended.length === 0 && !isGone) return undefined;
      return way === "whole" ? [...held.values()] : [...changed, ...ended];
    },
  };
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

const changedOf = (old: Row, row: Row, always: readonly string[]): Row =>
  Object.fromEntries(
    Object.entries(row).filter(
      ([name, value]) => always.includes(name) || !isSame(old[name], value),
    ),
  );

/** A log that only grows. */
function log<Item>(items: () => readonly Item[], again: number) {
  let told = items().length;
  return {
    first() {
      told = items().length;
      return again === 0 ? [] : items().slice(-again);
    },
    next() {
      const news = items().slice(told);
      told = items().length;
      return news;
    },
  };
}

const level = ([price, size]: readonly [number, number]) => ({
  price_ticks: `${price}`,
  size_base_lots: `${size}`,
});

export function bookFeed({ style }: VenueService, market: Market): Feed {
  const levels = (side: Side) => market.levels(side).slice(0, style.depth);
  const whole = () => ({ bids: levels("bid"), asks: levels("ask") });
  let held = whole();
  const since = (side: "bids" | "asks", old: typeof held) => {
    const before = new Map(old[side]);
    const now = new Map(held[side]);
    const gone = [...before.keys()]
      .filter((price) => !now.has(price))
      .map((price) => [price, 0] as const);
    return [...[...now].filter(([price, size]) => before.get(price) !== size), ...gone].map(level);
  };
  const all = () => ({ orderbook: { bids: held.bids.map(level), asks: held.asks.map(level) } });
  return {
    isNumbered: true,
    first: () => {
      held = whole();
      return { body: all(), isEmpty: false };
    },
    next() {
      const old = held;
      held = whole();
      if (isSame(old, held)) return undefined;
      if (style.book === "snapshots") return all();
      return { orderbook: { bids: since("bids", old), asks: since("asks", old) } };
    },
  };
}

export function bboFeed({ switches, exchange, startMs }: VenueService, market: Market): Feed {
  const { bboBehindMs = 0, bboSilentFromMs = Number.POSITIVE_INFINITY } = switches;
  const past: { readonly atMs: number; readonly bbo: object }[] = [];
  const best = (side: Side) => {
    const [first] = market.levels(side);
    return first ? level(first) : null;
  };
  const look = () => {
    past.push({ atMs: exchange.nowMs, bbo: { bid: best("bid"), ask: best("ask") } });
    while ((past[1]?.atMs ?? Number.POSITIVE_INFINITY) <= exchange.nowMs - bboBehindMs)
      past.shift();
    return past[0]?.bbo;
  };
  let held = look();
  return {
    isNumbered: false,
    first: () => ({ body: { bbo: held }, isEmpty: false }),
    next() {
      const old = held;
      held = look();
      if (isSame(old, held) || exchange.nowMs - startMs >= bboSilentFromMs) return undefined;
      return { bbo: held };
    },
  };
}

export function tapeFeed({ style }: VenueService, market: Market): Feed {
  const tape = log<Trade>(() => market.trades, style.first.trades);
  const said = (trades: readonly Trade[], isNewestFirst: boolean) => ({
    trades: (isNewestFirst ? trades.toReversed() : trades).map(
      ({ timeNs, price, size, takerIsBid }) => ({
        timestamp_ns: `${timeNs}`,
        price_ticks: `${price}`,
        size_base_lots: `${size}`,
        taker_is_bid: takerIsBid,
      }),
    ),
  });
  return {
    isNumbered: true,
    first() {
      const trades = tape.first();
      return { body: said(trades, style.newestFirst.first), isEmpty: trades.length === 0 };
    },
    next() {
      const trades = tape.next();
      return trades.length === 0 ? undefined : said(trades, style.newestFirst.later);
    },
  };
}

export function candleFeed(
  market: Market,
  list: "candles" | "markCandles",
  interval: Interval,
): Feed {
  const { tickDigits, lotDigits } = market.plan;
  const price = (ticks: number) => decimal(ticks, tickDigits);
  const said = ({ openMs, open, high, low, close, size, quote, count }: Candle) => ({
    open_time_ms: openMs,
    open: price(open),
    high: price(high),
    low: price(low),
    close: price(close),
    ...(list === "candles"
      ? { volume_base: decimal(size, lotDigits), volume_quote: decimal(quote, 6), trades: count }
      : { samples: count }),
  });
  const last = () => (market[list].get(interval) ?? []).slice(-2).map(said);
  let held = last();
  return {
    isNumbered: false,
    first: () => {
      held = last();
      return { body: { candles: held }, isEmpty: false };
    },
    next() {
      const old = held;
      held = last();
      // What changed: one, or two when a new one began.
      const candles = held.filter((candle) => !old.some((each) => isSame(each, candle)));
      return candles.length === 0 ? undefined : { candles };
    },
  };
}

function listFeed(name: string, rows: List): Feed {
  return {
    isNumbered: true,
    first: () => ({ body: { [name]: rows.first() }, isEmpty: false }),
    next() {
      const changed = rows.next();
      return changed && { [name]: changed };
    },
  };
}

export function marketsFeed({ style, exchange }: VenueService): Feed {
  const told = new Set<Market>();
  const rows = () =>
    new Map(
      exchange.markets
        .filter(({ isListed }) => isListed)
        .map((market) => [`${market.number}`, style.market(market)]),
    );
  const ends = () => {
    const gone = exchange.markets.filter(
      (market) => market.status === "delisted" && !told.has(market),
    );
    for (const market of gone) told.add(market);
    return gone.map((market) => style.market(market));
  };
  return listFeed("markets", list(style.lists.markets, rows, ends, undefined));
}

export function statsFeed(service: VenueService, type: string, id: string | undefined): Feed {
  const { style, exchange } = service;
  const rows = () =>
    new Map(
      exchange.markets
        .filter((market) => market.isListed && market.type === type)
        .filter((market) => id === undefined || String(style.id(market)) === id)
        .map((market) => [`${market.number}`, style.stats(market, exchange.figures(market))]),
    );
  return listFeed(
    "market_stats",
    list(style.lists.stats, rows, () => [], style.partial.stats),
  );
}

export function ratesFeed({ style, exchange }: VenueService, market: Market): Feed {
  const rates = log(() => market.rates, 200);
  const said = (items: typeof market.rates) => ({
    funding_rates: items.map((item) => style.rate(item, exchange.figures(market))),
  });
  return {
    isNumbered: true,
    first: () => ({ body: said([...rates.first()]), isEmpty: market.rates.length === 0 }),
    next() {
      const items = rates.next();
      return items.length === 0 ? undefined : said([...items]);
    },
  };
}

export function catalogueFeed({ startMs }: VenueService): Feed {
  const created_at_ns = `${BigInt(startMs - 86_400_000) * 1_000_000n}`;
  const subaccounts = [{ subaccount_id: 0, status: "active", created_at_ns }];
  const body = { subaccounts, delegations: [] };
  return { isNumbered: true, first: () => ({ body, isEmpty: false }), next: () => undefined };
}

/** The open rows of the account in the names of the style, by their keys. */
export function accountRows({ style, exchange }: VenueService) {
  const keyOf = (position: Position) =>
    style.hasPositionIds ? `${position.id}` : `${position.market.number} ${position.bucket}`;
  const flat = style.keepsFlat ? exchange.closedPositions : [];
  return {
    keyOf,
    positions: new Map(
      [...flat, ...exchange.positions].map((each) => [keyOf(each), style.position(each, exchange)]),
    ),
    orders: new Map([...exchange.orders.values()].map((each) => [`${each.id}`, style.order(each)])),
    balances: new Map(
      exchange.balances.map((each) => [each.asset, style.balance(each, exchange.locked(each))]),
    ),
    leverages: new Map(
      exchange.markets
        .filter(({ type, isListed }) => type === "perp" && isListed)
        .map((market) => [`${market.number}`, { market_id: style.id(market), leverage: 20 }]),
    ),
  };
}

export function accountFeed(service: VenueService): Feed {
  const { style, exchange } = service;
  const closed = log<Position>(() => exchange.closedPositions, 0);
  const ended = log<Order>(() => exchange.endedOrders, 0);
  const fills = log<Fill>(() => exchange.fills, style.first.fills);
  const payments = log<Payment>(() => exchange.payments, style.first.fills);
  /** Where another position took the row of a closed one, only that one is told. */
  const ends = () => {
    const open = new Set(accountRows(service).positions.keys());
    const last = new Map(closed.next().map((each) => [accountRows(service).keyOf(each), each]));
    return [...last]
      .filter(([key]) => !open.has(key))
      .map(([, each]) => style.position(each, exchange));
  };
  const none = () => [];
  const { lists, partial } = style;
  const parts: Readonly<Record<string, List>> = {
    balances: list(lists.balances, () => accountRows(service).balances, none, undefined),
    positions: list(lists.positions, () => accountRows(service).positions, ends, undefined),
    leverages: list(lists.leverages, () => accountRows(service).leverages, none, undefined),
    orders: list(
      lists.orders,
      () => accountRows(service).orders,
      () => ended.next().map((order) => style.order(order)),
      partial.orders,
    ),
  };
  let summary: Row = {};
  const logs = (news: readonly Fill[], paid: readonly Payment[]) => ({
    ...(news.length > 0 && { fills: news.map((each) => style.fill(each)) }),
    ...(paid.length > 0 && { funding_payments: paid.map((each) => style.payment(each)) }),
  });
  return {
    isNumbered: true,
    first() {
      summary = style.summary(exchange);
      const rows = Object.entries(parts).map(([name, part]) => [name, part.first()]);
      const body = {
        account: summary,
        ...Object.fromEntries(rows),
        ...logs(fills.first(), payments.first()),
      };
      return { body, isEmpty: false };
    },
    next() {
      const rows = wholeTogether(style, parts);
      const old = summary;
      const body = { ...rows, ...logs(fills.next(), payments.next()) };
      if (Object.keys(body).length === 0) return undefined;
      summary = style.summary(exchange);
      return { ...(isSame(old, summary) ? {} : { account: summary }), ...body };
    },
  };
}

/** A whole list is in every frame that has anything to say; the others only when they changed. */
function wholeTogether({ lists }: Style, parts: Readonly<Record<string, List>>): Body {
  const changed = Object.entries(parts).map(([name, part]) => [name, part.next(), part] as const);
  if (changed.every(([, rows]) => rows === undefined)) return {};
  return Object.fromEntries(
    changed.flatMap(([name, rows, part]) => {
      if (rows !== undefined) return [[name, rows]];
      return lists[name as ListName] === "whole" ? [[name, part.first()]] : [];
    }),
  );
}
