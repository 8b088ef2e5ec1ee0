// The market view as plain text: one line for a running command, a page for --once and --for.

import type { Context } from "../args/context.ts";
import type { MarketArgument } from "../args/targets.ts";
import { resolveMarket } from "../live/find-symbol.ts";
import type { HeadlessSession } from "../live/headless-session.ts";
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
import { formatMissing, type HeadlessSnapshot, type HeadlessView, printLive } from "./forms.ts";
import { type MarketSnapshot, marketJson, PANES, type PaneName } from "./market-json.ts";
import { textTable } from "./text-table.ts";

/** Default rows of each table on a page; --json has all of them. */
const LEVELS = 10;
const TRADES = 10;

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

/** Prices are in ticks and sizes in lots while the scale is unknown; the page shows which. */
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

interface MarketRun {
  readonly findService: () => Promise<Service>;
  readonly market: MarketArgument;
  readonly account?: AccountChoice | undefined;
  readonly interval: Interval;
  readonly knownScales: Readonly<Record<string, Scale>>;
}

/**
 * @throws {UsageError} if there is no such market, or the account names no subaccount; {ServiceError} if the first
 *   connection cannot be made
 */
export function printMarket(context: Context, run: MarketRun): Promise<number> {
  return printLive(context, run, async (session, service) => {
    const market = await resolveMarket(context, session, run.market);
    return market && openView(context, session, service, run, market);
  });
}

/** Channels with the symbol, scale and figures of the market: the view is complete without them. */
function listBesides({ markets, marketStats, fundingRates }: MarketChannels) {
  return [
    ["markets", markets],
    ["market-stats", marketStats],
    ...(fundingRates === undefined ? [] : [["funding-rates", fundingRates] as const]),
  ] as const;
}

/** @throws {UsageError} if no subaccount is named: without a screen, none can be chosen */
function namedSubaccount({ address, subaccountId }: AccountChoice): Subaccount {
  if (subaccountId !== undefined) return { address, subaccountId };
  throw new UsageError(
    "--account names no subaccount, and without a screen none can be chosen",
    "expected: --account ADDRESS/ID; `monitor account ADDRESS` lists the ids",
  );
}

/** How long to wait for optional channels once everything else is there. */
const PATIENCE_MS = 1000;

function openView(
  context: Context,
  session: HeadlessSession,
  service: Service,
  run: MarketRun,
  market: Market,
): HeadlessView {
  const { clock, options } = context;
  const { store, stream } = session.live;
  const { interval } = run;
  const account = run.account && namedSubaccount(run.account);
  const channels = marketChannels(market, interval);
  const scales = openScales(store, run.knownScales);
  const upkeep = new Upkeep(context, service, session.live, scales, () => session.check());
  for (const [, channel] of listBesides(channels)) stream.subscribe(channel);
  for (const pane of PANES) stream.subscribe(channels[pane]);
  if (account !== undefined) stream.subscribe(accountChannel(account));
  upkeep.hold([market]);
  const snapshot = (): MarketSnapshot => ({
    store,
    market,
    channels,
    interval,
    account,
    scales,
    scale: scales.of(formatMarket(market)),
    nowMs: clock.now(),
    wallMs: clock.wall(),
    bookRows: options.depth,
    isMasked: options.mask ?? false,
  });
  const symbols = new MarketSymbols();
  let isPatient = true;
  let isWaiting = false;
  const hasBesides = () => {
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
      const words = symbols.check(store, market);
      if (words !== undefined) throw new ServiceError("market-renamed", words);
    },
    isSettled() {
      const now = snapshot();
      const isHere = getSlices(now).every(([, { feed }]) => isAnswered(feed));
      const isScaled = now.scale.source !== "none";
      if (!isHere || !(upkeep.hasMeasured(market) || isScaled)) return false;
      // Waits for the requested past, which is read as soon as that is possible.
      const isPastDue = upkeep.listings !== undefined && isScaled;
      return (!isPastDue || hasPast(now, options.since)) && hasBesides();
    },
    snapshot: () => marketForms(snapshot()),
    close: () => upkeep.stop(),
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
        .map(([name, { feed }]) => formatMissing(name, feed, now.store.link)),
  };
}

function hasPast({ store, channels }: MarketSnapshot, sinceMs: number | undefined): boolean {
  if (sinceMs === undefined) return true;
  const sinceNs = nsOfMs(sinceMs);
  return store.slice("trades", channels.trades).data.open.every((hole) => hole.afterNs !== sinceNs);
}

function getSlices({ store, channels, account }: MarketSnapshot): (readonly [string, Slice])[] {
  const panes = PANES.map((pane) => [pane, store.slice(pane, channels[pane])] as const);
  if (account === undefined) return panes;
  return [...panes, ["account", store.slice("account", accountChannel(account))]];
}
