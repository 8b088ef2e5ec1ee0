// Trades of composed services, watched for sixteen minutes: what `flow` sums is what the service traded in the time that it says
// is covered. MONITOR_SEED chooses the first seed, MONITOR_RUNS how many; MONITOR_SOAK=long makes it 200.
import { expect, test } from "vitest";
import { findEdges, findMissedTrades } from "../../src/state/missed-trades.ts";
import type { Store } from "../../src/state/store.ts";
import type { TradesState } from "../../src/state/trades.ts";
import type { Trade } from "../../src/wire/channels/trades.ts";
import type { TradeRecord } from "../../src/wire/rest/trades.ts";
import { type Flow, flowOf, sumsOf, sumsOfLedger } from "../support/flow-oracle.ts";
import { report, runs, SEED } from "../support/soak.ts";
import { type ComposedStream, composeStream, streamOf } from "./compose-stream.ts";
import { createRandom, hash } from "./random.ts";
import { showsLosses, type Watched, watchMany, watchService } from "./watch-service.ts";

const RUNS = runs(6, 200);
const FIRST_SEED = SEED * 1_000_000;

/** What trades in the first millisecond may be cut in two by the first frame: that it is not is assumed. */
function withoutCut(trades: readonly Trade[], { since_ms }: Flow): readonly (readonly Trade[])[] {
  const first = trades.filter(({ timestamp_ns }) => msOf(timestamp_ns) === since_ms);
  return first.map((_, i) => trades.filter((trade) => !first.slice(0, i + 1).includes(trade)));
}

const msOf = (ns: string) => Number(BigInt(ns) / 1_000_000n);

/**
 * That no trade comes later than those that have come, and that none is like another of its nanosecond, is assumed until one does,
 * or is.
 */
function isAssumed(
  { facts: { trades } }: ComposedStream,
  tape: TradesState,
  ledger: readonly Trade[],
): boolean {
  if (trades === undefined) return false;
  const isLate = tape.lateMs < mostLateMs(ledger);
  return isLate || (trades.lateShare + trades.twinShare > 0 && tape.facts().hasTwins !== true);
}

/** How much older a trade is than one that was sent before it, at the most. */
function mostLateMs(ledger: readonly Trade[]): number {
  let [newest, most] = [0n, 0n];
  for (const { timestamp_ns } of ledger) {
    const ns = BigInt(timestamp_ns);
    if (newest - ns > most) most = newest - ns;
    if (ns > newest) newest = ns;
  }
  return Number(most) / 1e6;
}

function difference(tape: TradesState, trades: readonly Trade[]): string | undefined {
  const flow = flowOf(tape);
  const shown = JSON.stringify(sumsOf(flow));
  const isTrue = (of: readonly Trade[]) => JSON.stringify(sumsOfLedger(of, flow)) === shown;
  if (isTrue(trades) || withoutCut(trades, flow).some(isTrue)) return undefined;
  const expected = JSON.stringify(sumsOfLedger(trades, flow));
  return `${shown} instead of ${expected}, ${JSON.stringify(flow.coverage)}`;
}

const ONE = { mantissa: 1n, places: 0 };
let healed = 0;

/** What the listing has of each open hole, where that is proven. */
function heal(store: Store, channel: string, ledger: readonly Trade[]): void {
  const records = ledger.toReversed().map(
    ({ timestamp_ns, price_ticks, size_base_lots, taker_is_bid }) =>
      ({
        timestamp_ms: msOf(timestamp_ns),
        price: price_ticks,
        quantity: size_base_lots,
        taker_is_bid,
      }) as TradeRecord,
  );
  const newestMs = records.reduce((most, { timestamp_ms: ms }) => Math.max(most, ms), 0);
  const run = { records, newestMs, wholeUntilMs: Number.NEGATIVE_INFINITY };
  const tape = () => store.slice("trades", channel).data;
  for (const { afterNs } of tape().open) {
    const edges = findEdges(tape(), afterNs);
    if (edges === undefined || tape().isNearOtherHole(edges.span)) continue;
    const missed = findMissedTrades(edges, run, { tickSize: ONE, lotSize: ONE }, tape().lateMs);
    if (!missed.isProven) continue;
    healed++;
    const { trades } = missed;
    store.dispatch({ atMs: 0, type: "filled", channel, ...edges.span, trades });
  }
}

function hasTrades(composed: ComposedStream): boolean {
  return composed.facts.trades !== undefined && showsLosses(composed);
}

let exempt = 0;

function watchTrades(composed: ComposedStream, seed: number): Watched {
  const { trades: { channel = "" } = {} } = composed.facts;
  let isExempt = false;
  const watched = watchService(composed, seed, {
    channels: [channel],
    long: channel,
    isMarked: (store) => store.slice("trades", channel).data.open.length > 0,
    find({ store, state, truth }) {
      if (truth.kind !== "trades") return [];
      const trades: readonly Trade[] = truth.trades.map((text) => JSON.parse(text));
      const tape = () => store.slice("trades", channel).data;
      if (tape().flow.sinceMs === undefined) return [];
      if (seed % 2 === 0) heal(store, channel, trades);
      const wrong = difference(tape(), trades);
      if (wrong === undefined) return [];
      // It was wrong before the service had shown what is assumed until then.
      isExempt ||= isAssumed(composed, tape(), trades);
      const record = `${state}: ${wrong}`;
      return isExempt ? [] : [{ list: channel, kind: "wrong", record, isInQuestion: false }];
    },
  });
  if (isExempt) exempt++;
  return watched;
}

const AGAIN = runs(4, 100);

/** Most changes list the last trades once more, and quiet subscriptions bring nothing else. */
function composeAgain(seed: number): ComposedStream {
  const random = createRandom(hash(seed, 901));
  return streamOf(
    {
      ...composeStream(seed).facts.delivery,
      lossShare: 0,
      outageShare: 0,
      silentShare: 0,
      hasNullSequences: false,
      numbering: random.pick(["channel", "service", "minus-one", "channel-history"]),
      foreignTransactions: random.pick([0, 3, 40]),
      resnapshotShare: random.pick([0.3, 0.6]),
      resnapshotsTrades: true,
    },
    { trades: { backlog: random.pick([5, 30, 100]), rate: random.pick([0.1, 0.3, 1]) } },
  );
}

test(`so is that of ${AGAIN} that list trades again in mid-stream`, () => {
  const seeds = Array.from({ length: AGAIN }, (_, i) => FIRST_SEED + i);
  const untrue = seeds.map((seed) => watchTrades(composeAgain(seed), seed).untrue);
  expect(untrue.filter((words) => words !== "")).toEqual([]);
});

test(`the order flow of ${RUNS} composed services is theirs over the time that it names (from seed ${FIRST_SEED})`, () => {
  const { untrue, words } = watchMany(FIRST_SEED, RUNS, hasTrades, watchTrades);
  report(`order flow: ${words}, ${healed} holes healed, ${exempt} wrong before it could be seen`);
  expect(untrue, words).toEqual([]);
});
