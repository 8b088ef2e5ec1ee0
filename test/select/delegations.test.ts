import { expect, test } from "vitest";
import { formatDelegation } from "../../src/select/account-rows.ts";
import { DEFAULT_DISPLAY, Display } from "../../src/select/display.ts";

const NOW_MS = 1_800_000_000_000;
const words = formatDelegation(NOW_MS + 0.5, new Display(DEFAULT_DISPLAY));

test.each([
  ["0", true],
  ["999999999999999999", true],
  [`00${NOW_MS}000000`, true],
  [`${NOW_MS}000001`, false],
  ["99999999999999999999", false],
  [undefined, false],
])("a right that ends at %s ns has ended by now: %s", (expires_at_ns, hasEnded) => {
  const cell = words(
    { subaccount_id: 0, delegate: "A", permissions: [], expires_at_ns },
    "expires_at_ns",
  );
  expect(cell?.text.startsWith("expired ") ?? false).toBe(hasEnded);
});
