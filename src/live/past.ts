// What the listing of trades tells about a live session, read in the background: candles before the stream's first one, order flow
// before its first trade, the trades of holes, and the scale where nobody says it.
import { marketKey } from "../dialect/markets.ts";
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
import { DAY_MS, MINUTE_MS, msOfNs } from "../units/time.ts";
import { INTERVAL_MS, type Interval } from "../wire/channels.ts";
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
  /** Something else than a message has changed what a channel holds. */
  onChange(channel: string): void;
  /** The listing cannot be read: told once. */
  onTrouble(text: string): void;
}

export interface Past {
  close(): void;
}

const TICK_MS = 250;
const PAGE_ROWS = 1000;
/** More is not read for a chart, nor for one hole. */
const MAX_ROWS = 300_000;
const MAX_HOLE_ROWS = 50_000;
const USUAL_CANDLES = 300;
/** Until what failed is tried again; then twice as long each time. */
const RETRY_MS = 2000;
const MAX_RETRY_MS = 900_000;
/** A hole is left to the refresh that follows a gap for so long. */
const HOLE_AGE_MS = 3000;

interface Job {
  readonly key: unknown;
  /** Not before it has stood for so long. */
  readonly ageMs?: number;
  /** False: it cannot be done now. */
  run(): Promise<boolean>;
}
/** The key of the listing itself: after an error, all jobs wait. */
const LISTING = "listing";

interface Chart {
  readonly channel: string;
  readonly state: Candles;
  readonly intervalMs: number;
}

interface Read {
  readonly rows: readonly TradeRecord[];
  readonly newestMs: number;
  /** Of all that was read, also before what was asked for. */
  readonly oldestMs: number;
}

