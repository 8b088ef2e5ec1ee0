// A recording of the last minutes begins with a state that was made from memory, and a replay of it shows what the live run
// showed at the same moments, letter by letter.
import { mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { ReplayedSession } from "../../src/commands/replay/session.ts";
import { accountViewJson } from "../../src/print/account-json.ts";
import { marketJson } from "../../src/print/market-json.ts";
import { accountChannel, accountsChannel } from "../../src/select/account.ts";
import { formatMarket, marketChannels } from "../../src/select/market.ts";
import { openScales } from "../../src/select/scale.ts";
import type { Scales } from "../../src/state/scales.ts";
import { Store } from "../../src/state/store.ts";
import {
  type Flight,
  FlightRecorder,
  formatFlightName,
} from "../../src/timeline/flight-recorder.ts";
import { HistoryBuffer } from "../../src/timeline/history-buffer.ts";
import { decodeEntry, decodeHeading } from "../../src/timeline/recording-reader.ts";
import { parseDecimal } from "../../src/units/decimal.ts";
import { stringifyExact } from "../../src/wire/exact-numbers.ts";
import { startLiveRig } from "../support/live-rig.ts";
import { SETTINGS } from "../support/recording-settings.ts";

const market = { type: "perp", id: "1" } as const;
const channels = marketChannels(market, "1m");

interface Held {
  readonly store: Store;
  readonly scales: Scales;
  readonly nowMs: number;
}

function jsonOf({ store, scales, nowMs }: Held, address: string): string {
  const scale = scales.of(formatMarket(market));
  const account = { address, subaccountId: "0" };
  const view = { store, market, channels, interval: "1m", scale, nowMs, account } as const;
  return [
    stringifyExact(marketJson(view)),
    stringifyExact(accountViewJson({ store, account, scales, nowMs, isMasked: false })),
    JSON.stringify(store.slices.map(({ channel, feed }) => [channel, feed]).sort()),
    JSON.stringify([store.link, store.counts]),
  ].join("\n");
}

interface RigOptions {
  readonly scenario?: string;
  readonly maxBytes?: number;
  readonly settings?: Partial<typeof SETTINGS>;
  readonly isMasked?: () => boolean;
}

async function startRig({ scenario = "steady", maxBytes, settings, isMasked }: RigOptions = {}) {
  const store = new Store();
  const scales = openScales(store, {});
  let recorder: FlightRecorder | undefined;
  const rig = await startLiveRig({
    ...{ scenario, seed: 11, history: 100, store },
    historyBufferOf: (clock) => {
      const historyBuffer = new HistoryBuffer({
        live: store,
        clock,
        ...(maxBytes && { maxBytes }),
      });
      recorder = new FlightRecorder({
        ...{ historyBuffer, scales, clock },
        settings: () => ({ ...SETTINGS, ...settings }),
        isMasked: isMasked ?? (() => false),
      });
      return historyBuffer;
    },
  });
  if (recorder === undefined) throw new Error("no history buffer was asked for");
  const { address } = rig.simulator.announcement.account;
  const held = [
    ...Object.values(channels),
    accountsChannel(address),
    accountChannel({ address, subaccountId: "0" }),
  ];
  for (const channel of held) if (channel) rig.stream.subscribe(channel);
  const folder = mkdtempSync(join(tmpdir(), "flight-"));
  onTestFinished(() => recorder?.close());
  return { rig, store, scales, recorder, address, folder };
}

function opened(text: string) {
  const [first = "", ...rest] = text.trimEnd().split("\n");
  const heading = decodeHeading(first);
  if (heading === undefined) throw new Error(first);
  const entries = rest.map((line) => {
    const entry = decodeEntry(line);
    if (entry === undefined) throw new Error(line.slice(0, 500));
    return entry;
  });
  return { heading, entries };
}

/** What a replay shows at moments of the file. */
function replayed(text: string, moments: readonly number[], address: string) {
  const { heading, entries } = opened(text);
  const session = new ReplayedSession(heading.settings, heading);
  let next = 0;
  const shown = moments.map((atMs) => {
    while ((entries[next]?.t ?? Number.POSITIVE_INFINITY) <= atMs) {
      session.apply(entries[next++] as (typeof entries)[number]);
    }
    const { store, scales } = session;
    return jsonOf({ store, scales, nowMs: atMs }, address);
  });
  expect(session.unreadable).toBe(0);
  return shown;
}

describe("a recording of the last minutes", () => {
  test.each(["steady", "gaps", "drops", "unavailable", "storm"])(
    "of the scenario %s shows what the live run showed, from its first moment to its last",
    async (scenario) => {
      const { rig, store, scales, recorder, address, folder } = await startRig({ scenario });
      const moments: { readonly atMs: number; readonly text: string }[] = [];
      const look = () => {
        const atMs = rig.clock.now();
        if (atMs % 500 === 0)
          moments.push({ atMs, text: jsonOf({ store, scales, nowMs: atMs }, address) });
      };
      await rig.pass(20_000, look);
      const path = join(folder, "flight.jsonl");
      const flight = await recorder.start(path, { beforeMs: 8000, afterMs: 5000, cause: "test" });
      await rig.pass(6000, look);
      await flight.close();
      expect(flight.failure).toBeUndefined();
      const text = readFileSync(path, "utf8");
      const within = moments.filter(({ atMs }) => atMs >= flight.startMs && atMs <= flight.untilMs);
      expect(within.length).toBeGreaterThan(20);
      const shown = replayed(
        text,
        within.map(({ atMs }) => atMs),
        address,
      );
      for (const [i, { atMs, text: live }] of within.entries()) {
        expect(shown[i], `at ${atMs}`).toBe(live);
      }
    },
  );
});
