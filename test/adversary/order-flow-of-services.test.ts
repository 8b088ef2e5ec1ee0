// Trades of composed services, watched for sixteen minutes: what `flow` sums is what the service traded in the time that it says
// is covered. MONITOR_SEED chooses the first seed, MONITOR_RUNS how many; MONITOR_SOAK=long makes it 2,000.
import { expect, test } from "vitest";
import type { Trade } from "../../src/wire/channels/trades.ts";
import { type Flow, flowOf, sumsOf, sumsOfLedger } from "../support/flow-oracle.ts";
import { runs, SEED } from "../support/soak.ts";
import type { ComposedStream } from "./compose-stream.ts";
import type { Finding } from "./truth-check.ts";
import {
  type LookedAt,
  showsLosses,
  type Watched,
  watchMany,
  watchService,
} from "./watch-service.ts";

const RUNS = runs(8, 2000);
const FIRST_SEED = SEED * 1_000_000;

/** What trades in the first millisecond may be cut in two by the first frame: that it is not is assumed. */
function withoutCut(trades: readonly Trade[], { since_ms }: Flow): readonly (readonly Trade[])[] {
  const first = trades.filter(({ timestamp_ns }) => msOf(timestamp_ns) === since_ms);
  return first.map((_, i) => trades.filter((trade) => !first.slice(0, i + 1).includes(trade)));
}

const msOf = (ns: string) => Number(BigInt(ns) / 1_000_000n);

function flowFindings({ store, channel, state, truth }: LookedAt): readonly Finding[] {
  if (truth.kind !== "trades") return [];
  const { data } = store.slice("trades", channel);
  if (data.flow.sinceMs === undefined) return [];
  const flow = flowOf(data);
  const trades: readonly Trade[] = truth.trades.map((text) => JSON.parse(text));
  const shown = JSON.stringify(sumsOf(flow));
  const isTrue = (of: readonly Trade[]) => JSON.stringify(sumsOfLedger(of, flow)) === shown;
  if (isTrue(trades) || withoutCut(trades, flow).some(isTrue)) return [];
  const expected = JSON.stringify(sumsOfLedger(trades, flow));
  const record = `${state}: ${shown} instead of ${expected}, ${JSON.stringify(flow.coverage)}`;
  return [{ list: channel, kind: "wrong", record, isInQuestion: false }];
}

/**
 * Two equal trades of one nanosecond are one where a backlog may have repeated it: nothing tells them apart. That trades come late is
 * not seen before the first of them does.
 */
function hasTrades(composed: ComposedStream): boolean {
  const { trades } = composed.facts;
  return trades?.twinShare === 0 && trades.lateShare === 0 && showsLosses(composed);
}

function watchTrades(composed: ComposedStream, seed: number): Watched {
  const { trades: { channel = "" } = {} } = composed.facts;
  return watchService(composed, seed, {
    channels: [channel],
    long: channel,
    isMarked: (store) => store.slice("trades", channel).data.open.length > 0,
    find: flowFindings,
  });
}

test(`the order flow of ${RUNS} composed services is theirs over the time that it names (from seed ${FIRST_SEED})`, () => {
  const { untrue, words } = watchMany(FIRST_SEED, RUNS, hasTrades, watchTrades);
  expect(untrue, words).toEqual([]);
});
