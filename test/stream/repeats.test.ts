import { expect, test } from "vitest";
import { Repeats } from "../../src/stream/repeats.ts";

test("without a number, only the very same text right behind itself is a repeat", () => {
  const repeats = new Repeats();
  const note = (sequence: string | null, text: string) => repeats.note({ sequence }, text);
  expect(note(null, "a")).toBe(false);
  expect(note(null, "a")).toBe(true);
  expect(note(null, "a")).toBe(true);
  expect(note(null, "b")).toBe(false);
  expect(note(null, "a")).toBe(false);
  expect(note("1", "a")).toBe(false);
  expect(note("1", "a")).toBe(false);
  expect(note(null, "a")).toBe(false);
});
