// What the listing of trades tells about a live session, read in the background: candles before the stream's first one, order flow
// before its first trade, the trades of holes, and the scale where nobody says it.
import { type LearnedCursors, tradesListing } from "../listing/listing.ts";
import { type Bounds, Pager } from "../listing/pager.ts";
import type { RequestBudget } from "../listing/request-budget.ts";
import { RestClient, type RestOptions } from "../listing/rest-client.ts";
import { createSource, type Source } from "../listing/source.ts";
import type { Candles } from "../state/candles.ts";
import {
  addEarlier,
  addToMinutes,
  fillCandles,
  holeTrades,
  type PastMinutes,
  pairHeld,
  pastCandles,
  putPast,
  tradesOf,
} from "../state/past.ts";
import { measureScale, pairTrades } from "../state/scale.ts";
import { selectScale } from "../state/select-market.ts";
import { type Store, select } from "../state/store.ts";
import { type Hole, healHole, type Tape } from "../state/tape.ts";
import { every } from "../units/clock.ts";
import { errorText } from "../units/monitor-error.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, msOfNs } from "../units/time.ts";
import type { Trade } from "../wire/frames.ts";
import type { TradeRecord } from "../wire/rest/trades.ts";

export interface PastOptions extends Pick<RestOptions, "baseUrl" | "headers" | "clock" | "random"> {
  readonly store: Store;
  /** Of all background requests; undefined: none may be made. */
  readonly budget: RequestBudget | undefined;
  readonly cursors?: LearnedCursors | undefined;
  /** Unix milliseconds from which the order flow is wanted; undefined: of the UTC day. */
  readonly flowSinceMs?: number | undefined;
  /** How many candles the chart wants to show. */
  wantedCandles?(): number;
  /** Something else than a message has changed what a channel holds. Rarely, since whoever hears it copies all of that. */
  onChange(channel: string): void;
  /** The listing cannot be read: told once. */
  onTrouble(text: string): void;
}

export interface Past {
  close(): void;
}

const TICK_MS = 250;
const PAGE_ROWS = 1000;
/** More is not read for a chart. */
const MAX_ROWS = 300_000;
const MAX_HOLE_ROWS = 20_000;
const USUAL_CANDLES = 300;
const RETRY_MS = 10_000;
/** Until a listing is asked again that has not got the newest trades yet; twice as long each time, up to a minute. */
const LAG_MS = 1000;
/** A hole is left to the refresh that follows a gap for so long. */
const HOLE_AGE_MS = 3000;
const MAX_RETRY_MS = 300_000;
const UNIT_MS = { m: MINUTE_MS, h: HOUR_MS, d: DAY_MS } as const;

interface Missed {
  readonly key: string;
  readonly channel: string;
  readonly state: Candles;
  readonly intervalMs: number;
  readonly fromMs: number;
  readonly untilMs: number;
}

/** The listing of one market, laid to the tape that it was begun for. */
interface Reading {
  readonly tape: Tape;
  readonly source: Source<TradeRecord>;
  readonly minutes: PastMinutes;
  /** Minutes from `fromMs` on and before `untilMs` are known whole; Unix milliseconds. */
  fromMs: number;
  untilMs: number;
  /** The tape begins in this millisecond, with these trades of it. */
  readonly joinMs: number;
  readonly joined: readonly Trade[];
  /** A listing without the trades of this millisecond lags. */
  readonly newestMs: number;
  pages: AsyncGenerator<{ readonly rows: readonly TradeRecord[] }, void, void> | undefined;
  pager: Pager<TradeRecord> | undefined;
  /** Of the last millisecond that was read, which may go on in the next page. */
  carried: readonly TradeRecord[];
  /** Wait for a scale; undefined when they do not fit the one there is. */
  pending: TradeRecord[] | undefined;
  rows: number;
  /** As they were when changes were last told, and what has changed since. */
  toldRows: number;
  readonly changed: Set<string>;
  isEnded: boolean;
  isBusy: boolean;
  failures: number;
  lagMs: number;
  retryAtMs: number;
  measureAtMs: number;
  /** By hole, or channel and open time of missed candles: when it is tried again, and how much later after that. */
  readonly mends: Map<Hole | string, { atMs: number; delayMs: number }>;
  /** First open times of the stream's candles, and what was laid before them. */
  readonly laid: WeakMap<Candles, { readonly firstMs: number; fromMs: number; untilMs: number }>;
}

