// Compares what the program shows (its `--json` object) with the ledger of a service. Each difference is a line of text.
import type { Market, Trade } from "./exchange.ts";
import { accountRows } from "./feeds.ts";
import type { VenueService } from "./service.ts";
import { decimal, type Row, type ToldList } from "./styles/style.ts";

type Json = Readonly<Record<string, unknown>>;

interface Level {
  readonly price_ticks: string;
  readonly size_base_lots: string;
}

interface Hole {
  readonly after_ns: string | null;
  readonly until_ns: string | null;
  readonly healed: boolean;
}

export function marketDifferences(
  json: Json,
  service: VenueService,
  market: Market,
): readonly string[] {
  return [
    ...bookDifferences(json, service, market),
    ...tapeDifferences(json, service, market),
    ...candleDifferences(json, market),
    ...scaleDifferences(json, market),
    ...figureDifferences(json, service, market),
  ];
}

function bookDifferences(
  json: Json,
  { style, switches }: VenueService,
  market: Market,
): readonly string[] {
  const book = json.orderbook as { bids: readonly Level[]; asks: readonly Level[] } | null;
  const bbo = json.bbo as { bid: Level | null; ask: Level | null } | null;
  const text = ({ price_ticks, size_base_lots }: Level) => `${size_base_lots} at ${price_ticks}`;
  return (["bid", "ask"] as const).flatMap((side) => {
    const true_ = market.levels(side).map(([price, size]) => `${size} at ${price}`);
    const shown = book?.[`${side}s`].map(text) ?? [];
    const best = bbo?.[side] ? text(bbo[side]) : "nothing";
    const isBboWrong = switches.bboSilentFromMs === undefined && best !== (true_[0] ?? "nothing");
    return [
      ...unlike(`book ${side}s`, true_.slice(0, style.depth), shown),
      ...(isBboWrong ? [`bbo ${side}: ${true_[0]} is shown as ${best}`] : []),
    ];
  });
}

/** The tape has every trade since the first subscription once and in order, or a hole that says where some are missing. */
function tapeDifferences(json: Json, service: VenueService, market: Market): readonly string[] {
  const channel = `trades/${market.type}/${service.style.id(market)}`;
  const since = BigInt(service.heardSince(channel, market) + 1) * 1_000_000n;
  const rows = json.trades as readonly Json[];
  const oldest = BigInt(String(rows.at(-1)?.timestamp_ns ?? since));
  const panes = json.panes as Readonly<
    Record<string, { readonly holes?: readonly Hole[] } | undefined>
  >;
  const holes = (panes.trades?.holes ?? []).filter(({ healed }) => !healed);
  // What the first frame told again may begin in the middle of a sweep.
  const mayLack = ({ timeNs }: Trade) =>
    (timeNs === oldest && timeNs < since) ||
    holes.some(
      ({ after_ns, until_ns }) =>
        timeNs >= BigInt(after_ns ?? 0) && (until_ns === null || timeNs <= BigInt(until_ns)),
    );
  const shown = rows.map(({ timestamp_ns, price_ticks, size_base_lots, taker_is_bid }) =>
    tradeText(timestamp_ns, size_base_lots, price_ticks, taker_is_bid),
  );
  const left = counts(shown);
  const wanted = market.trades
    .filter(({ timeNs }) => timeNs >= since || timeNs >= oldest)
    .map((trade) => ({
      trade,
      text: tradeText(trade.timeNs, trade.size, trade.price, trade.takerIsBid),
    }))
    .toReversed()
    .filter(({ trade, text }) => {
      const count = left.get(text) ?? 0;
      left.set(text, count - 1);
      return count > 0 || !mayLack(trade);
    });
  return unlike("tape", inOrder(wanted.map(({ text }) => text)), inOrder(shown));
}

/** Which of two prints of one sweep came first, times do not tell: any order will do, but for that of the newest sweep. */
function inOrder(newestFirst: readonly string[]): readonly string[] {
  const timeOf = (text = "") => text.split(" ")[0];
  const sweeps: string[][] = [];
  for (const text of newestFirst) {
    const last = sweeps.at(-1);
    if (last && timeOf(last[0]) === timeOf(text)) last.push(text);
    else sweeps.push([text]);
  }
  return sweeps.flatMap((sweep, place) => (place === 0 ? sweep : sweep.sort()));
}

/** By the millisecond: a trade that comes from the listing has no finer time. */
const tradeText = (time: unknown, size: unknown, price: unknown, isBid: unknown) =>
  `${String(time).slice(0, -6)} ${size} at ${price} ${isBid ? "bought" : "sold"}`;

function candleDifferences(json: Json, market: Market): readonly string[] {
  const { interval, items } = (json.candles ?? { interval: "1m", items: [] }) as {
    readonly interval: "1m";
    readonly items: readonly Json[];
  };
  const { tickDigits, lotDigits } = market.plan;
  const true_ = (market.candles.get(interval) ?? []).map(
    ({ openMs, open, high, low, close, size, quote, count }) =>
      [
        openMs,
        ...[open, high, low, close].map((each) => decimal(each, tickDigits)),
        decimal(size, lotDigits),
        decimal(quote, 6),
        count,
      ].join(" "),
  );
  const shown = items.map((item) => CANDLE.map((name) => item[name]).join(" "));
  return [
    ...shown.filter((each) => !true_.includes(each)).map((each) => `candles: ${each} never was`),
    ...(true_.length > 0 && shown.at(-1) !== true_.at(-1)
      ? [`candles: ${true_.at(-1)} is missing`]
      : []),
  ];
}

const CANDLE = [
  "open_time_ms",
  "open",
  "high",
  "low",
  "close",
  "volume_base",
  "volume_quote",
  "trades",
];

