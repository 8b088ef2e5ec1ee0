// What fills come to, beside an oracle in exact fractions that shares no line with the fold.
import fc from "fast-check";
import { expect, test } from "vitest";
import { StatementFold } from "../../src/statement/fold.ts";
import { formatDecimal } from "../../src/units/decimal.ts";
import type { TradeRecord } from "../../src/wire/rest/trades.ts";
import { listedTrade } from "../support/listed-trade.ts";
import { runs } from "../support/soak.ts";
import { AverageCost, fractionOf, type OwnFill, printed, times } from "./average-cost.ts";

const own = `0x${"ab".repeat(20)}`;
const other = `0x${"cd".repeat(20)}`;
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

/** A fill of the owner, whose value is price × quantity. */
function fill(part: Part, fields: Partial<TradeRecord> = {}): TradeRecord {
  const { role = "taker", isBuy = true, price = "1", quantity = "1", ms = START_MS } = part;
  const [isMaker, isTaker] = [role !== "taker", role !== "maker"];
  const [n, d] = times(fractionOf(price), fractionOf(quantity));
  return listedTrade({
    trade_id: "1",
    price,
    quantity,
    quote_notional: decimalText((n * 10n ** 24n) / d, 24),
    taker_is_bid: isTaker ? isBuy : !isBuy,
    maker_address: isMaker ? own : other,
    maker_subaccount_id: isMaker ? 3 : 9,
    taker_address: isTaker ? own : other,
    taker_subaccount_id: isTaker ? 3 : 9,
    ...fields,
    timestamp_ms: ms,
  });
}

function decimalText(value: bigint, places: number): string {
  const digits = `${value < 0n ? -value : value}`.padStart(places + 1, "0");
  return `${value < 0n ? "-" : ""}${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

function folded(fills: readonly TradeRecord[]): StatementFold {
  const fold = new StatementFold({ owner: own, subaccountId: 3 }, utc);
  for (const each of fills) fold.add(each);
  return fold;
}

function ownFill(record: TradeRecord): OwnFill {
  const size = fractionOf(record.quantity);
  const sides = (["maker", "taker"] as const).map((role) => ({
    role,
    isBuy: record.taker_is_bid === (role === "taker"),
    fee: fractionOf(record[`${role}_fee_quote`]),
  }));
  return {
    day: utc(record.timestamp_ms),
    market: `${record.market_type}/${record.market_id}`,
    size,
    value: times(size, fractionOf(record.price)),
    sides: sides.filter(({ role }) => record[`${role}_address`] === own),
  };
}

const someFills = fc.array(
  fc.record({
    isBuy: fc.boolean(),
    role: fc.constantFrom("maker" as const, "taker" as const, "both" as const),
    market_type: fc.constantFrom("perp", "spot"),
    market_id: fc.constantFrom(2, 7, 11),
    price: fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n }),
    size: fc.bigInt({ min: 0n, max: 10n ** 9n }),
    fees: fc.tuple(fc.maxSafeInteger(), fc.maxSafeInteger()),
    gapMs: fc.integer({ min: 0, max: DAY_MS / 4 }),
  }),
  { minLength: 500, maxLength: 500 },
);

test("over 500 fills of any kind every sum is exact, each day and market, and what is realised is within half of a millionth", () => {
  fc.assert(
    fc.property(someFills, (drawn) => {
      let ms = START_MS;
      const fills = drawn.map(({ isBuy, role, price, size, fees, gapMs, ...market }) => {
        ms += gapMs;
        const [maker_fee_quote = "", taker_fee_quote = ""] = fees.map((fee) =>
          decimalText(BigInt(fee), 9),
        );
        const part = {
          isBuy,
          role,
          ms,
          quantity: decimalText(size, 4),
          price: decimalText(price, 7),
        };
        return fill(part, { ...market, maker_fee_quote, taker_fee_quote });
      });
      const fold = folded(fills);
      const oracle = new AverageCost(fills.map(ownFill));
      const { days, totals } = printed(fold);
      oracle.expectShown(days, totals);
      for (const [market, { net }] of fold.markets) {
        const [n, d] = oracle.position.get(market) ?? [0n, 1n];
        expect(net.mantissa * d).toBe(n * 10n ** BigInt(net.places));
      }
    }),
    { numRuns: runs(5, 200) },
  );
});

test("a fill that turns a position closes all of it and opens the rest at its own price", () => {
  const fold = folded([
    fill({ price: "10", quantity: "1" }),
    fill({ isBuy: false, price: "12", quantity: "3" }),
    fill({ isBuy: true, price: "11", quantity: "2" }),
  ]);
  // 1 × (12 - 10), then short 2 at 12, bought back at 11.
  expect(formatDecimal(fold.statement().totals.realisedQuote)).toBe("4");
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

test("a fill whose addresses are of another form is in no sum and is counted", () => {
  const fold = folded([fill({}, { taker_address: "someone", maker_address: "else" })]);
  expect(fold.unassigned).toBe(1);
  expect(fold.statement().days).toEqual([]);
});

test("markets whose types the service calls by words of its own stay apart, and capitals are no other word", () => {
  const types = ["perpetual", "perp_inverse", "SPOT", "spot"];
  const fold = folded(types.map((market_type) => fill({}, { market_type })));
  expect([...fold.markets].map(([market, { fills }]) => [market, fills]).sort()).toEqual([
    ["perp_inverse/1", 1],
    ["perpetual/1", 1],
    ["spot/1", 2],
  ]);
});
