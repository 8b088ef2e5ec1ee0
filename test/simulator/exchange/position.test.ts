import fc from "fast-check";
import { expect, test } from "vitest";
import { applyFill, emptyPosition } from "../../../src/simulator/exchange/account.ts";
import { feeAtoms } from "../../../src/simulator/exchange/money.ts";

const fill = fc.record({
  lots: fc.integer({ min: -50, max: 50 }).filter((lots) => lots !== 0),
  price: fc.bigInt({ min: 1n, max: 10n ** 15n }),
});

test("profit less open cost is always exactly the money that came in less what went out", () => {
  fc.assert(
    fc.property(fc.array(fill, { maxLength: 60, size: "max" }), (fills) => {
      const position = emptyPosition();
      let money = 0n;
      let lots = 0;
      let realised = 0n;
      for (const { lots: bought, price } of fills) {
        realised += applyFill(position, bought, price);
        money -= BigInt(bought) * price;
        lots += bought;
        expect(position.lots).toBe(lots);
        expect(position.realisedAtoms).toBe(realised);
        expect(realised - position.costAtoms).toBe(money);
        if (lots === 0) expect(position.costAtoms).toBe(0n);
        else expect(position.costAtoms > 0n).toBe(lots > 0);
      }
    }),
  );
});

test("fees round halves away from zero, and rebates the same way", () => {
  expect(feeAtoms(10_000n, 350n)).toBe(4n);
  expect(feeAtoms(10_000n, -350n)).toBe(-4n);
  expect(feeAtoms(9_999n, 350n)).toBe(3n);
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: 10n ** 18n }),
      fc.integer({ min: -999, max: 999 }),
      (value, ppm) => {
        const exact = value * BigInt(ppm);
        const difference = feeAtoms(value, BigInt(ppm)) * 1_000_000n - exact;
        expect(difference <= 500_000n && difference >= -500_000n).toBe(true);
      },
    ),
  );
});
