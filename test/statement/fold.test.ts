// What fills come to, beside an oracle in exact fractions that shares no line with the fold.
import fc from "fast-check";
import { expect, test } from "vitest";
import { StatementFold } from "../../src/statement/fold.ts";
import { formatDecimal } from "../../src/units/decimal.ts";
import type { TradeRecord } from "../../src/wire/rest/trades.ts";
import { listedTrade } from "../support/listed-trade.ts";

const own = `0x${"ab".repeat(20)}`;
const other = `0x${"cd".repeat(20)}`;
const owner = { owner: own, subaccountId: 3 };
const utc = (ms: number) => new Date(ms).toISOString().slice(0, 10);
const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2026, 4, 28);

interface Part {
  readonly role?: "maker" | "taker" | "both";
  readonly isBuy?: boolean;
  readonly price?: string;
  readonly quantity?: string;
  readonly ms?: number;
}

let id = 0;

/** A fill of the owner, whose value is price × quantity. */
function fill(part: Part, fields: Partial<TradeRecord> = {}): TradeRecord {
  const { role = "taker", isBuy = true, price = "1", quantity = "1", ms = START_MS } = part;
  const [isMaker, isTaker] = [role !== "taker", role !== "maker"];
  return listedTrade({
    trade_id: `${++id}`,
    price,
    quantity,
    quote_notional: productText(price, quantity),
    taker_is_bid: isTaker ? isBuy : !isBuy,
    maker_address: isMaker ? own : other,
    maker_subaccount_id: isMaker ? 3 : 9,
    taker_address: isTaker ? own : other,
    taker_subaccount_id: isTaker ? 3 : 9,
    ...fields,
    timestamp_ms: ms,
  });
}

function productText(a: string, b: string): string {
  const [x, y] = [fraction(a), fraction(b)];
  const places = 24;
  const digits = (x.n * y.n * 10n ** BigInt(places)) / (x.d * y.d);
  const sign = digits < 0n ? "-" : "";
  const text = `${digits < 0n ? -digits : digits}`.padStart(places + 1, "0");
  return `${sign}${text.slice(0, -places)}.${text.slice(-places)}`;
}

interface Fraction {
  readonly n: bigint;
  readonly d: bigint;
}

function fraction(text: string): Fraction {
  const [whole = "", part = ""] = text.split(".");
  return { n: BigInt(whole + part), d: 10n ** BigInt(part.length) };
}

function folded(fills: readonly TradeRecord[], dayOf = utc): StatementFold {
  const fold = new StatementFold(owner, dayOf);
  for (const each of fills) fold.add(each);
  return fold;
}

function sumsOf(fills: readonly TradeRecord[]): Record<string, unknown> {
  const { totals } = folded(fills).statement();
  return Object.fromEntries(
    Object.entries(totals).map(([name, sum]) => [
      name,
      typeof sum === "number" ? sum : formatDecimal(sum),
    ]),
  );
}

test("a round trip realises the difference of its prices, without fees", () => {
  expect(
    sumsOf([
      fill({ price: "100", quantity: "2" }, { taker_fee_quote: "0.5" }),
      fill(
        { role: "maker", isBuy: false, price: "110.5", quantity: "2" },
        { maker_fee_quote: "-0.1" },
      ),
    ]),
  ).toEqual({
    fills: 2,
    makerFills: 1,
    bought: "2",
    sold: "2",
    boughtQuote: "200",
    soldQuote: "221",
    volumeQuote: "421",
    feesQuote: "0.4",
    makerFeesQuote: "-0.1",
    takerFeesQuote: "0.5",
    realisedQuote: "21",
  });
});

test("a fill that turns a position closes all of it and opens the rest at its own price", () => {
  const fills = [
    fill({ price: "10", quantity: "1" }),
    fill({ isBuy: false, price: "12", quantity: "3" }),
    fill({ isBuy: true, price: "11", quantity: "2" }),
  ];
  // 1 × (12 - 10), then short 2 at 12, bought back at 11.
  expect(sumsOf(fills)).toMatchObject({ realisedQuote: "4" });
});

test("a fill with the subaccount on both sides counts once, in both sums, with both fees, and realises nothing", () => {
  const fills = [
    fill({ price: "10", quantity: "5" }),
    fill(
      { role: "both", price: "20", quantity: "2" },
      { maker_fee_quote: "-1", taker_fee_quote: "3" },
    ),
    fill({ isBuy: false, price: "11", quantity: "5" }),
  ];
  expect(sumsOf(fills)).toMatchObject({
    fills: 3,
    makerFills: 1,
    bought: "7",
    sold: "7",
    volumeQuote: "145",
    feesQuote: "2",
    makerFeesQuote: "-1",
    takerFeesQuote: "3",
    realisedQuote: "5",
  });
});

