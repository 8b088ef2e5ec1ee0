// What stands in a file: exact text, as an independent reader of CSV has it, and nothing that a spreadsheet would run.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { liquidationFormat, textCell, tradeFormat } from "../../src/export/format.ts";
import { fillsListing, liquidationsListing, tradesListing } from "../../src/listing/listing.ts";
import { OWNER, serveListing } from "../support/composed-listing.ts";
import { cells, iso, rowsOf } from "../support/csv-rows.ts";
import { monitor } from "../support/export-run.ts";
import { listedTrade } from "../support/listed-trade.ts";
import { folderOfTest } from "../support/temporary-folder.ts";

const trades = tradesListing({ type: "perp", id: "1" });
const csvOf = (changes: object) => {
  const { header, lines } = tradeFormat("csv", trades, new WeakMap());
  return header + lines({ ...listedTrade({ trade_id: "1", timestamp_ms: 5 }), ...changes });
};

async function exportAll(kind: "trades" | "fills" | "liquidations", name: string, more = "") {
  const listing = await serveListing({ kind, transactions: 40 });
  const file = join(folderOfTest(), name);
  const { code, stderr } = await monitor(`export ${listing.words} -o ${file}${more}`, listing);
  expect(code, stderr).toBe(0);
  return { rows: listing.rows, text: readFileSync(file, "utf8") };
}

describe("a CSV file", () => {
  test("of trades has the 17 fields in the order of the document, then the time", async () => {
    const { rows, text } = await exportAll("trades", "t.csv");
    expect(text.split("\r\n")[0]).toBe(
      [
        "trade_id,tx_hash,market_type,market_id,price,quantity,quote_notional,taker_is_bid",
        "maker_address,maker_subaccount_id,taker_address,taker_subaccount_id,maker_fee_quote",
        "taker_fee_quote,maker_client_order_id,taker_client_order_id,timestamp_ms,time",
      ].join(","),
    );
    expect(text.endsWith("\r\n")).toBe(true);
    const wanted = rows.map((row) => ({ ...cells(row), time: iso(row.timestamp_ms) }));
    expect(rowsOf(text)).toEqual(wanted);
  });

  test("of fills has role, side and fee of the owner, too", async () => {
    const { rows, text } = await exportAll("fills", "f.csv");
    const wanted = rows.map((row) => {
      const isMaker = row.maker_address === OWNER;
      return {
        ...cells(row),
        time: iso(row.timestamp_ms),
        role: isMaker ? "maker" : "taker",
        side: (row.taker_is_bid === true) === isMaker ? "sell" : "buy",
        fee_quote: String(isMaker ? row.maker_fee_quote : row.taker_fee_quote),
      };
    });
    expect(rowsOf(text)).toEqual(wanted);
  });

  test("of a fill with the owner on both sides adds both fees", () => {
    const listing = fillsListing(OWNER, 0);
    const { lines } = tradeFormat("csv", listing, new WeakMap());
    const own = { maker_address: OWNER, taker_address: OWNER.toUpperCase().replace("0X", "0x") };
    const fees = { maker_fee_quote: "-0.10", taker_fee_quote: "0.255" };
    const row = { ...listedTrade({ trade_id: "1", timestamp_ms: 5 }), ...own, ...fees };
    expect(lines(row)).toMatch(/,both,both,0\.155\r\n$/);
  });

  test("of liquidations has a row for each position, and one for an event without", async () => {
    const { rows, text } = await exportAll("liquidations", "l.csv");
    const wanted = rows.flatMap(({ positions, ...event }) =>
      (positions as readonly Record<string, unknown>[]).map((position) => ({
        ...cells(event),
        ...Object.fromEntries(
          Object.entries(position).map(([k, v]) => [`position_${k}`, String(v)]),
        ),
        time: iso(event.timestamp_ms),
      })),
    );
    expect(rowsOf(text)).toEqual(wanted);
    const { header, lines } = liquidationFormat("csv", liquidationsListing("1"), new WeakMap());
    const event = { ...rows[0], positions: [] } as never;
    expect(lines(event)).toContain(",,,,,");
    expect(lines(event).split(",")).toHaveLength(header.split(",").length);
    expect(lines(event).match(/\n/g)).toHaveLength(1);
  });

  test.each(["=1+1", "+1+1", "-1+cmd", "@SUM(A1)", "\t=1", "\r=1", "＝1", "－1", "＋1", "＠x"])(
    "has nothing that a spreadsheet would run: %j",
    (text) => {
      expect(textCell(text)).toMatch(/^"?'/);
    },
  );

  test.each(["-5", "+0.25", "0x1f", "BTC-PERP", "a b", ""])("keeps %j as it is", (text) => {
    expect(textCell(text)).toBe(text);
  });

  test("is read back as it was, whatever text stands in it", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const [row] = rowsOf(csvOf({ tx_hash: text }));
        const isPlain = /^[\x20-\x7e]*$/.test(text) && !/^[=+\-@]/.test(text);
        if (isPlain) expect(row?.tx_hash).toBe(text);
        expect(csvOf({ tx_hash: text }).split("\r\n")).toHaveLength(3);
        expect(row?.time).toBe("1970-01-01T00:00:00.005Z");
      }),
      { seed: 1 },
    );
  });

  test.each([
    [9_000_000_000_000_000, "9000000000000000"],
    [-5, "1969-12-31T23:59:59.995Z"],
  ])("has times that no calendar holds as digits: %i", (timestamp_ms, time) => {
    expect(rowsOf(csvOf({ timestamp_ms }))[0]).toMatchObject({ time });
  });
});

test("an NDJSON file has each record as it came, every digit of it, and what is derived", async () => {
  const listing = await serveListing({ kind: "fills", transactions: 30 });
  // Fields of a newer service, one of them with the name of a derived one.
  const more = ',"seq":90071992547409931,"rate":1.10,"side":"theirs"}';
  const texts = listing.rows.map((row) => JSON.stringify(row).replace(/\}$/, more));
  listing.insteadOf = (_, __, page) => [
    200,
    `[ ${page.map((row) => JSON.stringify(row).replace(/\}$/, more)).join("\n,\t")} ]`,
  ];
  const file = join(folderOfTest(), "f.ndjson");
  const { code, stderr } = await monitor(`export ${listing.words} -o ${file}`, listing);
  expect(code, stderr).toBe(0);
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  expect(lines).toHaveLength(texts.length);
  for (const [i, line] of lines.entries()) {
    expect(line.startsWith((texts[i] ?? "").slice(0, -1))).toBe(true);
    expect(JSON.parse(line)).toMatchObject({
      side: "theirs",
      time: iso(listing.rows[i]?.timestamp_ms),
    });
  }
});