export function openPast(options: PastOptions): Past {
  const { store, clock, random, baseUrl, headers, budget, cursors, onChange } = options;
  if (budget === undefined) return { close: () => {} };
  const client = new RestClient({ baseUrl, headers, clock, random, budget });
  const abort = new AbortController();
  const { signal } = abort;
  const readings = new Map<string, Reading>();
  const troubled = new Set<string>();

  function tick(): void {
    const markets = new Set<string>();
    for (const [channel, { kind }] of store.channels)
      if (kind === "trades") markets.add(channel.slice("trades/".length));
    for (const market of readings.keys()) if (!markets.has(market)) readings.delete(market);
    for (const market of markets) tickMarket(market);
  }

  function tickMarket(market: string): void {
    const tape = select(store, "trades", `trades/${market}`);
    if (tape?.frameNs === undefined) return;
    let reading = readings.get(market);
    if (reading?.tape !== tape) {
      reading = beginReading(tape, createSource(client, tradesListing(refOf(market))));
      readings.set(market, reading);
    }
    layCandles(market, reading);
    tell(market, reading);
    const nowMs = clock.now();
    if (reading.isBusy || nowMs < reading.retryAtMs) return;
    const work = nextWork(market, reading, nowMs);
    if (work !== undefined) void run(market, reading, work);
  }

  /** What is most wanted: what is shown wrong, then the newest candles, then what is older. */
  function nextWork(
    market: string,
    reading: Reading,
    nowMs: number,
  ): (() => Promise<void>) | undefined {
    const mend = nextMend(market, reading, nowMs);
    if (mend !== undefined) return mend;
    if (reading.rows > 0 && firstCandleMs(market, reading) > reading.untilMs)
      return () => readNewer(reading);
    return wantsOlder(market, reading) ? () => readOlder(market, reading) : undefined;
  }

  /** The scale, holes of the tape, candles that were missed. */
  function nextMend(
    market: string,
    reading: Reading,
    nowMs: number,
  ): (() => Promise<void>) | undefined {
    const scale = selectScale(store, market);
    if (scale === undefined && nowMs >= reading.measureAtMs && reading.tape.trades.length > 0)
      return () => measure(market, reading);
    const hole = scale && nextHole(reading, nowMs);
    if (hole !== undefined) return () => heal(market, reading, hole);
    const missed = nextMissed(market, reading, nowMs);
    return missed && (() => fill(reading, missed));
  }

  async function run(market: string, reading: Reading, work: () => Promise<void>): Promise<void> {
    reading.isBusy = true;
    try {
      await work();
      reading.failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      reading.pages = undefined;
      reading.carried = [];
      const waitMs = Math.min(MAX_RETRY_MS, RETRY_MS * 2 ** reading.failures++);
      reading.retryAtMs = clock.now() + waitMs;
      if (!troubled.has(market)) options.onTrouble(`trades of ${market}: ${errorText(error)}`);
      troubled.add(market);
    } finally {
      reading.isBusy = false;
    }
    if (!signal.aborted && readings.get(market) === reading) tickMarket(market);
  }

  function wantedFromMs(market: string, { joinMs, untilMs }: Reading): number {
    const dayMs = Math.floor(joinMs / DAY_MS) * DAY_MS;
    let fromMs = Math.max(options.flowSinceMs ?? dayMs, joinMs - DAY_MS);
    const candles = options.wantedCandles?.() ?? USUAL_CANDLES;
    for (const { intervalMs } of charts(market))
      fromMs = Math.min(fromMs, untilMs - candles * intervalMs);
    return fromMs;
  }

  function charts(market: string) {
    const prefix = `candles/${market}/`;
    return [...store.channels.keys()].flatMap((channel) => {
      const state = channel.startsWith(prefix) ? select(store, "candles", channel) : undefined;
      if (state === undefined || state.items.length === 0) return [];
      return [{ channel, state, intervalMs: intervalMsOf(channel.slice(prefix.length)) }];
    });
  }

  /** Of the chart that begins last. */
  function firstCandleMs(market: string, { laid }: Reading): number {
    return Math.max(0, ...charts(market).map(({ state }) => laid.get(state)?.firstMs ?? 0));
  }

  function layCandles(market: string, reading: Reading): void {
    const { minutes, laid, fromMs, untilMs } = reading;
    for (const { channel, state, intervalMs } of charts(market)) {
      const held = laid.get(state) ?? {
        firstMs: state.items[0]?.open_time_ms ?? 0,
        fromMs,
        untilMs: 0,
      };
      laid.set(state, held);
      const isNew = held.fromMs !== fromMs || held.untilMs !== untilMs;
      if (!isNew || minutes.size === 0 || held.firstMs > untilMs) continue;
      Object.assign(held, { fromMs, untilMs });
      putPast(state, pastCandles(minutes, intervalMs, fromMs, held.firstMs), held.firstMs);
      note(channel, reading);
    }
  }

  function note(channel: string, { changed }: Reading): void {
    store.version++;
    changed.add(channel);
  }

  /** While much is read, only when it has doubled. */
  function tell(market: string, reading: Reading): void {
    const { changed, rows, toldRows } = reading;
    if (changed.size === 0 || (wantsOlder(market, reading) && rows < 2 * toldRows)) return;
    for (const channel of changed) if (store.states.has(channel)) onChange(channel);
    changed.clear();
    reading.toldRows = rows;
  }

  function wantsOlder(market: string, reading: Reading): boolean {
    return reading.fromMs > wantedFromMs(market, reading) && !reading.isEnded;
  }

  async function measure(market: string, reading: Reading): Promise<void> {
    reading.measureAtMs = clock.now() + RETRY_MS;
    const rows = (await reading.source.page(undefined, PAGE_ROWS, signal)) ?? [];
    const scale = measureScale(pairTrades(reading.tape.trades, rows));
    if (scale === undefined) return;
    store.scales.set(market, scale);
    store.version++;
    takeEarlier(market, reading);
  }

  async function heal(market: string, reading: Reading, hole: Hole): Promise<void> {
    const [sinceMs, untilMs] = [msOfNs(hole.after_ns), msOfNs(hole.until_ns)];
    const read = await readMissed(reading, hole, { sinceMs, untilMs });
    const scale = selectScale(store, market);
    const listed = scale && read && tradesOf(read.rows, scale);
    // A listing that lags, or that has forgotten the beginning, lacks a trade that is held.
    const trades = listed && holeTrades(reading.tape, hole, listed);
    if (trades === undefined) return;
    healHole(reading.tape, hole, trades);
    note(`trades/${market}`, reading);
  }

  /** Candles between the one that formed when updates were missed and the next that came. */
  function nextMissed(market: string, reading: Reading, nowMs: number): Missed | undefined {
    for (const { channel, state, intervalMs } of charts(market))
      for (const fromMs of state.unfinished) {
        const next = state.items.find((candle) => candle.open_time_ms > fromMs);
        const key = `${channel} ${fromMs}`;
        if (next !== undefined && nowMs >= mendOf(reading, key, nowMs).atMs)
          return { key, channel, state, intervalMs, fromMs, untilMs: next.open_time_ms };
      }
    return undefined;
  }

  async function fill(reading: Reading, missed: Missed): Promise<void> {
    const { key, channel, state, intervalMs, fromMs, untilMs } = missed;
    const read = await readMissed(reading, key, { sinceMs: fromMs, untilMs: untilMs - 1 });
    // A listing that lags lacks the end; one that has forgotten the beginning has nothing older.
    if (read === undefined || read.newestMs < untilMs || read.oldestMs >= fromMs) return;
    const minutes: PastMinutes = new Map();
    for (const row of read.rows) addToMinutes(minutes, row);
    fillCandles(state, pastCandles(minutes, intervalMs, fromMs, untilMs), fromMs, untilMs);
    note(channel, reading);
  }

  /** Undefined where the listing cannot tell: then it is asked ever less often, and for what is too much never again. */
  async function readMissed(reading: Reading, key: Hole | string, bounds: Bounds) {
    const { delayMs } = mendOf(reading, key, clock.now());
    const again = { atMs: clock.now() + delayMs, delayMs: Math.min(MAX_RETRY_MS, 2 * delayMs) };
    reading.mends.set(key, again);
    const read = await readAll(reading, { ...bounds, max: MAX_HOLE_ROWS });
    const isTooMuch = read.rows.length >= MAX_HOLE_ROWS;
    if (isTooMuch) again.atMs = Number.POSITIVE_INFINITY;
    return isTooMuch || !read.isComplete ? undefined : read;
  }

  /** Of the time since this was begun, for a chart that begins now. */
  async function readNewer(reading: Reading): Promise<void> {
    const { tape, untilMs: sinceMs } = reading;
    const [untilMs, newestMs] = [minuteOf(tape), newestMsOf(tape)];
    reading.retryAtMs = clock.now() + LAG_MS;
    if (untilMs <= sinceMs) return;
    const read = await readAll(reading, { sinceMs, untilMs: untilMs - 1 });
    const { rows } = read;
    if (read.newestMs < newestMs || !read.isComplete) {
      waitForNewest(reading);
      return;
    }
    for (const row of rows) addToMinutes(reading.minutes, row);
    Object.assign(reading, { untilMs, retryAtMs: 0, lagMs: LAG_MS });
  }

  async function readOlder(market: string, reading: Reading): Promise<void> {
    const pages = reading.pages ?? pagesOf(reading);
    reading.pages = pages;
    const { done, value } = await pages.next();
    if (reading.rows === 0 && (reading.pager?.state.newestMs ?? 0) < reading.newestMs) {
      reading.pages = undefined;
      waitForNewest(reading);
      return;
    }
    reading.lagMs = LAG_MS;
    learn(reading.pager);
    take(reading, done === true ? [] : value.rows, done === true);
    if (done === true) endReading(reading, whyEnded(reading.pager?.verdict));
    else if (reading.rows >= MAX_ROWS)
      endReading(reading, `no more than ${MAX_ROWS} trades are read`);
    takeEarlier(market, reading);
  }

  function waitForNewest(reading: Reading): void {
    reading.retryAtMs = clock.now() + reading.lagMs;
    reading.lagMs = Math.min(MINUTE_MS, 2 * reading.lagMs);
  }

  function pagesOf(reading: Reading): NonNullable<Reading["pages"]> {
    const { fromMs, rows } = reading;
    reading.pager = pagerOf(reading, { untilMs: rows === 0 ? undefined : fromMs - 1 });
    return reading.pager.pages();
  }

  function pagerOf({ source }: Reading, bounds: Bounds): Pager<TradeRecord> {
    return new Pager({ source, limit: PAGE_ROWS, signal, cursor: cursors?.of("trades"), bounds });
  }

  async function readAll(reading: Reading, bounds: Bounds) {
    const pager = pagerOf(reading, bounds);
    const rows: TradeRecord[] = [];
    for await (const page of pager.pages()) rows.push(...page.rows);
    learn(pager);
    return {
      rows,
      newestMs: pager.state.newestMs ?? 0,
      /** Of all that was read, also before what was asked for. */
      oldestMs: pager.known.last?.timestamp_ms ?? 0,
      isComplete: pager.verdict?.isComplete === true,
    };
  }

  function learn(pager: Pager<TradeRecord> | undefined): void {
    const cursor = pager?.state.cursor;
    if (cursor !== undefined) cursors?.learn("trades", cursor);
  }

  function takeEarlier(market: string, reading: Reading): void {
    const { pending, tape, joinMs, joined } = reading;
    const scale = selectScale(store, market);
    if (scale !== undefined && pending !== undefined && pending.length > 0) {
      const trades = tradesOf(pending, scale);
      reading.pending = trades && [];
      const isJoin = (trade: Trade) => msOfNs(trade.timestamp_ns) === joinMs;
      const { rest } = pairHeld(trades?.filter(isJoin) ?? [], joined);
      addEarlier(tape, [...rest, ...(trades ?? []).filter((trade) => !isJoin(trade))]);
    }
    note(`trades/${market}`, reading);
    layCandles(market, reading);
  }

  const stop = every(clock, TICK_MS, tick);
  return {
    close() {
      stop();
      abort.abort();
      void client.close();
    },
  };
}

