// The figures of a market as in JSON: decimal text, changes and rates as fractions of 1, each with its age.
import type { Aliases } from "../state/aliases.ts";
import type { Store } from "../state/store.ts";
import { readTimeNs } from "../state/time-value.ts";
import { formatDecimal, parseDecimal, subtractDecimal, trimDecimal } from "../units/decimal.ts";
import { formatUnits, type Scale } from "../units/scale.ts";
import { msOfNs } from "../units/time.ts";
import type { OpenRecord } from "../wire/update.ts";
import {
  divideDecimal,
  formatPercentOf,
  readDecimal,
  readDecimalText,
  withSign,
} from "./fields.ts";
import { type Funding, formatPercent, selectFunding, selectNextFunding } from "./funding.ts";
import {
  findOwnRecord,
  listedIn,
  type Market,
  type MarketChannels,
  type StatName,
  selectStat,
} from "./market.ts";

export const STATS = [
  "last",
  "mark",
  "index",
  "change_24h",
  "high_24h",
  "low_24h",
  "volume_base_24h",
  "volume_quote_24h",
  "open_interest",
  "funding_rate",
  "next_funding_ms",
] as const;

/** A figure by its name in JSON: decimal text, or Unix milliseconds. Absent if unknown. */
type Figures = {
  readonly [K in (typeof STATS)[number]]?: K extends `${string}_ms` ? number : string;
};

/** Figures, and the age of each one's source in milliseconds. */
export type AgedFigures = Figures & {
  readonly age_ms: Readonly<Partial<Record<(typeof STATS)[number], number>>>;
};

const NAMED = {
  mark: "markPrice",
  index: "indexPrice",
  high_24h: "high24h",
  low_24h: "low24h",
  volume_base_24h: "volumeBase24h",
  volume_quote_24h: "volumeQuote24h",
  open_interest: "openInterest",
} as const satisfies Partial<Record<(typeof STATS)[number], StatName>>;

export function selectFigures({
  aliases,
  records,
  lastTrade,
  funding,
  wallMs,
}: {
  readonly aliases: Aliases;
  /** Records of the service for the market, preferred source first. */
  readonly records: readonly { readonly record: OpenRecord | undefined; readonly ageMs: number }[];
  readonly lastTrade?: { readonly price: string; readonly ageMs: number } | undefined;
  readonly funding?: { readonly funding: Funding; readonly ageMs: number } | undefined;
  readonly wallMs: number;
}): AgedFigures {
  const figures: Record<string, string | number> = {};
  const ages: Record<string, number> = {};
  const put = (name: string, value: string | number | undefined, ageMs: number) => {
    if (value === undefined || Object.hasOwn(figures, name)) return;
    figures[name] = value;
    ages[name] = ageMs;
  };
  if (lastTrade !== undefined) put("last", lastTrade.price, lastTrade.ageMs);
  const newest = funding?.funding.newest;
  if (newest !== undefined) put("funding_rate", formatDecimal(newest.rate), funding?.ageMs ?? 0);
  for (const { record, ageMs } of records) {
    if (record === undefined) continue;
    put("last", selectStat(record, "lastPrice", aliases), ageMs);
    put("change_24h", selectChangeRatio(record, aliases), ageMs);
    for (const [name, meaning] of Object.entries(NAMED))
      put(name, selectStat(record, meaning, aliases), ageMs);
    put("funding_rate", selectStat(record, "fundingRate", aliases), ageMs);
    const nextNs = readTimeNs(aliases.value(record, "nextFunding"));
    put("next_funding_ms", nextNs === undefined ? undefined : msOfNs(`${nextNs}`), ageMs);
  }
  if (funding !== undefined)
    put("next_funding_ms", selectNextFunding(funding.funding, wallMs), funding.ageMs);
  const inOrder = (values: Readonly<Record<string, string | number>>) =>
    Object.fromEntries(STATS.flatMap((name) => (name in values ? [[name, values[name]]] : [])));
  return { ...inOrder(figures), age_ms: inOrder(ages) } as AgedFigures;
}

