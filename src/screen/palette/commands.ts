// The commands of the palette.
import { formatAlert, parseAlert } from "../../alerts/alert-rule.ts";
import { isOwner } from "../../listing/listing.ts";
import { formatMarket, parseMarketRecords, readMarket, selectStat } from "../../select/market.ts";
import { parseAmount } from "../../select/orderbook.ts";
import { formatRemoved } from "../../units/removed.ts";
import { parseDuration } from "../../units/time.ts";
import { MAX_INT32, parseId } from "../../units/uint.ts";
import { INTERVALS, isAddress } from "../../wire/channels.ts";
import type { Dashboard } from "../dashboard.ts";
import { THEME_NAMES } from "../theme/theme.ts";
import { accountView } from "../views/account/account.tsx";
import { fillsView, liquidationsView, tradesView } from "../views/history/model.ts";
import { linkView } from "../views/link.tsx";
import { CANDLE_SOURCES } from "../views/market/data.ts";
import { marketView } from "../views/market/market.tsx";
import { marketsView } from "../views/markets/markets.ts";

export type Plan =
  | { readonly fault: string }
  | {
      readonly description: string;
      run(): void;
    };

export interface PaletteCommand {
  readonly name: string;
  readonly usage: string;
  readonly description: string;
  complete?(dashboard: Dashboard): readonly string[];
  plan(dashboard: Dashboard, argument: string): Plan;
}

interface Choice<T extends string> {
  readonly name: string;
  readonly description: string;
  readonly what: string;
  offers(dashboard: Dashboard): readonly T[];
  fault?(dashboard: Dashboard): string | undefined;
  /** What stands in for a word that is offered no more. */
  removed?(word: string): string | undefined;
  choose(dashboard: Dashboard, word: T): void;
}

/** A command whose argument is one of the words that it offers. */
function choice<T extends string>(options: Choice<T>): PaletteCommand {
  const { name, description, what } = options;
  return {
    name,
    usage: `<${what}>`,
    description,
    complete: (dashboard) => options.offers(dashboard),
    plan(dashboard, argument) {
      const known = options.offers(dashboard);
      const word = known.find((each) => each === argument);
      if (known.length === 0) return { fault: `there is no ${what} here` };
      if (word === undefined) {
        const removed = options.removed?.(argument);
        if (removed !== undefined) return { fault: removed };
        const none = what.includes("|") ? "expected" : `no such ${what}; there are`;
        return { fault: `${none}: ${known.join(", ")}` };
      }
      const fault = options.fault?.(dashboard);
      if (fault !== undefined) return { fault };
      return { description: `${description}: ${word}`, run: () => options.choose(dashboard, word) };
    },
  };
}

/** Frozen data has candles of one interval and source only. */
function frozenFault({ shown }: Dashboard): string | undefined {
  return shown.isFrozen ? "the screen is frozen" : undefined;
}

const LISTINGS = { trades: tradesView, liquidations: liquidationsView, fills: fillsView } as const;
const SWITCH = ["on", "off"] as const;

const viewCommand = choice({
  name: "view",
  description: "show a view",
  what: "view",
  offers: ({ views }) => views.map(({ name }) => name),
  removed: (word) => formatRemoved("view", word, `view ${word}`),
  choose(dashboard, word) {
    const view = dashboard.views.find(({ name }) => name === word);
    if (view !== undefined) dashboard.show(view);
  },
});

