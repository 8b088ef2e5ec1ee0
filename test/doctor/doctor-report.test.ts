import { describe, expect, test } from "vitest";
import { reportText } from "../../src/doctor/report.ts";

const fact = "one two three four five six seven eight nine ten ".repeat(6).trim();
const report = {
  findings: [
    { id: "stream.hello", verdict: "ok", fact: "short" },
    { id: "reading.book", verdict: "unknown", fact },
  ],
  points: [{ section: "6.1", point: "moment of hello", known: "inferred", seen: fact }],
  requests: 3,
  tookMs: 1500,
} as const;

describe("the doctor's report", () => {
  test("has each fact on one line where it is not for a terminal", () => {
    const lines = reportText(report).split("\n");
    expect(lines.filter((line) => line.endsWith(fact)).length).toBe(2);
    expect(lines.at(-1)).toBe("1 ok, 0 warn, 0 fail, 1 unknown; 3 requests in 1.5 s");
  });

  test.each([60, 80, 120])(
    "is broken between words below its own column on %i columns",
    (width) => {
      const text = reportText(report, width);
      for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(width);
      expect(text.replace(/\n +/g, " ")).toContain(fact);
      const column = text.split("\n")[1]?.indexOf("one two") ?? 0;
      expect(text.split("\n")[2]?.search(/\S/)).toBe(column);
    },
  );

  test("is left alone where there is no room", () => {
    expect(reportText(report, 30)).toBe(reportText(report));
  });
});