/** The scale may be missing, never wrong. */
function scaleDifferences(json: Json, { plan }: Market): readonly string[] {
  const { tick_size, lot_size } = json.scale as Readonly<Record<string, string | null>>;
  const tick = decimal(1, plan.tickDigits);
  const lot = decimal(1, plan.lotDigits);
  return [
    ...(tick_size === null || tick_size === tick
      ? []
      : [`scale: ticks of ${tick_size}, not ${tick}`]),
    ...(lot_size === null || lot_size === lot ? [] : [`scale: lots of ${lot_size}, not ${lot}`]),
  ];
}

/** A figure may be missing, never wrong. */
function figureDifferences(
  json: Json,
  { exchange }: VenueService,
  market: Market,
): readonly string[] {
  const stats = (json.stats ?? {}) as Readonly<Record<string, string | null | undefined>>;
  const figures = exchange.figures(market);
  const { tickDigits, lotDigits } = market.plan;
  const price = (ticks: number | undefined) =>
    ticks === undefined ? undefined : decimal(ticks, tickDigits);
  const true_: Readonly<Record<string, string | undefined>> = {
    last: price(figures.last),
    mark: price(figures.mark),
    index: price(figures.index),
    high_24h: price(figures.high),
    low_24h: price(figures.low),
    volume_base_24h: decimal(figures.size, lotDigits),
    volume_quote_24h: decimal(figures.quote, 6),
    open_interest: decimal(figures.openInterest, lotDigits),
    funding_rate: decimal(figures.rate, 8),
  };
  return Object.entries(true_).flatMap(([name, value]) => {
    const shown = stats[name];
    if (
      shown === undefined ||
      shown === null ||
      value === undefined ||
      Number(shown) === Number(value)
    )
      return [];
    return [`stats ${name}: ${value} is shown as ${shown}`];
  });
}

/** `monitor markets --json`: what is listed, by type, number and symbol. */
export function marketsDifferences(
  json: readonly Json[],
  { exchange, style }: VenueService,
): readonly string[] {
  const wanted = exchange.markets
    .filter(({ isListed }) => isListed)
    .map((market) => `${market.type}/${style.id(market)} ${style.symbol(market)}`);
  const shown = json.map(({ market, symbol }) => `${market} ${symbol}`);
  return unlike("markets", wanted.toSorted(), shown.toSorted());
}

const LISTS = ["positions", "orders", "balances", "fills", "funding_payments"] as const;

/** Rows by market, side and size, read through the names of the style. */
export function accountDifferences(json: Json, service: VenueService): readonly string[] {
  const account = json.account as Readonly<Record<ToldList, readonly Row[] | undefined>> | null;
  if (!account) return ["account: none is shown"];
  const { exchange, style } = service;
  const rows = accountRows(service);
  const channel = service.accountChannel;
  const [first = 0] = service.subscribedAtMs.get(channel) ?? [];
  const isSeen = (atMs: number) =>
    atMs > first && !service.unheard(channel).some(([from, until]) => atMs > from && atMs <= until);
  const true_: Readonly<Record<ToldList, readonly Row[]>> = {
    positions: exchange.positions.map((each) => style.position(each, exchange)),
    orders: [...rows.orders.values()],
    balances: [...rows.balances.values()],
    fills: exchange.fills
      .filter(({ trade }) => isSeen(Number(trade.timeNs / 1_000_000n)))
      .map((each) => style.fill(each)),
    funding_payments: exchange.payments
      .filter(({ timeMs }) => isSeen(timeMs))
      .map((each) => style.payment(each)),
  };
  return LISTS.flatMap((name) => {
    const tell = (row: Row) =>
      style.tells[name].map((path) => JSON.stringify(at(row, path))).join(" ");
    const shown = (account[name] ?? []).map(tell);
    const isLog = name === "fills" || name === "funding_payments";
    // What was told again of the time before is as good as what is not.
    const all = new Set(
      name === "fills"
        ? exchange.fills.map((each) => tell(style.fill(each)))
        : exchange.payments.map((each) => tell(style.payment(each))),
    );
    const wanted = true_[name].map(tell);
    const asked = isLog ? shown.filter((each) => wanted.includes(each) || !all.has(each)) : shown;
    return [
      ...unlike(name, wanted.toSorted(), asked.toSorted()),
      ...(isLog ? doubled(name, shown) : []),
    ];
  });
}

function at(row: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((value, name) => (value as Json | undefined)?.[name], row);
}

function counts(texts: readonly string[]): Map<string, number> {
  const result = new Map<string, number>();
  for (const each of texts) result.set(each, (result.get(each) ?? 0) + 1);
  return result;
}

const doubled = (name: string, shown: readonly string[]) =>
  [...counts(shown)]
    .filter(([, count]) => count > 1)
    .map(([text]) => `${name}: ${text} stands twice`);

/** What is missing and what is too much; else whether the order is another. */
function unlike(
  name: string,
  wanted: readonly string[],
  shown: readonly string[],
): readonly string[] {
  const left = counts(shown);
  const missing = wanted.filter((each) => {
    const count = left.get(each) ?? 0;
    left.set(each, count - 1);
    return count <= 0;
  });
  const extra = [...left].flatMap(([text, count]) => Array<string>(Math.max(0, count)).fill(text));
  if (missing.length + extra.length > 0) {
    return [
      ...missing.map((each) => `${name}: ${each} is missing`),
      ...extra.map((each) => `${name}: ${each} is too much`),
    ];
  }
  const wrong = wanted.findIndex((each, place) => each !== shown[place]);
  return wrong < 0 ? [] : [`${name}: ${wanted[wrong]} stands elsewhere`];
}
