// What is printed of a live run or of a recording: the same views, by what they show.

import { ALL_STATS, channelsOf, fundingChannels, selectListedMarkets } from "../rows/market.ts";
import { overviewChannels } from "../rows/overview.ts";
import type { Moment } from "../state/moment.ts";
import type { Store } from "../state/store.ts";
import type { Shown } from "../timeline/entry.ts";
import { ACCOUNT } from "../views/account.ts";
import { MARKET } from "../views/market/market.ts";
import { MARKETS } from "../views/markets.ts";
import type { Interval } from "../wire/channels.ts";
import { accountJson, accountsJson, marketJson, marketsJson } from "./json.ts";
import { type PrintOptions, printViews } from "./view-text.ts";

export interface HeadlessView {
  /** Channels without which the view is not complete. They may depend on what came. */
  needed(store: Store): readonly string[];
  /** Channels that are good to have. */
  besides(store: Store): readonly string[];
  line(moment: Moment): string;
  page(moment: Moment): string;
  json(moment: Moment): object;
}

export function headlessView(shown: Shown, options: PrintOptions): HeadlessView {
  if (shown.view === "markets") return marketsView(shown, options);
  if (shown.view === "account") return accountView(shown, options);
  const { market = "perp/1", account, addresses, interval, flowSinceMs } = shown;
  const { bbo, orderbook, trades, candles, stats, funding, markCandles } = channelsOf(
    market,
    interval as Interval,
  );
  const ownChannel = account === undefined ? [] : [`account/${account}`];
  const extra = [funding, markCandles].filter((each) => each !== undefined);
  const views = [MARKET, ...(account === undefined ? [] : [ACCOUNT])];
  return {
    needed: () => [bbo, orderbook, trades, candles, ...ownChannel],
    besides: () => ["markets", stats, ...extra],
    ...printViews(options, { views, market, account, addresses }),
    json: (moment) => marketJson(moment, { market, interval, account, flowSinceMs }),
  };
}

function accountView({ account, addresses }: Shown, options: PrintOptions): HeadlessView {
  const catalogues = addresses.map((address) => `accounts/${address}`);
  const own = account === undefined ? [] : [`account/${account}`];
  return {
    needed: (store) =>
      account === undefined ? [...catalogues, ...overviewChannels(store, addresses)] : own,
    // How far orders are from the mark price.
    besides: () => ["markets", ...(account === undefined ? [] : [...catalogues, ...ALL_STATS])],
    ...printViews(options, { views: [ACCOUNT], account, addresses }),
    json(moment) {
      if (account !== undefined) return accountJson(moment, account);
      const all = addresses.map((address) => accountsJson(moment, address));
      return all.length === 1 ? (all[0] ?? {}) : all;
    },
  };
}

/** As many as a screen would ask for: each is a channel. */
const MOST_RATES = 50;

function marketsView({ addresses }: Shown, options: PrintOptions): HeadlessView {
  return {
    // Figures of the types of which markets are listed.
    needed: (store) => {
      const names = selectListedMarkets(store).map(({ name }) => name);
      const types = new Set(names.map((name) => name.split("/")[0]));
      return ["markets", ...[...types].map((type) => `market-stats/${type}`)];
    },
    besides: (store) => [
      ...ALL_STATS,
      ...selectListedMarkets(store)
        .slice(0, MOST_RATES)
        .flatMap(({ name }) => fundingChannels(store, name)),
    ],
    ...printViews(options, { views: [MARKETS], addresses }),
    json: marketsJson,
  };
}
