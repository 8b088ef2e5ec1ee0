import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  formatDistance,
  liquidationDistance,
  PositionRows,
  positionFigures,
  selectMarginShare,
  selectNearestLiquidation,
} from "../../src/select/account-rows.ts";
import { Aliases } from "../../src/state/aliases.ts";
import { compareDecimal, formatDecimal, parseDecimal } from "../../src/units/decimal.ts";
import type { OpenRecord } from "../../src/wire/update.ts";

const ZERO = { mantissa: 0n, places: 0 };
const aliases = new Aliases();
const distance = (record: OpenRecord) => liquidationDistance(record, aliases);

describe("positions as they are shown", () => {
  test("have the leverage of their market, under whatever names and forms the market comes", () => {
    const rows = new PositionRows(aliases).select(
      [
        { mkt: "2", qty: "1" },
        { market_type: "perp", market_id: 1 },
        { market_id: 3, leverage: "9" },
      ],
      [
        { market_id: 1, leverage: 5 },
        { market_id: 2, leverage: 7 },
        { market_id: 3, leverage: 1 },
      ],
    );
    expect(rows.map(({ leverage }) => leverage)).toEqual([7, 5, "9"]);
  });

  test("are the same rows until something of them changes, and keep the row as it came", () => {
    const positions = new PositionRows(aliases);
    const [one, two] = [{ market_id: 1 }, { market_id: 2 }];
    const leverages = [{ market_id: 1, leverage: 5 }];
    const before = positions.select([one, two], leverages);
    expect(positions.select([one, two], leverages)).toEqual(before);
    const after = positions.select([one, two], [{ market_id: 1, leverage: 6 }]);
    expect(after[0]).toMatchObject({ leverage: 6 });
    expect(after[1]).toBe(before[1]);
    expect(positions.original(after[0] ?? {})).toBe(one);
  });

  test("have their value and what they have made of their margin, where that follows from what the service says", () => {
    const record = {
      size: "-0.375",
      mark_price: "100000",
      entry_price: "97000.1",
      unrealized_pnl: "12.5",
    };
    expect(positionFigures(record, aliases, undefined, "7")).toEqual({
      value: "37500",
      roe: "0.24",
    });
    const inLots = { ...record, size: undefined, size_base_lots: "3750" };
    const lot = { mantissa: 1n, places: 4 };
    expect(positionFigures(inLots, aliases, lot, undefined)).toEqual({ value: "37500" });
    expect(positionFigures(inLots, aliases, undefined, "7")).toEqual({});
    expect(positionFigures({ ...record, value: "37499" }, aliases, undefined, "7")).toEqual({
      roe: "0.24",
    });
  });

  test("value and return equal rationals over big integers", () => {
    const amount = fc.bigInt({ min: 1n, max: 10n ** 12n });
    fc.assert(
      fc.property(
        amount,
        amount,
        amount,
        fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n }),
        (size, mark, entry, pnl) => {
          const cents = (value: bigint) => formatDecimal({ mantissa: value, places: 2 });
          const record = {
            size: cents(size),
            mark_price: cents(mark),
            entry_price: cents(entry),
            unrealized_pnl: cents(pnl),
          };
          const { value = "", roe = "" } = positionFigures(record, aliases, undefined, "10");
          expect(
            compareDecimal(parseDecimal(value) ?? ZERO, { mantissa: size * mark, places: 4 }),
          ).toBe(0);
          // pnl · 10 · 100 / (size · entry / 100), to half of the last digit
          const off = BigInt(roe.replace(".", "")) * size * entry - pnl * 100n * 1000n * 100n;
          expect((off < 0n ? -off : off) * 2n).toBeLessThanOrEqual(size * entry);
        },
      ),
    );
  });

  test("of an account: the nearest liquidation, and the share of the equity that is margin", () => {
    const positions = [
      { symbol: "A", side: "long", mark_price: "100", liquidation_price: "50" },
      { symbol: "B", side: "short", mark_price: "100", liquidation_price: "109" },
      { symbol: "C", side: "long" },
    ];
    expect(selectNearestLiquidation(positions, aliases)).toEqual({ percent: "9.0", market: "B" });
    expect(selectNearestLiquidation([{}], aliases)).toBeUndefined();
    expect(formatDistance("9.0")).toBe("9.0%");
    expect(formatDistance("500.1")).toBe("far");
    expect(selectMarginShare({ equity: "200", margin_used: "31" }, aliases)).toBe("15.5");
    expect(selectMarginShare({ equity: "0", margin_used: "31" }, aliases)).toBeUndefined();
  });

  test("say how far the liquidation is, exactly, where both prices are there", () => {
    expect(distance({ side: "long", mark_price: "100000", liq_px: "90000.0" })).toBe("10.0");
    expect(distance({ side: "short", mark_px: "3", liquidation_price: "4" })).toBe("33.3");
    expect(distance({ markPrice: "9007199254740993", liquidationPrice: "9007199254740992" })).toBe(
      "0.0",
    );
    expect(distance({ side: "long", mark_price: "89", liquidation_price: "90" })).toBe("0.0");
    expect(distance({ side: "short", mark_price: "91", liquidation_price: "90" })).toBe("0.0");
  });

  test.each([
    ["long", { is_long: true }, "89"],
    ["short", { is_long: false }, "91"],
    ["long", { position_side: "B" }, "89"],
    ["short", { size: "-2" }, "91"],
    ["short", { size_base_lots: "-2", side: "?" }, "91"],
  ])("a %s, said as %o, has reached its liquidation", (_, said, mark_price) => {
    expect(distance({ ...said, mark_price, liquidation_price: "90" })).toBe("0.0");
    const other = mark_price === "89" ? "99" : "81";
    expect(distance({ ...said, mark_price: other, liquidation_price: "90" })).not.toBe("0.0");
  });

  test("say nothing of it where a price is missing or is no price", () => {
    for (const record of [
      {},
      { mark_price: "1" },
      { liquidation_price: "1" },
      { mark_price: "0", liquidation_price: "1" },
      { mark_price: "abc", liquidation_price: "1" },
      { mark_price: null, liquidation_price: "1" },
    ]) {
      expect(distance(record)).toBeUndefined();
    }
  });
});
