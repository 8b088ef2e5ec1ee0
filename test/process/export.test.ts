// monitor export against a foreign service: every file equal to the service's own ledger, cell by cell.
import { readdirSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { cells, iso, rowsOf } from "../support/csv-rows.ts";
import { asTrades, exportRig, monitor, type Records } from "../support/export-rig.ts";
import { type ForeignListingsOptions, OWNER } from "../support/foreign-listings.ts";

const rig = exportRig();
const { start, fileOf, read } = rig;

describe("a CSV file of trades equals the ledger", () => {
  test.each<[what: string, options: Partial<ForeignListingsOptions>, words: string]>([
    ["when the trade id is the cursor", { cursor: "trade_id" }, ""],
    ["when a hidden transaction index is", { cursor: "transaction" }, ""],
    ["when the time is", { cursor: "timestamp_ms" }, "--page-size 250"],
    [
      "under a path prefix, in pages of 100",
      { prefix: "/some/v1", cursor: "transaction" },
      "--page-size 100",
    ],
    [
      "with 500s, 429s and cut bodies",
      { faultPercent: 10, cursor: "timestamp_ms" },
      "--page-size 250",
    ],
    ["when the cursor is searched only", { cursor: "trade_id" }, "--cursor-field search"],
    ["with a second pass", { cursor: "transaction" }, "--verify --page-size 500"],
  ])("%s", async (_, options, words) => {
    const listings = await start(options);
    const { code, stderr } = await monitor(
      `trades perp/1 -o ${fileOf("t.csv")} ${words}`.trim(),
      listings,
    );
    expect(stderr).toMatch(
      /^[0-9]+ rows, newest .*, oldest .*, [0-9]+ pages, complete: yes \(pages joined by [a-z_ ]+; no older row in [0-9]+ requests? below [0-9,]+(; read twice by other cursors)?\)\n$/,
    );
    expect(code).toBe(0);
    expect(rowsOf(read("t.csv"))).toEqual(asTrades(listings.trades));
    expect(readdirSync(rig.folder)).toEqual(["t.csv"]);
    const parameters = listings.requests.flatMap((url) => [
      ...new URL(url, "http://any").searchParams.keys(),
    ]);
    expect(new Set(parameters)).toEqual(new Set(["market_type", "limit", "before"]));
  });

  test("rows that arrive meanwhile change nothing below its first row", async () => {
    const listings = await start({ isGrowing: true, cursor: "transaction" });
    const { code } = await monitor(`trades 1 -o ${fileOf("t.csv")} --page-size 250`, listings);
    expect(code).toBe(0);
    const rows = rowsOf(read("t.csv"));
    const ledger = asTrades(listings.trades);
    const first = ledger.findIndex(({ trade_id }) => trade_id === rows[0]?.trade_id);
    expect(first).toBeGreaterThan(0);
    expect(rows).toEqual(ledger.slice(first));
  });

  test("oldest first it is the same rows the other way round", async () => {
    const listings = await start({ cursor: "transaction" });
    await monitor(`trades 1 --oldest-first -o ${fileOf("t.csv")} --page-size 300`, listings);
    expect(rowsOf(read("t.csv"))).toEqual(asTrades(listings.trades).reverse());
    const { stdout } = await monitor("trades 1 --oldest-first --page-size 300", listings);
    expect(stdout).toBe(read("t.csv"));
  });

  test("between two times, and at most so many", async () => {
    const listings = await start();
    const ledger = asTrades(listings.trades);
    const until = ledger[400]?.time ?? "";
    const since = ledger[900]?.timestamp_ms ?? "";
    const { stdout } = await monitor(`trades 1 --since ${since} --until ${until}`, listings);
    const wanted = ledger.filter(
      ({ timestamp_ms = "" }) =>
        Number(timestamp_ms) >= Number(since) && Number(timestamp_ms) <= Date.parse(until),
    );
    expect(rowsOf(stdout)).toEqual(wanted);
    const most = await monitor("trades 1 --max 17", listings);
    expect(rowsOf(most.stdout)).toEqual(ledger.slice(0, 17));
  });
});

/** What the document's words mean for one subaccount, in the service's own numbers. */
function ownPart(record: Readonly<Record<string, unknown>>) {
  const is = (side: string) =>
    String(record[`${side}_address`]).toLowerCase() === OWNER &&
    record[`${side}_subaccount_id`] === 1;
  const [isMaker, isTaker] = [is("maker"), is("taker")];
  const sides = record.taker_is_bid ? ["buy", "sell"] : ["sell", "buy"];
  const micros = (text: unknown) => Math.round(Number(text) * 1e6);
  const fees = { maker: micros(record.maker_fee_quote), taker: micros(record.taker_fee_quote) };
  if (isMaker && isTaker) return { role: "both", side: "both", fee: fees.maker + fees.taker };
  return isTaker
    ? { role: "taker", side: sides[0], fee: fees.taker }
    : { role: "maker", side: sides[1], fee: fees.maker };
}

test("fills carry the subaccount's role, side and fee", async () => {
  const listings = await start();
  const { code, stdout } = await monitor(`fills ${OWNER} 1`, listings);
  expect(code).toBe(0);
  const rows = rowsOf(stdout);
  const own = rows.map(({ role, side, fee_quote }) => ({
    role,
    side,
    fee: Math.round(Number(fee_quote) * 1e6),
  }));
  expect(own).toEqual(listings.fills.map(ownPart));
  expect(rows).toMatchObject(listings.fills.map(cells));
  expect(new Set(own.map(({ role }) => role))).toEqual(new Set(["maker", "taker", "both"]));
});

describe("liquidations", () => {
  test("have a row for each position, and their words do no harm", async () => {
    const listings = await start();
    const { stdout } = await monitor("liquidations 1", listings);
    const safe: Readonly<Record<string, string>> = {
      "=SUM(A1)": "'=SUM(A1)",
      "line\nbreak": "line\\nbreak",
      "\u202ehidden": "\\u202ehidden",
    };
    const wanted = listings.liquidations.flatMap(({ positions, ...event }) => {
      const word = String(event.liquidation_type);
      const own = {
        ...cells(event),
        liquidation_type: safe[word] ?? word,
        time: iso(event.timestamp_ms),
      };
      const none = { market_id: "", side: "", size: "", position_margin: "", margin_mode: "" };
      const list = (positions as Records).length === 0 ? [none] : (positions as Records).map(cells);
      return list.map((position) => ({
        ...own,
        ...Object.fromEntries(
          Object.entries(position).map(([name, value]) => [`position_${name}`, value]),
        ),
      }));
    });
    expect(rowsOf(stdout)).toEqual(wanted);
  });

  test("as they are with --raw-cells, and whole as NDJSON", async () => {
    const listings = await start();
    const raw = await monitor("liquidations 1 --raw-cells", listings);
    const types = new Set(rowsOf(raw.stdout).map(({ liquidation_type }) => liquidation_type));
    expect(types).toEqual(
      new Set(listings.liquidations.map(({ liquidation_type }) => liquidation_type)),
    );
    const { stdout } = await monitor("liquidations 1 --format ndjson", listings);
    const lines = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines).toEqual(
      listings.liquidations.map((event) => ({ ...event, time: iso(event.timestamp_ms) })),
    );
  });
});

