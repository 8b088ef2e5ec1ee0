// The market view as plain text: one line for a running command, a page for --once and --for.

import { type Context, interruptedExitCode } from "../args/context.ts";
import type { MarketArgument } from "../args/targets.ts";
import { resolveMarket } from "../live/find-symbol.ts";
import { HeadlessSession } from "../live/headless-session.ts";
import type { Service } from "../live/service.ts";
import { Upkeep } from "../live/upkeep.ts";
import { type AccountChoice, accountChannel, type Subaccount } from "../select/account.ts";
import { selectSpread } from "../select/bbo.ts";
import { MISSING, shortAddress } from "../select/fields.ts";
import {
  formatMarket,
  type Market,
  type MarketChannels,
  MarketSymbols,
  marketChannels,
} from "../select/market.ts";
import { MASK } from "../select/mask.ts";
import { selectLadder } from "../select/orderbook.ts";
import { formatScale, openScales } from "../select/scale.ts";
import { formatLink, selectPaneStatus } from "../select/status.ts";
import { selectTape } from "../select/trades.ts";
import { isAnswered } from "../state/feed.ts";
import type { Slice } from "../state/slices.ts";
import { visible } from "../terminal/visible.ts";
import { ServiceError, UsageError } from "../units/monitor-error.ts";
import { formatUnits, type Scale } from "../units/scale.ts";
import { formatIsoMs, msOfNs, nsOfMs } from "../units/time.ts";
import type { Bbo } from "../wire/channels/bbo.ts";
import type { PriceLevel } from "../wire/channels/orderbook.ts";
import type { Interval } from "../wire/channels.ts";
import { accountSections, linkLines } from "./account.ts";
import { type HeadlessSnapshot, type HeadlessView, printView, wordMissing } from "./forms.ts";
import { type MarketSnapshot, marketJson, PANES, type PaneName } from "./market-json.ts";
import { textTable } from "./text-table.ts";

/** Rows of each table on a page, where nothing is said; --json has all of them. */
const LEVELS = 10;
const TRADES = 10;

/** One line: best prices, spread, last trade, and the state of each pane. */
export function marketLine(snapshot: MarketSnapshot): string {
  const { store, market, channels, wallMs } = snapshot;
  const { scale, source } = snapshot.scale;
  const { bbo } = store.slice("bbo", channels.bbo).data;
  const [last] = store.slice("trades", channels.trades).data.recent(1);
  return [
    formatIsoMs(wallMs),
    formatMarket(market),
    `bid ${formatLevel(bbo?.bid, scale)}`,
    `ask ${formatLevel(bbo?.ask, scale)}`,
    `spread ${formatSpread(bbo, scale)}`,
    `last ${last === undefined ? MISSING : formatUnits(last.price_ticks, scale?.tickSize)}`,
    scale === undefined ? "ticks, lots" : source,
    ...PANES.map((pane) => `${pane} ${formatPane(snapshot, pane)}`),
    `link ${visible(formatLink(store.link, snapshot.nowMs))}`,
  ].join("  ");
}

/** The whole view, for people who look once. Prices are ticks and sizes lots while no scale is known, and it says so. */
export function marketPage(snapshot: MarketSnapshot): string {
  return [
    ...header(snapshot),
    "",
    ...book(snapshot),
    "",
    ...tape(snapshot),
    "",
    ...candles(snapshot),
    "",
    ...account(snapshot),
    ...states(snapshot),
  ].join("\n");
}

function account(snapshot: MarketSnapshot): string[] {
  const { account: watched, store, scales, nowMs, isMasked = false } = snapshot;
  if (watched === undefined) return [];
  const { address, subaccountId } = watched;
  const name = `account  ${isMasked ? MASK : shortAddress(address)}/${subaccountId}`;
  const sections = accountSections({ store, scales, nowMs, isMasked }, watched);
  return [name, ...sections.flatMap((lines) => ["", ...lines]), ""];
}

function header({ store, market, channels, scale: known }: MarketSnapshot): string[] {
  const { scale } = known;
  const { bbo } = store.slice("bbo", channels.bbo).data;
  return [
    `market  ${formatMarket(market)}`,
    `scale   ${visible(formatScale(known))}`,
    `bid     ${formatLevel(bbo?.bid, scale)}`,
    `ask     ${formatLevel(bbo?.ask, scale)}`,
    `spread  ${formatSpread(bbo, scale)}`,
  ];
}

