// A busy week of the simulated exchange, with liquidations, funding and transfers: what its ledger has done to an account is
// what a statement says of it. The oracle counts ticks and lots of the ledger and shares nothing with the fold.
import { createServer } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { statementJson } from "../../src/print/statement.ts";
import type { Account } from "../../src/simulator/exchange/account.ts";
import { moveCash } from "../../src/simulator/exchange/exchange.ts";
import { feeAtoms, notionalAtoms } from "../../src/simulator/exchange/money.ts";
import { createFeedContext } from "../../src/simulator/feeds/feed.ts";
import type { TradeRow } from "../../src/simulator/ledger/log.ts";
import { createTradeRecord } from "../../src/simulator/rest/listings.ts";
import { createRouter } from "../../src/simulator/rest/router.ts";
import { decodeScenario } from "../../src/simulator/scenarios/scenario.ts";
import { createWorld } from "../../src/simulator/world.ts";
import { balanceBooks } from "../../src/statement/difference.ts";
import { StatementFold } from "../../src/statement/fold.ts";
import { type Decimal, formatDecimal, trimDecimal } from "../../src/units/decimal.ts";
import { hurriedClock } from "../support/hurried-clock.ts";
import { instantClock } from "../support/instant-clock.ts";
import { listen } from "../support/listen.ts";
import { runInside } from "../support/monitor-inside.ts";
import { words } from "../support/words.ts";

const MINUTES = 4;
/** So many seconds of the week for each that is simulated. */
const STRETCH = (7 * 24 * 60) / MINUTES;
const US_PER_MINUTE = 60_000_000;
const EPOCH_MS = Date.UTC(2026, 4, 4, 17, 20);
const SEED = 11;
const utc = (ms: number) => new Date(ms).toISOString().slice(0, 10);

function liveOneWeek() {
  // Wilder than a usual day: bets end in liquidations.
  const markets = [
    { type: "perp", id: 1, volatility_ppm: 300 },
    { type: "perp", id: 2, volatility_ppm: 400 },
  ];
  const fields = { name: "wild", description: "", extends: "steady", markets };
  const scenario = decodeScenario(fields, "wild");
  const world = createWorld(SEED, scenario, 1_000_000);
  const { simulation, catalogue } = world;
  const { exchange } = simulation;
  const begin = exchange.begin.bind(exchange);
  exchange.begin = (us) => begin(us * STRETCH);
  for (let minute = 1; minute <= MINUTES; minute++) {
    simulation.runUntil(minute * US_PER_MINUTE);
    // Money and coins come in and go out: none of it is a fill.
    exchange.begin(simulation.nowUs);
    for (const account of catalogue.accounts.slice(0, 2)) {
      moveCash(exchange, account, {
        kind: "deposit",
        atoms: 5_000_000n - BigInt(minute) * 1_000_000n,
      });
    }
    moveCash(exchange, catalogue.accounts[0] as Account, { kind: "deposit", market: 2, lots: 10 });
    exchange.commit();
  }
  return createFeedContext(world, scenario.interpretations, EPOCH_MS);
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

interface Line {
  fills: number;
  makerFills: number;
  boughtLots: number;
  soldLots: number;
  bought: bigint;
  sold: bigint;
  volume: bigint;
  makerFees: bigint;
  takerFees: bigint;
  /**
   * In millionths of the quote currency: of the exact fraction, and of what is less than 10^-20 away. Half of a liquidated position
   * often realises half of a millionth, and averages at 30 decimals are on one side of it.
   */
  realised: readonly [low: bigint, high: bigint];
}

/** Lots, their cost as a fraction of atoms, and what a day has realised of it. */
class Oracle {
  readonly lines = new Map<string, Line>();
  readonly lots = new Map<number, number>();
  readonly #cost = new Map<number, readonly [n: bigint, d: bigint]>();
  readonly #realised = new Map<string, readonly [n: bigint, d: bigint]>();

  constructor(account: Account) {
    for (const trade of fillsOf(account)) this.#add(trade, account.index);
    for (const [key, line] of this.lines) {
      const exact = this.#realised.get(key) ?? ([0n, 1n] as const);
      const little: Fraction = [1n, 10n ** 14n];
      line.realised = [halfEven(minus(exact, little)), halfEven(plus(exact, little))];
    }
  }

  #add(trade: TradeRow, own: number): void {
    const { spec } = exchange.market(trade.market);
    const key = `${utc(time.ms(trade.timeUs))} ${spec.type}/${spec.id}`;
    const line = this.lines.get(key) ?? emptyLine();
    this.lines.set(key, line);
    const value = notionalAtoms(spec, trade.priceTicks, trade.sizeLots);
    line.fills++;
    line.volume += value;
    const sides: number[] = [];
    if (trade.maker === own) {
      line.makerFills++;
      line.makerFees += feeAtoms(value, spec.makerFeePpm);
      sides.push(trade.takerIsBid ? -1 : 1);
    }
    if (trade.taker === own) {
      line.takerFees += feeAtoms(value, spec.takerFeePpm);
      sides.push(trade.takerIsBid ? 1 : -1);
    }
    if (sides.includes(1)) {
      line.boughtLots += trade.sizeLots;
      line.bought += value;
    }
    if (sides.includes(-1)) {
      line.soldLots += trade.sizeLots;
      line.sold += value;
    }
    if (sides.length === 1) this.#book(trade, (sides[0] ?? 0) * trade.sizeLots, value, key);
  }

  /** The cost of what is open is a fraction: a part that is closed takes its part of it with it. */
  #book({ market, sizeLots }: TradeRow, signed: number, value: bigint, key: string): void {
    const held = this.lots.get(market) ?? 0;
    const [n, d] = this.#cost.get(market) ?? [0n, 1n];
    const closed = held !== 0 && held > 0 !== signed > 0 ? Math.min(sizeLots, Math.abs(held)) : 0;
    const opened = sizeLots - closed;
    const [share, whole] = [BigInt(closed), BigInt(Math.abs(held) || 1)];
    // What the closed lots cost, and what they brought, both without a sign.
    const paid = [n * share, d * whole] as const;
    const brought = [value * share, BigInt(sizeLots)] as const;
    const gain = minus(brought, paid);
    const before = this.#realised.get(key) ?? ([0n, 1n] as const);
    this.#realised.set(key, held > 0 ? plus(before, gain) : minus(before, gain));
    const left = minus([n, d], paid);
    this.#cost.set(market, plus(left, [value * BigInt(opened), BigInt(sizeLots)]));
    this.lots.set(market, held + signed);
  }
}

