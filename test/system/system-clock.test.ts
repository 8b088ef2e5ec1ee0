// The machine's clock calls back in the order that it promises.
import { expect, test } from "vitest";
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