test("prices below zero and of zero are exact", () => {
  const fills = [
    fill({ price: "-5", quantity: "2" }),
    fill({ price: "0", quantity: "2" }),
    fill({ isBuy: false, price: "-1.5", quantity: "4" }),
  ];
  // At an average of -2.5.
  expect(sumsOf(fills)).toMatchObject({
    boughtQuote: "-10",
    soldQuote: "-6",
    volumeQuote: "16",
    realisedQuote: "4",
  });
});

test("what a day realises is rounded half-even to six decimals, and the total is the sum of rounded days", () => {
  const day = (i: number, gain: string) => [
    fill({ price: "1", quantity: "1", ms: START_MS + i * DAY_MS }),
    fill({ isBuy: false, price: gain, quantity: "1", ms: START_MS + i * DAY_MS + 1 }),
  ];
  const fold = folded([...day(0, "1.0000005"), ...day(1, "1.0000015"), ...day(2, "0.9999985")]);
  const { days, totals } = fold.statement();
  const realised = days.map(({ realisedQuote }) => formatDecimal(realisedQuote));
  expect(realised).toEqual(["0", "0.000002", "-0.000002"]);
  expect(formatDecimal(totals.realisedQuote)).toBe("0");
});

test("a position is carried over the days that follow, and over markets that trade between", () => {
  const fold = folded([
    fill({ price: "10", quantity: "1" }, { market_id: 7 }),
    fill(
      { price: "3", quantity: "1", isBuy: false, ms: START_MS + DAY_MS },
      { market_type: "spot" },
    ),
    fill({ price: "15", quantity: "1", isBuy: false, ms: START_MS + 2 * DAY_MS }, { market_id: 7 }),
  ]);
  const { days } = fold.statement();
  expect(days.map(({ day, market }) => `${day} ${market}`)).toEqual([
    "2026-05-28 perp/7",
    "2026-05-29 spot/1",
    "2026-05-30 perp/7",
  ]);
  expect(formatDecimal(days[2]?.realisedQuote ?? { mantissa: 0n, places: 0 })).toBe("5");
  expect([...fold.markets].map(([name, { net }]) => [name, formatDecimal(net)])).toEqual([
    ["perp/7", "0"],
    ["spot/1", "-1"],
  ]);
});

test("a fill whose addresses are of another form is in no sum and is counted", () => {
  const fold = folded([fill({}, { taker_address: "someone", maker_address: "else" })]);
  expect(fold.unassigned).toBe(1);
  expect(fold.statement().days).toEqual([]);
});

test("markets whose types the service calls by words of its own stay apart", () => {
  const fold = folded([
    fill({}, { market_type: "perpetual" }),
    fill({}, { market_type: "perp_inverse" }),
    fill({}, { market_type: "SPOT", market_id: 4 }),
  ]);
  expect([...fold.markets.keys()].sort()).toEqual(["perp_inverse/1", "perpetual/1", "spot/4"]);
});

const NONE: Fraction = { n: 0n, d: 1n };

/** Average cost in exact fractions. */
class Oracle {
  readonly position = new Map<string, Fraction>();
  readonly realised = new Map<string, Fraction>();
  readonly #average = new Map<string, Fraction>();

  constructor(fills: readonly TradeRecord[]) {
    for (const each of fills) {
      const isMaker = each.maker_address === own;
      if (isMaker && each.taker_address === own) continue;
      const isBuy = isMaker ? !each.taker_is_bid : each.taker_is_bid;
      const size = fraction(each.quantity);
      this.#add(each, isBuy ? size : { n: -size.n, d: size.d });
    }
  }