/** The figures of the current market: from its own channels and its newest trade. */
export function selectMarketFigures({
  store,
  market,
  channels,
  scale,
  nowMs,
  wallMs,
}: {
  readonly store: Store;
  readonly market: Market;
  readonly channels: MarketChannels;
  readonly scale: Scale | undefined;
  readonly nowMs: number;
  readonly wallMs: number;
}): AgedFigures {
  const ageOf = (atMs: number | undefined) => Math.max(0, Math.round(nowMs - (atMs ?? nowMs)));
  const stats = store.slice("market-stats", channels.marketStats);
  const trades = store.slice("trades", channels.trades);
  const { fundingRates } = channels;
  const rates = fundingRates === undefined ? undefined : store.slice("funding-rates", fundingRates);
  const [last] = trades.data.recent(1);
  return selectFigures({
    aliases: store.aliases,
    records: [
      {
        record: findOwnRecord(stats.data.records, market, listedIn(store)),
        ageMs: ageOf(stats.feed.lastFrameAtMs),
      },
    ],
    lastTrade:
      last === undefined || scale === undefined
        ? undefined
        : {
            price: formatUnits(last.price_ticks, scale.tickSize),
            ageMs: ageOf(trades.feed.lastFrameAtMs),
          },
    funding: rates && {
      funding: selectFunding(store.aliases, rates.data, market, listedIn(store).listed),
      ageMs: ageOf(rates.feed.lastFrameAtMs),
    },
    wallMs,
  });
}

/** Decimals of a ratio that does not terminate. */
const RATIO_PLACES = 8;

/** Change within a day as a fraction of 1; derived from a price change and the last price to eight places. */
function selectChangeRatio(stats: OpenRecord, aliases: Aliases): string | undefined {
  const percent = readDecimal(stats, "changePercent24h", aliases);
  if (percent !== undefined)
    return formatDecimal(trimDecimal({ ...percent, places: percent.places + 2 }));
  const ratio = readDecimalText(stats, "changeRatio24h", aliases);
  if (ratio !== undefined) return ratio;
  const change = readDecimal(stats, "change24h", aliases);
  const last = readDecimal(stats, "lastPrice", aliases);
  if (change === undefined || last === undefined) return undefined;
  const share = divideDecimal(change, subtractDecimal(last, change), RATIO_PLACES);
  return share && formatDecimal(trimDecimal(share));
}

/** Change within a day, with its sign: in percent if the service sends that or a ratio, else as a price. */
export function selectChange(stats: OpenRecord, aliases: Aliases): string | undefined {
  const percent = readDecimalText(stats, "changePercent24h", aliases);
  if (percent !== undefined) return withSign(`${percent}%`);
  const ratio = readDecimal(stats, "changeRatio24h", aliases);
  if (ratio !== undefined) return withSign(`${formatPercent(ratio)}%`);
  const change = readDecimalText(stats, "change24h", aliases);
  return change === undefined ? undefined : withSign(change);
}

/** The same in percent in any case: derived from a price change and the last price to two places. */
export function selectChangePercent(stats: OpenRecord, aliases: Aliases): string | undefined {
  const change24h = selectChange(stats, aliases);
  if (change24h === undefined || change24h.endsWith("%")) return change24h?.replace(/^\+|%$/g, "");
  const change = parseDecimal(change24h.replace("+", ""));
  const last = readDecimal(stats, "lastPrice", aliases);
  return change && last && formatPercentOf(change, subtractDecimal(last, change));
}

/** Percent text rounded to two places, with its sign. */
export function formatChange(percent: string): string {
  const value = parseDecimal(percent);
  const rounded = value && divideDecimal(value, { mantissa: 1n, places: 0 }, 2);
  return `${withSign(rounded === undefined ? percent : formatDecimal(rounded))}%`;
}
