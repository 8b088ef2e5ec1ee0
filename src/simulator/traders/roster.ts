// Who trades in a market: a table of styles, the same for every market, scaled by its price and activity.
import type { Random } from "../../units/random.ts";
import { createOwner } from "../exchange/account.ts";
import { deposit, depositLots, type Exchange } from "../exchange/exchange.ts";
import type { Market } from "../exchange/market.ts";
import { ATOMS_PER_QUOTE } from "../exchange/money.ts";
import type { Actor } from "../exchange/schedule.ts";
import { type ArbitrageStyle, Arbitrageur } from "./arbitrageur.ts";
import { Desk, lotsWorth } from "./desk.ts";
import type { FairPrice } from "./fair-price.ts";
import { Joiner, type JoinerStyle } from "./joiner.ts";
import { type LeveragedStyle, LeveragedTrader } from "./leveraged-trader.ts";
import { type LadderStyle, MarketMaker } from "./market-maker.ts";
import { type RestingStyle, RestingTrader } from "./resting-trader.ts";
import { Taker, type TakerStyle } from "./taker.ts";
import { TrendFollower, type TrendStyle } from "./trend-follower.ts";

/** Near, middle and far ladders: together 20 to 40 levels on each side. */
const LADDERS: readonly LadderStyle[] = [
  { levels: 7, gridPpm: 2.1, gapPpm: 0.6, quote: 14_000, periodMs: 220 },
  { levels: 7, gridPpm: 7, gapPpm: 4, quote: 40_000, periodMs: 340 },
  { levels: 8, gridPpm: 26, gapPpm: 18, quote: 120_000, periodMs: 1100 },
  { levels: 6, gridPpm: 103, gapPpm: 120, quote: 400_000, periodMs: 5200 },
];

const JOINERS: readonly JoinerStyle[] = [
  { darePpm: 4, quote: 5_000, periodMs: 60 },
  { darePpm: 8, quote: 9_000, periodMs: 90 },
  { darePpm: 14, quote: 2_000, periodMs: 70 },
];

const RESTING: readonly RestingStyle[] = [
  { orders: 6, depthPpm: 20, quote: 6_000, periodMs: 700 },
  { orders: 6, depthPpm: 90, quote: 11_000, periodMs: 1100 },
];

/** Small talk, bursts, and the rare sweep through several levels. */
const TAKERS: readonly TakerStyle[] = [
  { quote: 1_500, periodMs: 900, burstMs: 60, burst: 5, reachPpm: 3 },
  { quote: 4_000, periodMs: 1500, burstMs: 30, burst: 12, reachPpm: 6 },
  { quote: 90_000, periodMs: 24_000, burstMs: 200, burst: 3, reachPpm: 60 },
];

const ARBITRAGE: ArbitrageStyle = { edgePpm: 3, quote: 25_000, periodMs: 400 };

const TRENDS: readonly TrendStyle[] = [
  { trendPpm: 60, quote: 9_000, periodMs: 1300 },
  { trendPpm: 150, quote: 30_000, periodMs: 3100 },
];

/** Each of them twice. */
const LEVERAGED: readonly LeveragedStyle[] = [
  { quote: 400, leverage: [150, 200] },
  { quote: 900, leverage: [125, 200] },
  { quote: 1_600, leverage: [150, 200] },
  { quote: 2_500, leverage: [100, 200] },
  { quote: 4_000, leverage: [125, 175] },
  { quote: 9_000, leverage: [100, 150] },
];
/** Those who bet in all perpetual markets at once. */
const LEVERAGED_ACROSS: readonly LeveragedStyle[] = [
  { quote: 1_200, leverage: [150, 200] },
  { quote: 5_000, leverage: [120, 200] },
];

/** What a trader begins with: enough that only leveraged ones, who take out all but a margin, can run out of it. */
const FUNDS = 400_000_000n * ATOMS_PER_QUOTE;
const SPOT_HOME_QUOTE = 60_000_000;

/** A market that traders are opened for. */
export interface RosterSetup {
  readonly exchange: Exchange;
  readonly market: Market;
  readonly fair: FairPrice;
  /** Makes an independent source of luck for each trader. */
  readonly randomFor: (name: string) => Random;
}

/** Opens an account with a desk for every trader of a market. Must run inside a transaction. Never throws. */
export function createTraders(setup: RosterSetup): Actor[] {
  const { isPerp, spec } = setup.market;
  const desk = (name: string, activity = spec.activity) => openDesk(setup, name, activity);
  // Who keeps a market in order is not slower where there is less to trade.
  const pace = Math.max(1, spec.activity);
  const traders: Actor[] = [
    ...LADDERS.map((style, i) => new MarketMaker(desk(`maker ${i}`, pace), style)),
    ...JOINERS.map((style, i) => new Joiner(desk(`joiner ${i}`, pace), style)),
    ...RESTING.map((style, i) => new RestingTrader(desk(`resting ${i}`), style)),
    ...TAKERS.map((style, i) => new Taker(desk(`taker ${i}`), style)),
    new Arbitrageur(desk("arbitrageur", pace), ARBITRAGE),
  ];
  if (!isPerp) return traders;
  const leveraged = [...LEVERAGED, ...LEVERAGED];
  return [
    ...traders,
    ...TRENDS.map((style, i) => new TrendFollower(desk(`trend ${i}`), style)),
    ...leveraged.map((style, i) => new LeveragedTrader(style, desk(`leveraged ${i}`, 1))),
  ];
}

/** Traders who are in several perpetual markets with one account. Must run inside a transaction. Never throws. */
export function createTradersAcross(setups: readonly RosterSetup[]): Actor[] {
  const [first, ...others] = setups.filter(({ market }) => market.isPerp);
  if (first === undefined || others.length === 0) return [];
  return LEVERAGED_ACROSS.map((style, i) => {
    const desk = openDesk(first, `across ${i}`, 1);
    const { account, random } = desk;
    const rest = others.map(
      (setup) => new Desk({ ...setup, account, random, activity: 1, homeLots: 0 }),
    );
    return new LeveragedTrader(style, desk, ...rest);
  });
}

function openDesk(setup: RosterSetup, name: string, activity: number): Desk {
  const { exchange, market } = setup;
  const random = setup.randomFor(`${market.spec.type}/${market.spec.id} ${name}`);
  const account = exchange.openAccount({
    owner: createOwner(random),
    subaccountId: 0,
    status: "active",
    createdAtUs: exchange.nowUs,
    isPublished: false,
  });
  deposit(exchange, account, FUNDS);
  const homeLots = market.isPerp ? 0 : lotsWorth(market.spec, SPOT_HOME_QUOTE);
  depositLots(exchange, account, market.index, homeLots);
  return new Desk({ ...setup, account, random, activity, homeLots });
}