  #add({ market_type, market_id, price: text, timestamp_ms }: TradeRecord, signed: Fraction): void {
    const market = `${market_type}/${market_id}`;
    const price = fraction(text);
    const held = this.position.get(market) ?? NONE;
    const cost = this.#average.get(market) ?? NONE;
    const after = plus(held, signed);
    this.position.set(market, after);
    if (held.n === 0n || held.n > 0n === signed.n > 0n) {
      const all = plus(times(held, cost), times(signed, price));
      if (after.n !== 0n) this.#average.set(market, over(all, after));
      return;
    }
    const isWhole = after.n === 0n || after.n > 0n !== held.n > 0n;
    const closed = isWhole ? held : { n: -signed.n, d: signed.d };
    const gain = times(closed, plus(price, { n: -cost.n, d: cost.d }));
    const key = `${utc(timestamp_ms)} ${market}`;
    this.realised.set(key, plus(this.realised.get(key) ?? NONE, gain));
    if (isWhole) this.#average.set(market, price);
  }
}

const gcd = (a: bigint, b: bigint): bigint => (b === 0n ? (a < 0n ? -a : a) : gcd(b, a % b));
function reduced(n: bigint, d: bigint): Fraction {
  const by = gcd(n, d) || 1n;
  return d < 0n ? { n: -n / by, d: -d / by } : { n: n / by, d: d / by };
}
const plus = (a: Fraction, b: Fraction) => reduced(a.n * b.d + b.n * a.d, a.d * b.d);
const times = (a: Fraction, b: Fraction) => reduced(a.n * b.n, a.d * b.d);
const over = (a: Fraction, b: Fraction) => reduced(a.n * b.d, a.d * b.n);

const someFills = fc.array(
  fc.record({
    isBuy: fc.boolean(),
    role: fc.constantFrom("maker" as const, "taker" as const, "both" as const),
    market: fc.integer({ min: 1, max: 3 }),
    price: fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n }),
    size: fc.bigInt({ min: 0n, max: 10n ** 9n }),
    gapMs: fc.integer({ min: 0, max: DAY_MS / 4 }),
  }),
  { minLength: 500, maxLength: 500 },
);

test("over 500 fills of any kind the fold is within half of a millionth of exact fractions, each day and market", () => {
  fc.assert(
    fc.property(someFills, (drawn) => {
      let ms = START_MS;
      const fills = drawn.map(({ isBuy, role, market, price, size, gapMs }) => {
        ms += gapMs;
        const part = {
          isBuy,
          role,
          ms,
          quantity: decimalText(size, 4),
          price: decimalText(price, 7),
        };
        return fill(part, { market_id: market });
      });
      const fold = folded(fills);
      const { realised, position } = new Oracle(fills);
      for (const { day, market, realisedQuote } of fold.statement().days) {
        const exact = realised.get(`${day} ${market}`) ?? { n: 0n, d: 1n };
        const shown = { n: realisedQuote.mantissa, d: 10n ** BigInt(realisedQuote.places) };
        const off = plus(shown, { n: -exact.n, d: exact.d });
        // Half a millionth for the rounding of the day, and far less for 500 averages at 30 decimals.
        expect(
          (off.n < 0n ? -off.n : off.n) * 2_000_000n * 10n ** 6n <= off.d * (10n ** 6n + 1n),
        ).toBe(true);
      }
      for (const [market, { net }] of fold.markets) {
        const exact = position.get(market) ?? { n: 0n, d: 1n };
        expect(net.mantissa * exact.d).toBe(exact.n * 10n ** BigInt(net.places));
      }
    }),
    { numRuns: 20 },
  );
});

function decimalText(value: bigint, places: number): string {
  const digits = `${value < 0n ? -value : value}`.padStart(places + 1, "0");
  return `${value < 0n ? "-" : ""}${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

test("forty markets with fills on every day are forty rows a day, in order", () => {
  const fills = Array.from({ length: 400 }, (_, i) =>
    fill({ ms: START_MS + Math.floor(i / 80) * DAY_MS, isBuy: i % 3 > 0 }, { market_id: i % 40 }),
  );
  const { days, totals } = folded(fills).statement();
  expect(days.length).toBe(200);
  expect(totals.fills).toBe(400);
  const names = days.slice(0, 40).map(({ market }) => Number(market.split("/")[1]));
  expect(names).toEqual([...names].sort((a, b) => a - b));
});

test("fills whose market's type is in capitals now and then are of one market", () => {
  const fold = new StatementFold(owner, utc);
  fold.add(fill({ quantity: "3", price: "10" }, { market_type: "perp" }));
  fold.add(fill({ quantity: "3", price: "12", isBuy: false }, { market_type: "PERP" }));
  const { days } = fold.statement();
  expect(days.map(({ market, realisedQuote }) => [market, formatDecimal(realisedQuote)])).toEqual([
    ["perp/1", "6"],
  ]);
});