const CHOICE_COMMANDS: readonly PaletteCommand[] = [
  choice({
    name: "interval",
    description: "period of the candles",
    what: "period",
    offers: () => INTERVALS,
    fault: frozenFault,
    choose: (dashboard, interval) => dashboard.modelOf(marketView).change({ interval }),
  }),
  choice({
    name: "candles",
    description: "candles of last prices, of mark prices, or both",
    what: "source",
    offers: ({ market }) => (market?.type === "perp" ? CANDLE_SOURCES : ["last"]),
    fault: frozenFault,
    choose: (dashboard, source) => dashboard.modelOf(marketView).change({ source }),
  }),
  choice({
    name: "export",
    description: "all that is listed, to a file in this folder",
    what: "listing",
    offers: (dashboard) =>
      (Object.keys(LISTINGS) as (keyof typeof LISTINGS)[]).filter((word) =>
        LISTINGS[word].isAvailable(dashboard),
      ),
    choose(dashboard, word) {
      dashboard.show(LISTINGS[word]);
      dashboard.modelOf(LISTINGS[word]).promptExport();
    },
  }),
  choice({
    name: "channel",
    description: "state, faults and interpretation of a channel",
    what: "channel",
    offers: ({ shown: { store } }) => store.slices.map(({ channel }) => channel),
    choose(dashboard, channel) {
      dashboard.show(linkView);
      dashboard.modelOf(linkView).findChannel(channel);
    },
  }),
  choice({
    name: "theme",
    description: "other colours",
    what: "theme",
    offers: ({ appearance }) => (appearance === undefined ? [] : THEME_NAMES),
    choose({ appearance }, theme) {
      appearance?.change({ theme });
    },
  }),
  choice({
    name: "starred",
    description: "only the markets with a star",
    what: "on | off",
    offers: () => SWITCH,
    choose(dashboard, word) {
      dashboard.modelOf(marketsView).showStarredOnly(word === "on");
      dashboard.show(marketsView);
    },
  }),
  choice({
    name: "mask",
    description: "hide addresses, sizes, balances and profit",
    what: "on | off",
    offers: () => SWITCH,
    choose(dashboard, word) {
      if (dashboard.isMasked !== (word === "on")) dashboard.toggleMask();
    },
  }),
];

export const PALETTE_COMMANDS: readonly PaletteCommand[] = [
  {
    name: "market",
    usage: "<perp/1 | symbol | alias>",
    description: "show a market",
    complete: (dashboard) => {
      const listed = listedMarkets(dashboard).map(({ name }) => name);
      return [...new Set([...Object.keys(dashboard.aliases), ...listed])];
    },
    plan: planMarket,
  },
  viewCommand,
  {
    name: "cost",
    usage: "<amount> [quote]",
    description: "what an amount costs on both sides of the book",
    plan(dashboard, argument) {
      const model = dashboard.modelOf(marketView);
      const parsed = parseAmount(argument, model.scale);
      if ("fault" in parsed) return parsed;
      return {
        description: `show below the book what ${argument} costs to buy and to sell`,
        run() {
          model.setAmount(argument);
          dashboard.show(marketView);
          model.show("orderbook");
        },
      };
    },
  },
  {
    name: "account",
    usage: "<address> [subaccount_id]",
    description: "watch an account",
    complete: ({ account }) => (account === undefined ? [] : [account.address]),
    plan: planAccount,
  },
  {
    name: "owner",
    usage: "<0x…>",
    description: "whose fills and statement are those of the account that is watched",
    plan: planOwner,
  },
  {
    name: "alert",
    usage: "<rule>",
    description: "set an alert: perp/1 last > 65000 every 10m",
    complete: alertExamples,
    plan: planAlert,
  },
  {
    name: "save",
    usage: "[duration] [file]",
    description: "the last minutes, and a minute more, as a recording for monitor replay",
    complete: ({ options: { save } }) => (save === undefined ? [] : ["2m", "5m", "10m"]),
    plan: planSave,
  },
  ...CHOICE_COMMANDS,
];

/** Markets in the service's list, by symbol where it is unique, else by type and id. */
function listedMarkets({ shown: { store, market } }: Dashboard) {
  const { records } = store.slice("markets", "markets").data;
  const counts = new Map<string, number>();
  const markets = parseMarketRecords(records, store.aliases);
  const listed = records.flatMap((record, i) => {
    const named = markets[i];
    if (named === undefined) return [];
    const symbol = selectStat(record, "symbol", store.aliases);
    const name = symbol !== undefined && /^\S+$/.test(symbol) ? symbol : formatMarket(named);
    counts.set(name, (counts.get(name) ?? 0) + 1);
    return [{ name, market: named }];
  });
  if (listed.length === 0 && market !== undefined) return [{ name: formatMarket(market), market }];
  return listed.map((each) =>
    counts.get(each.name) === 1 ? each : { ...each, name: formatMarket(each.market) },
  );
}

function planMarket(dashboard: Dashboard, argument: string): Plan {
  const { aliases } = dashboard;
  const alias = Object.hasOwn(aliases, argument) ? aliases[argument] : undefined;
  const listed = listedMarkets(dashboard).find(
    ({ name }) => name.toLowerCase() === argument.toLowerCase(),
  );
  const market = alias === undefined ? (listed?.market ?? readMarket(argument)) : readMarket(alias);
  if (market === undefined && alias !== undefined)
    return { fault: `alias ${argument} is not a market: ${alias}` };
  if (market === undefined)
    return {
      fault: `no market ${argument}: perp/1, spot/2, a symbol of the service or an alias of yours`,
    };
  return {
    description: `open ${formatMarket(market)}`,
    run() {
      dashboard.open(market);
      dashboard.show(marketView);
    },
  };
}

