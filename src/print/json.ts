// What is held, as the objects of `--json`: wire names and exact text; null or empty for what was not received.

import { POINTS } from "../dialect/dialect.ts";
import { read } from "../dialect/fields.ts";
import { selectSummary } from "../rows/account.ts";
import { parseTimeMs } from "../rows/read.ts";
import { channelState } from "../state/channel-state.ts";
import type { List } from "../state/list.ts";
import type { KnownScale } from "../state/scale.ts";
import {
  findEntry,
  findStats,
  selectFigures,
  selectMarkets,
  selectScale,
} from "../state/select-market.ts";
import { type Store, select } from "../state/store.ts";
import type { Hole } from "../state/tape.ts";
import { addDecimal, formatDecimal } from "../units/decimal.ts";
import { formatUnits } from "../units/scale.ts";
import type { Level, Trade } from "../wire/frames.ts";
import { jsonInteger } from "../wire/json.ts";
import { flowJson } from "./flow-json.ts";

/** A store at a time, monotonic. */
export interface Shown {
  readonly store: Store;
  readonly nowMs: number;
}

export interface MarketChoice {
  /** `perp/1`. */
  readonly market: string;
  readonly interval: string;
  /** `ADDRESS/ID`. */
  readonly account?: string | undefined;
  /** Where the order flow begins; undefined: with the first trades. */
  readonly flowSinceMs?: number | undefined;
}

/** Bids fall and asks rise by price; trades newest first. */
export function marketJson(shown: Shown, { market, interval, account, flowSinceMs }: MarketChoice) {
  const { store } = shown;
  const [type = "", id = ""] = market.split("/");
  const entry = findEntry(store, market);
  const scale = selectScale(store, market);
  const bbo = select(store, "bbo", `bbo/${market}`);
  const book = select(store, "orderbook", `orderbook/${market}`);
  const tape = select(store, "trades", `trades/${market}`);
  const candles = select(store, "candles", `candles/${market}/${interval}`);
  const priced = <Row extends Level | Trade>(row: Row) => ({ ...row, ...decimals(row, scale) });
  return {
    market: { type, id: jsonInteger(id), symbol: entry?.symbol },
    scale: scaleJson(scale),
    bbo: bbo ? { bid: bbo.bid && priced(bbo.bid), ask: bbo.ask && priced(bbo.ask) } : null,
    orderbook: book
      ? { sequence: book.sequence, bids: book.bids.map(priced), asks: book.asks.map(priced) }
      : null,
    trades: tape?.trades.map(priced).reverse() ?? [],
    candles: { interval, items: candles?.items ?? [], unfinished: candles?.unfinished ?? [] },
    stats: figuresJson(shown, market),
    flow: flowJson(store, market, scale, flowSinceMs),
    account: account === undefined ? null : subaccountJson(store, account),
    ...footJson(shown),
  };
}

function decimals(
  { price_ticks, size_base_lots }: Level,
  scale: KnownScale | undefined,
): { readonly price?: string; readonly size?: string } {
  if (scale === undefined) return {};
  return {
    price: formatUnits(price_ticks, scale.tickSize),
    size: formatUnits(size_base_lots, scale.lotSize),
  };
}

function scaleJson(scale: KnownScale | undefined) {
  return {
    tick_size: scale ? formatDecimal(scale.tickSize) : null,
    lot_size: scale ? formatDecimal(scale.lotSize) : null,
    source: scale?.source ?? "none",
  };
}

function figuresJson({ store, nowMs }: Shown, market: string) {
  const figures = selectFigures(store, market);
  const stats = findStats(store, market);
  const next = stats && parseTimeMs(read(stats.record, "nextFunding", store.dialect.names));
  const ageOf = (channel: string | undefined) =>
    ageMs(store.channels.get(channel ?? "")?.lastAtMs, nowMs) ?? undefined;
  const ages = Object.keys(figures).map((name) => [name, ageOf(stats?.channel)]);
  const tape = ageOf(`trades/${market}`);
  return {
    ...figures,
    next_funding_ms: next,
    age_ms: {
      ...Object.fromEntries(ages),
      ...(figures.last && tape !== undefined && { last: tape }),
    },
  };
}

/** One subaccount, in the shape of the market's object. @param account `ADDRESS/ID` */
export function accountJson(shown: Shown, account: string) {
  const [address = ""] = account.split("/");
  const catalogue = select(shown.store, "accounts", `accounts/${address}`);
  return {
    market: null,
    scale: scaleJson(undefined),
    bbo: null,
    orderbook: null,
    trades: [],
    candles: null,
    account: subaccountJson(shown.store, account),
    accounts: {
      address,
      subaccounts: rowsOf(catalogue?.subaccounts),
      delegations: rowsOf(catalogue?.delegations),
    },
    ...footJson(shown),
  };
}

