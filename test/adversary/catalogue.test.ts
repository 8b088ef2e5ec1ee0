// The catalogue of an address: each frame has both of its lists, and nothing says whether they hold what changed or all.
import { expect, test } from "vitest";
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
