// The heatmap of the busiest built-in scenario, on a virtual clock: what it keeps of each second, and that it is of the book.
import { expect, test } from "vitest";
import { marketChannels } from "../../src/select/market.ts";
import { createHeatRows, HEAT_SECONDS, Heatmap } from "../../src/state/heatmap.ts";
import { STEP_MS, startLiveRig } from "../support/live-rig.ts";
import { report, runs } from "../support/soak.ts";

const ROW_TICKS = 100n;
const MAX_BYTES = 2 * 1024 * 1024;

test("a busy market's heatmap holds the book of each second, and an hour of it in less than 2 MB", async () => {
  const seconds = runs(3, 600);
  const rig = await startLiveRig({ scenario: "busy", seed: 3, history: 100 });
  const { store, stream, clock } = rig;
  const channels = marketChannels({ type: "perp", id: "1" }, "1m");
  for (const channel of [channels.orderbook, channels.trades, channels.bbo]) {
    stream.subscribe(channel);
  }
  const heat = new Heatmap(channels, ROW_TICKS, 0);
  heat.skipTo(store, clock.now());
  store.beforeChange((atMs) => heat.advance(store, atMs));
  let held = 0;
  for (let second = 0; second < seconds; second++) {
    for (let ms = STEP_MS; ms < 1000; ms += STEP_MS) await rig.step();
    // What comes at the end of a second is of the next one.
    const { data } = store.slice("orderbook", channels.orderbook);
    const before = createHeatRows(data.depth(), [], ROW_TICKS);
    await rig.step();
    heat.advance(store, clock.now());
    const rows = heat.rowsAt(heat.secondOf(clock.now()) - 1);
    if (rows === undefined) continue;
    held++;
    expect(rows.bids).toEqual(before.bids.slice(0, rows.bids.length));
    expect(rows.asks).toEqual(before.asks.slice(0, rows.asks.length));
  }
  expect(held).toBeGreaterThan(seconds / 2);
  const ofSecond = heat.bytes / ((heat.next ?? 0) - (heat.first ?? 0));
  report(`${seconds} s of busy: ${heat.bytes} bytes, ${Math.round(ofSecond)} a second`);
  expect(ofSecond * HEAT_SECONDS).toBeLessThan(MAX_BYTES);
}, 3_600_000);
