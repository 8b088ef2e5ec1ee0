import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatCell } from "../../src/select/fields.ts";
import { MASK, maskCell, maskText } from "../../src/select/mask.ts";
import { Aliases } from "../../src/state/aliases.ts";

const aliases = new Aliases();
const masked = (column: string, value: unknown) =>
  maskCell(formatCell(column, value), column, aliases).text;

describe("mask of a text", () => {
  const address = "gtSFx2ZaJ8MqyRzT3mWJrDvC9wPbLkHnUeQaXsVoJNeD";
  const owner = "0x52908400098527886E0F7030069857D2E4169EE7";

  test.each([
    [`accounts/${address} is none`, `accounts/${MASK} is none`],
    ["account/short/3 refused", `account/${MASK}/3 refused`],
    [`account ${address} 0`, `account ${MASK} 0`],
    [`fills-${owner}-3-2026.csv`, `fills-${MASK}-3-2026.csv`],
    [`by ${owner}${owner.slice(2, 26)}`, `by ${MASK}`],
    ["no watched here", `no ${MASK} here`],
    ["trades/perp/1: 12345 of 1767225692255689000", "trades/perp/1: 12345 of 1767225692255689000"],
  ])("%s", (text, seen) => {
    expect(maskText(text, "watched")).toBe(seen);
  });
});

describe("mask", () => {
  test.each([
    ["total", "1003.75"],
    ["size_base_lots", "5"],
    ["unrealized_pnl", "-3"],
    ["some_new_field", "12.5"],
    ["delegate", "gtSFx2ZaJ8MqyRzT3mWJrDvC9wPbLkHnUeQaXsVoJNeD"],
    ["name", "my bot"],
    ["owner.name", "Jane Doe"],
    ["sub_label", "pension"],
    ["order_id", "9032988"],
    ["legs", [{ qty: "3" }]],
    ["symbol", "0x52908400098527886E0F7030069857D2E4169EE7"],
  ])("hides %s", (column, value) => {
    expect(masked(column, value)).toBe(MASK);
  });

  test.each([
    ["symbol", "BTC-PERP", "BTC-PERP"],
    ["price_ticks", "9681882", "9681882"],
    ["side", "buy", "buy"],
    ["status", "open", "open"],
    ["margin_mode", "cross", "cross"],
    ["subaccount_id", 3, "3"],
    ["created_at_ns", "1767225692255689000", "2026-01-01 00:01:32"],
    ["total", null, "–"],
  ])("shows %s", (column, value, text) => {
    expect(masked(column, value)).toBe(text);
  });

  test("shows no digit of any field whose meaning is not known", () => {
    const name = fc.stringMatching(/^x[a-z]{3,8}$/);
    const value = fc.oneof(fc.integer(), fc.double(), fc.bigInt().map(String), fc.string());
    fc.assert(
      fc.property(name, value, (column, each) => {
        expect(masked(column, each)).not.toMatch(/[0-9]/);
      }),
    );
  });
});