function book({ store, channels, scale: { scale }, bookRows = LEVELS }: MarketSnapshot): string[] {
  const levels = store.slice("orderbook", channels.orderbook).data.depth(bookRows);
  const ladder = selectLadder(levels, { grouping: 1n, rows: bookRows, scale });
  const rows = [
    ...[...ladder.asks].reverse().map((row) => ["ask", row.price, row.size, row.cumulativeSize]),
    ...ladder.bids.map((row) => ["bid", row.price, row.size, row.cumulativeSize]),
  ];
  return [
    "order book",
    ...textTable([["side", "price", "size", "cumulative"], ...rows], () => true),
  ];
}

function tape({ store, channels, scale: { scale } }: MarketSnapshot): string[] {
  const { data } = store.slice("trades", channels.trades);
  const options = { rows: TRADES, minimumLots: 0n, scale, holes: data.holes };
  const rows = selectTape(data.recent(), options).map((row) => {
    const time = formatIsoMs(msOfNs(row.timestampNs));
    if (row.kind === "hole") return [time, row.words, "", "", ""];
    return [time, row.takerIsBid ? "buy" : "sell", row.price, row.size, String(row.count)];
  });
  return [
    "trades",
    ...textTable([["time", "taker", "price", "size", "trades"], ...rows], () => true),
  ];
}

function candles({ store, channels, interval }: MarketSnapshot): string[] {
  const newest = store.slice("candles", channels.candles).data.candles.at(-1);
  if (newest === undefined) return [`candle ${interval}  ${MISSING}`];
  const { open_time_ms, open, high, low, close, volume_base } = newest;
  return [
    `candle ${interval}  ${formatIsoMs(open_time_ms)}  open ${open}  high ${high}  low ${low}  close ${close}  volume ${volume_base}`,
  ];
}

function states(snapshot: MarketSnapshot): string[] {
  return [
    `panes   ${PANES.map((pane) => `${pane} ${formatPane(snapshot, pane)}`).join("  ")}`,
    ...linkLines(snapshot.store, snapshot.nowMs),
  ];
}

function formatPane({ store, channels, nowMs }: MarketSnapshot, pane: PaneName): string {
  const { state, age } = selectPaneStatus(store, store.slice(pane, channels[pane]), nowMs);
  return age === "" ? state : `${state} ${age}`;
}

function formatLevel(level: PriceLevel | null | undefined, scale: Scale | undefined): string {
  if (!level) return MISSING;
  const { price_ticks, size_base_lots } = level;
  return `${formatUnits(price_ticks, scale?.tickSize)} × ${formatUnits(size_base_lots, scale?.lotSize)}`;
}

function formatSpread(bbo: Bbo | undefined, scale: Scale | undefined): string {
  const spread = bbo === undefined ? undefined : selectSpread(bbo, scale);
  if (spread === undefined) return MISSING;
  return `${spread.width}${scale === undefined ? " ticks" : ""} (${spread.basisPoints} bp)`;
}

// The market view without a screen.

interface MarketRun {
  readonly findService: () => Promise<Service>;
  readonly market: MarketArgument;
  readonly account?: AccountChoice | undefined;
  readonly interval: Interval;
  readonly knownScales: Readonly<Record<string, Scale>>;
}

/**
 * Prints the market in the form that is asked for.
 * @returns the exit code: 0 when every pane has had data, 1 when something never came
 * @throws {UsageError} when there is no such market, or the account names no subaccount; {ServiceError} when the first
 *   connection cannot be made
 */
export async function printMarket(context: Context, run: MarketRun): Promise<number> {
  const service = await run.findService();
  const session = new HeadlessSession(context, service);
  const { store } = session.live;
  const scales = openScales(store, run.knownScales);
  const upkeep = new Upkeep(context, service, session.live, scales, () => session.check());
  try {
    const market = await resolveMarket(context, session, run.market);
    if (market === undefined) return interruptedExitCode(context.interrupt);
    const snapshot = subscribe(context, session, run, market);
    upkeep.measure([market]);
    upkeep.heal([market]);
    const scaled = () => ({ ...snapshot(), scale: scales.of(formatMarket(market)), scales });
    return await printView(context, session, getView(context, session, scaled, upkeep));
  } finally {
    upkeep.stop();
    session.close();
  }
}

