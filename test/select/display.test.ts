import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Display, DEFAULT_DISPLAY as usual } from "../../src/select/display.ts";
import { pointed } from "../support/two-tapes.ts";

const show = new Display(usual);

describe("numbers", () => {
  test.each([
    ["97114.00", "97,114.00"],
    ["-1234567.125", "-1,234,567.125"],
    ["+1000", "+1,000"],
    ["999.99999", "999.99999"],
    ["0.0001234567", "0.0001234567"],
    ["123456789012345678901234567890", "123,456,789,012,345,678,901,234,567,890"],
    ["+0.2045%", "+0.2045%"],
    ["1e5", "1e5"],
    ["–", "–"],
    ["", ""],
  ])("%s is shown as %s", (exact, shown) => expect(show.number(exact)).toBe(shown));

  test("grouping adds commas and changes no digit", () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.nat(12), (mantissa, places) => {
        const text = mantissa < 0n ? `-${pointed(-mantissa, places)}` : pointed(mantissa, places);
        const shown = show.number(text);
        expect(shown.replaceAll(",", "")).toBe(text);
        expect(shown).toMatch(/^-?[0-9]{1,3}(,[0-9]{3})*(\.[0-9]+)?$/);
      }),
    );
  });

  test("plain numbers are as they came", () => {
    expect(new Display({ ...usual, numbers: "plain" }).number("97114.00")).toBe("97114.00");
  });
});

test.each([
  ["1234.56789", "1,234.57"],
  ["-1.005", "-1.01"],
  ["12", "12"],
  ["0.00012345", "0.000123"],
  ["0.5", "0.5"],
  ["0.98765", "0.988"],
  ["0", "0"],
  ["0.000000", "0.00"],
  ["+1252.346143", "+1,252.35"],
  ["+0.0000204", "+0.0000204"],
])("a derived amount: %s is shown as %s", (exact, shown) => expect(show.money(exact)).toBe(shown));

test.each([
  ["34912345.678901", "34.9M"],
  ["999999999", "1.00B"],
  ["999500", "1.00M"],
  ["999499.9", "999K"],
  ["-99960", "-100K"],
  ["12345.5", "12.3K"],
  ["9999.4", "9,999"],
  ["1234.5678", "1,235"],
  ["229.8415", "229.8"],
  ["50.91234", "50.91"],
  ["5.04321", "5.04"],
  ["0.00012345", "0.000123"],
  ["-12345678", "-12.3M"],
  ["7", "7"],
  ["12.5", "12.5"],
  ["0", "0"],
  ["–", "–"],
])("a figure of which the exact text stands elsewhere: %s is about %s", (exact, shown) =>
  expect(show.compact(exact)).toBe(shown),
);

describe("times", () => {
  const winter = Date.UTC(2026, 0, 15, 23, 5, 9, 120);
  const summer = Date.UTC(2026, 6, 15, 23, 5, 9, 120);
  const berlin = new Display({ ...usual, timeZone: "Europe/Berlin" });

  test("are of the zone, with the offset that it has at that moment", () => {
    expect(berlin.timeOfDay(winter, true)).toBe("00:05:09.120");
    expect(berlin.dateTime(summer)).toBe("2026-07-16 01:05:09");
    expect(berlin.zoneName(winter)).not.toBe(berlin.zoneName(summer));
    expect(show.dateTime(winter)).toBe("2026-01-15 23:05:09");
    expect(show.zoneName(winter)).toBe("UTC");
  });

  test("change with the clocks to the millisecond", () => {
    const change = Date.UTC(2026, 2, 29, 1);
    expect(berlin.timeOfDay(change - 1, true)).toBe("01:59:59.999");
    expect(berlin.timeOfDay(change, true)).toBe("03:00:00.000");
  });

  test("agree with the system's own calendar in every zone", () => {
    const zones = ["Asia/Kathmandu", "America/St_Johns", "Australia/Lord_Howe", "Pacific/Apia"];
    const moment = fc.integer({ min: Date.UTC(1990, 0), max: Date.UTC(2090, 0) });
    fc.assert(
      fc.property(fc.constantFrom(...zones), moment, (timeZone, ms) => {
        const text = new Intl.DateTimeFormat("sv-SE", {
          timeZone,
          dateStyle: "short",
          timeStyle: "medium",
        }).format(ms);
        expect(new Display({ ...usual, timeZone }).dateTime(ms)).toBe(text);
      }),
    );
  });

  test("of this machine are those of its zone by name", () => {
    const { TZ } = process.env;
    const zones = ["Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe", "Asia/Kolkata"];
    const moment = fc.integer({ min: Date.UTC(1990, 0), max: Date.UTC(2090, 0) });
    try {
      for (const timeZone of zones) {
        process.env.TZ = timeZone;
        const [named, local] = [timeZone, "local"].map(
          (zone) => new Display({ ...usual, timeZone: zone }),
        );
        fc.assert(
          fc.property(moment, (ms) => {
            expect(local?.dateTime(ms)).toBe(named?.dateTime(ms));
            expect(local?.zoneName(ms)).toBe(named?.zoneName(ms));
          }),
          { numRuns: 30 },
        );
      }
    } finally {
      if (TZ === undefined) delete process.env.TZ;
      else process.env.TZ = TZ;
    }
  });

  test("have a zone without a name where zones are not to be named yet", () => {
    const early = new Display({ ...usual, timeZone: "local" }, false);
    expect(early.zoneName(winter)).toBe("");
    expect(new Display(early.choice).zoneName(winter)).not.toBe("");
  });

  test("are read in the zone, unless they name another", () => {
    expect(berlin.parseInstant("2026-07-16 01:05:09")).toBe(summer - 120);
    expect(berlin.parseInstant("2026-01-16")).toBe(Date.UTC(2026, 0, 15, 23));
    expect(berlin.parseInstant("2026-07-15T23:05:09Z")).toBe(summer - 120);
    expect(berlin.parseInstant(`${summer}`)).toBe(summer);
    expect(berlin.parseInstant("soon")).toBeUndefined();
  });

  test("that no calendar holds are shown as they are", () => {
    expect(berlin.dateTime(1e20)).toBe("100000000000000000000");
    expect(berlin.zoneName(Number.NaN)).toBe("UTC");
  });
});
