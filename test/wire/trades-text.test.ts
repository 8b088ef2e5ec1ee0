// Reading a page's text against parsing and checking it: two ways that share nothing, and must not differ.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ndjson, tradesCsv } from "../../src/export/csv.ts";
import { canonicalText } from "../../src/listing/paging/source.ts";
import { decodeTradesPage } from "../../src/wire/rest/page.ts";
import type { TradeRecord } from "../../src/wire/rest/trades.ts";
import { readTradesText, type TradeText } from "../../src/wire/rest/trades-text.ts";
import trades from "../fixtures/rest/trades.json" with { type: "json" };
import { anyCharacter } from "../support/any-character.ts";
import { runs } from "../support/soak.ts";
import { words } from "../support/words.ts";
import { damaged, textDamage } from "./text-damage.ts";

const example = trades.good[0]?.message?.[0] as TradeRecord;

/** The lines that an export would write. */
function linesOf(records: readonly TradeRecord[]): string[] {
  const rule = { isRaw: true, visible: (text: string) => text };
  const owner = { owner: example.maker_address, subaccountId: 0 };
  const formats = [tradesCsv(rule), tradesCsv(rule, owner), ndjson<TradeRecord>()];
  return formats.map((format) => records.flatMap((record) => format.linesOf(record)).join(""));
}

const readText = (body: string) => readTradesText(Buffer.from(body));

const wholes = (records: readonly TradeText[] | undefined) =>
  records?.map((record) => record.toJSON());

/** Reads a text both ways. @returns whether the short way read it */
function agrees(body: string): boolean {
  const read = readText(body);
  if (read === undefined) return false;
  const parsed = decodeTradesPage(body);
  expect(parsed).toEqual({ ok: true, records: wholes(read), drifts: false });
  if (!parsed.ok) return false;
  expect(JSON.stringify(read)).toBe(JSON.stringify(parsed.records));
  expect(linesOf(read)).toEqual(linesOf(parsed.records));
  const canonical = parsed.records.map((each) => canonicalText(each));
  expect(read.map((each) => canonicalText(each))).toEqual(canonical);
  expect(read.map((each) => each.sortedJsonLength)).toEqual(canonical.map(({ length }) => length));
  const names = Object.keys(example) as (keyof TradeRecord)[];
  for (const [i, each] of read.entries()) {
    expect(read.map((other) => each.isSame(other))).toEqual(
      canonical.map((other) => other === canonical[i]),
    );
    expect(names.map((name) => each[name])).toEqual(names.map((name) => parsed.records[i]?.[name]));
  }
  return true;
}

const digits = fc.stringMatching(/^[0-9]{1,31}$/);
const unsigned = fc.oneof(
  digits,
  fc.tuple(digits, digits).map(([whole, part]) => `${whole}.${part}`),
);
const signed = fc.tuple(fc.constantFrom("", "-"), unsigned).map((parts) => parts.join(""));
const text = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.string(),
  fc.constantFrom("perp", "0xAb", "é漢😀", '","price":"1', "}]", "\\", "\u2028"),
);
const integer = fc.oneof(
  fc.maxSafeInteger(),
  fc.integer({ min: -10, max: 70_000 }),
  fc.integer({ min: 1_700_000_000_000, max: 1_700_000_009_999 }),
  fc.constantFrom(-0, 0, 999_999_999_999_999, 1_000_000_000_000_000, 8_640_000_000_000_001),
);

const record: fc.Arbitrary<TradeRecord> = fc.record(
  {
    trade_id: unsigned,
    tx_hash: text,
    market_type: text,
    market_id: integer,
    price: unsigned,
    quantity: unsigned,
    quote_notional: unsigned,
    taker_is_bid: fc.boolean(),
    maker_address: text,
    maker_subaccount_id: integer,
    taker_address: text,
    taker_subaccount_id: integer,
    maker_fee_quote: signed,
    taker_fee_quote: signed,
    maker_client_order_id: unsigned,
    taker_client_order_id: unsigned,
    timestamp_ms: integer,
  },
  { noNullPrototype: true },
);