test.each(["trade_id", "transaction", "timestamp_ms"] as const)(
  "liquidations in pages by %s equal the ledger",
  async (cursor) => {
    const listings = await start({ transactions: 500, cursor });
    const words = `liquidations 1 -o ${fileOf("l.ndjson")} --page-size 20`;
    const { code, stderr } = await monitor(words, listings);
    expect(stderr).toMatch(/ [2-9] pages, complete: yes \(pages joined by /);
    expect(code).toBe(0);
    const events = listings.liquidations.map((event) => ({
      ...event,
      time: iso(event.timestamp_ms),
    }));
    expect(events.length).toBeGreaterThan(40);
    const lines = read("l.ndjson").trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toEqual(events);
  },
);

describe("a file that is added to", () => {
  test("gets what is newer, and nothing twice", async () => {
    const listings = await start({ isGrowing: true, cursor: "timestamp_ms" });
    const words = `trades 1 -o ${fileOf("t.csv")} --append --page-size 200 --manifest ${fileOf("m.json")}`;
    const counted: number[] = [];
    for (let i = 0; i < 4; i++) {
      expect((await monitor(words, listings)).code).toBe(0);
      const { rows: added, rows_before: before } = JSON.parse(read("m.json"));
      expect(before).toBe(counted.at(-1) ?? 0);
      counted.push(before + added);
    }
    const rows = rowsOf(read("t.csv"));
    expect(counted.at(-1)).toBe(rows.length);
    const ledger = asTrades(listings.trades).reverse();
    expect(rows).toEqual(ledger.slice(0, rows.length));
    expect(rows.length).toBeGreaterThan(ledger.length - 60);
  });

  test.each<[what: string, text: string, code: number, message: string]>([
    ["another header", "a,b\r\n1,2\r\n", 2, "another header"],
    ["half a row at its end", "HEADER1,2", 2, "does not end with a whole line"],
    ["rows of another listing", "HEADERROW", 3, "are not in this listing"],
  ])("is left alone when it has %s", async (_, text, code, message) => {
    const listings = await start({ transactions: 30 });
    await monitor(`trades 1 -o ${fileOf("whole.csv")} --oldest-first`, listings);
    const [header = "", ...lines] = read("whole.csv").split("\r\n");
    const strange = (lines[20] ?? "").replace(",perp,", ",other,");
    const content = text.replace("HEADER", `${header}\r\n`).replace("ROW", `${strange}\r\n`);
    writeFileSync(fileOf("t.csv"), content);
    const ended = await monitor(`trades 1 -o ${fileOf("t.csv")} --append`, listings);
    expect(ended.stderr).toContain(message);
    expect(ended.code).toBe(code);
    expect(read("t.csv")).toBe(content);
  });
});
