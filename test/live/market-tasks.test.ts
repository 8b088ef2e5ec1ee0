import { expect, test } from "vitest";
import { MarketTasks } from "../../src/live/upkeep.ts";
import type { Market } from "../../src/select/market.ts";

const market = (id: string): Market => ({ type: "perp", id });

test("runs one task for each market that is held, and begins none once it was stopped", () => {
  const steps: string[] = [];
  const tasks = new MarketTasks(({ id }) => {
    steps.push(`start ${id}`);
    return { stop: () => steps.push(`stop ${id}`) };
  });
  tasks.hold([market("1"), market("2"), market("1")]);
  tasks.hold([market("2"), market("3")]);
  tasks.stop();
  tasks.hold([market("1")]);
  expect(steps).toEqual(["start 1", "start 2", "stop 1", "start 3", "stop 2", "stop 3"]);
});