export function openPast(options: PastOptions): Past {
  const { store, clock, random, baseUrl, headers, budget } = options;
  if (budget === undefined) return { close: () => {} };
  const client = new RestClient({ baseUrl, headers, clock, random, budget });
  const abort = new AbortController();
  const readings = new Map<string, Reading>();
  const troubled = new Set<string>();

  function tick(): void {
    const markets = new Set<string>();
    for (const [channel, { kind }] of store.channels)
      if (kind === "trades") markets.add(channel.slice("trades/".length));
    for (const market of readings.keys()) if (!markets.has(market)) readings.delete(market);
    for (const market of markets) readingOf(market)?.tick();
  }

  function readingOf(market: string): Reading | undefined {
    const tape = select(store, "trades", `trades/${market}`);
    const held = readings.get(market);
    if (tape?.frameNs === undefined || held?.tape === tape) return held;
    const reading = createReading({
      ...{ ...options, market, tape, signal: abort.signal },
      source: createSource(client, tradesListing(marketKey(market))),
      isWanted: () => readings.get(market) === reading,
      onChange(channel) {
        store.version++;
        options.onChange(channel);
      },
      onTrouble(text) {
        if (!troubled.has(market)) options.onTrouble(`trades of ${market}: ${text}`);
        troubled.add(market);
      },
    });
    readings.set(market, reading);
    return reading;
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

interface Reading {
  readonly tape: Tape;
  tick(): void;
}

interface ReadingOptions extends PastOptions {
  /** `perp/1`. */
  readonly market: string;
  readonly tape: Tape;
  readonly source: Source<TradeRecord>;
  readonly signal: AbortSignal;
  isWanted(): boolean;
}

/** The listing of one market, laid to the tape that it was begun for. */
function createReading(options: ReadingOptions): Reading {
  const { store, clock, cursors, market, tape, source, signal, onChange } = options;
  /** By the key of a job: when it is tried again, and how much later after that. */
  const waits = new Map<unknown, { readonly atMs: number; readonly delayMs: number }>();
  /** First open times of the stream's candles, before which others are laid. */
  const laid = new WeakMap<Candles, number>();
  /** Those from `fromMs` on and before `untilMs`, the one that was forming, are known whole; Unix milliseconds. */
  const minutes: PastMinutes = new Map();
  let fromMs = Number.POSITIVE_INFINITY;
  let untilMs = Math.floor(msOfNs(tape.frameNs ?? "0") / MINUTE_MS) * MINUTE_MS;
  /** The tape begins in this millisecond, with these trades of it that the listing has not told yet. */
  const joinMs = msOfNs(tape.flow.oldestNs ?? tape.frameNs ?? "0");
  let joined: readonly Trade[] = tape.trades.filter((each) => msOfNs(each.timestamp_ns) === joinMs);
  /** A listing without the trades of this millisecond lags. */
  const newestMs = msOfNs(tape.trades.at(-1)?.timestamp_ns ?? "0");
  /** Wait for a scale; undefined when they do not fit the one there is. */
  let pending: TradeRecord[] | undefined = [];
  let [back, pages] = goBack();
  let isEnded = false;
  let isBusy = false;

  function tick(): void {
    for (const chart of charts()) if (!laid.has(chart.state)) lay(chart);
    if (isBusy || !isDue(LISTING)) return;
    const job = jobs().find(({ key, ageMs }) => isDue(key, ageMs));
    if (job !== undefined) void run(job);
  }

  /** What is most wanted: what is shown wrong, then the newest candles, then what is older. */
  function jobs(): readonly Job[] {
    const { holes, trades } = tape;
    const scale = selectScale(store, market);
    const open = holes.filter(({ healed, at }) => !healed && at < trades.length);
    const isUnknown = scale === undefined && trades.length > 0;
    return [
      ...(isUnknown ? [{ key: "scale", run: measure }] : []),
      ...(scale === undefined ? [] : open).map((hole): Job => {
        return { key: hole, ageMs: HOLE_AGE_MS, run: () => heal(hole) };
      }),
      ...charts().flatMap(missedIn),
      ...(fromMs > wantedFromMs() && !isEnded ? [{ key: "older", run: readOlder }] : []),
    ];
  }

  /** Candles between the one that formed when updates were missed, or when this was begun, and the next that came. */
  function missedIn(chart: Chart): readonly Job[] {
    const { channel, state } = chart;
    const isLater = (laid.get(state) ?? 0) > untilMs;
    const starts = [...state.unfinished, ...(isLater ? [untilMs] : [])];
    return starts.flatMap((startMs) => {
      const endMs = state.items.find((candle) => candle.open_time_ms > startMs)?.open_time_ms;
      if (endMs === undefined) return [];
      return [{ key: `${channel} ${startMs}`, run: () => fill(chart, startMs, endMs) }];
    });
  }

  function isDue(key: unknown, ageMs = 0): boolean {
    const nowMs = clock.now();
    const wait = waits.get(key) ?? { atMs: nowMs + ageMs, delayMs: RETRY_MS };
    waits.set(key, wait);
    return nowMs >= wait.atMs;
  }

  function postpone(key: unknown): void {
    const { delayMs = RETRY_MS } = waits.get(key) ?? {};
    const atMs = clock.now() + delayMs;
    waits.set(key, { atMs, delayMs: Math.min(MAX_RETRY_MS, 2 * delayMs) });
  }

  async function run({ key, run }: Job): Promise<void> {
    isBusy = true;
    try {
      if (await run()) waits.delete(key);
      else postpone(key);
      waits.delete(LISTING);
    } catch (error) {
      if (signal.aborted) return;
      [back, pages] = goBack(back);
      postpone(LISTING);
      options.onTrouble(errorText(error));
    } finally {
      isBusy = false;
    }
    if (!signal.aborted && options.isWanted()) tick();
  }

  function wantedFromMs(): number {
    const dayMs = Math.floor(joinMs / DAY_MS) * DAY_MS;
    const candles = options.wantedCandles?.() ?? USUAL_CANDLES;
    return Math.min(
      Math.max(options.flowSinceMs ?? dayMs, joinMs - DAY_MS),
      ...charts().map(({ intervalMs }) => untilMs - candles * intervalMs),
    );
  }

  function charts(): readonly Chart[] {
    const prefix = `candles/${market}/`;
    return [...store.channels.keys()].flatMap((channel) => {
      const state = channel.startsWith(prefix) ? select(store, "candles", channel) : undefined;
      if (state === undefined || state.items.length === 0) return [];
      return [
        { channel, state, intervalMs: INTERVAL_MS[channel.slice(prefix.length) as Interval] },
      ];
    });
  }

  function lay({ channel, state, intervalMs }: Chart): void {
    const firstMs = laid.get(state) ?? state.items[0]?.open_time_ms ?? 0;
    laid.set(state, firstMs);
    if (firstMs > untilMs) return;
    putPast(state, pastCandles(minutes, intervalMs, fromMs, firstMs), firstMs);
    onChange(channel);
  }

  async function measure(): Promise<boolean> {
    const rows = (await source.page(undefined, PAGE_ROWS, signal)) ?? [];
    const scale = measureScale(pairTrades(tape.trades, rows));
    if (scale !== undefined) store.scales.set(market, scale);
    if (scale !== undefined) takeEarlier();
    return scale !== undefined;
  }

  function heal(hole: Hole): Promise<boolean> {
    const bounds = { sinceMs: msOfNs(hole.after_ns), untilMs: msOfNs(hole.until_ns) };
    return readMissed(bounds, ({ rows }) => {
      const scale = selectScale(store, market);
      const listed = scale && tradesOf(rows, scale);
      // A listing that lags, or that has forgotten the beginning, lacks a trade that is held.
      const trades = listed && holeTrades(tape, hole, listed);
      if (trades === undefined) return false;
      healHole(tape, hole, trades);
      onChange(`trades/${market}`);
      return true;
    });
  }

  function fill({ channel, state, intervalMs }: Chart, startMs: number, endMs: number) {
    return readMissed({ sinceMs: startMs, untilMs: endMs - 1 }, (read) => {
      // A listing that lags lacks the end; one that has forgotten the beginning has nothing older.
      if (read.newestMs < endMs || read.oldestMs >= startMs) return false;
      const missed: PastMinutes = new Map();
      for (const row of read.rows) addToMinutes(missed, row);
      fillCandles(state, pastCandles(missed, intervalMs, startMs, endMs), startMs, endMs);
      onChange(channel);
      if (startMs <= untilMs && endMs > untilMs) extend(missed, endMs);
      return true;
    });
  }

  function extend(missed: PastMinutes, endMs: number): void {
    for (const [openMs, minute] of missed) minutes.set(openMs, minute);
    untilMs = endMs;
    for (const chart of charts()) lay(chart);
  }

  async function readMissed(bounds: Bounds, use: (read: Read) => boolean): Promise<boolean> {
    const pager = pagerOf({ ...bounds, max: MAX_HOLE_ROWS });
    const rows: TradeRecord[] = [];
    for await (const page of pager.pages()) rows.push(...page.rows);
    learn(pager);
    const { state, known, verdict } = pager;
    const isWhole = verdict?.isComplete === true && rows.length < MAX_HOLE_ROWS;
    const oldestMs = known.last?.timestamp_ms ?? 0;
    return isWhole && use({ rows, newestMs: state.newestMs ?? 0, oldestMs });
  }

  async function readOlder(): Promise<boolean> {
    const isFirst = back.known.count === 0;
    const { done, value } = await pages.next();
    if (isFirst && (back.state.newestMs ?? 0) < newestMs) {
      [back, pages] = goBack();
      return false;
    }
    learn(back);
    const rows = value?.rows ?? [];
    for (const row of rows) if (row.timestamp_ms < untilMs) addToMinutes(minutes, row);
    pending?.push(...rows.filter((row) => row.timestamp_ms <= joinMs));
    noteEnd(done === true);
    takeEarlier();
    return true;
  }

  function noteEnd(isLast: boolean): void {
    const lastMs = back.known.last?.timestamp_ms ?? Number.POSITIVE_INFINITY;
    // Of the last millisecond, the next page may have more.
    fromMs = isLast ? lastMs : lastMs + 1;
    isEnded = isLast || back.known.count >= MAX_ROWS;
    if (isEnded) tape.earlierEnd = whyEnded(back);
  }

  /** @param before one that has failed, after whose last page this goes on */
  function goBack(before?: Pager<TradeRecord>) {
    const pager = pagerOf({});
    if (before !== undefined) pager.resume(before.state, before.known.kept);
    return [pager, pager.pages()] as const;
  }

  function pagerOf(bounds: Bounds): Pager<TradeRecord> {
    return new Pager({ source, limit: PAGE_ROWS, signal, cursor: cursors?.of("trades"), bounds });
  }

  function learn({ state: { cursor } }: Pager<TradeRecord>): void {
    if (cursor !== undefined) cursors?.learn("trades", cursor);
  }

  function takeEarlier(): void {
    const scale = selectScale(store, market);
    if (scale !== undefined && pending !== undefined) {
      const trades = tradesOf(pending, scale);
      const { rest, left } = pairHeld(trades ?? [], joined);
      pending = trades && [];
      joined = left;
      addEarlier(tape, rest);
    }
    onChange(`trades/${market}`);
    for (const chart of charts()) lay(chart);
  }

  return { tape, tick };
}

function whyEnded({ verdict, known }: Pager<TradeRecord>): string {
  if (known.count >= MAX_ROWS) return `no more than ${MAX_ROWS} trades are read`;
  return verdict?.isComplete === true ? "the listing ends here" : (verdict?.why ?? "");
}
