// The market view as plain text: one line for a running command, a page for --once and --for.

import { selectSpread } from "../select/bbo.ts";
import { MISSING, shortAddress } from "../select/fields.ts";
import { formatMarket } from "../select/market.ts";
import { MASK } from "../select/mask.ts";
import { selectLadder } from "../select/orderbook.ts";
import { formatScale } from "../select/scale.ts";
import { formatLink, selectPaneStatus } from "../select/status.ts";
import { selectTape } from "../select/trades.ts";
import { visible } from "../terminal/visible.ts";
import { formatUnits, type Scale } from "../units/scale.ts";
import { formatIsoMs, msOfNs } from "../units/time.ts";
import type { Bbo } from "../wire/channels/bbo.ts";
import type { PriceLevel } from "../wire/channels/orderbook.ts";
import { accountSections, linkLines } from "./account-text.ts";
import { type MarketSnapshot, PANES, type PaneName } from "./market-json.ts";
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
