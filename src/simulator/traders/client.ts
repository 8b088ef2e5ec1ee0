// The published owner: an active subaccount that quotes, takes and is filled in every market, a restricted one that holds a
// position, a closed one; and its delegations.
import type { Random } from "../../units/random.ts";
import {
  type Account,
  type Catalogue,
  createOwner,
  type SubaccountStatus,
} from "../exchange/account.ts";
import { deposit, type Exchange } from "../exchange/exchange.ts";
import { ATOMS_PER_QUOTE } from "../exchange/money.ts";
import type { Act } from "../exchange/schedule.ts";
import { holdPosition, type LadderStyle, ladder, take } from "./strategies.ts";
import { Trader, type Venue } from "./trader.ts";

const US_PER_DAY = 86_400_000_000;

const SUBACCOUNTS: readonly { status: SubaccountStatus; days: number; quote: bigint }[] = [
  { status: "active", days: 210, quote: 1_000_000n },
  { status: "restricted", days: 95, quote: 25_000n },
  { status: "closed", days: 400, quote: 0n },
];

const DELEGATIONS = [
  { subaccountId: 0, permissions: ["trade", "cancel"], days: 30, name: "quoting bot" },
  { subaccountId: 0, permissions: ["read"], days: undefined, name: undefined },
  { subaccountId: 1, permissions: ["trade", "cancel", "transfer"], days: -12, name: undefined },
];

/** Ladders by market index, the last one for all further markets: 22 orders in three markets. */
const LADDERS: readonly LadderStyle[] = [
  { levels: 5, gridPpm: 9, gapPpm: 6, quote: 1_800, periodMs: 1400 },
  { levels: 4, gridPpm: 14, gapPpm: 8, quote: 1_200, periodMs: 1900 },
  { levels: 2, gridPpm: 30, gapPpm: 12, quote: 900, periodMs: 2600 },
];
const TAKING = { quote: 700, periodMs: 20_000, burstMs: 300, burst: 3, reachPpm: 8 };
const LEVERAGES: readonly number[] = [10, 5];
/** Long position of the restricted subaccount, opened once, and its leverage. */
const BET = { quote: 18_000, leverage: 3 };
/** Base currency of the active subaccount in each spot market, in whole quote units. */
const SPOT_QUOTE = 60_000;

export function openClient(
  exchange: Exchange,
  venues: readonly Venue[],
  randomFor: (name: string) => Random,
): { catalogue: Catalogue; acts: Act[] } {
  const owner = createOwner(randomFor("client"));
  const accounts = SUBACCOUNTS.map(({ status, days, quote }, subaccountId) => {
    const createdAtUs = -days * US_PER_DAY;
    const setup = { owner, subaccountId, status, createdAtUs, isPublished: true };
    const account = exchange.openAccount(setup);
    deposit(exchange, account, quote * ATOMS_PER_QUOTE);
    return account;
  });
  const random = randomFor("delegates");
  const delegations = DELEGATIONS.map(({ days, ...rest }) => ({
    ...rest,
    delegate: createOwner(random).address,
    expiresAtUs: days === undefined ? undefined : days * US_PER_DAY,
  }));
  const [active, restricted] = accounts;
  const acts = active === undefined ? [] : venues.flatMap((venue) => trade(venue, active));
  const venue = venues.find(({ market }) => market.isPerp);
  if (restricted !== undefined && venue !== undefined) {
    restricted.leverages[venue.market.index] = BET.leverage;
    acts.push(holdPosition(new Trader(venue, restricted, randomFor("restricted")), BET));
  }
  return { catalogue: { owner, accounts, delegations }, acts };
}

function trade(venue: Venue, account: Account): Act[] {
  const { market, randomFor } = venue;
  const style = LADDERS[Math.min(market.index, LADDERS.length - 1)];
  if (style === undefined) return [];
  const trader = new Trader(venue, account, randomFor(`client ${market.index}`), 1, SPOT_QUOTE);
  account.leverages[market.index] = LEVERAGES[market.index] ?? 1;
  return [ladder(trader, style), take(trader, TAKING)];
}