function subaccountJson(store: Store, account: string) {
  const [address = "", id = ""] = account.split("/");
  const state = select(store, "account", `account/${account}`);
  if (state === undefined) return null;
  return {
    address,
    subaccount_id: jsonInteger(id),
    account: state.account,
    balances: rowsOf(state.balances),
    positions: rowsOf(state.positions),
    leverages: rowsOf(state.leverages),
    orders: rowsOf(state.orders),
    fills: state.fills.toReversed(),
    funding_payments: state.funding_payments.toReversed(),
  };
}

function rowsOf(list: List | undefined) {
  return [...(list?.rows.values() ?? [])];
}

const SUMMED = {
  equity: "equity",
  unrealised: "unrealisedPnl",
  margin_used: "marginUsed",
} as const;

/** Every subaccount of an address, as its catalogue lists them. */
export function accountsJson(shown: Shown, address: string) {
  const { store, nowMs } = shown;
  const { names } = store.dialect;
  const catalogue = select(store, "accounts", `accounts/${address}`);
  const subaccounts = rowsOf(catalogue?.subaccounts).map((record) => {
    const channel = `account/${address}/${read(record, "subaccountId", names) ?? ""}`;
    const status = store.channels.get(channel);
    const { account, orders, positions } = select(store, "account", channel) ?? {};
    const figures = Object.entries(SUMMED).map(([name, meaning]) => {
      return [name, account && read(account, meaning, names)];
    });
    return {
      subaccount_id: record.subaccount_id,
      status: read(record, "status", names) ?? null,
      created_at_ns: record.created_at_ns,
      // One that is not watched is only listed.
      state: status === undefined ? "listed" : channelState(status, store.link, nowMs),
      age_ms: ageMs(status?.lastAtMs, nowMs),
      ...Object.fromEntries(figures),
      orders: orders?.rows.size,
      positions: positions?.rows.size,
    };
  });
  const live = subaccounts.filter(({ state }) => state === "live" || state === "quiet");
  const closed = subaccounts.filter(({ status }) => status === "closed").length;
  const summaries = live.map((row) => selectSummary(store, `${address}/${row.subaccount_id}`));
  return {
    address,
    subaccounts,
    totals: {
      ...{ live: live.length, of: subaccounts.length - closed, closed },
      ...sumsJson(summaries),
    },
    delegations: rowsOf(catalogue?.delegations),
    ...footJson(shown),
  };
}

/** Over those that all have the figure; money only of one and the same asset. */
function sumsJson(summaries: readonly ReturnType<typeof selectSummary>[]) {
  const [asset, ...others] = new Set(summaries.map((summary) => summary?.asset));
  if (asset === undefined || others.length > 0) return {};
  const sums = Object.keys(SUMMED).map((name) => {
    const figure = name === "margin_used" ? "marginUsed" : (name as "equity" | "unrealised");
    const values = summaries.map((summary) => summary?.[figure]);
    const isWhole = values.every((value) => value !== undefined);
    return [name, isWhole ? formatDecimal(values.reduce(addDecimal)) : undefined];
  });
  return { asset, ...Object.fromEntries(sums) };
}

export function marketsJson(shown: Shown) {
  const { store, nowMs } = shown;
  return selectMarkets(store).entries.map(({ type, id, symbol }) => {
    const market = `${type}/${id}`;
    const channel = findStats(store, market)?.channel ?? `market-stats/${type}`;
    return {
      market,
      symbol,
      state: channelState(store.channels.get(channel), store.link, nowMs),
      ...figuresJson(shown, market),
    };
  });
}

/** Panes are named by the kind of their channel: a view has one of each. */
function footJson({ store, nowMs }: Shown) {
  const panes = [...store.channels.values()].map((status) => {
    const { channel, kind, counts, error, lastAtMs } = status;
    return [
      kind,
      {
        state: channelState(status, store.link, nowMs),
        age_ms: ageMs(lastAtMs, nowMs),
        ...counts,
        ...(kind === "trades" && {
          holes: select(store, kind, channel)?.holes.map(holeJson) ?? [],
        }),
        ...(error && { error: `${error.code} ${error.message}` }),
      },
    ];
  });
  const { state, reconnects, protocolVersion } = store.link;
  return {
    panes: Object.fromEntries(panes),
    dialect: Object.fromEntries(POINTS.map((point) => [point, pointJson(store, point)])),
    link: { state, reconnects, protocol_version: protocolVersion ?? null },
  };
}

function holeJson({ after_ns, until_ns, cause, healed }: Hole) {
  return { after_ns, until_ns, cause, healed };
}

function pointJson({ dialect }: Store, point: (typeof POINTS)[number]) {
  const { value, source, learned } = dialect[point];
  return { value, source, learned };
}

function ageMs(lastAtMs: number | undefined, nowMs: number): number | null {
  return lastAtMs === undefined ? null : Math.max(0, Math.round(nowMs - lastAtMs));
}
