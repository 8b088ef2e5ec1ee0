// What --json says of a subaccount, to the last digit.
import { expect, test } from "vitest";
import { accountJson, accountPaneJson } from "../../src/print/account-json.ts";
import { accountChannel } from "../../src/select/account.ts";
import { Store } from "../../src/state/store.ts";
import { stringifyExact } from "../../src/wire/exact-numbers.ts";
import { MarketFeed } from "../support/market-feed.ts";

const address = "gtSFx2ZaJ8MqyRzT3mWJrDvC9wPbLkHnUeQaXsVoJNeD";

test.each(["0", "7", "9007199254740993", "340282366920938463463374607431768211455"])(
  "the id %s of a subaccount keeps every digit",
  (subaccountId) => {
    const text = stringifyExact(accountJson(new Store(), { address, subaccountId }));
    expect(text).toContain(`"subaccount_id":${subaccountId},`);
  },
);

test("rows that the newest list has left out are named, while it is not known whether they are over", () => {
  const feed = new MarketFeed();
  const account = { address, subaccountId: "0" };
  const channel = accountChannel(account);
  const places = () => {
    const text = stringifyExact(accountPaneJson(feed.store, account, feed.nowMs));
    return JSON.parse(text).account.readings.orders.unnamed;
  };
  const chain = { previous_sequence: null, sequence: null };
  const orders = ["1", "2", "3"].map((order_id) => ({ order_id, status: "open" }));
  feed.subscribe(channel);
  feed.first(channel, { orders });
  expect(places()).toEqual([]);
  feed.update(channel, { ...chain, orders: [{ order_id: "2", status: "open", filled: "1" }] });
  expect(places()).toEqual([0, 2]);
});
