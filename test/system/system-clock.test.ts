// The machine's clock calls back in the order that it promises.
import os from "node:os";
import { expect, test, vi } from "vitest";
import { systemClock } from "../../src/system/system-clock.ts";

test("what comes next comes behind the microtasks that are queued by then, and before the next turn", async () => {
  const order: string[] = [];
  await new Promise<void>((resolve) => {
    systemClock.soon(() => {
      order.push("soon");
      resolve();
    });
    systemClock.next(() => order.push("next"));
    const undo = systemClock.next(() => order.push("undone"));
    queueMicrotask(() => {
      order.push("microtask");
      queueMicrotask(() => order.push("its microtask"));
    });
    undo();
    order.push("now");
  });
  expect(order).toEqual(["now", "microtask", "its microtask", "next", "soon"]);
});

test("the clock goes on while the machine sleeps, and is not moved by an uptime in whole seconds", () => {
  let awakeMs = performance.now();
  const awake = vi.spyOn(performance, "now").mockImplementation(() => awakeMs);
  const uptimeS = os.uptime();
  const up = vi.spyOn(os, "uptime");
  try {
    const startMs = systemClock.now();
    const passed = (awakeS: number, upS: number) => {
      awakeMs += awakeS * 1000;
      up.mockReturnValue(uptimeS + upS);
      return Math.round((systemClock.now() - startMs) / 1000);
    };
    expect(passed(1, 1.9)).toBe(1);
    expect(passed(1, 3602)).toBe(3602);
    expect(passed(1, 3602)).toBe(3603);
  } finally {
    awake.mockRestore();
    up.mockRestore();
  }
});

test("a timer that is due already is set for now: Node 24 prints a warning over the screen for a negative time", () => {
  const armed = vi.spyOn(globalThis, "setTimeout");
  try {
    for (const delayMs of [-5, -0.1, 0, 1e-9]) systemClock.after(delayMs, () => {})();
    const delays = armed.mock.calls.map(([, delayMs]) => delayMs ?? -1);
    expect(delays).toHaveLength(4);
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(0);
  } finally {
    armed.mockRestore();
  }
});
