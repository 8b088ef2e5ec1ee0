// Text of any script through the built program: what is right in the sources is right in what users run.
import { createServer, type Server } from "node:http";
import Papa from "papaparse";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { visible } from "../../src/units/visible.ts";
import { listedTrade } from "../support/listed-trade.ts";
import { listen } from "../support/listen.ts";
import { runMonitor } from "../support/monitor-process.ts";

const range = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, i) => first + i);
const textOf = (codePoints: readonly number[]) => String.fromCodePoint(...codePoints);

/** What a text may begin with: ASCII and Latin-1 whole, half and full width whole, and one of each kind of the rest. */
const FIRSTS = [
  ...range(0, 0xff),
  ...range(0xff01, 0xffee),
  0x202e,
  0x2066,
  0x200b,
  0x200d,
  0xfeff,
  0x301,
  0x20dd,
  0xfe0f,
  0x1161,
  0x3164,
  0xd83d,
  0x3c9,
  0x416,
  0x5d0,
  0x639,
  0x924,
  0xe01,
  0x4fa1,
  0x683c,
  0xac00,
  0x3042,
  0x2212,
  0xfe63,
  0x1f600,
  0x1f1e9,
  0x2764,
  0x1f3fd,
  0x20000,
  0xe0041,
  0xf0000,
];
/** Every code point of the first plane, and a sample of the others, in texts of 128. */
const ALL = [...range(0, 0xffff), ...range(0, 0xfff).map((i) => 0x10000 + i * 0x100)];
const BULK = Array.from({ length: Math.ceil(ALL.length / 128) }, (_, i) =>
  textOf(ALL.slice(i * 128, (i + 1) * 128)),
);
/** Rows of a listing, newest first; the number of a row is its place from the end. */
function rowsOf(market_id: number, texts: readonly (readonly [hash: string, maker: string])[]) {
  return texts.map(([tx_hash, maker_address], i) =>
    listedTrade({
      trade_id: `${texts.length - i}`,
      tx_hash,
      market_id,
      maker_address,
      price: "1.5",
      quote_notional: "1.5",
      timestamp_ms: 1_800_000_000_000 + texts.length - i,
    }),
  );
}

/** Market 1 lists every first letter and all code points. */
const LISTINGS = new Map([
  [
    "1",
    rowsOf(
      1,
      BULK.map((bulk, i) => [`${textOf([FIRSTS[i % FIRSTS.length] ?? 0])}1+1`, bulk]),
    ),
  ],
]);

let server: Server;
let baseUrl = "";
beforeAll(async () => {
  server = createServer(({ url = "" }, answer) => {
    const { pathname, searchParams } = new URL(url, "http://service");
    const rows = LISTINGS.get(pathname.split("/")[2] ?? "") ?? [];
    const before = Number(searchParams.get("before") ?? Number.POSITIVE_INFINITY);
    const limit = Number(searchParams.get("limit") ?? 100);
    const older = rows.filter(({ trade_id }) => Number(trade_id) < before).slice(0, limit);
    answer.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(older));
  });
  baseUrl = `http://127.0.0.1:${await listen(server)}`;
});
afterAll(() => server.close());

const exported = (...more: readonly string[]) =>
  runMonitor(["export", "trades", "perp/1", "--base-url", baseUrl, ...more]);

/** Cells that spreadsheets would take for a formula, in the words of CWE-1236 and in full width. */
const FORMULA = new Set([0x3d, 0x2b, 0x2d, 0x40, 0x09, 0x0d, 0xff1d, 0xff0b, 0xff0d, 0xff20]);

describe("the built program", () => {
  test("disarms every formula in a cell, in full width too, and changes no honest text", async () => {
    const { code, stdout } = await exported("--format", "csv");
    expect(code).toBe(0);
    const { data } = Papa.parse<Record<string, string>>(stdout, { header: true, newline: "\r\n" });
    const rows = LISTINGS.get("1") ?? [];
    const wanted = rows.map(({ tx_hash, maker_address }) =>
      [tx_hash, maker_address].map((text) => {
        const isNumber = /^[+-]?[0-9]+(\.[0-9]+)?$/.test(text);
        return `${FORMULA.has(text.charCodeAt(0)) && !isNumber ? "'" : ""}${visible(text)}`;
      }),
    );
    const got = data
      .filter(({ trade_id }) => trade_id !== "")
      .map(({ tx_hash, maker_address }) => [tx_hash, maker_address]);
    expect(got).toEqual(wanted);
    for (const honest of ["\u00ef1+1", "\u00bc1+1", "\u00e41+1", "\uff111+1", "\u4fa11+1"]) {
      expect(got.map(([hash]) => hash)).toContain(honest);
    }
    expect(got.map(([hash]) => hash)).toContain("'\uff1d1+1");
  });

  test("hands text on exactly in NDJSON", async () => {
    const { stdout } = await exported("--format", "ndjson");
    const lines = stdout.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line).maker_address)).toEqual(
      (LISTINGS.get("1") ?? []).map(({ maker_address }) => maker_address),
    );
  });
});
