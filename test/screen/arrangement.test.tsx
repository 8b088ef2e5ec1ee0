// The panes of a market as the user wants them: on a terminal without a window, and in the file that keeps them.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Arrangement,
  MAX_STEPS,
  PANE_NAMES,
  readArrangement,
} from "../../src/screen/views/market/panes.ts";
import { mountDashboard } from "../support/mount-dashboard.tsx";
import { openMarket } from "../support/open-dashboard.ts";

function open(arrangement?: Arrangement) {
  const kept: Arrangement[] = [];
  const onArrange = (each: Arrangement) => void kept.push(each);
  const { dashboard, model } = openMarket({ arrangement, onArrange });
  const app = mountDashboard(dashboard, { columns: 120, rows: 40 });
  const type = async (keys: string) => {
    for (const key of keys) {
      app.stdin.type(key);
      await app.settle();
    }
    return [...model.order].sort();
  };
  return { ...app, model, kept, type };
}

const ALL = ["candles", "orderbook", "trades"];

describe("panes of a market", () => {
  test("are hidden one by one, the last one never, and all come back", async () => {
    const { type } = open();
    expect(await type("x")).toEqual(["candles", "trades"]);
    expect(await type("x")).toHaveLength(1);
    expect(await type("x")).toHaveLength(1);
    expect(await type("0")).toEqual(ALL);
  });

  test("zoom leaves the chosen panes as they were", async () => {
    const { type, kept } = open();
    await type("5");
    expect(await type("z")).toEqual(["orderbook"]);
    expect(await type("x<>")).toEqual(["orderbook"]);
    expect(await type("z")).toEqual(["orderbook", "trades"]);
    expect(kept).toHaveLength(1);
  });

  test("the cursor of the book brings a hidden book to the screen", async () => {
    const { type, model } = open();
    expect(await type("4c")).toEqual(["candles", "orderbook"]);
    expect(model.focus).toBe("orderbook");
  });

  test("grow and shrink, step for step, and stop where there is no room", async () => {
    const { type, model, kept } = open();
    await type(">".repeat(20));
    const most = model.choices.arrangement.sizes.orderbook;
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThan(MAX_STEPS);
    expect(kept).toHaveLength(most);
    await type("<");
    expect(model.choices.arrangement.sizes.orderbook).toBe(most - 1);
    await type("0");
    expect(model.choices.arrangement.sizes.orderbook).toBe(0);
  });

  test("begin as an earlier run left them", async () => {
    const earlier = open();
    await earlier.type("5<<");
    earlier.mounted.unmount();
    const later = open(readArrangement(JSON.parse(JSON.stringify(earlier.kept.at(-1)))));
    expect(await later.type("")).toEqual(["orderbook", "trades"]);
    expect(later.model.choices.arrangement.sizes.orderbook).toBe(-2);
  });
});

describe("an arrangement that was kept", () => {
  test("is read back as it was", () => {
    const steps = fc.double({ min: -MAX_STEPS, max: MAX_STEPS, noNaN: true });
    fc.assert(
      fc.property(
        fc.subarray([...PANE_NAMES], { minLength: 1 }),
        fc.record({ orderbook: steps, trades: steps, candles: steps, heatmap: steps }),
        (shown, sizes) => {
          expect(readArrangement({ shown, sizes })).toEqual({ shown, sizes });
        },
      ),
    );
  });

  test("is never taken from what is none, and never throws", () => {
    for (const none of [undefined, null, 3, "all", [], {}, { shown: [] }, { shown: ["chart"] }]) {
      expect(readArrangement(none)).toBeUndefined();
    }
    const broken = {
      shown: ["trades", "x"],
      sizes: { trades: 99, candles: "1", orderbook: Number.NaN },
    };
    expect(readArrangement(broken)).toEqual({
      shown: ["trades"],
      sizes: { orderbook: 0, trades: 0, candles: 0, heatmap: 0 },
    });
    fc.assert(fc.property(fc.anything(), (value) => void readArrangement(value)));
  });
});
