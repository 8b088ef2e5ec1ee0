import fc from "fast-check";
import Papa from "papaparse";
import { describe, expect, test } from "vitest";
import { liquidationsCsv, ndjson, textCell, tradesCsv } from "../../src/export/csv.ts";
import { splitLines } from "../../src/export/lines.ts";
import { visible } from "../../src/terminal/visible.ts";
import type { LiquidationRecord } from "../../src/wire/rest/liquidations.ts";
import { decodeLiquidationsPage, decodeTradesPage } from "../../src/wire/rest/page.ts";
import type { TradeRecord } from "../../src/wire/rest/trades.ts";
import { readTradesText } from "../../src/wire/rest/trades-text.ts";
import liquidations from "../fixtures/rest/liquidations.json" with { type: "json" };
import trades from "../fixtures/rest/trades.json" with { type: "json" };
import { anyCharacter } from "../support/any-character.ts";
import * as pages from "../support/interface-schema/rest.ts";

/** Of a page: a list of records, of which the document lists the fields. */
const schemas = pages as unknown as Record<
  "tradePage" | "liquidationPage",
  { readonly items: { readonly properties: object } }
>;
const safe = { isRaw: false, visible };
const raw = { isRaw: true, visible };
const trade = trades.good[0]?.message?.[0] as TradeRecord;

describe("a text cell", () => {
  test.each([
    ["plain", "plain"],
    ["", ""],
    ["a,b", '"a,b"'],
    ['say "x"', '"say ""x"""'],
    ["=1+1", "'=1+1"],
    ["+x", "'+x"],
    ["-x", "'-x"],
    ["@x", "'@x"],
    ["＝1+1", "'＝1+1"],
    ["＋x", "'＋x"],
    ["－1.5", "'－1.5"],
    ["＠x", "'＠x"],
    ["\tx", "'\\tx"],
    ["\rx", "'\\rx"],
    ["-1.5", "-1.5"],
    ["+7", "+7"],
    ["-1.5.2", "'-1.5.2"],
    ["=a,b", '"\'=a,b"'],
    ["two\nlines", "two\\nlines"],
    ["\u001b[31m", "\\x1b[31m"],
    ["é 漢字", "é 漢字"],
  ])("%j is written as %j", (text, cell) => {
    expect(textCell(text, safe)).toBe(cell);
  });

  test("never reaches a spreadsheet as a formula, nor breaks a row", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        const csv = `x,${textCell(text, safe)},y\r\n`;
        // Not guessed: a cell may hold what looks like another delimiter.
        const [row] = Papa.parse<string[]>(csv, { newline: "\r\n", delimiter: "," }).data;
        expect(row?.length).toBe(3);
        expect(row?.[1]).not.toMatch(/^(?![+-]?[0-9]+(?:\.[0-9]+)?$)[=+\-@\t\r＝＋－＠]/);
        expect(row?.[1]).not.toMatch(/\p{Cc}/u);
      }),
    );
  });

  test("comes back from a raw file as it went in", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        const csv = `x,${textCell(text, raw)},y\r\n`;
        const { data } = Papa.parse<string[]>(csv, { newline: "\r\n", delimiter: "," });
        expect(data[0]).toEqual(["x", text, "y"]);
      }),
    );
  });
});

describe("a CSV file has a column for each field of the document, in its order, and under it the field's value", () => {
  const parse = (text: string) =>
    Papa.parse<Record<string, string>>(text, { header: true, skipEmptyLines: true });
  const textsOf = (record: object) =>
    Object.entries(record).map(([name, value]) => [name, String(value)]);

  test("of trades and fills", () => {
    const names = Object.keys(schemas.tradePage.items.properties);
    const values = { string: String, number: Number, boolean: Boolean };
    const distinct = Object.fromEntries(
      names.map((name, i) => [
        name,
        values[typeof trade[name as keyof TradeRecord] as "string"](i),
      ]),
    ) as unknown as TradeRecord;
    const owner = { owner: distinct.maker_address, subaccountId: distinct.maker_subaccount_id };
    const derived = { time: "1970-01-01T00:00:00.016Z", role: "maker", side: "sell" };
    const format = tradesCsv(safe, owner);
    const [quick] = readTradesText(Buffer.from(JSON.stringify([distinct]))) ?? [];
    expect(quick).toBeDefined();
    for (const record of [distinct, quick ?? distinct]) {
      const { data, meta } = parse(format.header + format.linesOf(record).join(""));
      expect(meta.fields).toEqual([...names, "time", "role", "side", "fee_quote"]);
      expect(Object.entries(data[0] ?? {})).toEqual([
        ...textsOf(distinct),
        ...textsOf({ ...derived, fee_quote: distinct.maker_fee_quote }),
      ]);
    }
  });

  test("of liquidations, with those of each position in the place of the positions", () => {
    const event = liquidations.good[0]?.message?.[0] as unknown as LiquidationRecord;
    const format = liquidationsCsv(safe);
    const { data } = parse(format.header + format.linesOf(event).join(""));
    const rows = event.positions.map((position) =>
      Object.keys(schemas.liquidationPage.items.properties).flatMap((name) =>
        name === "positions"
          ? textsOf(position).map(([field, text]) => [`position_${field}`, text])
          : [[name, String(event[name as "scope"])]],
      ),
    );
    const time = ["time", new Date(event.timestamp_ms).toISOString()];
    expect(data.map((row) => Object.entries(row))).toEqual(rows.map((row) => [...row, time]));
  });
});

