// Whose fills are listed while the user goes from one account to another.
import { expect, test } from "vitest";
import { FillOwners } from "../../src/commands/screen/feed-histories.ts";
import type { AccountChoice } from "../../src/select/account.ts";

const [ONE, OTHER] = [`0x${"ab".repeat(20)}`, `0x${"cd".repeat(20)}`];
const given = { owner: ONE, subaccountId: 3 };

test("an owner counts for the address beside which it was named, and for no other one", () => {
  let watched: AccountChoice | undefined = { address: "A", subaccountId: "0" };
  const owners = new FillOwners({ owner: ONE, subaccountId: 0 }, watched, () => watched);
  expect(owners.now).toEqual({ owner: ONE, subaccountId: 0 });
  expect(owners.now).toBe(owners.now);
  watched = { address: "A", subaccountId: "7" };
  expect(owners.now).toEqual({ owner: ONE, subaccountId: 7 });
  watched = { address: "B", subaccountId: "7" };
  expect(owners.now).toBeUndefined();
  owners.name(OTHER);
  expect(owners.now).toEqual({ owner: OTHER, subaccountId: 7 });
  watched = { address: "A", subaccountId: "7" };
  expect(owners.now).toEqual({ owner: ONE, subaccountId: 7 });
});

test("no subaccount is guessed, and none that the listings cannot number is asked for", () => {
  let watched: AccountChoice | undefined = { address: "A", subaccountId: undefined };
  const owners = new FillOwners(given, watched, () => watched);
  expect(owners.now).toBeUndefined();
  watched = { address: "A", subaccountId: "65536" };
  expect(owners.now).toBeUndefined();
  watched = { address: "A", subaccountId: "65535" };
  expect(owners.now).toEqual({ owner: ONE, subaccountId: 65_535 });
});

test("of a command that lists fills it is the one that is named", () => {
  const owners = new FillOwners(given, undefined, () => undefined);
  expect(owners.now).toEqual(given);
});
