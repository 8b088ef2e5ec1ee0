// The published owner's trading: one active subaccount that quotes, takes and is filled in every market,
// one that is restricted and holds on to a position, one that was closed.
import type { Random } from "../../units/random.ts";
import {
  type Account,
  type Catalogue,
  createOwner,
  type Delegation,
  type SubaccountStatus,
} from "../exchange/account.ts";
import { deposit, depositLots, type Exchange } from "../exchange/exchange.ts";
import type { Market } from "../exchange/market.ts";
import { ATOMS_PER_QUOTE } from "../exchange/money.ts";
import type { Actor } from "../exchange/schedule.ts";
import { Desk, lotsWorth } from "./desk.ts";
import type { FairPrice } from "./fair-price.ts";
import { Housekeeper } from "./housekeeper.ts";
import { type LadderStyle, MarketMaker } from "./market-maker.ts";
import { OneBet } from "./one-bet.ts";
import { Taker, type TakerStyle } from "./taker.ts";

const US_PER_DAY = 86_400_000_000;

/** Subaccounts by id: status, age in days, money in whole quote units. */
const SUBACCOUNTS: readonly { status: SubaccountStatus; days: number; quote: bigint }[] = [
  { status: "active", days: 210, quote: 1_000_000n },
  { status: "restricted", days: 95, quote: 25_000n },
  { status: "closed", days: 400, quote: 0n },
];

/** Ladders by market index, the last one for all markets after it: 22 orders in three markets. */
const LADDERS: readonly LadderStyle[] = [
  { levels: 5, gridPpm: 9, gapPpm: 6, quote: 1_800, periodMs: 1400 },
  { levels: 4, gridPpm: 14, gapPpm: 8, quote: 1_200, periodMs: 1900 },
  { levels: 2, gridPpm: 30, gapPpm: 12, quote: 900, periodMs: 2600 },
];
const TAKING: TakerStyle = {
  quote: 700,
  periodMs: 20_000,
  burstMs: 300,
  burst: 3,
  reachPpm: 8,
};
const LEVERAGES: readonly number[] = [10, 5];
/** What the restricted subaccount went long with, once. */
const BET_QUOTE = 18_000;
/** Base currency of the active subaccount in each spot market, in whole quote units. */
const SPOT_QUOTE = 60_000;

/** The exchange that the owner trades on. `randomFor` makes an independent source of luck for each name. */
export interface ClientSetup {
  readonly exchange: Exchange;
  /** By market index. */
  readonly fairs: readonly FairPrice[];
  readonly randomFor: (name: string) => Random;
}

/** Opens the owner's accounts and makes those who act for them. Must run inside a transaction. Never throws. */
export function createClient(setup: ClientSetup): { catalogue: Catalogue; actors: Actor[] } {
  const { exchange, randomFor } = setup;
  const owner = createOwner(randomFor("client"));
  const accounts = SUBACCOUNTS.map(({ status, days, quote }, subaccountId) => {
    const createdAtUs = -days * US_PER_DAY;
    const account = exchange.openAccount({
      owner,
      subaccountId,
      status,
      createdAtUs,
      isPublished: true,
    });
    deposit(exchange, account, quote * ATOMS_PER_QUOTE);
    return account;
  });
  const delegations = createDelegations(randomFor("delegates"));
  const sequence = exchange.index;
  const catalogue: Catalogue = { owner, accounts, delegations, sequence, changed: 0 };
  const [active, restricted] = accounts;
  const actors: Actor[] = [];
  if (active !== undefined) {
    actors.push(...exchange.markets.flatMap((market) => trade(setup, active, market)));
    actors.push(new Housekeeper(exchange, catalogue, active, randomFor("housekeeper")));
  }
  if (restricted !== undefined) actors.push(...bet(setup, restricted));
  return { catalogue, actors };
}

function createDelegations(random: Random): Delegation[] {
  const delegation = (
    subaccountId: number,
    permissions: readonly string[],
    expiresInDays: number | undefined,
    name: string | undefined,
  ): Delegation => ({
    subaccountId,
    delegate: createOwner(random).address,
    permissions,
    expiresAtUs: expiresInDays === undefined ? undefined : expiresInDays * US_PER_DAY,
    name,
  });
  return [
    delegation(0, ["trade", "cancel"], 30, "quoting bot"),
    delegation(0, ["read"], undefined, undefined),
    delegation(1, ["trade", "cancel", "transfer"], -12, undefined),
  ];
}

function trade(setup: ClientSetup, account: Account, market: Market): Actor[] {
  const { exchange, randomFor } = setup;
  const fair = setup.fairs[market.index];
  const ladder = LADDERS[Math.min(market.index, LADDERS.length - 1)];
  if (fair === undefined || ladder === undefined) return [];
  const random = randomFor(`client ${market.index}`);
  const homeLots = market.isPerp ? 0 : lotsWorth(market.spec, SPOT_QUOTE);
  const desk = new Desk({ exchange, account, market, fair, random, activity: 1, homeLots });
  account.leverages[market.index] = LEVERAGES[market.index] ?? 1;
  depositLots(exchange, account, market.index, homeLots);
  return [new MarketMaker(desk, ladder), new Taker(desk, TAKING)];
}

function bet({ exchange, fairs, randomFor }: ClientSetup, account: Account): Actor[] {
  const market = exchange.markets.find(({ isPerp }) => isPerp);
  const fair = market === undefined ? undefined : fairs[market.index];
  if (market === undefined || fair === undefined) return [];
  const random = randomFor("restricted");
  account.leverages[market.index] = 3;
  const desk = new Desk({ exchange, account, market, fair, random, activity: 1, homeLots: 0 });
  return [new OneBet(desk, BET_QUOTE)];
}
