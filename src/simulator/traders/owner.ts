// The published owner: a subaccount that quotes and takes in the largest markets, one that is always near its liquidation, one
// that trades here and there, a closed one; and its delegations.
import { DAY_MS, US_PER_MS } from "../../units/time.ts";
import { createOwner, emptyPosition } from "../exchange/account.ts";
import type { Act } from "../exchange/exchange.ts";
import { ATOMS_PER_QUOTE } from "../exchange/money.ts";
import { nsText } from "../text.ts";
import type { Setting } from "../world.ts";
import { endanger, ladder, take } from "./strategies.ts";
import { lotsWorth, type Trader } from "./trader.ts";

const US_PER_DAY = DAY_MS * US_PER_MS;

/** The owner, its accounts by subaccount id, and what the stream says of them. */
export type Catalogue = ReturnType<typeof openOwner>["catalogue"];

const LADDER = { levels: 5, gridPpm: 9, gapPpm: 6, quote: 1_800, periodMs: 1400 };
const SMALL_LADDER = { levels: 2, gridPpm: 30, gapPpm: 12, quote: 900, periodMs: 2600 };
const TAKING = { quote: 700, periodMs: 20_000, burstMs: 300, burst: 3, reachPpm: 8 };
const SWINGS = { quote: 2_500, periodMs: 90_000, burstMs: 500, burst: 4, reachPpm: 60 };

/**
 * `days` since it was opened; `perps`: places of its markets in the list of all perpetual ones, with all spot markets if it has a
 * `spotQuote` to begin with in each; `quote`: mean value of its old trades; `acts`: what it does in the n-th of its markets.
 */
const SUBACCOUNTS = [
  {
    ...{ status: "active", days: 210, funds: 40_000, leverage: 10 },
    ...{ perps: [0, 1, 2], spotQuote: 20_000, quote: 1500 },
    acts: (trader: Trader, nth: number) => [
      ladder(trader, nth < 2 ? LADDER : SMALL_LADDER),
      take(trader, TAKING),
    ],
  },
  {
    ...{ status: "restricted", days: 95, funds: 25_000, leverage: 50 },
    ...{ perps: [2, 0], spotQuote: 0, quote: 800 },
    acts: (trader: Trader, nth: number) => (nth === 0 ? [endanger(trader)] : []),
  },
  {
    ...{ status: "active", days: 60, funds: 20_000, leverage: 5 },
    ...{ perps: [1, 3, 6], spotQuote: 0, quote: 3000 },
    acts: (trader: Trader) => [take(trader, SWINGS)],
  },
  {
    ...{ status: "closed", days: 400, funds: 0, leverage: 1 },
    ...{ perps: [], spotQuote: 0, quote: 0 },
    acts: () => [],
  },
];

/** `days`: until it expires. */
const DELEGATIONS = [
  { subaccount_id: 0, permissions: ["trade", "cancel"], name: "quoting bot", days: 30 },
  { subaccount_id: 0, permissions: ["read"] },
  { subaccount_id: 1, permissions: ["trade", "cancel", "transfer"], days: -12 },
];

/** A subaccount in a market that it knows. */
export interface Habit {
  readonly trader: Trader;
  /** Mean value of its old trades. */
  readonly quote: number;
  readonly acts: readonly Act[];
}

/** Opens the subaccounts. */
export function openOwner({ exchange, randomFor, startUs }: Setting) {
  const owner = createOwner(randomFor("client"));
  const random = randomFor("delegates");
  const inDays = (days: number) => nsText(startUs + days * US_PER_DAY);
  const perps = exchange.markets.filter(({ isPerp }) => isPerp);
  const spots = exchange.markets.filter(({ isPerp }) => !isPerp);
  const habits = SUBACCOUNTS.flatMap(({ funds, spotQuote, quote, leverage, ...own }, id) => {
    const account = exchange.openAccount(owner, funds * ATOMS_PER_QUOTE, id, true);
    const markets = [
      ...own.perps.flatMap((place) => perps[place] ?? []),
      ...(spotQuote ? spots : []),
    ];
    return markets.map((market, nth): Habit => {
      const homeLots = market.isPerp ? 0 : lotsWorth(market.spec, spotQuote);
      account.leverages[market.index] = leverage;
      account.positions[market.index] = emptyPosition(homeLots);
      const drawn = randomFor(`client ${id} ${market.index}`);
      const trader = { exchange, market, account, random: drawn, pace: 1, homeLots };
      return { trader, quote, acts: own.acts(trader, nth) };
    });
  });
  const catalogue = {
    owner,
    accounts: exchange.published,
    subaccounts: SUBACCOUNTS.map(({ status, days }, subaccount_id) => ({
      ...{ subaccount_id, status, created_at_ns: inDays(-days) },
    })),
    delegations: DELEGATIONS.map(({ days, ...others }) => ({
      ...{ ...others, delegate: createOwner(random).address },
      ...(days !== undefined && { expires_at_ns: inDays(days) }),
    })),
  };
  return { catalogue, habits };
}