test("numbers keep their exact text", () => {
  const exact = {
    ...trade,
    trade_id: "000123456789012345678901234567890",
    price: "0.100000000000000000",
    maker_fee_quote: "-0.00",
    timestamp_ms: 1_763_700_000_123,
  };
  const [line = ""] = tradesCsv(safe).linesOf(exact);
  const row = Papa.parse<string[]>(line).data[0] ?? [];
  expect([row[0], row[4], row[12], row[16], row[17]]).toEqual([
    "000123456789012345678901234567890",
    "0.100000000000000000",
    "-0.00",
    "1763700000123",
    "2025-11-21T04:40:00.123Z",
  ]);
});

test("an event without positions has one row with those cells empty", () => {
  const format = liquidationsCsv(safe);
  const event = liquidations.good[1]?.message?.[0];
  const lines = format.linesOf(event as never);
  const { data } = Papa.parse<Record<string, string>>(format.header + lines.join(""), {
    header: true,
    skipEmptyLines: true,
  });
  expect(data).toHaveLength(1);
  expect(data[0]).toMatchObject({
    liquidation_id: "78",
    position_market_id: "",
    timestamp_ms: "0",
  });
});

test("NDJSON keeps fields that a newer service adds", () => {
  const [line = ""] = ndjson<TradeRecord>().linesOf({ ...trade, colour: "red" } as TradeRecord);
  expect(JSON.parse(line)).toEqual({ ...trade, colour: "red", time: "2025-11-21T04:40:00.123Z" });
});

describe("NDJSON of what a newer service sends", () => {
  const listed = JSON.stringify(trade).slice(1, -1);
  const sent = (more: string, derive?: () => object) => {
    const page = decodeTradesPage(`[{${listed},${more}}]`);
    expect(page).toMatchObject({ ok: true, drifts: true });
    return page.ok ? ndjson<TradeRecord>(derive).linesOf(page.records[0] as TradeRecord)[0] : "";
  };
  const time = '"time":"2025-11-21T04:40:00.123Z"';

  test.each([
    '"seq":9007199254740993',
    '"rate":1.10',
    '"none":-0',
    '"large":1e400',
    '"deep":{"list":[1.0,{"x":100000000000000000001}],"text":"exact number 1.10"}',
    '"plain":7,"market_id2":null',
  ])("%s stands as it came", (more) => {
    expect(sent(more)).toBe(`{${listed},${more},${time}}\n`);
  });

  test("its own fields are not overwritten by what is derived", () => {
    const more = '"time":"noon","role":7,"side":null,"fee_quote":"1"';
    const derive = () => ({ role: "maker", side: "buy", fee_quote: "0", other: "x" });
    expect(sent(more, derive)).toBe(`{${listed},${more},"other":"x"}\n`);
  });

  test("numbers that the document lists stay numbers, however they are written", () => {
    const body = `[{${listed.replace(/"timestamp_ms":([0-9]+)/, '"timestamp_ms":$1.0')},"rate":1.10}]`;
    const page = decodeTradesPage(body);
    expect(page.ok && page.records[0]).toMatchObject(trade);
  });

  test("a position of a liquidation keeps what it has besides", () => {
    const event = JSON.stringify(liquidations.good[0]?.message?.[0]);
    const body = `[${event.replace('"market_id":', '"lot":0.50,"market_id":')}]`;
    const page = decodeLiquidationsPage(body);
    const [line] = page.ok ? ndjson().linesOf(page.records[0] as never) : [];
    expect(line).toContain('"lot":0.50,"market_id":');
    expect(JSON.parse(line ?? "")).toMatchObject(JSON.parse(event));
  });
});

describe("a text of lines", () => {
  test("ends a line where no quote is open", () => {
    const lines = ['a,"b\n""c\n"\r\n', '{"d":"\n', "e,f\n", '"g"\n'];
    expect(splitLines(`${lines.join("")}"h\ni`)).toEqual({ lines, left: '"h\ni' });
  });

  test("with a quote that is never closed costs no more than its length", () => {
    const text = `"${"a row of a file that somebody has edited\r\n".repeat(200_000)}`;
    expect(splitLines(text)).toEqual({ lines: [], left: text });
  });
});