/** Records that the short way can read whole, so that damage to them is what decides. */
const plain: fc.Arbitrary<TradeRecord> = record.map((each) => ({
  ...example,
  trade_id: each.trade_id.slice(0, 60).replace(/\.$/, ""),
  taker_is_bid: each.taker_is_bid,
  maker_fee_quote: each.maker_fee_quote.slice(0, 60).replace(/\.$/, ""),
}));

const damage = textDamage('"trade_id":"1",');

/** Texts of single values: right, nearly right and wrong for each kind of field. */
const bare = ["", ...words("- 0 -0 00 01 -1 1.5 1. .5 -.5 --1 +1 1e3 1,2")];
const inText = [
  ...[...bare, " 1", "1 ", "\u007f", "\u2028"],
  ...words('a true é😀 a\\u0041 \\ \\"'),
  ...Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)),
  ...["9".repeat(60), "9".repeat(61), `-${"9".repeat(60)}`],
];
const values = [
  ...[...bare, " 1", "1 "],
  ...inText.map((each) => `"${each}"`),
  ...words(`true false truex false0 null True [] {} " '1' "1"" 0.0 1e400`),
  ...words("999999999999999 9007199254740991 9007199254740993"),
];

const PAGES = runs(300, 10_000);

describe("a page read from its text", () => {
  test("is the one of the document", () => {
    expect(wholes(readText(JSON.stringify([example, example])))).toEqual([example, example]);
    expect(readText(JSON.stringify(Array(1000).fill(example)))).toHaveLength(1000);
  });

  test("is what parsing and checking give, to the byte", () => {
    let read = 0;
    fc.assert(
      fc.property(fc.array(fc.oneof(plain, record), { maxLength: 5 }), (records) => {
        if (agrees(JSON.stringify(records))) read++;
      }),
      { numRuns: PAGES },
    );
    expect(read).toBeGreaterThan(PAGES / 10);
  });

  test("is what parsing and checking give when the text is damaged, or is left to them", () => {
    let read = 0;
    fc.assert(
      fc.property(fc.array(plain, { minLength: 1, maxLength: 3 }), damage, (records, changes) => {
        if (agrees(damaged(JSON.stringify(records), changes))) read++;
      }),
      { numRuns: runs(1000, 50_000) },
    );
    // Digits and letters may change without harm.
    expect(read).toBeGreaterThan(50);
  });

  test.each(Object.keys(example))("has any value in the place of %s just so", (name) => {
    for (const value of values) {
      const fields = Object.entries(example).map(
        ([field, was]) => `"${field}":${field === name ? value : JSON.stringify(was)}`,
      );
      agrees(`[{${fields.join(",")}}]`);
    }
  });

  const good = JSON.stringify([example]);
  test.each([
    ["nothing", ""],
    ["an empty page", "[]"],
    ["spaces", JSON.stringify([example], null, 1)],
    ["a line end behind it", `${good}\n`],
    ["something behind it", `${good}]`],
    ["a comma at its end", good.replace("}]", "},]")],
    ["no end", good.slice(0, -1)],
    [
      "another order of fields",
      JSON.stringify([Object.fromEntries(Object.entries(example).reverse())]),
    ],
    ["a field more", JSON.stringify([{ ...example, more: 1 }])],
    ["a long number", JSON.stringify([{ ...example, price: "1".repeat(61) }])],
    ["text that is not ASCII", JSON.stringify([{ ...example, tx_hash: "0x\u0141\u00e9" }])],
    ["text with a comma", JSON.stringify([{ ...example, tx_hash: "a,b" }])],
    [
      "text that a spreadsheet takes for a formula",
      JSON.stringify([{ ...example, tx_hash: "=1" }]),
    ],
    ["an integer below 0", JSON.stringify([{ ...example, market_id: -1 }])],
    ["an escape", JSON.stringify([{ ...example, tx_hash: "\n" }])],
    ["1001 records", JSON.stringify(Array(1001).fill(example))],
    ["a text without an end", `[{"trade_id":"1","tx_hash":"${"a".repeat(1_000_000)}`],
    ["digits without an end", `[{"trade_id":"${"1".repeat(1_000_000)}`],
  ])("is left to them with %s", (_, body) => {
    expect(readText(body)).toBeUndefined();
  });
});
