// What of several subaccounts may be added up: a service names the currency of a subaccount as it likes.
import { expect, test } from "vitest";
import { accountChannel, accountsChannel } from "../../src/select/account.ts";
import { OverviewEntries, OverviewRows, selectTotals } from "../../src/select/overview.ts";
import { MarketFeed } from "../support/market-feed.ts";
import { words } from "../support/words.ts";

const address = "gtSFx2ZaJ8MqyRzT3mWJrDvC9wPbLkHnUeQaXsVoJNeD";
const chain = { previous_sequence: null, sequence: "1" };

/** The sums over live subaccounts with these records of their own. */
function total(...accounts: readonly object[]) {
  const feed = new MarketFeed();
  const catalogue = accountsChannel(address);
  feed.link("open");
  feed.say({ type: "subscribing", channel: catalogue });
  const subaccounts = accounts.map((_, subaccount_id) => ({
    subaccount_id,
    created_at_ns: "1",
    status: "active",
  }));
  feed.update(catalogue, { ...chain, subaccounts, delegations: [] }, true);
  for (const [id, account] of accounts.entries()) {
    const channel = accountChannel({ address, subaccountId: `${id}` });
    feed.say({ type: "subscribing", channel });
    feed.update(channel, { ...chain, account }, true);
  }
  const entries = new OverviewEntries().select(feed.store, [
    { address, subaccountId: undefined, name: undefined },
  ]);
  return selectTotals(new OverviewRows().select(entries, feed.store, feed.nowMs));
}

test.each(
  words("currency quote_asset collateral_asset settlementCurrency margin_coin denomination"),
)("money of two currencies is not added up where %s names them", (field) => {
  expect(total({ equity: "1", [field]: "USDC" }, { equity: "2", [field]: "EURC" })).toMatchObject({
    live: 2,
    equity: undefined,
    why: "2 currencies",
  });
  expect(total({ equity: "1", [field]: "USDC" }, { equity: "2", [field]: "USDC" })).toMatchObject({
    live: 2,
    equity: "3",
    currency: "USDC",
  });
});

test("money of a subaccount that names no currency is not added to that of one that does", () => {
  expect(total({ equity: "1", collateral_asset: "USDC" }, { equity: "2" })).toMatchObject({
    live: 2,
    equity: undefined,
    why: "1 of 2 live name no currency",
  });
});

test("money of subaccounts that name no currency is not added up, whatever their balances are of", () => {
  expect(total({ equity: "1" }, { equity: "2" })).toMatchObject({
    live: 2,
    equity: undefined,
    currency: undefined,
    why: "the service names no currency",
  });
});
