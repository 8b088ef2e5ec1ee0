// The order flow of a session against the ledger of the simulated exchange: connections are lost, the listing heals what it can,
// and what `flow` says is exactly what traded in the time that it says is covered. A recording of it says the same.
import { expect, onTestFinished, test } from "vitest";
import { openBackgroundListings } from "../../src/live/background-listings.ts";
import { TapeHealer } from "../../src/live/tape-healer.ts";
import { openScales } from "../../src/select/scale.ts";
import { Recorder } from "../../src/timeline/recorder.ts";
import { createRandom } from "../../src/units/random.ts";
import type { LedgerTrade } from "../simulator/ledger.ts";
import { flowOf, sumsOf, sumsOfLedger } from "../support/flow-oracle.ts";
import { startLiveRig } from "../support/live-rig.ts";
import { settleLoopback } from "../support/loopback.ts";
import { SETTINGS } from "../support/recording-settings.ts";
import { channels, market, marketText, play, watchAll } from "../timeline/replayed.ts";

/** A session that loses its connection now and then, and asks the listing for what it missed. */
async function open({ backlog = 50, sinceMs }: { backlog?: number; sinceMs?: number }) {
  const lines: string[] = [];
  const rig = await startLiveRig({
    seed: 5,
    history: 3000,
    scenario: {
      readings: { trades_backlog: backlog },
      faults: [
        { kind: "lost-connection", after_ms: 8000, every_ms: 8000 },
        { kind: "lost-connection", after_ms: 13_000 },
      ],
    },
    sessionOf: (clock) => ({
      recorder: new Recorder({ clock, settings: SETTINGS, write: (line) => lines.push(line) }),
      sinceMs,
    }),
  });
  const { store, stream, simulator, clock, publish } = rig;
  const { base_url, ws_url } = simulator.announcement;
  const trades = openBackgroundListings(
    { clock, random: createRandom(1) },
    { url: ws_url, baseUrl: base_url, headers: {}, restRate: 50 },
  );
  if (trades === undefined) throw new Error("no listing");
  const scales = openScales(store, {});
  const listing = trades.of(market);
  const healer = new TapeHealer({ store, scales, market, listing, clock, publish });
  onTestFinished(() => {
    healer.stop();
    trades.close();
  });
  watchAll(stream);
  const tape = () => store.slice("trades", channels.trades).data;
  const traded: LedgerTrade[] = [];
  const check = () => {
    if (tape().flow.sinceMs === undefined) return;
    const flow = flowOf(tape());
    traded.push(...simulator.ledger.trades("perp", 1, traded.at(-1)?.index));
    const ledger = traded.map(({ trade }) => trade);
    expect(sumsOf(flow), JSON.stringify(flow.coverage)).toEqual(sumsOfLedger(ledger, flow));
  };
  return {
    ...rig,
    lines,
    tape,
    /** Lets time pass; what is said is looked at each second. */
    async passChecked(ms: number) {
      for (let passed = 0; passed < ms; passed += 1000) {
        await rig.pass(1000);
        await settleLoopback();
        check();
      }
    },
    live() {
      const nowMs = clock.now();
      rig.shown(nowMs);
      return marketText({ store, scales, nowMs });
    },
  };
}

test.each([50, 3, 0])(
  "sums are those of the ledger with a backlog of %i, and every loss is healed",
  async (backlog) => {
    const { passChecked, tape } = await open({ backlog });
    await passChecked(30_000);
    const { holes } = flowOf(tape()).coverage;
    expect(holes.length).toBeGreaterThanOrEqual(4);
    expect(holes.slice(0, -1).every(({ healed }) => healed)).toBe(true);
  },
);

test("the past that is asked for comes from the listing", async () => {
  const sinceMs = Date.UTC(2026, 0, 1) - 3_600_000;
  const { passChecked, tape } = await open({ sinceMs });
  await passChecked(30_000);
  const flow = flowOf(tape());
  expect(flow.since_ms).toBe(sinceMs);
  expect(flow.coverage.holes.every(({ healed }) => healed)).toBe(true);
});

test("a recording says the same, at its own speed and at others", async () => {
  const sinceMs = Date.UTC(2026, 0, 1) - 600_000;
  const { passChecked, lines, live } = await open({ backlog: 0, sinceMs });
  await passChecked(30_000);
  const expected = live();
  expect(JSON.parse(expected).flow.since_ms).toBe(sinceMs);
  const text = lines.join("");
  expect(text).toContain('"type":"filled"');
  for (const speed of [1, 20, 1000]) {
    const session = await play(text, speed);
    expect([speed, session.unreadable]).toEqual([speed, 0]);
    expect(marketText(session)).toBe(expected);
  }
});
