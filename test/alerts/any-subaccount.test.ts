// A rule over any subaccount of an address: which are watched, what each of them crosses, and what is said of the others.
import { describe, expect, test } from "vitest";
import { firingEvent, formatNotice } from "../../src/alerts/alert-rows.ts";
import { accountChannel, accountsChannel } from "../../src/select/account.ts";
import { ADDRESS, openAlerts } from "./alert-rig.ts";

const ANY = `account/${ADDRESS}/any`;
const CATALOGUE = accountsChannel(ADDRESS);
const channelOf = (id: number) => accountChannel({ address: ADDRESS, subaccountId: `${id}` });
const short = (text: string) => text.replace(`${ANY} `, "");

/** A rule over an address, and a service that answers what is subscribed for it. */
function open(rule: string) {
  const { fired, notices, ...rig } = openAlerts();
  const { feed, manager, update } = rig;
  const subscribed = new Set<string>();
  manager.onChange = () => {
    for (const channel of manager.channels) {
      if (subscribed.has(channel)) continue;
      subscribed.add(channel);
      feed.say({ type: "subscribing", channel });
    }
  };
  rig.set(`${ANY} ${rule}`);
  const catalogue = (...subaccounts: object[]) =>
    update(CATALOGUE, { subaccounts, delegations: [] });
  return {
    ...rig,
    fired: () => fired.map(short),
    notices: () =>
      notices.map((each) =>
        short(formatNotice(each, false)).replace(/^.*?(?= \(subaccount|: )/, ""),
      ),
    catalogue: (...statuses: readonly string[]) =>
      catalogue(...statuses.map((status, id) => subaccount(id, status))),
    /** The catalogue says something of one of them. */
    change: (id: number, status: string) => catalogue(subaccount(id, status)),
    account: (id: number, equity: string) => update(channelOf(id), { account: { equity } }),
    ids: () =>
      [...subscribed]
        .filter((each) => each.startsWith("account/"))
        .map((each) => each.split("/")[2]),
  };
}

const subaccount = (subaccount_id: number, status: string) => ({
  subaccount_id,
  status,
  created_at_ns: "1",
});

describe("an alert over any subaccount", () => {
  test("watches those of the catalogue that are not closed, opened one after the other", () => {
    const { catalogue, account, ids, manager, conditions, whyNot } = open("equity < 100");
    expect(manager.channels).toEqual([CATALOGUE, "markets"]);
    catalogue("active", "closed", "restricted");
    expect(ids()).toEqual(["0"]);
    account(0, "500");
    expect(ids()).toEqual(["0", "2"]);
    expect(whyNot()[0]).toBe("subaccount 2: waiting; 1 of 2 are evaluated");
    account(2, "500");
    expect(conditions()[0]).toBe("armed");
    expect(manager.accounts.map(({ subaccountId }) => subaccountId)).toEqual(["0", "2"]);
  });

  test("fires for each that crosses, and names it", () => {
    const { catalogue, account, fired, firings } = open("equity < 100 every 0s");
    catalogue("active", "active");
    for (const id of [0, 1]) account(id, "500");
    account(1, "99");
    account(1, "98");
    account(0, "97");
    account(1, "500");
    account(1, "96");
    const rule = "equity < 100 every 0s";
    expect(fired()).toEqual([
      `${rule} (subaccount 1): 99`,
      `${rule} (subaccount 0): 97`,
      `${rule} (subaccount 1): 96`,
    ]);
    expect(firings[0] && firingEvent(firings[0], false)).toMatchObject({
      event: "alert",
      rule: `${ANY} ${rule}`,
      account: `${ADDRESS}/1`,
      value: "99",
      state: "live",
    });
  });

  test("without every fires once for all of them", () => {
    const { catalogue, account, fired, conditions, manager } = open("equity < 100");
    catalogue("active", "active");
    for (const id of [0, 1]) account(id, "500");
    account(1, "99");
    account(0, "97");
    expect(fired()).toHaveLength(1);
    expect(conditions()[0]).toBe("fired");
    expect(manager.isDone).toBe(true);
  });

  test("says of each that is past its level at first that it is, and does not fire for it", () => {
    const { catalogue, account, fired, notices } = open("equity < 100 every 0s");
    catalogue("active", "active");
    account(0, "50");
    account(1, "500");
    account(0, "49");
    expect(notices()).toEqual([" (subaccount 0): already past: 50"]);
    account(1, "99");
    expect(fired()).toEqual(["equity < 100 every 0s (subaccount 1): 99"]);
  });

  test("takes up a subaccount that the catalogue adds, and leaves one that is closed", () => {
    const { catalogue, account, fired, ids, change, manager } = open("equity < 100 every 0s");
    catalogue("active");
    account(0, "500");
    change(7, "active");
    expect(ids()).toEqual(["0", "7"]);
    account(7, "500");
    account(7, "5");
    expect(fired()).toEqual(["equity < 100 every 0s (subaccount 7): 5"]);
    change(0, "closed");
    account(0, "1");
    expect(fired()).toHaveLength(1);
    expect(manager.accounts.map(({ subaccountId }) => subaccountId)).toEqual(["7"]);
  });

  test("goes on for the others while one is not live, says so, and fires for none twice", () => {
    const { feed, catalogue, account, fired, notices } = open("equity < 100 every 0s");
    catalogue("active", "active");
    for (const id of [0, 1]) account(id, "500");
    account(0, "99");
    feed.say({ type: "unavailable", channel: channelOf(0), message: "later", retryAtMs: 5 });
    account(1, "98");
    expect(notices()).toEqual([": not evaluated: subaccount 0: offline; 1 of 2 are evaluated"]);
    feed.say({ type: "subscribing", channel: channelOf(0) });
    account(0, "97");
    expect(fired().map((each) => each.split(" (")[1])).toEqual([
      "subaccount 0): 99",
      "subaccount 1): 98",
    ]);
  });

  test("of 500 subaccounts watches 16 at the most, and says so", () => {
    const count = 16;
    const { catalogue, account, seconds, ids, notices, conditions } = open("equity < 100");
    catalogue(...Array.from({ length: 500 }, () => "active"));
    for (let id = 0; id < count; id++) account(id, "500");
    expect(ids()).toHaveLength(count);
    seconds(11);
    expect(notices()).toEqual([
      `: not evaluated: ${count} of 500 subaccounts are subscribed, no more at once`,
    ]);
    expect(conditions()[0]).toBe("not evaluated");
  });

  test("says after a while that no catalogue has come, and at once that it is refused", () => {
    const silent = open("margin > 80%");
    silent.seconds(11);
    expect(silent.notices()).toEqual([": not evaluated: the catalogue is waiting"]);
    const refused = open("margin > 80%");
    const error = { code: 404, message: "no such address" };
    refused.feed.say({ type: "refused", channel: CATALOGUE, ...error });
    expect(refused.notices()).toEqual([": not evaluated: the catalogue is refused"]);
  });

  test("of any position of any subaccount, a fill and an order of any", () => {
    const position = (mark_price: string) => ({
      positions: [{ market_id: 1, side: "long", size: "1", mark_price, liquidation_price: "80" }],
    });
    const near = open("liquidation any < 10% every 0s");
    near.catalogue("active", "active");
    for (const id of [0, 1]) near.update(channelOf(id), position("100"));
    near.update(channelOf(1), position("82"));
    expect(near.fired()).toEqual(["liquidation any < 10 % every 0s (subaccount 1): 2.43902439"]);
    const filled = open("fill every 0s");
    filled.catalogue("active", "active");
    for (const id of [0, 1]) filled.update(channelOf(id), { fills: [] });
    filled.update(channelOf(1), { fills: [{ trade_id: "1", market_id: 1 }] });
    expect(filled.fired()).toEqual(["fill every 0s (subaccount 1)"]);
  });
});
