// The catalogue of an address: each frame has both of its lists, and nothing says whether they hold what changed or all.
import { expect, test } from "vitest";
import { ACCOUNTS, openChainRig } from "../support/chain-rig.ts";
import { startPlayed } from "../support/played-session.ts";

const CHANNEL = "accounts/7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU";

function startCatalogue(subaccounts: readonly number[], delegates: readonly string[]) {
  const held = { subaccounts: new Set(subaccounts), delegates: new Set(delegates) };
  const frame = (ids: Iterable<number>, names: Iterable<string>) => ({
    subaccounts: [...ids].map((subaccount_id) => ({
      subaccount_id,
      status: "active",
      created_at_ns: `${1000 + subaccount_id}`,
    })),
    delegations: [...names].map((delegate) => ({
      subaccount_id: 0,
      delegate,
      permissions: ["trade"],
    })),
  });
  const all = () => frame(held.subaccounts, held.delegates);
  const rig = startPlayed({ channels: { [CHANNEL]: all } });
  rig.pass(1000);
  const slice = () => rig.store.slice("accounts", CHANNEL);
  return {
    ...rig,
    held,
    publishAll: () => rig.service.publish(CHANNEL, all()),
    publish: (ids: readonly number[], names: readonly string[]) =>
      rig.service.publish(CHANNEL, frame(ids, names)),
    state: () => rig.store.paneState(slice(), rig.clock.now()),
    resyncs: () => slice().feed.resyncs,
    ids: () => slice().data.subaccounts.map(({ subaccount_id }) => subaccount_id),
    delegates: () => slice().data.delegations.map(({ delegate }) => delegate),
  };
}

test("a right that was revoked and a subaccount that is gone are gone, where each frame has all there is", () => {
  const rig = startCatalogue([0, 1, 2], ["A", "B"]);
  for (const [id, delegate] of [
    [2, "B"],
    [1, "A"],
  ] as const) {
    rig.held.delegates.delete(delegate);
    rig.held.subaccounts.delete(id);
    rig.publishAll();
    rig.pass(1000);
    expect(rig.delegates()).toEqual([...rig.held.delegates]);
    expect(rig.ids()).toEqual([...rig.held.subaccounts]);
    expect(rig.state()).toBe("live");
  }
});

test("what a frame leaves out is not live until the service has said whether it is gone", () => {
  const rig = startCatalogue([0], ["A"]);
  rig.held.delegates.clear();
  rig.publishAll();
  rig.pass(20);
  expect([rig.delegates(), rig.state()]).toEqual([["A"], "resync"]);
  rig.pass(1000);
  expect([rig.delegates(), rig.state()]).toEqual([[], "live"]);
});

test("where frames have what changed, nothing is lost, and it is fetched anew once", () => {
  const rig = startCatalogue([0, 1], ["A", "B"]);
  for (const delegate of ["C", "D", "E"]) {
    rig.held.delegates.add(delegate);
    rig.publish([], [delegate]);
    rig.pass(1000);
  }
  expect(rig.delegates()).toEqual(["A", "B", "C", "D", "E"]);
  expect(rig.ids()).toEqual([0, 1]);
  expect(rig.resyncs()).toBe(1);
});

test("a frame that has all there is asks for nothing", () => {
  const rig = startCatalogue([0, 1], ["A"]);
  rig.held.delegates.add("B");
  rig.publishAll();
  rig.pass(1000);
  expect([rig.delegates(), rig.resyncs()]).toEqual([["A", "B"], 0]);
});

test("a right that was revoked is gone where an empty list has not changed, and any other has all there is", () => {
  const rig = startCatalogue([0, 1], ["A", "B"]);
  const publish = (isOfDelegates: boolean) => {
    rig.publish(
      isOfDelegates ? [] : [...rig.held.subaccounts],
      isOfDelegates ? [...rig.held.delegates] : [],
    );
    rig.pass(10_000);
  };
  rig.held.delegates.add("C");
  publish(true);
  rig.held.subaccounts.add(2);
  publish(false);
  expect(rig.resyncs()).toBe(2);
  for (const delegate of ["B", "A"]) {
    rig.held.delegates.delete(delegate);
    publish(true);
    expect([rig.delegates(), rig.state()]).toEqual([[...rig.held.delegates], "quiet"]);
  }
  expect(rig.ids()).toEqual([0, 1, 2]);
});

const right = (delegate: string, ...permissions: string[]) => ({
  subaccount_id: 0,
  delegate,
  permissions,
});
const subaccounts = [{ subaccount_id: 0, status: "active", created_at_ns: "1000" }];

test("where frames have what changed, the list is fetched anew once, also where it comes in several frames", () => {
  const rig = openChainRig([ACCOUNTS]);
  const sayAll = (sequence: string, ...rights: object[]) => {
    rig.say(ACCOUNTS, [null, sequence], { subaccounts, delegations: [] });
    rig.say(ACCOUNTS, [sequence, sequence], { subaccounts: [], delegations: rights });
  };
  sayAll("5", right("A"));
  rig.say(ACCOUNTS, ["5", "6"], { subaccounts: [], delegations: [right("B")] });
  expect(rig.state(ACCOUNTS)).toBe("resync");
  rig.resubscribe(ACCOUNTS);
  sayAll("6", right("A"), right("B"));
  rig.say(ACCOUNTS, ["6", "7"], { subaccounts: [], delegations: [right("C")] });
  expect(rig.state(ACCOUNTS)).toBe("live");
  expect(rig.feed(ACCOUNTS)?.resyncs).toBe(1);
});

test("of two rights of one name, which of them has changed is not known: neither is live until the list comes anew", () => {
  const rig = openChainRig([ACCOUNTS]);
  rig.say(ACCOUNTS, [null, "1"], {
    subaccounts,
    delegations: [right("A", "trade"), right("A", "read")],
  });
  for (let i = 1; i < 4; i++) {
    const changed = right("A", "read", `${i}`);
    rig.say(ACCOUNTS, [`${i}`, `${i + 1}`], { subaccounts, delegations: [changed] });
    expect(rig.state(ACCOUNTS)).toBe("resync");
    rig.resubscribe(ACCOUNTS);
    const delegations = [right("A", "trade"), changed];
    rig.say(ACCOUNTS, [null, `${i + 1}`], { subaccounts, delegations });
    expect(rig.state(ACCOUNTS)).toBe("live");
    expect(rig.slice("accounts", ACCOUNTS).data.delegations).toEqual(delegations);
  }
});
