// When an account is fetched again because nothing says what became of a row.
import { expect, test } from "vitest";
import { AccountState } from "../../src/state/account.ts";
import { Aliases } from "../../src/state/aliases.ts";
import type { AccountUpdate } from "../../src/wire/channels/account.ts";

const order = (order_id: string, side: string) => ({ market_id: 1, order_id, side, size: "5" });
const BOTH = { orders: [order("1", "bid"), order("2", "ask")] };

test.each([
  ["without audits, after a minute and a quarter", false, 75_000],
  [
    "where audits were made but settle nothing, as when the second connection is refused from then on, after two thirds of an hour",
    true,
    2_400_000,
  ],
])("a row that a list left out is asked for %s", (_what, isAudited, afterMs) => {
  const state = new AccountState(new Aliases());
  state.update(BOTH as unknown as AccountUpdate, true, 0);
  if (isAudited) state.audit(BOTH as unknown as AccountUpdate);
  state.update({ orders: [order("1", "bid")] } as unknown as AccountUpdate, false, 0);
  expect(state.questions).toBe(1);
  state.advance(afterMs - 1);
  expect(state.suspect).toBeUndefined();
  state.advance(afterMs);
  expect(state.suspect).toContain("left out rows");
});
