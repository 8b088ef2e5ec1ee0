// A busy week of the simulated exchange, with liquidations, funding and transfers: what its ledger has done to an account is
// what a statement says of it. The oracle counts ticks and lots of the ledger and shares nothing with the fold.
import { createServer } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Account } from "../../src/simulator/exchange/account.ts";
import { deposit, depositLots } from "../../src/simulator/exchange/exchange.ts";
import { feeAtoms, notionalAtoms } from "../../src/simulator/exchange/money.ts";
import { createFeedContext } from "../../src/simulator/feeds/feed.ts";
import type { TradeRow } from "../../src/simulator/ledger/log.ts";
import { createTradeRecord } from "../../src/simulator/rest/listings.ts";
import { createRouter } from "../../src/simulator/rest/router.ts";
import { loadScenario } from "../../src/simulator/scenarios/scenario.ts";
import { createWorld } from "../../src/simulator/world.ts";
import { StatementFold } from "../../src/statement/fold.ts";
import type { Decimal } from "../../src/units/decimal.ts";
import { hurriedClock } from "../support/hurried-clock.ts";
import { listen } from "../support/listen.ts";
import { runInside } from "../support/monitor-inside.ts";
import { words } from "../support/words.ts";
import { AverageCost, type Fraction, type OwnFill, printed } from "./average-cost.ts";

const MINUTES = 4;
/** So many seconds of the week for each that is simulated. */
const STRETCH = (7 * 24 * 60) / MINUTES;
const US_PER_MINUTE = 60_000_000;
const EPOCH_MS = Date.UTC(2026, 4, 4, 17, 20);
const SEED = 13;
const utc = (ms: number) => new Date(ms).toISOString().slice(0, 10);

function liveOneWeek() {
  // Wilder than a usual day: bets end in liquidations.
  const scenario = loadScenario("volatile");
  const markets = scenario.markets.map((market) => ({ ...market, activity: 1 }));
  const world = createWorld(SEED, { ...scenario, markets }, 1_000_000);
  const { simulation, catalogue } = world;
  const { exchange } = simulation;
  const begin = exchange.begin.bind(exchange);
  exchange.begin = (us) => begin(us * STRETCH);
  for (let minute = 1; minute <= MINUTES; minute++) {
    simulation.runUntil(minute * US_PER_MINUTE);
    // Money and coins come in and go out: none of it is a fill.
    exchange.begin(simulation.nowUs);
    for (const account of catalogue.accounts.slice(0, 2)) {
      deposit(exchange, account, 5_000_000n - BigInt(minute) * 1_000_000n);
    }
    depositLots(exchange, catalogue.accounts[0] as Account, exchange.market(2), 10);
    exchange.commit();
  }
  return createFeedContext(world, scenario.readings, EPOCH_MS);
}

const week = liveOneWeek();
const { exchange, time } = week;

function fillsByAccount(): ReadonlyMap<number, readonly TradeRow[]> {
  const fills = new Map<number, TradeRow[]>();
  for (const trade of exchange.trades.since(0)) {
    for (const account of new Set([trade.maker, trade.taker])) {
      fills.set(account, [...(fills.get(account) ?? []), trade]);
    }
  }
  return fills;
}
const allFills = fillsByAccount();
const fillsOf = ({ index }: Account) => allFills.get(index) ?? [];

/** Its fills in ticks and lots of the ledger. */
function ownFills(account: Account): OwnFill[] {
  return fillsOf(account).map(({ market, priceTicks, sizeLots, takerIsBid, timeUs, ...people }) => {
    const { spec } = exchange.market(market);
    const { mantissa, places } = spec.lotSize;
    const atoms = notionalAtoms(spec, priceTicks, sizeLots);
    const sides = (["maker", "taker"] as const).map((role) => ({
      role,
      isBuy: takerIsBid === (role === "taker"),
      fee: inQuote(feeAtoms(atoms, spec[`${role}FeePpm`])),
    }));
    return {
      day: utc(time.ms(timeUs)),
      market: `${spec.type}/${spec.id}`,
      size: [mantissa * BigInt(sizeLots), 10n ** BigInt(places)],
      value: inQuote(atoms),
      sides: sides.filter(({ role }) => people[role] === account.index),
    };
  });
}
const inQuote = (atoms: bigint): Fraction => [atoms, 1_000_000n];

/** As the stream would show it. */
function heldBy({ positions }: Account): ReadonlyMap<string, Decimal> {
  return new Map(
    exchange.markets.flatMap(({ index, isPerp, spec }) => {
      const lots = BigInt(positions[index]?.lots ?? 0);
      const { mantissa, places } = spec.lotSize;
      const size = { mantissa: mantissa * lots, places };
      return isPerp && lots !== 0n ? [[`${spec.type}/${spec.id}`, size] as const] : [];
    }),
  );
}

type Book = Readonly<Record<"position" | "difference", string | null>>;

const server = createServer(createRouter(week, () => undefined));
let baseUrl = "";
beforeAll(async () => {
  baseUrl = `http://127.0.0.1:${await listen(server)}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const liquidated = new Set(exchange.liquidations.rows.map(({ account }) => account));
const active = exchange.accounts.filter((account) => fillsOf(account).length > 0);

describe("a week of the ledger", () => {
  test("is a busy one: over eight days, with liquidations, funding and fills of one account with itself", () => {
    const days = new Set(exchange.trades.since(0).map(({ timeUs }) => utc(time.ms(timeUs))));
    expect(days.size).toBe(8);
    expect(liquidated.size).toBeGreaterThan(2);
    expect(exchange.trades.length).toBeGreaterThan(3000);
    const [published] = week.catalogue.accounts;
    expect(published?.fundingPayments.length).toBeGreaterThan(3);
    expect(exchange.trades.since(0).some(({ maker, taker }) => maker === taker)).toBe(true);
  });

  test("every day, market, sum and realised result of every account is that of the ledger, and the books balance", () => {
    for (const account of active) {
      const { owner, subaccountId } = account.setup;
      const fold = new StatementFold({ owner: owner.owner, subaccountId }, utc);
      for (const fill of fillsOf(account)) fold.add(createTradeRecord(week, fill));
      const { days, totals, books } = printed(fold, heldBy(account));
      new AverageCost(ownFills(account)).expectShown(days, totals);
      for (const [market, { position, difference }] of Object.entries<Book>(books)) {
        expect(difference).toBe(market.startsWith("perp/") ? "0" : null);
        expect(position === null).toBe(market.startsWith("spot/"));
      }
    }
  });

  test("the command says the same of the published account and of one that was liquidated", async () => {
    const [published] = week.catalogue.accounts;
    const one = active.find(({ index, setup }) => liquidated.has(index) && !setup.isPublished);
    for (const account of [published, one]) {
      const { owner, subaccountId } = (account as Account).setup;
      const args = words(
        `statement ${owner.owner} ${subaccountId} --json --no-cache --base-url ${baseUrl}`,
      );
      const { code, stdout } = await runInside(args, new AbortController().signal, hurriedClock);
      expect(code).toBe(0);
      const { days, totals } = JSON.parse(stdout);
      new AverageCost(ownFills(account as Account)).expectShown(days, totals);
    }
  });
});