function subscribe(
  { clock, options }: Context,
  { live }: HeadlessSession,
  { interval, account: choice }: MarketRun,
  market: Market,
): () => Omit<MarketSnapshot, "scale" | "scales"> {
  const channels = marketChannels(market, interval);
  for (const [, channel] of listBesides(channels)) live.stream.subscribe(channel);
  for (const pane of PANES) live.stream.subscribe(channels[pane]);
  const account = choice && namedSubaccount(choice);
  if (account !== undefined) live.stream.subscribe(accountChannel(account));
  return () => ({
    store: live.store,
    market,
    channels,
    interval,
    nowMs: clock.now(),
    wallMs: clock.wall(),
    account,
    bookRows: options.depth,
    isMasked: options.mask ?? false,
  });
}

/** What says how a market is called, what a tick is worth, and its figures: the view is complete without them. */
function listBesides({ markets, marketStats, fundingRates }: MarketChannels) {
  return [
    ["markets", markets],
    ["market-stats", marketStats],
    ...(fundingRates === undefined ? [] : [["funding-rates", fundingRates] as const]),
  ] as const;
}

/** @throws {UsageError} when no subaccount is named: without a screen nobody can choose one */
function namedSubaccount({ address, subaccountId }: AccountChoice): Subaccount {
  if (subaccountId !== undefined) return { address, subaccountId };
  throw new UsageError(
    "--account names no subaccount, and without a screen none can be chosen",
    "expected: --account ADDRESS/ID; `monitor account ADDRESS` lists the ids",
  );
}

/** How long what may never come is waited for, once all else is there. */
const PATIENCE_MS = 1000;

function getView(
  { clock, options }: Context,
  session: HeadlessSession,
  snapshot: () => MarketSnapshot,
  upkeep: Upkeep,
): HeadlessView {
  const symbols = new MarketSymbols();
  let isPatient = true;
  let isWaiting = false;
  const hasBesides = ({ store, channels }: MarketSnapshot) => {
    const slices = listBesides(channels).map(([kind, channel]) => store.slice(kind, channel));
    if (!isPatient || slices.every(({ feed }) => isAnswered(feed))) return true;
    if (isWaiting) return false;
    isWaiting = true;
    clock.after(PATIENCE_MS, () => {
      isPatient = false;
      session.check();
    });
    return false;
  };
  return {
    follow() {
      const { store, market } = snapshot();
      const words = symbols.check(store, market);
      if (words !== undefined) throw new ServiceError("market-renamed", words);
    },
    isSettled() {
      const now = snapshot();
      const isHere = getSlices(now).every(([, { feed }]) => isAnswered(feed));
      const isScaled = now.scale.source !== "none";
      if (!isHere || !(upkeep.hasMeasured(now.market) || isScaled)) return false;
      // The past that was asked for is read as soon as it can be.
      return (
        (!(upkeep.listings !== undefined && isScaled) || hasPast(now, options.since)) &&
        hasBesides(now)
      );
    },
    snapshot: () => marketForms(snapshot()),
  };
}

export function marketForms(now: MarketSnapshot): HeadlessSnapshot {
  return {
    nowMs: now.nowMs,
    line: () => marketLine(now),
    page: () => marketPage(now),
    json: () => marketJson(now),
    missing: () =>
      getSlices(now)
        .filter(([, { feed }]) => feed.frames === 0)
        .map(([name, { feed }]) => wordMissing(name, feed, now.store.link)),
  };
}

/** True when nothing of the past that was asked for is missing. */
function hasPast({ store, channels }: MarketSnapshot, sinceMs: number | undefined): boolean {
  if (sinceMs === undefined) return true;
  const sinceNs = nsOfMs(sinceMs);
  return store.slice("trades", channels.trades).data.open.every((hole) => hole.afterNs !== sinceNs);
}

/** What must have come for the view to be complete, by name. */
function getSlices({ store, channels, account }: MarketSnapshot): (readonly [string, Slice])[] {
  const panes = PANES.map((pane) => [pane, store.slice(pane, channels[pane])] as const);
  if (account === undefined) return panes;
  return [...panes, ["account", store.slice("account", accountChannel(account))]];
}
