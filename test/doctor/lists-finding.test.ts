// What the doctor says of how the lists of an account are read.
import { expect, test } from "vitest";
import { listsSeen } from "../../src/doctor/findings.ts";
import { MarketFeed } from "../support/market-feed.ts";

const channel = "account/gtSFx2ZaJ8MqyRzT3mWJrDvC9wPbLkHnUeQaXsVoJNeD/0";
const ALL = Array.from({ length: 40 }, (_, i) => i + 1);
const LATER = ALL.slice(1);

/** Each list of order ids is a frame; `first` are the numbers of those that begin a subscription. */
function findingAfter(frames: readonly (readonly number[])[], first: readonly number[] = [0]) {
  const feed = new MarketFeed();
  frames.forEach((ids, i) => {
    const orders = ids.map((id) => ({ order_id: `${id}`, market_id: 1, size: "1", price: "5" }));
    const isFirst = first.includes(i);
    if (isFirst) feed.say({ type: "subscribing", channel });
    const chain = { previous_sequence: isFirst ? null : `${i}`, sequence: `${i + 1}` };
    feed.update(channel, { ...chain, orders }, isFirst);
  });
  return listsSeen(feed.store.slice("account", channel).data);
}

test.each([
  ["nothing came", findingAfter([]), "unknown", "no list of the account received"],
  ["one list", findingAfter([ALL]), "unknown", "orders assumed: later lists hold what has changed"],
  [
    "rows that were left out come back",
    findingAfter([[1, 2], [1], [2], [1], [2], [1], [2]]),
    "ok",
    "orders inferred: later lists hold what has changed",
  ],
  [
    "what was left out is gone from what is sent anew",
    findingAfter([ALL, LATER, LATER, LATER, LATER, LATER], [0, 5]),
    "ok",
    "orders inferred: later lists hold all there is",
  ],
])("%s", (_, finding, verdict, fact) => {
  expect(finding).toEqual([verdict, fact]);
});
