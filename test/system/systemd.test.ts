// What systemd is told, whatever its program takes.
import { expect, test } from "vitest";
import { type RunNotifier, Systemd } from "../../src/system/systemd.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

type End = Awaited<ReturnType<RunNotifier>>;

/** @param ends of the messages, in order; those after them are sent */
function createRig(ends: readonly End[], env: Readonly<Record<string, string>> = {}) {
  const clock = createVirtualClock();
  const left = [...ends];
  const calls: string[] = [];
  const faults: string[] = [];
  const systemd = new Systemd({
    env: { NOTIFY_SOCKET: "/run/systemd/notify", ...env },
    clock,
    pid: 7,
    onFault: (fault) => faults.push(fault),
    run: (args) => {
      calls.push(args.join(" "));
      return Promise.resolve(left.shift() ?? "sent");
    },
  });
  const settle = async () => {
    for (let i = 0; i < 10; i++) await Promise.resolve();
  };
  return { clock, calls, faults, systemd, settle };
}

test("a message that was not sent is sent again, with the newest of each kind", async () => {
  const { clock, calls, systemd, settle } = createRig(["later", "later"]);
  systemd.ready();
  systemd.status("one");
  await settle();
  expect(calls).toEqual(["READY=1"]);
  clock.advance(1000);
  systemd.status("two");
  await settle();
  expect(calls).toEqual(["READY=1", "READY=1 STATUS=one"]);
  clock.advance(1000);
  await settle();
  expect(calls.slice(2)).toEqual(["READY=1 STATUS=two"]);
  clock.advance(600_000);
  await settle();
  expect(calls).toHaveLength(3);
});

test("the last message is tried three times, and nothing is sent behind it", async () => {
  const { clock, calls, systemd, settle } = createRig(["later", "later", "later"]);
  await systemd.stop();
  expect(calls).toEqual(["STOPPING=1", "STOPPING=1", "STOPPING=1"]);
  clock.advance(600_000);
  await settle();
  expect(calls).toHaveLength(3);
});

test("a watchdog is notified twice in its time until the end, also behind a message that was not sent", async () => {
  const { clock, calls, systemd, settle } = createRig(["later"], { WATCHDOG_USEC: "800000" });
  for (let i = 0; i < 3; i++) {
    clock.advance(400);
    await settle();
  }
  expect(calls).toEqual(["WATCHDOG=1", "WATCHDOG=1", "WATCHDOG=1"]);
  await systemd.stop();
  clock.advance(600_000);
  await settle();
  expect(calls.slice(3)).toEqual(["STOPPING=1"]);
});

test("a fault that trying again does not mend is reported once, and nothing is sent any more", async () => {
  const { clock, calls, faults, systemd, settle } = createRig([{ fault: "no program" }], {
    WATCHDOG_USEC: "800000",
  });
  systemd.ready();
  await settle();
  systemd.status("one");
  clock.advance(10_000);
  await settle();
  await systemd.stop();
  expect({ calls, faults }).toEqual({ calls: ["READY=1"], faults: ["no program"] });
});
