// What is kept of the last minutes shows every moment of them exactly as it was then, within its bytes.
import { describe, expect, test } from "vitest";
import { accountChannel } from "../../src/select/account.ts";
import { openScales } from "../../src/select/scale.ts";
import { OrderbookState } from "../../src/state/orderbook.ts";
import { Store } from "../../src/state/store.ts";
import { HistoryBuffer } from "../../src/timeline/history-buffer.ts";
import { TimelineCursor } from "../../src/timeline/timeline-cursor.ts";
import { createRandom } from "../../src/units/random.ts";
import { startLiveRig } from "../support/live-rig.ts";
import { channels, shownText, watchAll } from "./replayed.ts";

const SEED = 11;

/** Everything that a store holds, as text: what is printed, and what is kept beside it. */
function textOf(store: Store, address: string, nowMs: number): string {
  const scales = openScales(store, {});
  return [
    shownText({ store, scales, nowMs }, address),
    JSON.stringify(store.log.lines),
    store.slices
      .map(({ data }) =>
        data instanceof OrderbookState ? [data.interpretation, data.isDecided, data.judged] : "",
      )
      .join(),
  ].join("\n");
}

async function live(scenario: string, ms: number, maxBytes: number) {
  const store = new Store();
  let historyBuffer: HistoryBuffer | undefined;
  const rig = await startLiveRig({
    scenario,
    seed: SEED,
    history: 100,
    sessionOf: (clock) => {
      historyBuffer = new HistoryBuffer({ live: store, clock, maxBytes });
      return { historyBuffer, store };
    },
  });
  if (historyBuffer === undefined) throw new Error("no historyBuffer was asked for");
  const { address } = rig.simulator.announcement.account;
  watchAll(rig.stream, accountChannel({ address, subaccountId: "0" }));
  const moments: { readonly atMs: number; readonly text: string }[] = [];
  await rig.pass(ms, () => {
    const atMs = rig.clock.now();
    if (atMs % 500 === 0) moments.push({ atMs, text: textOf(store, address, atMs) });
  });
  const past = (atMs: number) => new TimelineCursor(historyBuffer as HistoryBuffer, atMs);
  return { historyBuffer, past, moments, address, rig };
}

describe("the past", () => {
  test.each(["steady", "gaps", "drops"])(
    "of the scenario %s is what it was, in whatever order one goes through it",
    async (scenario) => {
      const { historyBuffer, past, moments, address } = await live(scenario, 10_000, 200_000);
      const kept = moments.filter(({ atMs }) => atMs >= historyBuffer.startMs);
      expect(kept.length).toBeGreaterThan(5);
      const random = createRandom(SEED);
      const cursor = past(kept.at(-1)?.atMs ?? 0);
      for (let i = 0; i < 40; i++) {
        const moment = kept[Math.floor(random() * kept.length)];
        if (moment === undefined) continue;
        cursor.goTo(moment.atMs);
        expect(cursor.atMs).toBe(Math.min(moment.atMs, historyBuffer.endMs));
        expect(textOf(cursor.store, address, moment.atMs), `seed ${SEED}`).toBe(moment.text);
      }
    },
  );

  test("changes nothing of the session, and nothing of the session changes it", async () => {
    const { past, moments, address, rig } = await live("steady", 3000, 1_000_000);
    const [, moment] = moments;
    const now = rig.clock.now();
    const before = textOf(rig.store, address, now);
    const cursor = past(moment?.atMs ?? 0);
    expect(textOf(rig.store, address, now)).toBe(before);
    await rig.pass(2000);
    expect(textOf(cursor.store, address, moment?.atMs ?? 0)).toBe(moment?.text);
  });

  test("is no more than its bytes: the oldest is let go of, also where one stands, and nothing is further back", async () => {
    const maxBytes = 100_000;
    const { historyBuffer, past, rig } = await live("steady", 10_000, maxBytes);
    expect(historyBuffer.bytes).toBeLessThanOrEqual(maxBytes);
    expect(historyBuffer.bytes).toBeGreaterThan(maxBytes / 2);
    expect(historyBuffer.first).toBeGreaterThan(0);
    const cursor = past(Number.NEGATIVE_INFINITY);
    const stoodAtMs = cursor.atMs;
    expect(stoodAtMs).toBe(historyBuffer.startMs);
    expect(historyBuffer.line(historyBuffer.first - 1)).toBeUndefined();
    await rig.pass(7000);
    expect(historyBuffer.startMs).toBeGreaterThan(stoodAtMs);
    cursor.goTo(cursor.atMs + 1);
    expect(cursor.atMs).toBe(historyBuffer.startMs);
  });

  test("is gone through change by change, to and fro", async () => {
    const { past, historyBuffer } = await live("steady", 6000, 1_000_000);
    const trades = [channels.trades];
    const cursor = past(historyBuffer.endMs);
    const totals = () => cursor.store.slice("trades", channels.trades).data.total;
    const back: [number, number][] = [];
    while (cursor.step(-1, trades)) back.push([cursor.atMs, totals()]);
    expect(back.length).toBeGreaterThan(5);
    expect([...back].sort(([a], [b]) => b - a)).toEqual(back);
    const on: [number, number][] = [];
    while (cursor.step(1, trades)) on.push([cursor.atMs, totals()]);
    expect(on.slice(0, -1)).toEqual([...back].reverse().slice(1));
    expect(cursor.step(1, trades)).toBe(false);
  });
});