function beginReading(tape: Tape, source: Source<TradeRecord>): Reading {
  const joinNs = tape.flow.oldestNs ?? tape.frameNs ?? "0";
  const joinMs = msOfNs(joinNs);
  return {
    ...{ tape, source, minutes: new Map(), untilMs: minuteOf(tape) },
    fromMs: Number.POSITIVE_INFINITY,
    ...{ joinMs, joined: tape.trades.filter((trade) => msOfNs(trade.timestamp_ns) === joinMs) },
    newestMs: newestMsOf(tape),
    ...{ pages: undefined, pager: undefined, carried: [], pending: [], rows: 0 },
    ...{ toldRows: 0, changed: new Set() },
    ...{ isEnded: false, isBusy: false, failures: 0, lagMs: LAG_MS, retryAtMs: 0, measureAtMs: 0 },
    ...{ mends: new Map(), laid: new WeakMap() },
  };
}

function newestMsOf({ trades }: Tape): number {
  return msOfNs(trades.at(-1)?.timestamp_ns ?? "0");
}

/** The minute that was forming in the newest frame. */
function minuteOf({ frameNs = "0" }: Tape): number {
  return Math.floor(msOfNs(frameNs) / MINUTE_MS) * MINUTE_MS;
}

/** Rows older than those before. Of a page's last millisecond there may be more in the next one. */
function take(reading: Reading, rows: readonly TradeRecord[], isLast: boolean): void {
  const all = [...reading.carried, ...rows];
  const lastMs = all.at(-1)?.timestamp_ms;
  const whole = isLast ? all : all.filter(({ timestamp_ms }) => timestamp_ms !== lastMs);
  reading.carried = isLast ? [] : all.slice(whole.length);
  const { minutes, untilMs, pending, joinMs } = reading;
  for (const row of whole) {
    if (row.timestamp_ms < untilMs) addToMinutes(minutes, row);
    if (row.timestamp_ms <= joinMs) pending?.push(row);
  }
  reading.rows += rows.length;
  if (lastMs !== undefined) reading.fromMs = isLast ? lastMs : lastMs + 1;
}

function whyEnded(verdict: Pager<TradeRecord>["verdict"]): string {
  return verdict?.isComplete === true ? "the listing ends here" : (verdict?.why ?? "");
}

function endReading(reading: Reading, why: string): void {
  reading.isEnded = true;
  reading.tape.earlierEnd = why;
}

/** A hole with a trade behind it, that has stood for a while. */
function nextHole(reading: Reading, nowMs: number): Hole | undefined {
  const { holes, trades } = reading.tape;
  const due = holes.filter((hole) => nowMs >= mendOf(reading, hole, nowMs + HOLE_AGE_MS).atMs);
  return due.find(({ healed, at }) => !healed && at < trades.length);
}

function mendOf({ mends }: Reading, key: Hole | string, firstMs: number) {
  const mend = mends.get(key) ?? { atMs: firstMs, delayMs: RETRY_MS };
  mends.set(key, mend);
  return mend;
}

function intervalMsOf(interval: string): number {
  return Number.parseInt(interval, 10) * UNIT_MS[interval.slice(-1) as keyof typeof UNIT_MS];
}

function refOf(market: string) {
  const [type, id = ""] = market.split("/");
  return { type: type === "spot" ? ("spot" as const) : ("perp" as const), id };
}
