import { expect, test } from "vitest";
import { parseRetryAfter } from "../../../src/listing/rest/reply.ts";

const DATE = "Fri, 21 Nov 2025 10:00:00 GMT";
const WALL = Date.UTC(2025, 10, 21, 9, 0, 0);

test.each<[text: string | undefined, date: string | undefined, ms: number | undefined]>([
  [undefined, DATE, undefined],
  ["0", DATE, 0],
  [" 7 ", DATE, 7000],
  ["999999999999999999999", DATE, 300_000],
  ["Fri, 21 Nov 2025 10:00:30 GMT", DATE, 30_000],
  ["Fri, 21 Nov 2025 09:59:30 GMT", DATE, 0],
  ["Fri, 21 Nov 2025 09:00:30 GMT", undefined, 30_000],
  ["Fri, 21 Nov 2025 09:00:30 GMT", "nonsense", 30_000],
  ["Fri, 21 Nov 2099 10:00:30 GMT", DATE, 300_000],
  ["-1", DATE, undefined],
  ["1.5", DATE, undefined],
  ["NaN", DATE, undefined],
  ["", DATE, undefined],
  ["2025-11-21T10:00:30Z", DATE, undefined],
])("Retry-After %j with Date %j is a wait of %j ms", (text, date, ms) => {
  expect(parseRetryAfter(text, date, WALL)).toBe(ms);
});
