// The calendar of a statement: which months and days there are, what each came to, and where keys lead.
import { describe, expect, test } from "vitest";
import {
  dayAfter,
  fitAmount,
  layOutCalendar,
  selectCalendar,
} from "../../../src/screen/views/statement/calendar.ts";
import { EXACT } from "../../../src/select/display.ts";
import { StatementFold } from "../../../src/statement/fold.ts";
import { formatDecimal, parseDecimal } from "../../../src/units/decimal.ts";
import { listedTrade } from "../../support/listed-trade.ts";

const OWNER = `0x${"ab".repeat(20)}`;

/** A round trip of a day that makes so much, in a market of its own, with a fee. */
function roundTrip(day: string, sold: string, fee: string, market_id = 1) {
  const ms = Date.parse(`${day}T12:00Z`);
  const own = { taker_address: OWNER, market_id };
  return [
    listedTrade({ ...own, trade_id: "1", timestamp_ms: ms, price: "10", quote_notional: "10" }),
    listedTrade({
      ...own,
      trade_id: "2",
      timestamp_ms: ms + 1,
      taker_is_bid: false,
      price: sold,
      quote_notional: sold,
      taker_fee_quote: fee,
    }),
  ];
}

function calendarOf(...trips: readonly ReturnType<typeof roundTrip>[]) {
  const owner = { owner: OWNER, subaccountId: 0 };
  const fold = new StatementFold(owner, (ms) => new Date(ms).toISOString().slice(0, 10));
  for (const fill of trips.flat()) fold.add(fill);
  return selectCalendar(fold.statement().days);
}

describe("a calendar", () => {
  test("has each month from the first fill to the last, over the end of a year", () => {
    const { months } = calendarOf(
      roundTrip("2025-11-30", "11", "0"),
      roundTrip("2026-02-01", "9", "0"),
    );
    expect(months).toEqual(["2025-11", "2025-12", "2026-01", "2026-02"]);
  });

  test("sums up all markets of a day: what was realised less fees", () => {
    const { days } = calendarOf(
      roundTrip("2026-02-03", "12.5", "0.25"),
      roundTrip("2026-02-03", "9", "-0.1", 7),
    );
    const { net, fills, volume } = days.get("2026-02-03") ?? {};
    expect([net, volume].map((amount) => amount && formatDecimal(amount))).toEqual([
      "1.35",
      "41.5",
    ]);
    expect(fills).toBe(4);
  });

  test.each([
    ["-3.77", 10, "-3.77"],
    ["-3.77", 4, "-4"],
    ["123456.7", 4, "+"],
    ["-0.004", 4, "-"],
    ["999.4", 4, "+999"],
  ])("shows %s in %s cells as %s: no number is cut", (text, room, shown) => {
    const amount = parseDecimal(text) ?? { mantissa: 0n, places: 0 };
    expect(fitAmount({ display: EXACT, isMasked: false }, amount, room)).toBe(shown);
  });

  test("without fills is empty", () => {
    expect(calendarOf()).toEqual({ days: new Map(), months: [] });
  });

  test("is walked through day by day, and not left", () => {
    const calendar = calendarOf(
      roundTrip("2024-02-10", "11", "0"),
      roundTrip("2024-03-05", "11", "0"),
    );
    expect(dayAfter(calendar, "2024-02-28", 1)).toBe("2024-02-29");
    expect(dayAfter(calendar, "2024-02-29", 1)).toBe("2024-03-01");
    expect(dayAfter(calendar, "2024-02-03", -7)).toBe("2024-02-01");
    expect(dayAfter(calendar, "2024-03-28", 28)).toBe("2024-03-31");
  });

  test.each([
    [160, 50, { columns: 2, rows: 3, cellRows: 2 }],
    [120, 40, { columns: 1, rows: 2, cellRows: 2 }],
    [80, 24, { columns: 1, rows: 1, cellRows: 2 }],
    [40, 12, { columns: 1, rows: 1, cellRows: 1 }],
  ])("of a terminal of %s × %s has whole months in it", (width, height, wanted) => {
    const inner = { x: 2, y: 1, width: width - 4, height: height - 4 };
    const layout = layOutCalendar(inner);
    expect(layout).toMatchObject(wanted);
    expect(layout.columns * (layout.cellWidth * 7 + 3) - 3).toBeLessThanOrEqual(inner.width);
    expect(layout.rows * layout.monthHeight - 1).toBeLessThanOrEqual(
      inner.height - 1 + (height < 14 ? 1 : 0),
    );
  });
});
