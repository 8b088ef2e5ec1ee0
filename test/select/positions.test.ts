import { describe, expect, test } from "vitest";
import { liquidationDistance, PositionRows } from "../../src/select/account-rows.ts";
import { Aliases } from "../../src/state/aliases.ts";
import type { OpenRecord } from "../../src/wire/update.ts";

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