function planSave({ options: { save } }: Dashboard, argument: string): Plan {
  if (save === undefined) return { fault: "nothing can be saved here" };
  const text = argument.trim();
  const [first = ""] = text.split(/\s+/);
  const beforeMs = parseDuration(first);
  if (beforeMs === undefined && /^[0-9.]+[a-z]*$/i.test(first)) {
    return { fault: `not a duration: ${first} (as in 30s, 5m; for a file ./${first})` };
  }
  const path = (beforeMs === undefined ? text : text.slice(first.length)).trim() || undefined;
  const minutes = beforeMs === undefined ? "two minutes" : first;
  const where = path === undefined ? "to a file in this folder" : `to ${path}`;
  return {
    description: `save the last ${minutes}, and a minute more, ${where}`,
    run: () => save({ beforeMs, path }),
  };
}

function planAccount(dashboard: Dashboard, argument: string): Plan {
  const [address = "", id, ...more] = argument.split(/\s+/);
  const subaccountId = id === undefined ? undefined : parseId(id);
  if (!isAddress(address) || more.length > 0 || (id !== undefined && subaccountId === undefined)) {
    const fault = `expected: an address in base58, 32 to 44 characters, and a subaccount's number up to ${MAX_INT32}`;
    return { fault };
  }
  return {
    description:
      subaccountId === undefined
        ? "shows the subaccounts of the address"
        : `watches subaccount ${subaccountId} of the address`,
    run() {
      dashboard.watch({ address, subaccountId });
      dashboard.show(accountView);
    },
  };
}

function planOwner(dashboard: Dashboard, argument: string): Plan {
  const { feed } = dashboard.listings;
  if (feed?.nameOwner === undefined)
    return { fault: "there are no listings here: --base-url names them" };
  if (dashboard.account === undefined) return { fault: "no account is watched" };
  if (!isOwner(argument)) {
    return {
      fault: "expected: 0x and 40 hex digits; it cannot be derived from an address of the stream",
    };
  }
  return {
    description: "its fills (O) and their statement are those of this owner",
    run: () => feed.nameOwner?.(argument),
  };
}

function planAlert(dashboard: Dashboard, argument: string): Plan {
  const { alerts } = dashboard;
  const parsed = parseAlert(argument);
  if ("fault" in parsed) return parsed;
  if (alerts === undefined) return { fault: "alerts are not evaluated here" };
  if (alerts.isFull) return { fault: "there are too many alerts" };
  const { rule } = parsed;
  const often = rule.coolDownMs === undefined ? "once" : "again and again";
  return {
    description: `an alert that fires ${often}: ${formatAlert(rule)}`,
    run() {
      const isPast = alerts.add(rule, "screen")?.state.isPast;
      const past = isPast ? "; already true: it fires when it happens again" : "";
      dashboard.showSet(`alert set${past}`);
    },
  };
}

function alertExamples({ market, account, isMasked, shown }: Dashboard): readonly string[] {
  return [
    ...(market === undefined ? [] : marketAlerts(formatMarket(market))),
    ...(isMasked ? [] : shown.ownChannels.flatMap(accountAlerts)),
    ...(account === undefined || isMasked
      ? []
      : [`account/${account.address}/any margin > 80% every 10m`]),
    "offline 10s every",
  ];
}

function accountAlerts(account: string): readonly string[] {
  return [
    `${account} liquidation any < 10% every 10m`,
    `${account} upnl any < -500 every 10m`,
    `${account} margin > 80% every 10m`,
    `${account} fill every 0s`,
  ];
}

function marketAlerts(market: string): readonly string[] {
  return [
    `${market} last > `,
    `${market} last < `,
    `${market} spread > 5 bp every 10m`,
    `${market} funding crosses 0 every 1h`,
    `${market} imbalance > 80 every 10m`,
    `${market} change 5m > 1% every 10m`,
    `${market} delta 1m < -100 lots every 10m`,
    `${market} trade > 100 lots every`,
    `${market} trades stale 30s every`,
  ];
}