type Fraction = readonly [n: bigint, d: bigint];
const gcd = (a: bigint, b: bigint): bigint => (b === 0n ? (a < 0n ? -a : a) : gcd(b, a % b));
function plus([a, b]: Fraction, [c, d]: Fraction): Fraction {
  const [n, whole] = [a * d + c * b, b * d];
  const by = gcd(n, whole) || 1n;
  return [n / by, whole / by];
}
const minus = (a: Fraction, [c, d]: Fraction): Fraction => plus(a, [-c, d]);

function halfEven([n, d]: Fraction): bigint {
  const floor = n >= 0n ? n / d : -((-n + d - 1n) / d);
  const rest = (n - floor * d) * 2n;
  return rest > d || (rest === d && floor % 2n !== 0n) ? floor + 1n : floor;
}

const emptyLine = (): Line => ({
  fills: 0,
  makerFills: 0,
  boughtLots: 0,
  soldLots: 0,
  bought: 0n,
  sold: 0n,
  volume: 0n,
  makerFees: 0n,
  takerFees: 0n,
  realised: [0n, 0n],
});

const lotsText = (market: string, lots: number) => {
  const { spec } =
    exchange.markets.find(({ spec: { type, id } }) => `${type}/${id}` === market) ?? {};
  const { mantissa = 0n, places = 0 } = spec?.lotSize ?? {};
  return formatDecimal(trimDecimal({ mantissa: mantissa * BigInt(lots), places }));
};
const atomsText = (atoms: bigint) => formatDecimal(trimDecimal({ mantissa: atoms, places: 6 }));

/** As `statement --json` has its days, where what they realised is one of what the oracle allows. */
function expectedDays(oracle: Oracle, shown: readonly Shown[]): object[] {
  const rows = [...oracle.lines].map(([key, line]) => {
    const [day = "", market = ""] = key.split(" ");
    return {
      day,
      market,
      fills: line.fills,
      maker_fills: line.makerFills,
      bought: lotsText(market, line.boughtLots),
      sold: lotsText(market, line.soldLots),
      bought_quote: atomsText(line.bought),
      sold_quote: atomsText(line.sold),
      volume_quote: atomsText(line.volume),
      fees_quote: atomsText(line.makerFees + line.takerFees),
      maker_fees_quote: atomsText(line.makerFees),
      taker_fees_quote: atomsText(line.takerFees),
      realised_quote: realisedText(
        line,
        shown.find((each) => each.day === day && each.market === market),
      ),
    };
  });
  return rows.sort((a, b) => (`${a.day} ${a.market}` < `${b.day} ${b.market}` ? -1 : 1));
}

type Book = Readonly<Record<"position" | "difference", string | null>>;

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

interface Shown {
  readonly day: string;
  readonly market: string;
  readonly realised_quote: string;
}

function realisedText({ realised: [low, high] }: Line, shown: Shown | undefined): string {
  const isHigh = shown?.realised_quote === atomsText(high);
  return atomsText(isHigh ? high : low);
}

const server = createServer(createRouter(week, () => undefined, instantClock));
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
    const days = new Set(
      active.flatMap((account) =>
        [...new Oracle(account).lines.keys()].map((key) => key.slice(0, 10)),
      ),
    );
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
      const printed = statementJson({
        ...{
          owner: { owner: owner.owner, subaccountId },
          isComplete: true,
          proof: "",
          evidence: "",
        },
        statement: fold.statement(),
        remarks: [],
        funding: undefined,
        books: balanceBooks(fold.markets, heldBy(account)),
      });
      const { days, books } = JSON.parse(printed);
      expect(days).toEqual(expectedDays(new Oracle(account), days));
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
      const { days } = JSON.parse(stdout);
      expect(days).toEqual(expectedDays(new Oracle(account as Account), days));
    }
  });
});
